"""The one interface to anything with joints: a simulator, ROS 2 topics, a mock with faults.

    with make_robot("sim:bimanual/click_bell", lockstep=True) as robot:
        observation = robot.get_observation()
        sent = robot.send_action(policy.act(observation)[0])

The words are LeRobot's. Observations are flat dictionaries named as in datasets: "observation.state" (J,) float64 in
the order of the contract (rad; grippers as openings), "observation.images.<camera>" (H, W, 3) uint8, "timestamp" (1,)
seconds of a clock that only goes forward.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import Protocol, Self, runtime_checkable

import numpy as np

from real.contract import Camera, RobotContract
from real.safety.filter import SafetyFilter
from real.safety.modes import Verdict
from twinloom.errors import TwinloomError
from twinloom.features import ACTION, IMAGE_AXES, IMAGES, STATE, TIMESTAMP, Feature

UNIT = "rad; gripper opening in [0, 1]"

VELOCITY, QUATERNION, GYROSCOPE = "observation.velocity", "observation.imu.quaternion", "observation.imu.gyroscope"

log = logging.getLogger("real")


class RobotLostError(TwinloomError):
    """The robot does not answer any more; connect again."""


@runtime_checkable
class Robot(Protocol):
    """What every robot offers.

    Attributes:
        name: for people; contract: the robot's file.
        observation_features, action_features: what the arrays are, known before connecting.
        is_connected: whether it can be talked to.
    """

    name: str
    contract: RobotContract

    @property
    def observation_features(self) -> dict[str, Feature]: ...

    @property
    def action_features(self) -> dict[str, Feature]: ...

    @property
    def is_connected(self) -> bool: ...

    def connect(self) -> None:
        """Open it and make it ready for actions. Raises TwinloomError if that cannot be."""
        ...

    def get_observation(self) -> dict[str, np.ndarray]:
        """The newest observation."""
        ...

    def send_action(self, action: np.ndarray) -> np.ndarray:
        """Offer (J,) targets to the safety filter; returns the (J,) targets that the robot really goes to."""
        ...

    def disconnect(self) -> None:
        """Brake, let go and close. Harmless when done twice."""
        ...


def imu_features(contract: RobotContract) -> dict[str, Feature]:
    """What a robot on legs measures besides its joints' positions."""
    return {
        VELOCITY: Feature("float64", (len(contract.names),), contract.names, "rad/s"),
        QUATERNION: Feature("float64", (4,), ("qw", "qx", "qy", "qz"), "unit quaternion wxyz"),
        GYROSCOPE: Feature("float64", (3,), ("x", "y", "z"), "rad/s, body frame"),
    }


class BaseRobot(ABC):
    """What robots share: features from the contract, the context manager, the filter's lines in the log.

    Args:
        name: for people.
        contract: the robot's file.
        cameras: which images observations bring.
    """

    safety: SafetyFilter

    def __init__(self, name: str, contract: RobotContract, cameras: tuple[Camera, ...] = ()) -> None:
        self.name, self.contract, self.cameras = name, contract, cameras
        self._connected = False

    @property
    def observation_features(self) -> dict[str, Feature]:
        """Names, shapes and units of an observation's arrays."""
        size = (len(self.contract.names),)
        found = {STATE: Feature("float64", size, self.contract.names, UNIT)}
        for camera in self.cameras:
            shape = (camera.height, camera.width, 3)
            found[IMAGES + camera.name] = Feature("uint8", shape, IMAGE_AXES)
        found[TIMESTAMP] = Feature("float64", (1,), ("time",), "s")
        return found

    @property
    def action_features(self) -> dict[str, Feature]:
        """Names and units of an action."""
        return {ACTION: Feature("float64", (len(self.contract.names),), self.contract.names, UNIT)}

    @property
    def is_connected(self) -> bool:
        """Whether :meth:`connect` was called and the robot was not lost or disconnected since."""
        return self._connected

    @abstractmethod
    def connect(self) -> None: ...

    @abstractmethod
    def get_observation(self) -> dict[str, np.ndarray]: ...

    @abstractmethod
    def send_action(self, action: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def disconnect(self) -> None: ...

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()

    def _require_connection(self) -> None:
        if not self._connected:
            raise TwinloomError(f"{self.name} is not connected; call connect(), or use it in a with statement")

    def _say(self) -> None:
        """Hand the filter's lines to the log "real"."""
        for line in self.safety.journal.take():
            log.info("%s: %s", self.name, line)

    def _arm(self, now: float) -> None:
        verdict: Verdict = self.safety.arm(now)
        if not verdict.accepted:
            raise TwinloomError(f"{self.name} cannot be armed: {verdict.reason}")
