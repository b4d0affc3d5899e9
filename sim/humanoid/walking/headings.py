"""Headings, and the rotation vector of one matrix at a tenth of the price of the general one."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np


def planar(angle: float) -> np.ndarray:
    """(2, 2) rotation by an angle."""
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s], [s, c]])


def about_z(angle: float) -> np.ndarray:
    """(3, 3) rotation about the vertical."""
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def heading(rotation: np.ndarray) -> float:
    """Direction of the x axis in the plane, rad."""
    return atan2(rotation[1, 0], rotation[0, 0])


def rotation_vector(rotation: np.ndarray) -> np.ndarray:
    """Axis times angle of a rotation by less than π, (3,); twinloom's own handles batches and π."""
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    x, y, z = 0.5 * (h - f), 0.5 * (c - g), 0.5 * (d - b)
    sine = sqrt(x * x + y * y + z * z)
    scale = 1.0 if sine < 1e-9 else atan2(sine, 0.5 * (a + e + i - 1.0)) / sine
    return np.array([x * scale, y * scale, z * scale])
