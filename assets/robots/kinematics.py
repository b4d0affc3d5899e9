"""Inverse kinematics of one arm for many targets at once: damped least squares with joint limits and restarts.

Each target starts from the caller's joint vector, so an answer close to it is preferred. Targets that do not converge
start again from those postures of a fixed low-discrepancy library whose hands are nearest. Nothing is random.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assets.robots.chain import SerialChain
from twinloom.errors import TwinloomError
from twinloom.transforms import Array, interpolate_poses, rotation_vector


class Solution(NamedTuple):
    """Answers of one batch; of a target without an answer the best try is kept.

    Attributes:
        q: (B, N) joints within the limits.
        ok: (B,) bool, both errors within tolerance.
        errors: (B, 2) distance in metres and angle in radians between the hand at ``q`` and its target.
    """

    q: Array
    ok: np.ndarray
    errors: Array


@dataclass(frozen=True)
class Tolerance:
    """A target counts as reached within ``position`` (m) and ``rotation`` (rad); iterations stop at a tenth of that."""

    position: float = 5e-4
    rotation: float = 5e-3


class InverseKinematics(SerialChain):
    """A serial chain that can also be solved for; see :class:`SerialChain` for the arguments.

    Attributes:
        tolerance: when a target counts as reached.
        posture_gain: share of the distance to ``home`` removed per iteration in the null space of a redundant arm.
    """

    ROTATION_LENGTH = 0.25  # metres that one radian weighs
    MAX_STEP = 1.0  # radians per joint and iteration: beyond, the linear model is worthless
    LIBRARY = 2048
    BEND = (0.004, 0.04)  # metres and radians by which a joint motion may leave a straight line of the hand

    tolerance = Tolerance()
    posture_gain = 0.1

    def solve(self, targets: Array, seeds: Array | None = None, restarts: int = 16, iterations: int = 16) -> Solution:
        """Joint vectors that put the tool centre point on each target.

        Args:
            targets: ``T_world_tcp``, (4, 4) or (B, 4, 4).
            seeds: where to start, (N,) for all or (B, N). Default: home.
            restarts: how many library postures to try for a target that did not converge.
            iterations: bound per start.

        Returns:
            Arrays with leading axis B (1 for a single target).

        Raises:
            TwinloomError: shapes do not fit or a target is not finite.
        """
        T = self._checked(targets)
        start = np.broadcast_to(self.home if seeds is None else np.asarray(seeds, float), (len(T), self.size))
        best = self._iterate(T, start, iterations)
        done = 0
        for count in (4, restarts):  # few at first: most targets need only one or two
            count = min(count, restarts - done)
            left = np.flatnonzero(~best.ok)
            if count <= 0 or not len(left):
                break
            nearest = self._nearest(T[left], restarts)[:, done : done + count]
            tries = self._iterate(np.repeat(T[left], count, 0), self.library[nearest.ravel()], iterations)
            tries.q[:] = self._unwound(tries.q, np.repeat(start[left], count, 0))
            pick = self._closest(tries, start[left], count)
            for into, what in zip(best, tries, strict=True):
                into[left] = what[pick]
            done += count
        return best

    def solutions(self, target: Array, reference: Array, starts: int = 24, iterations: int = 16) -> Array:
        """Several distinct answers for one target, nearest to ``reference`` first.

        Args:
            target: ``T_world_tcp``, (4, 4).
            reference: (N,) joint vector from which distances are measured; also the first start.
            starts: how many starts to try.
            iterations: bound per start.

        Returns:
            (K, N), K >= 0: answers that differ by more than 0.1 rad in some joint.
        """
        T = self._checked(target)
        seeds = np.vstack([reference, self.home, self.library[self._nearest(T, max(starts - 2, 1))[0]]])
        tries = self._iterate(np.repeat(T, len(seeds), 0), seeds, iterations)
        found = self._unwound(tries.q[tries.ok], np.asarray(reference, float))
        found = found[np.argsort(np.abs(found - reference).max(1), kind="stable")]
        keep: list[Array] = []
        for q in found:
            if all(np.abs(q - other).max() > 0.1 for other in keep):
                keep.append(q)
        return np.array(keep).reshape(-1, self.size)

    def follow(self, q_start: Array, poses: Array, max_jump: float = 0.4) -> tuple[Array, np.ndarray]:
        """Track many pose sequences at once, without restarts.

        All waypoints are solved in parallel from where the motion begins; a sequence that this does not bring to its
        end smoothly is done again with each waypoint warm-started from the one before.

        Args:
            q_start: (B, N).
            poses: ``T_world_tcp``, (B, K, 4, 4), close enough to each other to stay on one solution branch.
            max_jump: largest joint motion between neighbours, radians.

        Returns:
            Joints (B, K + 1, N) that begin with ``q_start``, and (B,) how many of the K poses were reached in a row.
        """
        B, K = poses.shape[:2]
        # no pull towards home: it would move the elbow at the first waypoint of a line
        flat = self._iterate(poses.reshape(-1, 4, 4), np.repeat(q_start, K, 0), 12, posture_gain=0.0)
        q = np.concatenate([q_start[:, None], flat.q.reshape(B, K, -1)], 1)
        smooth = (np.abs(np.diff(q, axis=1)) <= max_jump).all((1, 2))
        reached = np.full(B, K)
        again = np.flatnonzero(~(smooth & flat.ok.reshape(B, K).all(1)))
        if len(again):
            q[again], reached[again] = self._follow_slowly(q_start[again], poses[again], max_jump)
        return q, reached

    def _follow_slowly(self, q_start: Array, poses: Array, max_jump: float) -> tuple[Array, np.ndarray]:
        B, K = poses.shape[:2]
        q = np.empty((B, K + 1, self.size))
        q[:, 0] = q_start
        reached = np.zeros(B, int)
        for k in range(K):
            ahead = q[:, k] if k == 0 else np.clip(2.0 * q[:, k] - q[:, k - 1], self.lower, self.upper)
            step = self._iterate(poses[:, k], ahead, 12, posture_gain=0.0)
            good = step.ok & (np.abs(step.q - q[:, k]).max(1) <= max_jump)
            again = np.flatnonzero(~good & (reached == k))
            if len(again):  # near a singularity: slower, from where it is, and a wrist may turn over
                retry = self._iterate(poses[again, k], q[again, k], 50, posture_gain=0.0)
                step.q[again] = retry.q
                good[again] = retry.ok & self._straight(q[again, k], retry.q)
            q[:, k + 1] = step.q
            reached += (reached == k) & good
            if not (reached == k + 1).any():
                q[:, k + 2 :] = step.q[:, None]
                break
        return q, reached

    def _straight(self, q_start: Array, q_goal: Array) -> np.ndarray:
        """(B,) bool, whether joint motions from (B, N) to (B, N) keep the hand near the straight line."""
        middle = interpolate_poses(self.forward(q_start), self.forward(q_goal), np.array([0.5]))
        T = self.forward(0.5 * (q_start + q_goal))
        off = np.linalg.norm(T[:, :3, 3] - middle[:, 0, :3, 3], axis=1)
        turn = np.linalg.norm(rotation_vector(np.swapaxes(middle[:, 0, :3, :3], 1, 2) @ T[:, :3, :3]), axis=1)
        return (off <= self.BEND[0]) & (turn <= self.BEND[1])

    def room(self, q: Array) -> Array:
        """(B,) how far joints (B, N) are from being stuck, rad or m: at their limits, or where the hand cannot turn."""
        limits = np.minimum(q - self.lower, self.upper - q).min(1)
        J = self.jacobian_of(self.frames(np.ascontiguousarray(q.T))).transpose(2, 0, 1)
        J[:, 3:] *= self.ROTATION_LENGTH
        return np.minimum(limits, np.linalg.svd(J, compute_uv=False)[:, -1] / self.ROTATION_LENGTH)

    @cached_property
    def library(self) -> Array:
        """(LIBRARY, N) fixed postures: home, middle of the limits, then a Halton sequence within 95 % of the limits."""
        points = _halton(self.size, self.LIBRARY - 2)
        middle, half = 0.5 * (self.lower + self.upper), 0.475 * (self.upper - self.lower)
        return np.vstack([self.home, middle, middle + half * (2.0 * points - 1.0)])

    @cached_property
    def _library_features(self) -> Array:
        return self._features(self.forward(self.library))

    def _features(self, T: Array) -> Array:
        """(B, 12) such that squared distances are m² plus (ROTATION_LENGTH rad)²."""
        rotation = T[:, :3, :3].reshape(-1, 9) * (self.ROTATION_LENGTH * 0.5**0.5)
        return np.concatenate([T[:, :3, 3], rotation], 1)

    def _nearest(self, T: Array, count: int) -> np.ndarray:
        """(B, count) library indices by hand distance; home and middle always lead."""
        library, wanted = self._library_features, self._features(T)
        distance = (library * library).sum(1) - 2.0 * wanted @ library.T
        distance[:, :2] = -np.inf
        distance = np.round(distance, 9)  # ties must not depend on the last bit of a matrix product
        near = np.sort(np.argpartition(distance, count, axis=1)[:, :count], axis=1)
        order = np.argsort(np.take_along_axis(distance, near, 1), axis=1, kind="stable")
        return np.take_along_axis(near, order, 1)

    def _unwound(self, q: Array, reference: Array) -> Array:
        """The same posture with whole turns taken off where a joint's limits leave room for more than one turn."""
        turns = np.round((q - reference) / (2.0 * np.pi)) * (2.0 * np.pi)
        turns[:, self._slides] = 0.0
        shifted = q - turns
        return np.where((shifted >= self.lower) & (shifted <= self.upper), shifted, q)

    def _closest(self, tries: Solution, start: Array, count: int) -> np.ndarray:
        """Flat index of the try to keep for each target: reached and least joint travel, else least error."""
        travel = np.abs(tries.q.reshape(len(start), count, -1) - start[:, None]).max(2)
        error = (tries.errors * [1.0, self.ROTATION_LENGTH]).sum(1).reshape(len(start), count)
        cost = np.where(tries.ok.reshape(len(start), count), travel, 1e3 + error)
        return np.argmin(cost, axis=1) + count * np.arange(len(start))

    def _iterate(self, T: Array, start: Array, iterations: int, posture_gain: float | None = None) -> Solution:
        """Damped least squares from one start per target; entries leave the batch as they converge."""
        tolerance, length = self.tolerance, self.ROTATION_LENGTH
        lower, upper = self.lower[:, None], self.upper[:, None]
        gain = 0.0 if self.size <= 6 else self.posture_gain if posture_gain is None else posture_gain
        result = np.clip(start, self.lower, self.upper)
        errors = np.full((len(T), 2), np.inf)
        best = np.full(len(T), np.inf)
        active = np.arange(len(T))
        goal_p, goal_R = np.ascontiguousarray(T[:, :3, 3].T), np.ascontiguousarray(T[:, :3, :3].transpose(2, 1, 0))
        q = np.ascontiguousarray(result.T)
        for iteration in range(iterations + 1):
            frames = self.frames(q)
            e = np.empty((6, q.shape[1]))
            np.subtract(goal_p, frames[-1, 3], out=e[:3])
            e[3:] = _rotation_error(goal_R, frames[-1, :3])
            squares = (e * e).reshape(2, 3, -1).sum(1)
            distance, angle = np.sqrt(squares)
            score = distance + length * angle
            better = score < best
            rows = active[better]
            result[rows], errors[rows, 0], errors[rows, 1] = q.T[better], distance[better], angle[better]
            best = np.minimum(best, score)
            going = (distance > 0.1 * tolerance.position) | (angle > 0.1 * tolerance.rotation)
            if iteration == iterations or not going.any():
                break
            J = self.jacobian_of(frames)
            if not going.all():
                active, best, q, e, J = active[going], best[going], q[:, going], e[:, going], J[:, :, going]
                goal_p, goal_R = goal_p[:, going], goal_R[:, :, going]
            J[3:] *= length
            e[3:] *= length
            q = np.clip(q + self._step(q, e, J, gain), lower, upper)
        ok = (errors[:, 0] <= tolerance.position) & (errors[:, 1] <= tolerance.rotation)
        return Solution(result, ok, errors)

    def _step(self, q: Array, e: Array, J: Array, gain: float) -> Array:
        """(N, B) step: joints that rest on a limit and are pushed outwards are frozen."""
        J = np.ascontiguousarray(J.transpose(2, 0, 1))
        gradient = (e.T[:, None] @ J)[:, 0].T
        stuck_low = (q <= self.lower[:, None]) & (gradient < 0.0)
        free = ~(stuck_low | ((q >= self.upper[:, None]) & (gradient > 0.0)))
        masked = J * free.T[:, None]
        square = (e * e).sum(0)
        damping = np.minimum(0.1 * square, 0.05) + 1e-6  # vanishes with the error: quadratic convergence
        A = masked @ masked.transpose(0, 2, 1)
        A.reshape(-1, 36)[:, ::7] += damping[:, None]
        if gain == 0.0:
            step = (masked.transpose(0, 2, 1) @ np.linalg.solve(A, e.T[..., None]))[..., 0].T
        else:
            pull = gain * np.minimum(1.0, np.sqrt(square) / 0.1)  # fades, since a moving elbow disturbs the hand
            drift = free * (pull * (self.home[:, None] - q))
            residual = e.T[..., None] - masked @ drift.T[..., None]
            step = (masked.transpose(0, 2, 1) @ np.linalg.solve(A, residual))[..., 0].T + drift
        return step * np.minimum(1.0, self.MAX_STEP / np.maximum(np.abs(step).max(0), 1e-9))

    def _checked(self, targets: Array) -> Array:
        T = np.asarray(targets, float)[None] if np.ndim(targets) == 2 else np.asarray(targets, float)
        if T.ndim != 3 or T.shape[1:] != (4, 4):
            raise TwinloomError(
                f"targets have shape {np.shape(targets)}; allowed: (4, 4) or (B, 4, 4) poses T_world_tcp"
            )
        if not np.isfinite(T).all():
            raise TwinloomError("a target pose is not finite; check the grasp or goal it was computed from")
        return T


