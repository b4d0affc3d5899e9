"""Inverse kinematics: what it claims is checked with forward kinematics, never with its own error figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.bimanual.plan import ArmKinematics, PlanningError, interpolate_poses, rotation_matrix, rotation_vector
from tests.sim.bimanual.plan.scenes import PANDA, PANDA_HOME, X5, X5_HOME, two_arms
from twinloom.errors import TwinloomError

ARMS = {
    "panda": ArmKinematics(two_arms(PANDA), "left_", PANDA_HOME),
    "x5": ArmKinematics(two_arms(X5), "right_", X5_HOME),
}
names = st.sampled_from(sorted(ARMS))


def reachable(arm: ArmKinematics, count: int, seed: int) -> np.ndarray:
    middle, half = 0.5 * (arm.lower + arm.upper), 0.45 * (arm.upper - arm.lower)
    return arm.forward(middle + half * np.random.default_rng(seed).uniform(-1, 1, (count, arm.size)))


def pose_errors(T: np.ndarray, goal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    turn = rotation_vector(np.swapaxes(T[..., :3, :3], -1, -2) @ goal[..., :3, :3])
    return np.linalg.norm(T[..., :3, 3] - goal[..., :3, 3], axis=-1), np.linalg.norm(turn, axis=-1)


@pytest.mark.parametrize("name", ARMS)
def test_at_least_99_percent_of_reachable_poses_are_solved_within_tolerance_and_limits(name: str) -> None:
    arm = ARMS[name]
    targets = reachable(arm, 600, 3)
    solution = arm.solve(targets)
    assert solution.ok.mean() >= 0.99
    assert np.all((solution.q >= arm.lower) & (solution.q <= arm.upper))
    distance, angle = pose_errors(arm.forward(solution.q), targets)
    np.testing.assert_allclose(solution.errors, np.stack([distance, angle], 1), atol=1e-7)
    assert np.array_equal(solution.ok, (distance <= 5e-4) & (angle <= 5e-3))


@given(name=names, seed=st.integers(0, 10**6), batch=st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_same_input_gives_same_bytes_and_input_is_untouched(name: str, seed: int, batch: int) -> None:
    arm = ARMS[name]
    targets = reachable(arm, batch, seed)
    before = targets.copy()
    first, second = arm.solve(targets), arm.solve(targets)
    assert first.q.tobytes() == second.q.tobytes()
    assert np.array_equal(targets, before)


@given(name=names, seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_a_seed_that_already_reaches_the_target_is_returned(name: str, seed: int) -> None:
    arm = ARMS[name]
    q = np.random.default_rng(seed).uniform(arm.lower, arm.upper)
    solution = arm.solve(arm.forward(q), q)
    assert solution.ok[0]
    np.testing.assert_allclose(solution.q[0], q, atol=1e-9)


@given(name=names, seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_poses_out_of_reach_are_not_ok(name: str, seed: int) -> None:
    arm = ARMS[name]
    rng = np.random.default_rng(seed)
    targets = reachable(arm, 3, seed)
    away = rng.normal(size=3)
    targets[:, :3, 3] += 3.0 * away / np.linalg.norm(away)
    solution = arm.solve(targets)
    assert not solution.ok.any()
    assert np.all((solution.q >= arm.lower) & (solution.q <= arm.upper))
    assert np.all(solution.errors[:, 0] > 0.5)


def test_a_half_turn_of_the_hand_is_solved() -> None:
    arm = ARMS["panda"]
    T = arm.forward(PANDA_HOME)
    T[:3, :3] = T[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    assert arm.solve(T, PANDA_HOME).ok[0]


def test_redundant_arm_prefers_home() -> None:
    arm = ARMS["panda"]
    targets = arm.forward(PANDA_HOME + np.random.default_rng(0).uniform(-0.2, 0.2, (50, 7)))
    far = np.broadcast_to(PANDA_HOME + np.array([0.6, 0, -0.6, 0, 0.5, 0, 0]), (50, 7))
    free = ArmKinematics(two_arms(PANDA), "left_", PANDA_HOME)
    free.posture_gain = 0.0
    pulled, unpulled = arm.solve(targets, far), free.solve(targets, far)
    assert pulled.ok.all()
    assert unpulled.ok.all()
    away = [np.linalg.norm(s.q - PANDA_HOME, axis=1) for s in (pulled, unpulled)]
    assert np.all(away[0] < away[1])


def test_joints_with_more_than_one_turn_are_not_wound_up() -> None:
    wide = X5.replace('range="-3.14 2.09"', 'range="-6.28 6.28"').replace(
        'axis="1 0 0" range="-1.57 1.57"', 'axis="1 0 0" range="-6.28 6.28"'
    )
    arm = ArmKinematics(two_arms(wide), "left_", X5_HOME)
    start = X5_HOME + np.array([3.0, 0, 0, 0, 0, -5.0])
    targets = arm.forward(start + np.random.default_rng(0).uniform(-0.1, 0.1, (20, 6)))
    for T in targets:
        nearest = arm.solutions(T, start)[0]
        assert np.abs(nearest - start).max() < 0.5
    solution = arm.solve(reachable(arm, 200, 0), start)
    assert solution.ok.mean() >= 0.99
    assert np.all((solution.q >= arm.lower) & (solution.q <= arm.upper))


@given(name=names, seed=st.integers(0, 10**6), batch=st.integers(2, 8))
@settings(max_examples=20, deadline=None)
def test_answers_do_not_depend_on_the_rest_of_the_batch(name: str, seed: int, batch: int) -> None:
    arm = ARMS[name]
    targets = reachable(arm, batch, seed)
    together, alone = arm.solve(targets), [arm.solve(T) for T in targets]
    assert together.ok.tolist() == [bool(s.ok[0]) for s in alone]
    np.testing.assert_allclose(together.q[together.ok], [s.q[0] for s in alone if s.ok[0]], atol=1e-6)


@pytest.mark.parametrize("name", ARMS)
def test_solutions_are_distinct_correct_and_sorted(name: str) -> None:
    arm = ARMS[name]
    for T in reachable(arm, 5, 8):
        found = arm.solutions(T, arm.home)
        assert len(found) >= 1
        distance, angle = pose_errors(arm.forward(found), T)
        assert distance.max() <= 5e-4
        assert angle.max() <= 5e-3
        gaps = np.abs(found[:, None] - found[None]).max(2) + np.eye(len(found))
        assert gaps.min() > 0.1
        assert np.all(np.diff(np.abs(found - arm.home).max(1)) >= 0)


@pytest.mark.parametrize("name", ARMS)
def test_linear_path_is_straight_and_ends_at_its_corners(name: str) -> None:
    arm = ARMS[name]
    start = arm.forward(arm.home)
    down, across = start.copy(), start.copy()
    down[2, 3] -= 0.08
    across[:3, 3] += [0.06, 0.02, -0.08]
    across[:3, :3] = rotation_matrix(np.array([0.0, 0.0, 0.3])) @ across[:3, :3]
    path = arm.linear_path(arm.home, np.stack([down, across]))
    assert np.array_equal(path[0], arm.home)
    poses = arm.forward(path)
    first = interpolate_poses(start, down, np.linspace(0, 1, 5))
    second = interpolate_poses(down, across, np.linspace(0, 1, len(path) - 4))
    distance, angle = pose_errors(poses, np.concatenate([first, second[1:]]))
    assert distance.max() <= 5e-4
    assert angle.max() <= 5e-3
    assert np.abs(np.diff(path, axis=0)).max() <= 0.4


def test_linear_path_out_of_reach_says_where() -> None:
    arm = ARMS["panda"]
    goal = arm.forward(PANDA_HOME)
    goal[1, 3] += 1.0
    with pytest.raises(
        PlanningError, match=r"unreachable: left_tcp on a line, waypoint \d+ of 50 at .* mm off"
    ) as caught:
        arm.linear_path(PANDA_HOME, goal)
    assert caught.value.reason == "unreachable"


def test_follow_counts_the_reached_prefix() -> None:
    arm = ARMS["panda"]
    T = arm.forward(PANDA_HOME)
    near, far = T.copy(), T.copy()
    near[2, 3] += 0.02
    far[2, 3] += 2.0
    poses = np.stack([np.stack([near, near, far]), np.stack([near, near, near]), np.stack([far, near, near])])
    q, reached = arm.follow(np.broadcast_to(PANDA_HOME, (3, 7)), poses)
    assert reached.tolist() == [2, 3, 0]
    assert q.shape == (3, 4, 7)


def test_wrong_shapes_and_nan_are_refused() -> None:
    arm = ARMS["panda"]
    with pytest.raises(TwinloomError, match=r"shape \(3, 3\); allowed"):
        arm.solve(np.eye(3))
    bad = np.eye(4)
    bad[0, 3] = np.nan
    with pytest.raises(TwinloomError, match="not finite"):
        arm.solve(bad)


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3))
def test_rotation_vector_inverts_rotation_matrix(vector: list[float]) -> None:
    v = np.array(vector)
    if np.linalg.norm(v) < np.pi - 1e-3:
        np.testing.assert_allclose(rotation_vector(rotation_matrix(v)), v, atol=1e-9)


def test_rotation_vector_at_half_turns() -> None:
    for axis in np.random.default_rng(0).normal(size=(20, 3)):
        v = np.pi * axis / np.linalg.norm(axis)
        for scale in (1.0, 1.0 - 1e-5):
            R = rotation_matrix(v * scale)
            np.testing.assert_allclose(rotation_matrix(rotation_vector(R)), R, atol=1e-7)
