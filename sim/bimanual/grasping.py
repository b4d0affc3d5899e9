"""Choosing how to grasp: feasibility of everything that follows comes first, preference second.

RoboTwin 2.0 sweeps each annotated grasp about the finger axis and keeps what its planner reaches, but tests only the
pre-grasp. Here a candidate survives only if pre-grasp, grasp, lift and all later goals of the held object are reachable
and the approach is free of collisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from assets.objects.model import GraspPoint
from sim.bimanual.actor import Actor
from twinloom.transforms import inverse, pose, rotation_about

TILTS = 5  # samples within a grasp's allowed tilt
_FLIP = np.diag([1.0, -1.0, -1.0, 1.0])  # half a turn about the approach: the same grasp with fingers exchanged


@dataclass(frozen=True)
class Candidate:
    """One way to put a hand on an object.

    Attributes:
        T: (4, 4) hand pose in the world at the grasp.
        T_object_hand: the same relative to the object's base.
        preference: cost in radians-equivalent; smaller is nicer.
    """

    T: np.ndarray
    T_object_hand: np.ndarray
    grasp: GraspPoint
    preference: float


def candidates(actor: Actor, grasps: Iterable[GraspPoint], max_opening: float) -> list[Candidate]:
    """All hand poses for the given grasp points: tilted within their range, and with the fingers exchanged."""
    found: list[Candidate] = []
    seen: set[bytes] = set()  # grasps that differ only in the exchange of the fingers lead to the same poses
    T_object = inverse(actor.pose())
    for grasp in grasps:
        if grasp.width > 0.97 * max_opening:
            continue
        nominal = actor.grasp_pose(grasp)
        low, high = grasp.tilt
        tilts = sorted({0.0, *np.linspace(low, high, TILTS)}, key=abs) if high > low else [float(low)]
        for tilt in tilts:
            for flip in (False, True):
                T = nominal.copy()
                T[:3, :3] = T[:3, :3] @ rotation_about([0, 1, 0], -tilt)
                if flip:
                    T = T @ _FLIP
                key = (np.round(T, 6) + 0.0).tobytes()
                if key in seen:
                    continue
                seen.add(key)
                found.append(Candidate(T, T_object @ T, grasp, 0.4 * abs(tilt)))
    return found


def back_off(T: np.ndarray, distance: float) -> np.ndarray:
    """Hand pose(s) (..., 4, 4) moved back along their own approach by ``distance`` metres."""
    out = np.array(T, copy=True)
    out[..., :3, 3] -= distance * out[..., :3, 0]
    return out


def raised(T: np.ndarray, height: float) -> np.ndarray:
    """Pose(s) (..., 4, 4) moved up in the world by ``height`` metres."""
    out = np.array(T, copy=True)
    out[..., 2, 3] += height
    return out


@dataclass(frozen=True)
class Goal:
    """Where an object shall go: a point of it onto a target frame, in one of several yaws.

    Attributes:
        actor: the object; ``point``: name of its functional point, or None for its origin.
        targets: (K, 4, 4) frames in the world, equally good, one of which the point shall coincide with.
        yaws: radians about the target's z axis that are equally good; the most comfortable one is taken.
        pre: (3,) offset in the world from which the object comes in.
        above: metres above the target (world z) at which it is let go.
        touch: names that the object may touch when it arrives.
    """

    actor: Actor
    point: str | None
    targets: np.ndarray
    yaws: tuple[float, ...]
    pre: tuple[float, float, float]
    above: float
    touch: frozenset[str]

    def object_poses(self, extra: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)) -> np.ndarray:
        """(K * Y, 4, 4) poses of the object's base at the goal, for each target and yaw, shifted by ``extra``."""
        T_point_object = np.eye(4)
        if self.point is not None:
            p = self.actor.asset.point(self.point)
            T_point_object = inverse(inverse(self.actor.pose()) @ self.actor.pose(p.part) @ p.T_object_point)
        turns = np.array([pose((0, 0, 0), rotation_about([0, 0, 1], yaw)) for yaw in self.yaws])
        poses = (self.targets[:, None] @ turns[None] @ T_point_object).reshape(-1, 4, 4)
        poses[:, :3, 3] += np.asarray(extra, float) + np.array([0, 0, self.above])
        return poses
