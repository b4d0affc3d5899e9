"""A robot as MJCF plus named chains: what planners, filters and robot files ask of it, written once.

An arm pair has the chains ``left`` and ``right``. Other robots name their own (legs, waist).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from assets.robots.load import load_robot
from assets.robots.record import SIDES, RobotRecord, Visuals

if TYPE_CHECKING:
    import mujoco


@dataclass(frozen=True)
class Chain:
    """Joints in a row from a base to a hand or a foot; (N,) tuples follow ``joints``.

    Attributes:
        name: "left"; its elements of the model begin with ``prefix``.
        joints: names within the chain, from base to tip; the model's are ``prefix + name``.
        lower, upper: position limits, rad.
        home: resting position, rad.
        velocity, acceleration, effort: magnitudes that planners obey, rad/s, rad/s^2, N m.
        opening: metres between the pads of the open gripper at its end, or None where there is none.
        force: largest force of the gripper, N.
    """

    name: str
    joints: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    home: tuple[float, ...]
    velocity: tuple[float, ...]
    acceleration: tuple[float, ...]
    effort: tuple[float, ...]
    opening: float | None = None
    force: float = 0.0

    @property
    def prefix(self) -> str:
        """ "left_"."""
        return f"{self.name}_"

    @property
    def names(self) -> tuple[str, ...]:
        """(N,) joint names of the model, policies and datasets: "left_joint1"."""
        return tuple(self.prefix + joint for joint in self.joints)

    @property
    def gripper(self) -> str | None:
        """Name of the gripper as policies and datasets have it: "left_gripper"."""
        return None if self.opening is None else f"{self.prefix}gripper"


@dataclass(frozen=True)
class RobotModel:
    """A robot by its chains.

    Attributes:
        name: of ``assets list robots``; description: one line.
        chains: by name, in the order of actions.
        record: the robot file it was made from.
    """

    name: str
    description: str
    chains: dict[str, Chain]
    record: RobotRecord

    @property
    def names(self) -> tuple[str, ...]:
        """(J,) joints and grippers in the order of actions."""
        found = [name for c in self.chains.values() for name in (*c.names, *([c.gripper] if c.gripper else []))]
        return tuple(found)

    def compile(self, visuals: Visuals = "simple") -> mujoco.MjModel:
        """The robot alone, with its stand.

        Raises:
            MissingAssetError: ``visuals="mesh"`` and the meshes were not pulled.
        """
        import mujoco

        from assets.robots.build import add_robot

        spec = mujoco.MjSpec()
        add_robot(spec, self.record, visuals)
        return spec.compile()


@cache
def robot_model(name: str) -> RobotModel:
    """A robot of ``assets list robots`` by its chains.

    Raises:
        UnknownNameError: no such robot.
        InvalidSettingsError: its file is malformed.
    """
    import mujoco

    record = load_robot(name)
    spec = mujoco.MjSpec.from_file(str(record.model_path))
    ranges = [tuple(map(float, spec.joint(joint).range)) for joint in record.joints]
    limits, gripper = record.limits, record.gripper
    chains = {
        side: Chain(
            name=side,
            joints=record.joints,
            lower=tuple(low for low, _ in ranges),
            upper=tuple(high for _, high in ranges),
            home=record.home[side],
            velocity=limits.velocity,
            acceleration=limits.acceleration,
            effort=limits.effort,
            opening=gripper.max_opening,
            force=gripper.force,
        )
        for side in SIDES
    }
    return RobotModel(name, record.description, chains, record)
