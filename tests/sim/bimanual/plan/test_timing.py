"""Timing: limits hold for the samples, ends are exact, motions are brisk and stay on their path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.bimanual.plan import ArmKinematics, Spline, parameterise, parameterise_pair
from tests.sim.bimanual.plan.scenes import PANDA_HOME, two_arms
from twinloom.errors import TwinloomError

V, A = np.array([1.8, 1.8, 1.8, 1.8, 2.2, 2.2, 2.2]), np.array([8.0, 6.0, 8.0, 8.0, 12.0, 12.0, 12.0])


def rates(start: np.ndarray, q: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and accelerations of samples with rest before and after."""
    p = np.concatenate([[start, start], q, [q[-1]]])
    v = np.diff(p, axis=0) / dt
    return v, np.diff(v, axis=0) / dt


@given(
    seed=st.integers(0, 10**6),
    count=st.integers(1, 9),
    joints=st.integers(1, 14),
    size=st.sampled_from([1e-12, 1e-4, 0.01, 0.1, 1.0, 5.0]),
    dt=st.sampled_from([0.004, 0.02, 0.04, 0.1]),
    smoothing=st.sampled_from([0.0, 0.1, 0.3]),
)
@settings(max_examples=150, deadline=None)
def test_limits_hold_and_ends_are_exact(
    seed: int, count: int, joints: int, size: float, dt: float, smoothing: float
) -> None:
    rng = np.random.default_rng(seed)
    path = size * rng.normal(size=(count, joints))
    if count > 3:
        path[2] = path[1]  # a point twice
    if count > 4:
        path[4] = path[2]  # there and back
    v_max, a_max = rng.uniform(0.5, 3.0, joints), rng.uniform(2.0, 20.0, joints)
    before = path.copy()
    q = parameterise(path, v_max, a_max, dt, smoothing=smoothing)
    assert len(q) >= 1
    assert np.array_equal(q[-1], path[-1])
    assert np.array_equal(path, before)
    v, a = rates(path[0], q, dt)
    assert np.all(np.abs(v) <= v_max * (1 + 1e-9))
    assert np.all(np.abs(a) <= a_max * (1 + 1e-9))
    low, high = path.min(0), path.max(0)  # no overshoot: joint limits are safe
    assert np.all((q >= low - 1e-9) & (q <= high + 1e-9))


@pytest.mark.parametrize("distance", [0.05, 0.3, 1.0, 2.5])
def test_a_straight_move_is_nearly_as_fast_as_the_limits_allow(distance: float) -> None:
    dt, smoothing = 0.02, 0.1
    goal = np.zeros(7)
    goal[1] = distance
    v, a = V[1], A[1]
    best = distance / v + v / a if distance > v * v / a else 2 * np.sqrt(distance / a)
    duration = len(parameterise(np.stack([np.zeros(7), goal]), V, A, dt, smoothing=smoothing)) * dt
    assert best <= duration <= 1.06 * best + smoothing + dt


def test_half_speed_takes_twice_the_time() -> None:
    path = np.array([[0.0] * 7, [1.0, -0.5, 0.3, 0.0, 0.4, 0.1, 0.9], [0.2] * 7])
    fast, slow = (len(parameterise(path, V, A, 0.02, speed=s, smoothing=0.1 / s)) for s in (1.0, 0.5))
    assert slow == pytest.approx(2 * fast, rel=0.03)


def test_hand_stays_on_its_straight_line() -> None:
    arm = ArmKinematics(two_arms(), "left_", PANDA_HOME)
    goal = arm.forward(PANDA_HOME)
    goal[:3, 3] += [0.2, 0.15, -0.2]
    path = arm.linear_path(PANDA_HOME, goal)
    hands = arm.forward(parameterise(path, V, A, 0.04))[:, :3, 3]
    start = arm.forward(PANDA_HOME)[:3, 3]
    direction = (goal[:3, 3] - start) / np.linalg.norm(goal[:3, 3] - start)
    off = hands - start - np.outer((hands - start) @ direction, direction)
    assert np.linalg.norm(off, axis=1).max() < 1e-3
    assert np.all(np.diff((hands - start) @ direction) > 0)
    assert len(hands) * 0.04 < 1.2  # a 0.32 m reach takes about a second


def test_corners_are_rounded_by_less_than_the_corner_distance() -> None:
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    for corner in (0.1, 0.02):
        q = parameterise(path, np.ones(2), np.full(2, 5.0), 0.004, corner=corner, smoothing=0.0)
        off = np.minimum(np.abs(q[:, 1]), np.abs(q[:, 0] - 1.0))
        assert 0.0 < off.max() < corner / 3


def test_pair_keeps_step_and_obeys_both_limits() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(5, 7)), rng.normal(size=(3, 6))
    a, b = parameterise_pair(left, right, (V, np.full(6, 2.0)), (A, np.full(6, 9.0)), 0.04)
    assert len(a) == len(b)
    assert np.array_equal(a[-1], left[-1])
    assert np.array_equal(b[-1], right[-1])
    for start, q, v_max, a_max in ((left[0], a, V, A), (right[0], b, 2.0, 9.0)):
        v, acceleration = rates(start, q, 0.04)
        assert np.all(np.abs(v) <= v_max * (1 + 1e-9))
        assert np.all(np.abs(acceleration) <= a_max * (1 + 1e-9))
    line = np.stack([np.zeros(3), np.ones(3)])
    a, b = parameterise_pair(line, np.zeros((1, 3)), (np.ones(3), np.ones(3)), (np.ones(3), np.ones(3)), 0.04)
    assert np.all(b == 0.0)
    assert len(a) == len(b) > 1


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_spline_derivatives_are_those_of_its_positions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    curve = Spline(rng.normal(size=(4, 3)), 0.3)
    u = rng.uniform(0.01, curve.spans - 0.01, 20)
    h = 1e-5
    (q1, d1, _), (_, d, dd), (q2, d2, _) = curve(u - h), curve(u), curve(u + h)
    np.testing.assert_allclose((q2 - q1) / (2 * h), d, atol=1e-6)
    np.testing.assert_allclose((d2 - d1) / (2 * h), dd, atol=1e-4)


def test_bad_input_is_refused() -> None:
    with pytest.raises(TwinloomError, match="must be finite"):
        parameterise(np.array([[0.0], [np.nan]]), 1.0, 1.0, 0.04)
    with pytest.raises(TwinloomError, match="must be positive"):
        parameterise(np.array([[0.0], [1.0]]), 0.0, 1.0, 0.04)
