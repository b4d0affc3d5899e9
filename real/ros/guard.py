"""``python -m real.ros.guard --ros-args -p robot:=ur-pair``: the safety filter between senders and a robot's drivers.

Commands come on the topics of the robot file with a prefix ("/guarded"); what leaves the filter goes to the drivers'
own topics. Runs on the robot's computer.
"""

from __future__ import annotations

import time

import numpy as np

from real.contract import RobotContract
from real.ros.base import BaseListener, BasePublisher
from real.ros.commander import Commander
from real.ros.health import ERROR, OK
from real.ros.node import run_node
from real.ros.observer import Observer
from real.ros.robot_node import Device, RobotNode
from real.ros.topics import StatePublisher
from real.safety.modes import Output

IMU_S = 0.1  # seconds without an IMU after which a robot on legs counts as fallen


class DriverDevice:
    """The drivers of a robot: state topics in, command topics out.

    Forward controllers get every tick. Trajectory controllers get points with velocities at the command rate: they plan
    anew for each, so a robot that is streamed to should offer forward controllers.
    """

    exact = False

    def __init__(self, node: GuardNode, contract: RobotContract) -> None:
        self.contract = contract
        self._observer = Observer(node, contract, {}, jpeg=False, health=node.health)
        self._base = BaseListener(node, contract, node.health) if contract.imu else None
        self._commander = Commander(node, contract, node.health, node.get_name())
        self._health = node.health
        every = round(contract.rate_hz / contract.command_hz) if self._commander.trajectories else 1
        self._every, self._count = max(1, every), 0
        self._period = self._every / contract.rate_hz
        self._stamp_ns = 0

    @property
    def orientation(self) -> np.ndarray | None:
        """Of the IMU, unless it is silent."""
        if self._base is None or self._base.missing(time.monotonic(), IMU_S):
            return None
        newest = self._base.imu.get()
        return None if newest is None else newest[1][0]

    def read(self, stamp_ns: int) -> np.ndarray | None:
        """The newest state if it has come since the last tick."""
        newest = self._observer.state.take()
        if newest is None:
            return None
        self._stamp_ns = newest[1][1]
        return newest[1][0]

    def write(self, out: Output, now: float) -> None:
        """Pass on what left the filter."""
        self._count += 1
        if not out.send or self._count % self._every:
            return
        began = time.monotonic()

        def sample(times: np.ndarray) -> np.ndarray:
            ahead = (times - began)[:, None] if self._commander.trajectories else np.zeros((len(times), 1))
            return look_ahead(out, ahead)

        self._commander.send(sample, self._stamp_ns, self._period, self._period)

    def watch(self) -> None:
        """Say which drivers do not listen."""
        deaf = self._commander.missing()
        text = f"nobody listens to {', '.join(deaf)}" if deaf else "listen"
        self._health.set("drivers", ERROR if deaf else OK, text)

    def close(self) -> None:
        """Nothing to let go of: the drivers hold what they were sent last."""


def look_ahead(out: Output, seconds: np.ndarray) -> np.ndarray:
    """(N, J) positions after ``seconds`` (N, 1) at the present velocity, but not beyond what passed the filter."""
    return np.clip(out.q + seconds * out.qd, np.minimum(out.q, out.goal), np.maximum(out.q, out.goal))


class Announced:
    """A device of a Unitree robot, whose states are published since its drivers speak no ROS."""

    exact = False

    def __init__(self, node: GuardNode, contract: RobotContract) -> None:
        from real.robots.unitree_device import UnitreeDevice

        self._device = UnitreeDevice(contract)
        self._states = StatePublisher(node, contract, node.health)
        self._base = BasePublisher(node, contract, node.health, truth=False) if contract.imu else None
        self.orientation: np.ndarray | None = None

    def read(self, stamp_ns: int) -> np.ndarray | None:
        """The newest state if it has come since the last tick; also published."""
        state = self._device.take()
        if state is None:
            return None
        if self._base is not None:
            self._base.publish(stamp_ns, state.base)
            self.orientation = state.base.quat
        self._states.publish(stamp_ns, state.q, state.qd)
        return state.q

    def write(self, out: Output, now: float) -> None:
        """Pass on what left the filter."""
        self._device.write(out, now)

    def close(self) -> None:
        """End in damping."""
        self._device.close()


class GuardNode(RobotNode):
    """A robot node whose device is a robot that others drive."""

    MODULE, NAME = "real.ros.guard", "robot"

    def open_device(self, contract: RobotContract) -> Device:
        """The drivers, by the backend of the robot file."""
        if contract.backend == "unitree":
            return Announced(self, contract)
        device = DriverDevice(self, contract)
        self.create_timer(1.0, device.watch)
        return device


if __name__ == "__main__":
    run_node(GuardNode)
