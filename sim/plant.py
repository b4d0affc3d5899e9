"""What a family offers so that its robots can be commanded as real ones: a scene whose time passes when it is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Plant(Protocol):
    """A task's scene with its robot. Made with (task, robot, *, seed, episode, randomize, split, fps, record, images):
    which scene, as for ``datagen``, or that of a ``record``; whether :meth:`images` will be asked for; and

    * fps None: :meth:`advance` is called with any time, as by a driver whose rate is not that of the physics;
    * fps given: every call is one control step of ``1 / fps``, with the effect it has on the family's experts.

    Making it is cheap, and raises TwinloomError for a rate, a record or names that cannot be.

    Attributes:
        joints: (J,) names, in the order of all arrays here.
        delay_s: from a command to its effect.
        home: (J,) what is commanded at the start.
        target: (J,) what was commanded last.
        time: seconds since the start.
        success: whether the task is done.
        instruction: the sentence of this episode.
    """

    joints: tuple[str, ...]
    delay_s: float

    @property
    def home(self) -> np.ndarray: ...

    @property
    def target(self) -> np.ndarray: ...

    @property
    def time(self) -> float: ...

    @property
    def success(self) -> bool: ...

    @property
    def instruction(self) -> str: ...

    def start(self) -> None:
        """Draw the scene and let it settle. Raises TwinloomError where no usable one is found."""
        ...

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """(J,) positions and (J,) velocities now."""
        ...

    def advance(self, seconds: float, target: np.ndarray) -> None:
        """Let time pass while the targets move linearly from the last ones to ``target`` (J,).

        Raises:
            DivergedError: the physics broke down.
        """
        ...

    def snapshot(self) -> Any:
        """What :meth:`images` draws. Taken between two advances; drawing may go on while time does."""
        ...

    def images(self, snapshot: Any, cameras: Sequence[str], size: tuple[int, int]) -> Mapping[str, np.ndarray]:
        """Camera name to (H, W, C); ``size`` is (width, height)."""
        ...

    def record(self) -> dict[str, Any]:
        """Randomisation record: enough to rebuild the scene."""
        ...

    def close(self) -> None:
        """Free what drawing holds."""
        ...


class Base(NamedTuple):
    """The floating base of a robot on legs.

    Attributes:
        position: (3,) m, world.
        quat: (4,) orientation, wxyz.
        velocity: (3,) m/s, world.
        angular_velocity: (3,) rad/s, in the frame of the base: what its gyroscope says.
        acceleration: (3,) m/s², in the frame of the base, gravity included: what its accelerometer says.
    """

    position: np.ndarray
    quat: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    acceleration: np.ndarray


@runtime_checkable
class FloatingPlant(Plant, Protocol):
    """A plant whose robot stands on legs: its servos follow set points, which are held and not interpolated."""

    def base(self) -> Base:
        """The base now. Orientation, angular velocity and acceleration are what an IMU measures; the rest is truth."""
        ...

    def damp(self, seconds: float, damping: float) -> None:
        """Let time pass while every joint is only damped, with ``damping`` N m s/rad."""
        ...
