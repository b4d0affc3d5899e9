"""Rotations and poses as plain NumPy: the few functions that object generators need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.objects.model import Quat

Vector = Sequence[float] | np.ndarray


def rotation(quat: Vector) -> np.ndarray:
    """(3, 3) rotation matrix of a wxyz quaternion of any positive norm."""
    w, x, y, z = np.asarray(quat, float) / np.linalg.norm(quat)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quat_about(axis: Vector, angle: float) -> Quat:
    """wxyz quaternion that turns by ``angle`` radians about ``axis`` (any length)."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis) * np.sin(angle / 2)
    return (float(np.cos(angle / 2)), float(x), float(y), float(z))


def quat_of(R: np.ndarray) -> Quat:
    """wxyz quaternion with w >= 0 of a (3, 3) rotation matrix."""
    # the largest of the four squared components is divided by, so the result is accurate for every rotation
    squares = np.array(
        [
            1 + R[0, 0] + R[1, 1] + R[2, 2],
            1 + R[0, 0] - R[1, 1] - R[2, 2],
            1 - R[0, 0] + R[1, 1] - R[2, 2],
            1 - R[0, 0] - R[1, 1] + R[2, 2],
        ]
    )
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    d, e, f = R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2]
    rows = ((squares[0], a, b, c), (a, squares[1], d, e), (b, d, squares[2], f), (c, e, f, squares[3]))
    q = np.array(rows[int(np.argmax(squares))])
    q /= np.linalg.norm(q)
    w, x, y, z = (q if q[0] >= 0 else -q).tolist()
    return (w, x, y, z)


def align(source: Vector, target: Vector) -> Quat:
    """wxyz quaternion of the smallest rotation that turns direction ``source`` onto ``target``."""
    a = np.asarray(source, float) / np.linalg.norm(source)
    b = np.asarray(target, float) / np.linalg.norm(target)
    axis, cosine = np.cross(a, b), float(a @ b)
    if np.linalg.norm(axis) < 1e-9:
        if cosine > 0:
            return (1.0, 0.0, 0.0, 0.0)
        axis = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    return quat_about(axis, float(np.arctan2(np.linalg.norm(np.cross(a, b)), cosine)))


def multiply(p: Vector, q: Vector) -> Quat:
    """wxyz product: first ``q``, then ``p``."""
    return quat_of(rotation(p) @ rotation(q))


def pose(pos: Vector = (0.0, 0.0, 0.0), R: np.ndarray | None = None) -> np.ndarray:
    """(4, 4) transform from a position and a (3, 3) rotation (identity if None)."""
    T = np.eye(4)
    if R is not None:
        T[:3, :3] = R
    T[:3, 3] = pos
    return T


def axes(x: Vector, y: Vector) -> np.ndarray:
    """(3, 3) rotation whose first column is ``x`` and whose second is ``y`` made orthogonal to it."""
    ex = np.asarray(x, float) / np.linalg.norm(x)
    ey = np.asarray(y, float) - ex * float(ex @ np.asarray(y, float))
    ey /= np.linalg.norm(ey)
    return np.column_stack((ex, ey, np.cross(ex, ey)))
