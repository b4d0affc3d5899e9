"""Rigid transforms as 4x4 matrices and wxyz quaternions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Array = np.ndarray


def quat_to_matrix(quat: Sequence[float] | Array) -> Array:
    """Rotation matrix (3, 3) of a wxyz quaternion; it need not be normalised."""
    w, x, y, z = np.asarray(quat, float) / np.linalg.norm(quat)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrix_to_quat(R: Array) -> Array:
    """Unit wxyz quaternion (4,) with w >= 0 of a rotation matrix (3, 3)."""
    (a, b, c), (d, e, f), (g, h, i) = R.tolist()
    # each row is the quaternion times four times one of its components; the longest row is accurate for every rotation
    rows = (
        (1 + a + e + i, h - f, c - g, d - b),
        (h - f, 1 + a - e - i, b + d, c + g),
        (c - g, b + d, 1 - a + e - i, f + h),
        (d - b, c + g, f + h, 1 - a - e + i),
    )
    quat = np.array(max(rows, key=lambda row: sum(v * v for v in row)))
    quat /= np.linalg.norm(quat)
    return quat if quat[0] >= 0 else -quat


def pose(position: Sequence[float] | Array, rotation: Sequence[float] | Array | None = None) -> Array:
    """(4, 4) transform from a position and a wxyz quaternion or a (3, 3) matrix (identity if omitted)."""
    T = np.eye(4)
    T[:3, 3] = position
    if rotation is not None:
        r = np.asarray(rotation, float)
        T[:3, :3] = r if r.shape == (3, 3) else quat_to_matrix(r)
    return T


def inverse(T: Array) -> Array:
    """Inverse of a rigid transform, (..., 4, 4)."""
    out = np.zeros_like(T)
    R_t = np.swapaxes(T[..., :3, :3], -1, -2)
    out[..., :3, :3] = R_t
    out[..., :3, 3] = -np.einsum("...ij,...j->...i", R_t, T[..., :3, 3])
    out[..., 3, 3] = 1.0
    return out


def rotation_about(axis: Sequence[float] | Array, angle: float) -> Array:
    """(3, 3) rotation by ``angle`` radians about ``axis`` (Rodrigues)."""
    a = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def yaw_quat(yaw: float) -> tuple[float, float, float, float]:
    """wxyz quaternion of a turn about the vertical."""
    return (float(np.cos(yaw / 2)), 0.0, 0.0, float(np.sin(yaw / 2)))


def quat_multiply(a: Sequence[float] | Array, b: Sequence[float] | Array) -> tuple[float, float, float, float]:
    """Hamilton product of two wxyz quaternions: first b, then a."""
    aw, ax, ay, az = (float(v) for v in a)
    bw, bx, by, bz = (float(v) for v in b)
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def rotation_angle(R: Array) -> float:
    """Angle in [0, pi] of a rotation matrix (3, 3)."""
    return float(np.arccos(np.clip((np.trace(R) - 1) / 2, -1.0, 1.0)))


def rotation_vector(R: Array) -> Array:
    """Rotation vector (3,): axis times angle of a rotation matrix."""
    w, *xyz = matrix_to_quat(R)
    v = np.array(xyz)
    n = np.linalg.norm(v)
    return 2 * v if n < 1e-9 else 2 * np.arctan2(n, w) * v / n


def align(a: Sequence[float] | Array, b: Sequence[float] | Array) -> Array:
    """Smallest rotation (3, 3) that turns direction ``a`` into direction ``b``."""
    a, b = np.asarray(a, float) / np.linalg.norm(a), np.asarray(b, float) / np.linalg.norm(b)
    axis = np.cross(a, b)
    sine, cosine = float(np.linalg.norm(axis)), float(a @ b)
    if sine < 1e-9:
        if cosine > 0:
            return np.eye(3)
        helper = np.eye(3)[int(np.argmin(np.abs(a)))]
        return rotation_about(np.cross(a, helper), np.pi)
    return rotation_about(axis, float(np.arctan2(sine, cosine)))


def hand_rotation(approach: Sequence[float] | Array, opening: Sequence[float] | Array) -> Array:
    """(3, 3) hand orientation from its approach and finger opening directions (made orthogonal)."""
    x = np.asarray(approach, float) / np.linalg.norm(approach)
    y = np.asarray(opening, float) - x * (x @ np.asarray(opening, float))
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def interpolate(T_a: Array, T_b: Array, fraction: float) -> Array:
    """Pose between two poses: straight in position, constant axis in rotation. fraction in [0, 1]."""
    T = np.eye(4)
    T[:3, 3] = (1 - fraction) * T_a[:3, 3] + fraction * T_b[:3, 3]
    v = rotation_vector(T_a[:3, :3].T @ T_b[:3, :3])
    angle = float(np.linalg.norm(v))
    R = np.eye(3) if angle < 1e-9 else rotation_about(v, angle * fraction)
    T[:3, :3] = T_a[:3, :3] @ R
    return T
