"""Rigid transforms as 4x4 matrices and wxyz quaternions, single and in batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vector = Sequence[float] | np.ndarray
Quat = tuple[float, float, float, float]


def quat_to_matrix(quat: Vector) -> Array:
    """Rotation matrix (3, 3) of a wxyz quaternion of any positive norm."""
    w, x, y, z = np.asarray(quat, float) / np.linalg.norm(quat)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrix_to_quat(R: np.ndarray) -> Quat:
    """Unit wxyz quaternion with w >= 0 of a rotation matrix (3, 3)."""
    (a, b, c), (d, e, f), (g, h, i) = R.tolist()
    # each row is the quaternion times four times one of its components; the longest row is accurate for every rotation
    rows = (
        (1 + a + e + i, h - f, c - g, d - b),
        (h - f, 1 + a - e - i, b + d, c + g),
        (c - g, b + d, 1 - a + e - i, f + h),
        (d - b, c + g, f + h, 1 - a - e + i),
    )
    square, (w, x, y, z) = max((sum(v * v for v in row), row) for row in rows)
    scale = square**-0.5 if w >= 0 else -(square**-0.5)
    return (w * scale, x * scale, y * scale, z * scale)


def quat_multiply(a: Vector, b: Vector) -> Quat:
    """Hamilton product of two wxyz quaternions: first b, then a."""
    aw, ax, ay, az = (float(v) for v in a)
    bw, bx, by, bz = (float(v) for v in b)
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def yaw_quat(yaw: float) -> Quat:
    """wxyz quaternion of a turn about the vertical."""
    return (float(np.cos(yaw / 2)), 0.0, 0.0, float(np.sin(yaw / 2)))


def pose(position: Vector = (0.0, 0.0, 0.0), rotation: Vector | None = None) -> Array:
    """(4, 4) transform from a position and a wxyz quaternion or a (3, 3) matrix (identity if omitted)."""
    T = np.eye(4)
    T[:3, 3] = position
    if rotation is not None:
        r = np.asarray(rotation, float)
        T[:3, :3] = r if r.shape == (3, 3) else quat_to_matrix(r)
    return T


def inverse(T: np.ndarray) -> Array:
    """Inverse of rigid transforms (..., 4, 4)."""
    out = np.zeros_like(T)
    R_t = np.swapaxes(T[..., :3, :3], -1, -2)
    out[..., :3, :3] = R_t
    out[..., :3, 3] = -np.einsum("...ij,...j->...i", R_t, T[..., :3, 3])
    out[..., 3, 3] = 1.0
    return out


def rotation_about(axis: Vector, angle: float) -> Array:
    """(3, 3) rotation by ``angle`` radians about ``axis`` of any length; for batches see rotation_matrix."""
    x, y, z = (np.asarray(axis, float) / np.linalg.norm(axis)).tolist()
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def rotation_angle(R: np.ndarray) -> float:
    """Angle in [0, pi] of a rotation matrix (3, 3)."""
    return float(np.arccos(np.clip((np.trace(R) - 1) / 2, -1.0, 1.0)))


def rotation_vector(R: np.ndarray) -> Array:
    """Axis times angle (radians, 0..pi) of rotation matrices.

    Args:
        R: (..., 3, 3) rotation matrices.

    Returns:
        (..., 3). At exactly pi the sign of the axis is arbitrary but fixed.
    """
    sine = 0.5 * np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], -1)
    norm = np.sqrt((sine * sine).sum(-1))
    cosine = 0.5 * (R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2] - 1.0)
    angle = np.arctan2(norm, cosine)
    vector = sine * (angle / np.maximum(norm, 1e-12))[..., None]
    vector = np.where((norm < 1e-9)[..., None], sine, vector)
    flipped = (cosine < 0.0) & (norm < 1e-4)  # near pi the skew part vanishes: axis from I + (R + R') / 2
    if np.any(flipped):
        vector = np.array(vector)
        near = R[flipped]
        outer = 0.5 * (near + np.swapaxes(near, -1, -2)) + np.eye(3)
        column = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
        axis = np.take_along_axis(outer, column[:, None, None], axis=-1)[..., 0]
        axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
        side = np.where((axis * sine[flipped]).sum(-1) < 0.0, -1.0, 1.0)
        vector[flipped] = axis * (side * angle[flipped])[:, None]
    return vector


def rotation_matrix(vector: np.ndarray) -> Array:
    """Inverse of :func:`rotation_vector` (Rodrigues).

    Args:
        vector: (..., 3) axis times angle, radians.

    Returns:
        (..., 3, 3).
    """
    angle = np.linalg.norm(vector, axis=-1)[..., None]
    axis = vector / np.maximum(angle, 1e-12)
    K = np.zeros((*vector.shape, 3))
    K[..., 2, 1], K[..., 0, 2], K[..., 1, 0] = axis[..., 0], axis[..., 1], axis[..., 2]
    K -= np.swapaxes(K, -1, -2)
    return np.eye(3) + np.sin(angle)[..., None] * K + (1.0 - np.cos(angle))[..., None] * (K @ K)


def interpolate_poses(T_start: np.ndarray, T_goal: np.ndarray, fractions: Vector) -> Array:
    """Poses on the straight line between two poses, orientation by spherical interpolation.

    Args:
        T_start: (..., 4, 4).
        T_goal: (..., 4, 4).
        fractions: (K,) in [0, 1].

    Returns:
        (..., K, 4, 4).
    """
    start, goal = np.asarray(T_start, float), np.asarray(T_goal, float)
    turn = rotation_vector(np.swapaxes(start[..., :3, :3], -1, -2) @ goal[..., :3, :3])
    s = np.asarray(fractions, float)
    T = np.zeros((*start.shape[:-2], len(s), 4, 4))
    T[..., :3, :3] = start[..., None, :3, :3] @ rotation_matrix(turn[..., None, :] * s[:, None])
    T[..., :3, 3] = start[..., None, :3, 3] + s[:, None] * (goal - start)[..., None, :3, 3]
    T[..., 3, 3] = 1.0
    return T
