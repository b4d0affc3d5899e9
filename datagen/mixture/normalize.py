"""One scale for many sources: values to about [-1, 1] and back, pooled by how often each source is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Mode = Literal["quantile", "min_max", "mean_std"]

CONSTANT = 1e-4
"""A dimension that moves less than this keeps its values: scaling it would only blow up noise."""
LIMIT = 1.5
"""Normalised values are cut here by ``quantile``, so that an outlier does not outweigh a batch."""
MOST = 200_000
"""Rows of a source that are looked at."""


@dataclass(frozen=True)
class Normalizer:
    """value -> (value - center) / scale.

    Attributes:
        mode: what center and scale are of the data: middle and half of [q01, q99] or of [min, max]; or mean and
            standard deviation.
        center, scale: (n,) float32.
    """

    mode: Mode
    center: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, values: Sequence[np.ndarray], weights: Sequence[float], mode: Mode = "quantile") -> Normalizer:
        """From the values of several sources.

        Args:
            values: (frames, n) of each source; nan where a source does not have the dimension.
            weights: probability that a sample is drawn from each source; frames of one source count alike.
            mode: see the attributes.
        """
        thinned = [rows[:: max(1, len(rows) // MOST)] for rows in values]
        rows = np.concatenate(thinned).astype(np.float64)
        each = np.concatenate([np.full(len(r), w / max(len(r), 1)) for r, w in zip(thinned, weights, strict=True)])
        pairs = [_of_dimension(rows[:, k], each, mode) for k in range(rows.shape[1])]
        center, scale = np.array(pairs, np.float32).reshape(-1, 2).T
        return cls(mode, np.ascontiguousarray(center), np.ascontiguousarray(scale))

    def normalized(self, values: np.ndarray) -> np.ndarray:
        """(..., n) as the network sees them, float32."""
        out = (np.asarray(values, np.float32) - self.center) / self.scale
        return np.clip(out, -LIMIT, LIMIT) if self.mode == "quantile" else out

    def restored(self, values: np.ndarray) -> np.ndarray:
        """Inverse of ``normalized``, but for what was cut."""
        return np.asarray(values, np.float32) * self.scale + self.center

    def to_json(self) -> dict[str, Any]:
        """As JSON; the inverse of from_json."""
        return {"mode": self.mode, "center": self.center.tolist(), "scale": self.scale.tolist()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Normalizer:
        """Raises KeyError, TypeError or ValueError where something is missing or of another type."""
        center, scale = (np.array(value[name], np.float32) for name in ("center", "scale"))
        if center.shape != scale.shape or value["mode"] not in ("quantile", "min_max", "mean_std"):
            raise ValueError(f"no normalisation: {dict(value)}")
        return cls(value["mode"], center, scale)


def _of_dimension(values: np.ndarray, weights: np.ndarray, mode: Mode) -> tuple[float, float]:
    known = np.isfinite(values) & (weights > 0.0)
    values, weights = values[known], weights[known]
    if not len(values):
        return 0.0, 1.0
    weights = weights / weights.sum()
    if mode == "mean_std":
        center = float(values @ weights)
        scale = float(np.sqrt(((values - center) ** 2) @ weights))
    else:
        low, high = weighted_quantile(values, weights, (0.01, 0.99)) if mode == "quantile" else _ends(values)
        center, scale = (low + high) / 2, (high - low) / 2
    return (center, scale) if scale > CONSTANT / 2 else (0.0, 1.0)


def _ends(values: np.ndarray) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def weighted_quantile(values: np.ndarray, weights: np.ndarray, quantiles: Sequence[float]) -> tuple[float, ...]:
    """Quantiles of (n,) values that count (n,) weights; with equal weights those of NumPy's "hazen" rule."""
    order = np.argsort(values)
    middle = np.cumsum(weights[order]) - weights[order] / 2
    return tuple(float(x) for x in np.interp(np.array(quantiles) * weights.sum(), middle, values[order]))
