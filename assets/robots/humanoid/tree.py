"""A humanoid as a tree of rigid links with one hinge each: what every source is read into and every body is built from.

Real robots (MJCF, URDF) and sampled bodies are the same thing from here on, so one recipe serves both.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from assets.robots.humanoid.slots import SLOT_INDEX, SLOTS
from twinloom.transforms import Quat, pose, rotation_about

Vec3 = tuple[float, float, float]


@dataclass(frozen=True)
class Hinge:
    """The joint between a link and its parent; it turns about ``axis`` through the link's origin.

    Attributes:
        name: in the source.
        slot: name among SLOTS.
        axis: unit vector in the link's frame.
        range: (low, high) rad in the source's own zero.
        effort: largest torque, N m; velocity: largest speed, rad/s.
        armature: reflected rotor inertia, kg m^2; frictionloss: N m.
        sign, offset: slot position = sign * (position - offset).
    """

    name: str
    slot: str
    axis: Vec3
    range: tuple[float, float]
    effort: float
    velocity: float = 20.0
    armature: float = 0.0
    frictionloss: float = 0.0
    sign: int = 1
    offset: float = 0.0


@dataclass(frozen=True)
class Link:
    """A rigid link.

    Attributes:
        name: in the source.
        parent: index of the parent link, smaller than the own one; -1 for the base.
        pos, quat: its frame in the parent's while the joint is at its own zero, metres and wxyz; identity for the base.
        inertia: (4, 4) pseudo-inertia in its frame.
        hinge: None for the base.
    """

    name: str
    parent: int
    pos: Vec3
    quat: Quat
    inertia: np.ndarray
    hinge: Hinge | None = None


@dataclass(frozen=True)
class FootBox:
    """The sole: the lower face of a box fixed to the last link of a leg.

    Attributes:
        link: name of that link.
        pos: centre of the lower face in the link's frame, m.
        quat: wxyz; rotates the sole's frame (x forward, z up, identity when it stands flat) into the link's.
        half: half length and half width, m.
    """

    link: str
    pos: Vec3
    quat: Quat
    half: tuple[float, float]


@dataclass(frozen=True)
class LinkTree:
    """All links, parents first; link 0 is the base, whose frame has x forward, y left, z up.

    Attributes:
        name: of the robot.
        links: one hinge each, except the base.
        feet: (left, right).
    """

    name: str
    links: tuple[Link, ...]
    feet: tuple[FootBox, FootBox] = field(default=())  # type: ignore[assignment]

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """The joints, in the order of the links."""
        return tuple(link.hinge for link in self.links if link.hinge is not None)

    def link_of(self, slot: str) -> int:
        """Index of the link that the joint in ``slot`` moves. Raises KeyError when the robot has no such joint."""
        for index, link in enumerate(self.links):
            if link.hinge is not None and link.hinge.slot == slot:
                return index
        raise KeyError(slot)

    def has(self, slot: str) -> bool:
        """Whether the robot has a joint in ``slot``."""
        return any(hinge.slot == slot for hinge in self.hinges)

    def positions(self, slots: dict[str, float] | None = None) -> np.ndarray:
        """(joints,) positions in the source's convention for given slot positions; slots not named are at zero."""
        wanted = slots or {}
        unknown = wanted.keys() - SLOT_INDEX.keys()
        if unknown:
            raise KeyError(f"{', '.join(sorted(unknown))}; slots: {', '.join(SLOTS)}")
        return np.array([hinge.offset + hinge.sign * wanted.get(hinge.slot, 0.0) for hinge in self.hinges])

    def frames(self, positions: np.ndarray) -> np.ndarray:
        """(links, 4, 4) pose of every link in the base's frame for joint positions (joints,)."""
        frames = np.empty((len(self.links), 4, 4))
        angles = iter(positions)
        for index, link in enumerate(self.links):
            if link.hinge is None:
                frames[index] = np.eye(4)
            else:
                local = pose(link.pos, link.quat)
                frames[index] = (
                    frames[link.parent] @ local @ pose(rotation=rotation_about(link.hinge.axis, next(angles)))
                )
        return frames

    def axes(self, positions: np.ndarray) -> np.ndarray:
        """(joints, 3) joint axes in the base's frame."""
        frames = self.frames(positions)
        pairs = zip(frames, self.links, strict=True)
        return np.array([frame[:3, :3] @ link.hinge.axis for frame, link in pairs if link.hinge is not None])

    def mass(self) -> float:
        """Total mass, kg."""
        return float(sum(link.inertia[3, 3] for link in self.links))

    def com(self, positions: np.ndarray) -> np.ndarray:
        """(3,) centre of mass in the base's frame."""
        moments = np.array([link.inertia[:, 3] for link in self.links])
        return np.einsum("nij,nj->i", self.frames(positions), moments)[:3] / self.mass()