def _halton(dimensions: int, count: int) -> Array:
    """(count, dimensions) points that fill the unit cube evenly; the first 20, which are correlated, are skipped.

    Written out because importing SciPy's takes longer than planning an episode.
    """
    bases = [n for n in range(2, 90) if all(n % d for d in range(2, n))][:dimensions]
    points = np.zeros((count, dimensions))
    for column, base in zip(points.T, bases, strict=True):
        index, weight = np.arange(20, 20 + count), 1.0
        while index.any():
            weight /= base
            column += weight * (index % base)
            index = index // base
    return points


def _rotation_error(goal: Array, actual: Array) -> Array:
    """(3, B) rotation vector in the world frame that turns ``actual`` into ``goal``; both (3 columns, 3, B)."""
    M = (actual[:, :, None] * goal[:, None]).sum(0)  # (R_goal R_actual')' for each entry of the batch
    sine = 0.5 * (M[(1, 2, 0), (2, 0, 1)] - M[(2, 0, 1), (1, 2, 0)])
    cosine = 0.5 * (M[0, 0] + M[1, 1] + M[2, 2] - 1.0)
    norm = np.sqrt((sine * sine).sum(0))
    vector = sine * (np.arctan2(norm, cosine) / np.maximum(norm, 1e-12))
    flipped = (cosine < 0.0) & (norm < 1e-4)
    if flipped.any():
        vector[:, flipped] = rotation_vector(M[..., flipped].transpose(2, 1, 0)).T
    return vector
