"""A smooth curve that hugs a polyline of joint vectors."""

from __future__ import annotations

import numpy as np

from twinloom.transforms import Array

CORNER = 0.1  # radians from a corner at which its rounding begins


class Spline:
    """Uniform cubic B-spline over the polyline, cut into pieces of at most ``step``.

    Twice continuously differentiable; begins and ends exactly at the ends of the polyline. It stays within the convex
    hull of four neighbouring control points, so it never overshoots joint limits and rounds a corner by at most a third
    of ``step`` (on straight stretches it *is* the polyline).

    Args:
        waypoints: (K, N), K >= 1; points that repeat their predecessor are dropped.
        step: largest joint motion between control points, radians.

    Attributes:
        spans: the curve parameter runs from 0 to ``spans``; 0 if all waypoints are the same.
    """

    def __init__(self, waypoints: Array, step: float = CORNER) -> None:
        points = densify(waypoints, step)
        self.spans = len(points) - 1
        if self.spans:
            before, after = 2.0 * points[0] - points[1], 2.0 * points[-1] - points[-2]
            points = np.concatenate([before[None], points, after[None]])
        self._points = points

    def __call__(self, u: Array) -> tuple[Array, Array, Array]:
        """Position and its first two derivatives by the parameter, (M, N) each, for ``u`` (M,) in [0, spans]."""
        if not self.spans:
            q = np.repeat(self._points[:1], len(u), 0)
            return q, np.zeros_like(q), np.zeros_like(q)
        span = np.clip(np.floor(u).astype(int), 0, self.spans - 1)
        t = np.clip(u - span, 0.0, 1.0)[:, None]
        a, b, c, d = (self._points[span + k] for k in range(4))
        r = 1.0 - t
        q = (r**3 * a + (3 * t**3 - 6 * t**2 + 4) * b + (3 * r**3 - 6 * r**2 + 4) * c + t**3 * d) / 6.0
        dq = 0.5 * (r * r * (b - a) + (1.0 + 2.0 * t * r) * (c - b) + t * t * (d - c))
        ddq = r * (a - 2.0 * b + c) + t * (b - 2.0 * c + d)
        return q, dq, ddq


def densify(waypoints: Array, step: float) -> Array:
    """Polyline with the same corners and no segment longer than ``step`` in any joint; (M, N) from (K, N)."""
    points = np.atleast_2d(np.asarray(waypoints, float))
    lengths = np.abs(np.diff(points, axis=0)).max(1) if len(points) > 1 else np.zeros(0)
    kept = np.concatenate([[0], 1 + np.flatnonzero(lengths > 1e-9)])
    points, counts = points[kept], np.ceil(lengths[kept[1:] - 1] / step - 1e-9).astype(int)
    counts = np.maximum(counts, 1)
    first = np.repeat(np.arange(len(counts)), counts)
    fraction = np.concatenate([np.arange(n) / n for n in counts])[:, None] if len(counts) else np.zeros((0, 1))
    inner = points[first] + fraction * (points[first + 1] - points[first]) if len(counts) else points[:0]
    return np.concatenate([inner, points[-1:]])
