"""Targets move linearly from one command to the next, at any rate of commanding."""

from __future__ import annotations

from collections import deque

import numpy as np


class LinearInterpolation:
    """Where the commanded targets are at a moment.

    Args:
        moment: seconds; target: (A,) where they stand.
    """

    def __init__(self, moment: float, target: np.ndarray) -> None:
        self._points = deque([(moment, target)])

    def add(self, moment: float, target: np.ndarray) -> None:
        """They move on to ``target`` until ``moment``."""
        self._points.append((moment, target))

    def at(self, moment: float) -> np.ndarray:
        """(A,) targets at a time not before the last one asked for; what is over is forgotten."""
        points = self._points
        while len(points) > 1 and points[1][0] <= moment + 1e-9:
            points.popleft()
        (t0, before), (t1, after) = points[0], points[min(1, len(points) - 1)]
        return before if t1 <= t0 else before + max(0.0, (moment - t0) / (t1 - t0)) * (after - before)
