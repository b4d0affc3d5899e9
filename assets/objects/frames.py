"""Rotations and poses as object generators speak of them; the arithmetic is twinloom.transforms."""

from __future__ import annotations

import numpy as np

from twinloom.transforms import Quat, Vector, pose
from twinloom.transforms import matrix_to_quat as quat_of
from twinloom.transforms import quat_multiply as multiply
from twinloom.transforms import quat_to_matrix as rotation

__all__ = ["Vector", "align", "axes", "multiply", "pose", "quat_about", "quat_of", "rotation"]


def quat_about(axis: Vector, angle: float) -> Quat:
    """wxyz quaternion that turns by ``angle`` radians about ``axis`` (any length)."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis) * np.sin(angle / 2)
    return (float(np.cos(angle / 2)), float(x), float(y), float(z))


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


def axes(x: Vector, y: Vector) -> np.ndarray:
    """(3, 3) rotation whose first column is ``x`` and whose second is ``y`` made orthogonal to it."""
    ex = np.asarray(x, float) / np.linalg.norm(x)
    ey = np.asarray(y, float) - ex * float(ex @ np.asarray(y, float))
    ey /= np.linalg.norm(ey)
    return np.column_stack((ex, ey, np.cross(ex, ey)))
