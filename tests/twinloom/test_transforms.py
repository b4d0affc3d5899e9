"""Transforms against SciPy and against their own definitions, for arbitrary rotations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from twinloom import transforms as g

NUMBER = st.floats(-10, 10, allow_subnormal=False)
VECTOR = arrays(float, 3, elements=NUMBER)
DIRECTION = VECTOR.filter(lambda v: np.linalg.norm(v) > 1e-3)
QUAT = arrays(float, 4, elements=NUMBER).filter(lambda q: np.linalg.norm(q) > 1e-3)
ANGLE = st.floats(-3.1, 3.1)


def scipy_matrix(quat: np.ndarray) -> np.ndarray:
    return Rotation.from_quat(np.roll(quat, -1)).as_matrix()


def close(a, b, atol: float = 1e-9) -> None:
    np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=0, atol=atol)


@given(QUAT)
def test_quaternion_and_matrix_agree_with_scipy_and_round_trip(quat):
    R = g.quat_to_matrix(quat)
    close(R, scipy_matrix(quat))
    back = g.matrix_to_quat(R)
    assert back[0] >= 0
    unit = quat / np.linalg.norm(quat)
    assert abs(abs(back @ unit) - 1) < 1e-12


@pytest.mark.parametrize("axis", np.vstack([np.eye(3), -np.eye(3), [[1, 2, 3]]]))
@pytest.mark.parametrize("angle", [0.0, 1e-9, np.pi / 2, np.pi - 1e-9, np.pi])
def test_quaternion_of_half_turns(axis, angle):
    """Where the textbook formula divides by zero."""
    R = Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    close(g.quat_to_matrix(g.matrix_to_quat(R)), R)


@given(QUAT, QUAT)
def test_product_is_first_b_then_a(a, b):
    close(g.quat_to_matrix(g.quat_multiply(a, b)), scipy_matrix(a) @ scipy_matrix(b))


@given(VECTOR, QUAT)
def test_inverse_undoes_a_pose(position, quat):
    T = g.pose(position, quat)
    close(T[:3, 3], position)
    close(g.inverse(T) @ T, np.eye(4), 1e-8)
    close(g.inverse(np.stack([T, np.eye(4)]))[0], np.linalg.inv(T), 1e-8)
    close(g.pose(position, T[:3, :3]), T)


@given(DIRECTION, ANGLE)
def test_rotation_about_turns_right_handed_and_keeps_its_axis(axis, angle):
    R = g.rotation_about(axis, angle)
    close(R, Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix())
    close(R @ axis, axis)


@given(ANGLE)
def test_yaw_turns_x_towards_y(yaw):
    close(g.quat_to_matrix(g.yaw_quat(yaw)) @ [1, 0, 0], [np.cos(yaw), np.sin(yaw), 0])


@given(QUAT)
def test_rotation_vector_and_angle_agree_with_scipy(quat):
    R = scipy_matrix(quat)
    expected = Rotation.from_matrix(R).as_rotvec()
    if np.linalg.norm(expected) < np.pi - 1e-6:  # at pi both signs of the axis are right
        close(g.rotation_vector(R), expected, 1e-7)
    assert g.rotation_angle(R) == pytest.approx(np.linalg.norm(expected), abs=2e-7)


@given(VECTOR)
def test_rotation_vector_and_matrix_are_inverse(vector):
    angle = np.linalg.norm(vector)
    R = g.rotation_matrix(vector)
    close(R, Rotation.from_rotvec(vector).as_matrix())
    if angle < np.pi - 1e-6:  # beyond, a shorter vector is the same rotation
        close(g.rotation_vector(R), vector, 1e-7)


@given(st.lists(VECTOR, min_size=1, max_size=4))
def test_batches_are_many_single_ones(vectors):
    R = g.rotation_matrix(np.array(vectors))
    close(g.rotation_vector(R), [g.rotation_vector(r) for r in R])
    T = np.stack([g.pose(v, r) for v, r in zip(vectors, R, strict=True)])
    close(g.inverse(T), [g.inverse(t) for t in T])
    close(g.interpolate_poses(T, T[:1], [0.3]), [g.interpolate_poses(t, T[0], [0.3]) for t in T])


@given(VECTOR, QUAT, VECTOR, QUAT, st.floats(0, 1))
def test_interpolation_is_straight_and_turns_evenly(p, q, r, s, fraction):
    a, b = g.pose(p, q), g.pose(r, s)
    whole = g.rotation_angle(a[:3, :3].T @ b[:3, :3])
    first, T, last = g.interpolate_poses(a, b, [0.0, fraction, 1.0])
    close(first, a)
    close(last, b, 1e-7)
    close(T[:3, 3], (1 - fraction) * p + fraction * r)
    if whole < 3.1:  # near half a turn there are two ways round
        assert g.rotation_angle(a[:3, :3].T @ T[:3, :3]) == pytest.approx(fraction * whole, abs=1e-6)
        assert g.rotation_angle(T[:3, :3].T @ b[:3, :3]) == pytest.approx((1 - fraction) * whole, abs=1e-6)
