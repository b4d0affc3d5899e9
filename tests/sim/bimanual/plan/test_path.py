"""Collision-free paths: found where they exist, really free, the same for the same generator."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.bimanual.plan import (
    ArmKinematics,
    Bounds,
    CollisionWorld,
    PlanningError,
    Spline,
    edge_is_free,
    parameterise,
    plan_joint_path,
    shortcut,
)
from tests.sim.bimanual.plan.scenes import PANDA_HOME, two_arms

LOW, HIGH = np.zeros(2), np.full(2, 3.0)


def slit(q: np.ndarray) -> bool:
    """A wall across the square with a slit 0.3 wide at the top."""
    return bool(abs(q[0] - 1.5) > 0.1 or q[1] > 2.7)


def length(path: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def all_free(path: np.ndarray, is_free, resolution: float = 0.005) -> bool:
    ends = all(is_free(q) for q in path)
    return ends and all(edge_is_free(a, b, is_free, resolution) for a, b in pairwise(path))


def test_a_free_straight_line_is_returned_without_drawing() -> None:
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    path = plan_joint_path(np.array([0.2, 0.2]), np.array([1.2, 2.0]), slit, LOW, HIGH, rng)
    assert path.tolist() == [[0.2, 0.2], [1.2, 2.0]]
    assert rng.bit_generator.state == before


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_slit_is_found_for_any_generator(seed: int) -> None:
    start, goal = np.array([0.5, 0.5]), np.array([2.5, 0.5])
    path = plan_joint_path(start, goal, slit, LOW, HIGH, np.random.default_rng(seed))
    assert np.array_equal(path[0], start)
    assert np.array_equal(path[-1], goal)
    assert np.all((path >= LOW) & (path <= HIGH))

    def is_nearly_free(q: np.ndarray) -> bool:  # the wall less what may be cut between two tested postures
        return bool(abs(q[0] - 1.5) > 0.09 or q[1] > 2.69)

    assert all_free(path, is_nearly_free)
    assert all(is_nearly_free(q) for q in parameterise(path, np.ones(2), np.full(2, 5.0), 0.02))
    assert length(path) < 1.5 * 2 * np.hypot(1.0, 2.2)


def test_same_generator_same_path_and_other_generator_other_path() -> None:
    args = (np.array([0.5, 0.5]), np.array([2.5, 0.5]), slit, LOW, HIGH)
    first, again, other = (plan_joint_path(*args, np.random.default_rng(s)) for s in (1, 1, 2))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


def test_no_path_and_colliding_ends_have_their_reasons() -> None:
    rng = np.random.default_rng(0)
    closed = lambda q: bool(abs(q[0] - 1.5) > 0.1)  # noqa: E731
    bounds = Bounds(iterations=60)
    with pytest.raises(PlanningError, match="no path: after 60 samples") as caught:
        plan_joint_path(np.array([0.5, 0.5]), np.array([2.5, 0.5]), closed, LOW, HIGH, rng, bounds)
    assert caught.value.reason == "no path"
    for start, goal, where in (([1.5, 0.5], [2.5, 0.5], "start"), ([0.5, 0.5], [1.5, 0.5], "goal")):
        with pytest.raises(PlanningError, match=f"in collision: at the {where}"):
            plan_joint_path(np.array(start), np.array(goal), closed, LOW, HIGH, rng)


def test_a_start_just_inside_an_obstacle_is_left() -> None:
    start, goal = np.array([1.42, 0.5]), np.array([0.3, 0.5])
    path = plan_joint_path(start, goal, slit, LOW, HIGH, np.random.default_rng(0))
    assert np.array_equal(path[0], start)
    assert not slit(path[0])
    assert np.abs(path[1] - start).max() <= Bounds().escape
    assert all_free(path[1:], slit)


@given(seed=st.integers(0, 10**6), points=st.integers(2, 9))
@settings(max_examples=40, deadline=None)
def test_shortcuts_keep_the_ends_and_never_lengthen(seed: int, points: int) -> None:
    rng = np.random.default_rng(seed)
    path = rng.uniform(0.0, 1.0, (points, 3))
    shorter = shortcut(path, lambda q: True, rng)
    assert np.array_equal(shorter[[0, -1]], path[[0, -1]])
    assert length(shorter) <= length(path) + 1e-9


def test_arm_gets_around_a_wall_while_the_other_arm_stands_by() -> None:
    wall = """<geom name="wall" type="box" size=".01 .25 .2" pos="-.3 .05 .94"/>
      <geom name="roof" type="box" size=".2 .25 .01" pos="-.3 .05 1.25"/>"""
    model = two_arms(extra=wall)
    world, arm = CollisionWorld(model), ArmKinematics(model, "left_", PANDA_HOME)

    def is_free(q: np.ndarray) -> bool:
        return not world.in_collision({"left": q, "right": PANDA_HOME}, {"left": 1.0, "right": 1.0})

    def reach(x: float, near: np.ndarray) -> np.ndarray:
        T = np.array([[0, 1, 0, x], [0, 0, -1, 0.0], [-1, 0, 0, 0.9], [0, 0, 0, 1.0]])
        return next(q for q in arm.solutions(T, near) if is_free(q))

    start = reach(-0.45, PANDA_HOME)
    goal = reach(-0.14, start)
    assert not edge_is_free(start, goal, is_free, 0.02)
    paths = [plan_joint_path(start, goal, is_free, arm.lower, arm.upper, np.random.default_rng(5)) for _ in range(2)]
    assert paths[0].tobytes() == paths[1].tobytes()
    assert all_free(paths[0], is_free, 0.02)
    curve = Spline(paths[0])
    clearance = [
        world.first_contact({"left": q, "right": PANDA_HOME}, {"left": 1.0, "right": 1.0}, margin=-0.005)
        for q in curve(np.arange(0.0, curve.spans, 0.1))[0]
    ]
    assert clearance == [None] * len(clearance)


def test_both_arms_swap_sides_together() -> None:
    model = two_arms()
    world = CollisionWorld(model)
    arms = {side: ArmKinematics(model, f"{side}_", PANDA_HOME) for side in ("left", "right")}
    lower, upper = (np.concatenate([getattr(a, name) for a in arms.values()]) for name in ("lower", "upper"))

    def is_free(q: np.ndarray) -> bool:
        return not world.in_collision({"left": q[:7], "right": q[7:]})

    def reach(left: list[float], right: list[float]) -> np.ndarray:
        q = []
        for arm, xy in ((arms["left"], left), (arms["right"], right)):
            T = np.array([[0, 1, 0, xy[0]], [0, 0, -1, xy[1]], [-1, 0, 0, 0.95], [0, 0, 0, 1.0]])
            solution = arm.solve(T)
            assert solution.ok[0]
            q.append(solution.q[0])
        return np.concatenate(q)

    start, goal = reach([-0.12, -0.12], [0.0, 0.14]), reach([0.0, 0.14], [0.12, -0.12])
    assert not edge_is_free(start, goal, is_free, 0.02)
    path = plan_joint_path(start, goal, is_free, lower, upper, np.random.default_rng(0), Bounds(iterations=4000))
    assert all_free(path, is_free, 0.02)
