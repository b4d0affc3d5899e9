"""What a bag knows of a robot on legs besides its joints: velocities, IMU, commanded velocity, and where it began."""

from __future__ import annotations

from typing import Any

import numpy as np

from real.bags.bag import Bag
from real.bags.series import Series
from real.contract import RobotContract
from real.robots.base import GYROSCOPE, QUATERNION, imu_features
from twinloom.features import Feature

COMMAND = "observation.command"
COMMAND_NAMES = ("forward", "left", "turn")
CATCH_UP = 4
"""Ticks by which a simulated robot catches up at most; as its node does."""


class Legs:
    """Series of a bag's messages.

    Attributes:
        imu: (7,) rows: orientation wxyz, angular velocity.
        told: (3,) rows: velocity commands; zero where nobody commanded yet.
        truth: (13,) rows of a simulated robot: position, orientation wxyz, velocity, angular velocity.
    """

    def __init__(self, bag: Bag, contract: RobotContract, node: str) -> None:
        assert contract.imu is not None
        from real.ros.base import TRUTH, read_imu, read_truth

        self.imu, self.told, self.truth = Series(), Series(), Series()
        imu, truth, cmd_vel = contract.imu.topic, f"{node}/{TRUTH}", bag.about.get("cmd_vel") or "/cmd_vel"
        for message in bag.messages(imu, truth, cmd_vel):
            value = message.value
            if message.topic == imu:
                self.imu.add(message.made_ns, read_imu(value))
            elif message.topic == truth:
                base = read_truth(value)
                row = np.concatenate([base.position, base.quat, base.velocity, base.angular_velocity])
                self.truth.add(message.made_ns, row)
            else:
                self.told.add(message.received_ns, np.array([value.linear.x, value.linear.y, value.angular.z]))

    def features(self, contract: RobotContract) -> dict[str, Feature]:
        """Names and units of what `arrays` gives."""
        imu = {name: Feature("float32", one.shape, one.names, one.unit) for name, one in imu_features(contract).items()}
        return imu | {COMMAND: Feature("float32", (3,), COMMAND_NAMES, "m/s forward and left, rad/s to the left")}

    def arrays(self, times_ns: np.ndarray) -> dict[str, np.ndarray]:
        """IMU and command at the frames; a command holds until the next."""
        quat = self.imu.at(times_ns) if self.imu.stamps else np.tile([1.0] + 6 * [0.0], (len(times_ns), 1))
        told = np.zeros((len(times_ns), 3))
        if self.told.stamps:
            rows = np.searchsorted(np.array(self.told.stamps), times_ns, side="right") - 1
            told = np.where((rows >= 0)[:, None], np.array(self.told.rows)[np.maximum(rows, 0)], 0.0)
        return {
            QUATERNION: quat[:, :4].astype(np.float32),
            GYROSCOPE: quat[:, 4:].astype(np.float32),
            COMMAND: told.astype(np.float32),
        }

    def start(self, stamp_ns: int, q: np.ndarray, qd: np.ndarray) -> dict[str, Any]:
        """The simulator's state at a tick, for the record of its scene; {} if it is not known."""
        if stamp_ns not in self.truth.stamps:
            return {}
        row = self.truth.rows[self.truth.stamps.index(stamp_ns)]
        return {"qpos": [*row[:7].tolist(), *q.tolist()], "qvel": [*row[7:].tolist(), *qd.tolist()]}


def ticks(sent_ns: np.ndarray, period_s: float) -> np.ndarray:
    """(N,) how many ticks a simulated robot made with each row that was sent: 1, or more where it had to catch up.

    The ticks after row k - 1 are made at the time of row k, before it; so it is the gap before a row that counts.
    """
    gaps = np.diff(sent_ns, prepend=sent_ns[0] - round(period_s * 1e9)) * 1e-9 / period_s
    return np.clip(np.round(gaps), 1, CATCH_UP).astype(int)
