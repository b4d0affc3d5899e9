"""Moving a door, lid or drawer by hand: the ways on which a hand can go along with the joint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.motion import Motion
from twinloom.transforms import interpolate_poses, rotation_matrix

ANGLE_STEP, LENGTH_STEP = 0.08, 0.02  # radians and metres between the poses of a way
APPROACH_POSES = 4  # of a straight approach
BATCH = 12  # candidates whose kinematics are looked at together


@dataclass(frozen=True)
class Turn:
    """A joint of an articulated object that a hand shall move.

    Attributes:
        actor, part: the object, placed "fixed", and the part that hangs on the joint.
        fraction: where the joint shall end, 0..1 of its range.
        follow: shares of the part's rotation that the hand may go along with, best first; below 1 the handle turns
            between the fingers.
    """

    actor: Actor
    part: str
    fraction: float
    follow: tuple[float, ...] = (1.0,)

    def positions(self) -> np.ndarray:
        """(K,) joint positions on the way, rad or m, without the present one."""
        low, high = self.actor.joint_limits(self.part)
        now, end = self.actor.joint(self.part), low + self.fraction * (high - low)
        step = ANGLE_STEP if self.actor.is_hinge(self.part) else LENGTH_STEP
        return np.linspace(now, end, 1 + max(4, int(np.ceil(abs(end - now) / step))))[1:]

    def ways(self, T_hand: np.ndarray) -> np.ndarray:
        """Poses (..., F, K, 4, 4) of hands that are at ``T_hand`` (..., 4, 4) now: a way for each of ``follow``."""
        axis, anchor = self.actor.joint_axis(self.part)
        changes = self.positions() - self.actor.joint(self.part)
        out = np.empty((*T_hand.shape[:-2], len(self.follow), len(changes), 4, 4))
        out[:] = T_hand[..., None, None, :, :]
        if self.actor.is_hinge(self.part):
            shares = np.asarray(self.follow)[:, None] * changes
            out[..., :3, :3] = rotation_matrix(shares[..., None] * axis) @ out[..., :3, :3]
            arm = (out[..., :3, 3] - anchor)[..., None]
            out[..., :3, 3] = anchor + (rotation_matrix(changes[:, None] * axis) @ arm)[..., 0]
        else:
            out[..., :3, 3] += changes[:, None] * axis
        return out


def feasible_ways(motion: Motion, side: str, turn: Turn, q: np.ndarray, T_hand: np.ndarray) -> list[np.ndarray]:
    """Ways (K, 4, 4) of a hand at ``T_hand``, joints ``q`` (N,), that are reachable and clear, best first."""
    ways = turn.ways(T_hand)
    paths, reached = motion.kinematics[side].follow(np.repeat(q[None], len(ways), 0), ways)
    whole = [i for i in range(len(ways)) if reached[i] == ways.shape[1]]
    return [ways[i] for i in whole if _clear(motion, side, turn, paths[i, 1:])]


def turnable(
    motion: Motion, side: str, turn: Turn, order: Iterable[int], q_pre: np.ndarray, T_grasp: np.ndarray
) -> Iterator[int]:
    """Those of some grasps from which the hand can go along with the joint.

    The approach is followed as well, for a redundant arm arrives with another elbow than inverse kinematics of the
    grasp alone would give it.

    Args:
        order: indices into ``q_pre`` (B, N), joints before the straight approach, and ``T_grasp`` (B, 4, 4).
    """
    kinematics = motion.kinematics[side]
    order = iter(order)
    while batch := list(islice(order, BATCH)):
        T = T_grasp[batch]
        lines = interpolate_poses(
            kinematics.forward(q_pre[batch]), T, np.arange(1, APPROACH_POSES + 1) / APPROACH_POSES
        )
        approaches, arrived = kinematics.follow(q_pre[batch], lines)
        ways = turn.ways(T)
        count, length = ways.shape[1:3]
        starts = np.repeat(approaches[:, -1], count, 0)
        paths, reached = kinematics.follow(starts, ways.reshape(-1, length, 4, 4))
        whole = (reached == length).reshape(-1, count) & (arrived == APPROACH_POSES)[:, None]
        paths = paths.reshape(len(batch), count, length + 1, -1)
        for k, i in enumerate(batch):
            if any(whole[k, f] and _clear(motion, side, turn, paths[k, f, 1:]) for f in range(count)):
                yield i


def _clear(motion: Motion, side: str, turn: Turn, path: np.ndarray) -> bool:
    """Whether the arm can go along a path (K, N) while the part moves out of, or into, its way."""
    qpos = motion.sim.data.qpos.copy()
    try:
        for q, position in zip(path, turn.positions(), strict=True):
            qpos[turn.actor.joint_address(turn.part)] = position
            motion.collision.set_state(qpos)
            if not motion.clear(motion.configuration(**{side: q}), {side: frozenset({turn.actor.name})}):
                return False
        return True
    finally:
        motion.collision.set_state(motion.sim.data.qpos)
