"""Collision-free joint paths: straight line first, then RRT-Connect, then shortcuts.

The sampling planner is our own because a path must repeat with its episode: it draws from the generator it is given,
whereas OMPL seeds its generator once per process, so there a path would depend on what was planned before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.bimanual.plan.errors import PlanningError
from sim.bimanual.plan.spline import CORNER, Spline, densify
from twinloom.transforms import Array

IsFree = Callable[[Array], bool]


@dataclass(frozen=True)
class Bounds:
    """How hard to try.

    Attributes:
        resolution: largest joint step between tested postures, radians.
        extension: longest new branch of a tree, radians of the fastest joint.
        iterations: samples drawn at most.
        shortcuts: attempts to straighten the path that was found.
        spread: radians around the box that start and goal span where the first samples are drawn, since most detours
            are small; within the first third of the samples the box grows to the joint limits.
        escape: radians; a start that collides may be left through a free posture this near (a servo that pushes
            against something is commanded a little into it).
    """

    resolution: float = 0.02
    extension: float = 0.4
    iterations: int = 1500
    shortcuts: int = 60
    spread: float = 0.5
    escape: float = 0.06


def plan_joint_path(
    q_start: Array,
    q_goal: Array,
    is_free: IsFree,
    lower: Array,
    upper: Array,
    rng: np.random.Generator,
    bounds: Bounds = Bounds(),
) -> Array:
    """A collision-free polyline between two postures.

    One arm or several at once: concatenate their joints and let ``is_free`` take them apart again.

    Args:
        q_start, q_goal: (N,) joints.
        is_free: tells whether a posture (N,) is free of collisions.
        lower, upper: (N,) limits within which samples are drawn.
        rng: the only source of randomness, and not touched when the straight line is free.
        bounds: how hard to try.

    Returns:
        (K, N), K >= 2: first ``q_start``, last ``q_goal``. Free at ``bounds.resolution``, also where
        :func:`~sim.bimanual.plan.timing.parameterise` will round the corners.

    Raises:
        PlanningError: "in collision" at the start or the goal; "no path" when ``bounds.iterations`` were not enough.
    """
    q_start, q_goal = np.asarray(q_start, float), np.asarray(q_goal, float)
    if not is_free(q_goal):
        raise PlanningError("in collision", "at the goal of a joint motion")
    first = [q_start]
    if not is_free(q_start):
        q_start = _escape(q_start, is_free, lower, upper, rng, bounds)
        first.append(q_start)
    if edge_is_free(q_start, q_goal, is_free, bounds.resolution):
        return np.array([*first, q_goal])
    path = _rrt_connect(q_start, q_goal, is_free, lower, upper, rng, bounds)
    if path is None:
        raise PlanningError("no path", f"after {bounds.iterations} samples")
    path = shortcut(path, is_free, rng, bounds)
    return _with_free_corners(np.array([*first[:-1], *path]), is_free)


def edge_is_free(a: Array, b: Array, is_free: IsFree, resolution: float) -> bool:
    """Whether the postures between ``a`` and ``b`` are free; the end points themselves are taken for granted."""
    count = int(np.ceil(np.abs(b - a).max() / resolution))
    return all(is_free(a + (b - a) * fraction) for fraction in _bisection(count))


def shortcut(path: Array, is_free: IsFree, rng: np.random.Generator, bounds: Bounds = Bounds()) -> Array:
    """Replace stretches of a polyline by straight lines where those are free.

    Args:
        path: (K, N).

    Returns:
        (L, N) with the same ends, never longer.
    """
    path = np.asarray(path, float)
    for _ in range(bounds.shortcuts):
        if len(path) < 3:
            break
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        a, b = np.sort(rng.uniform(0.0, along[-1], 2))
        i, j = int(np.searchsorted(along, a, "right")), int(np.searchsorted(along, b, "left"))
        if j <= i:  # both on one segment
            continue
        q_a, q_b = (np.array([np.interp(s, along, column) for column in path.T]) for s in (a, b))
        if edge_is_free(q_a, q_b, is_free, bounds.resolution):
            path = np.concatenate([path[:i], [q_a, q_b], path[j:]])
    return _without_idle_points(path)


def _rrt_connect(
    q_start: Array,
    q_goal: Array,
    is_free: IsFree,
    lower: Array,
    upper: Array,
    rng: np.random.Generator,
    bounds: Bounds,
) -> Array | None:
    """Two trees that grow towards random postures and greedily towards each other."""
    room = bounds.iterations + 2
    trees = _Tree(q_start, room), _Tree(q_goal, room)
    grown, other = trees
    low, high = np.minimum(q_start, q_goal), np.maximum(q_start, q_goal)
    widest = float(np.maximum(upper - high, low - lower).max())
    for iteration in range(bounds.iterations):
        spread = bounds.spread + widest * (3.0 * iteration / bounds.iterations)
        target = rng.uniform(np.maximum(low - spread, lower), np.minimum(high + spread, upper))
        node = grown.extend(target, is_free, bounds)
        if node is not None:
            reached = other.connect(grown.q[node], is_free, bounds)
            if reached is not None:
                start, goal = (node, reached) if grown is trees[0] else (reached, node)
                return np.concatenate([trees[0].branch(start)[::-1], trees[1].branch(goal)[1:]])
            if other.full:
                return None
        grown, other = other, grown
    return None


class _Tree:
    def __init__(self, root: Array, room: int) -> None:
        self.q = np.empty((4 * room, len(root)))
        self.parent = np.full(4 * room, -1)
        self.q[0] = root
        self.count = 1

    @property
    def full(self) -> bool:
        return self.count >= len(self.q)

    def extend(self, target: Array, is_free: IsFree, bounds: Bounds) -> int | None:
        """Grow one branch from the nearest node; index of the new node, None if it would collide."""
        distances = ((self.q[: self.count] - target) ** 2).sum(1)
        return self._grow(int(np.argmin(distances)), target, is_free, bounds)

    def connect(self, target: Array, is_free: IsFree, bounds: Bounds) -> int | None:
        """Grow branches until the target is reached (its index) or something is in the way (None)."""
        node = int(np.argmin(((self.q[: self.count] - target) ** 2).sum(1)))
        while not self.full:
            new = self._grow(node, target, is_free, bounds)
            if new is None:
                return None
            if np.array_equal(self.q[new], target):
                return new
            node = new
        return None

    def branch(self, node: int) -> Array:
        """(K, N) postures from a node to the root."""
        chain = [node]
        while self.parent[chain[-1]] >= 0:
            chain.append(int(self.parent[chain[-1]]))
        return self.q[chain]

    def _grow(self, node: int, target: Array, is_free: IsFree, bounds: Bounds) -> int | None:
        if self.full:
            return None
        start = self.q[node]
        step = target - start
        length = np.abs(step).max()
        new = target if length <= bounds.extension else start + step * (bounds.extension / length)
        if not is_free(new) or not edge_is_free(start, new, is_free, bounds.resolution):
            return None
        self.q[self.count], self.parent[self.count] = new, node
        self.count += 1
        return self.count - 1


def _escape(q: Array, is_free: IsFree, lower: Array, upper: Array, rng: np.random.Generator, bounds: Bounds) -> Array:
    """A free posture very near to one that collides."""
    for radius in (0.25, 0.5, 1.0):
        for _ in range(24):
            near = np.clip(q + bounds.escape * radius * rng.uniform(-1.0, 1.0, len(q)), lower, upper)
            if is_free(near):
                return near
    raise PlanningError("in collision", "at the start of a joint motion")


def _with_free_corners(path: Array, is_free: IsFree) -> Array:
    """More waypoints where the smooth curve over the path would cut a corner into something."""
    step = CORNER
    dense = path
    for _ in range(4):
        curve = Spline(dense, CORNER)
        if all(is_free(q) for q in curve(np.arange(0.5, curve.spans, 0.5))[0]):
            break
        step *= 0.5  # the curve stays within a third of this of the polyline
        dense = densify(path, step)
    return dense


def _bisection(count: int) -> list[float]:
    """The fractions 1/count .. (count - 1)/count, coarse to fine: collisions are mostly found early."""
    fractions: list[float] = []
    stride = 1 << max(count - 1, 0).bit_length()
    while stride > 1:
        half = stride // 2
        fractions += [i / count for i in range(half, count, stride)]
        stride = half
    return fractions


def _without_idle_points(path: Array) -> Array:
    """Drop points that repeat their predecessor."""
    moved = np.abs(np.diff(path, axis=0)).max(1) > 1e-9
    moved[-1] = True
    return np.concatenate([path[:1], path[1:][moved]])
