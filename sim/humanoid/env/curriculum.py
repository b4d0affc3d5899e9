"""What gets harder as training goes on: penalties and pushes with time, ranges of the velocity command with success."""

from __future__ import annotations

import numpy as np

GOOD_LINEAR, GOOD_YAW = 0.8, 0.4
"""Mean tracking, as a part of the best, that raises the ceiling of a range."""
RAISE = 0.02
HIGHEST = np.array([2.0 / 0.6, 1.0 / 0.6])
"""Ceilings, as factors on the ranges at the beginning (HugWBC's grid ends at 2.0 m/s and 1.0 rad/s)."""


def penalty(initial: float, step: int, every: int) -> float:
    """κ after ``step`` control steps: κ becomes κ^0.8 at each multiple of ``every``."""
    return float(initial ** (0.8 ** (step // every)))


def raised(ceiling: np.ndarray, linear: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """(2,) new factors on velocity and yaw ranges, after episodes with these mean tracking rewards in [0, 1], (N,)."""
    good = np.array([(linear > GOOD_LINEAR).mean(), ((linear > GOOD_LINEAR) & (yaw > GOOD_YAW)).mean()])
    return np.minimum(ceiling + RAISE * good, HIGHEST)
