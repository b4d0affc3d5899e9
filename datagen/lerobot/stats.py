"""Statistics of features: per episode, and folded over the dataset exactly as far as that is possible.

Minimum, maximum, mean, standard deviation and count of the dataset are exact. Quantiles of the dataset are the means
of the episodes' quantiles weighted by their counts, which is LeRobot's convention (and an approximation).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
STATS = ("min", "max", "mean", "std", "count", *QUANTILES)
IMAGE_SAMPLES = 100  # frames per episode that image statistics look at, as LeRobot does
IMAGE_SIDE = 150  # pixels; larger frames are thinned to about this

Stats = dict[str, np.ndarray]


def array_stats(array: np.ndarray) -> Stats:
    """Statistics over the first axis, float64.

    Args:
        array: (T,) or (T, n).

    Returns:
        Each statistic has shape (n,), "count" has shape (1,).
    """
    values = np.asarray(array, dtype=np.float64).reshape(len(array), -1)
    quantiles = np.quantile(values, list(QUANTILES.values()), axis=0)
    return {
        "min": values.min(axis=0),
        "max": values.max(axis=0),
        "mean": values.mean(axis=0),
        "std": values.std(axis=0),
        "count": np.array([len(values)]),
        **dict(zip(QUANTILES, quantiles, strict=True)),
    }


class ImageStats:
    """Statistics of one camera over an episode, per colour channel, values in [0, 1].

    Looks at up to 100 frames spread over the episode, thinned to about 150 pixels, through exact 256-bin histograms.

    Args:
        length: number of frames that will be offered to ``add``.
    """

    def __init__(self, length: int) -> None:
        count = min(length, IMAGE_SAMPLES)
        self._chosen = frozenset(int(i) for i in np.linspace(0, length - 1, count).round())
        self._histogram = np.zeros((3, 256), dtype=np.int64)
        self._seen = 0

    def add(self, index: int, frame: np.ndarray) -> None:
        """Offer frame ``index``, (H, W, 3) uint8."""
        if index not in self._chosen:
            return
        step = max(1, max(frame.shape[:2]) // IMAGE_SIDE)
        thin = frame[::step, ::step]
        for channel in range(3):
            self._histogram[channel] += np.bincount(thin[..., channel].ravel(), minlength=256)
        self._seen += 1

    def result(self) -> Stats:
        """Each statistic has shape (3, 1, 1), "count" (frames looked at) has shape (1,)."""
        levels = np.arange(256) / 255.0
        total = self._histogram.sum(axis=1)
        mean = self._histogram @ levels / total
        variance = self._histogram @ levels**2 / total - mean**2
        cumulated = self._histogram.cumsum(axis=1) / total[:, None]
        present = self._histogram > 0

        def at(level: np.ndarray) -> np.ndarray:
            return levels[level].reshape(3, 1, 1)

        return {
            "min": at(present.argmax(axis=1)),
            "max": at(255 - present[:, ::-1].argmax(axis=1)),
            "mean": mean.reshape(3, 1, 1),
            "std": np.sqrt(np.maximum(variance, 0.0)).reshape(3, 1, 1),
            "count": np.array([self._seen]),
            **{name: at((cumulated >= q).argmax(axis=1)) for name, q in QUANTILES.items()},
        }


class Fold:
    """Statistics of the whole dataset, one episode after the other; the same episodes give the same bits."""

    def __init__(self) -> None:
        self._total: dict[str, Stats] = {}

    def add(self, episode: Mapping[str, Stats]) -> None:
        """Take in the statistics of the next episode."""
        for name, new in episode.items():
            if name not in self._total:
                self._total[name] = {stat: np.array(value) for stat, value in new.items()}
                self._total[name]["M2"] = new["std"] ** 2 * new["count"]
                continue
            old = self._total[name]
            count, more = old["count"], new["count"]
            total = count + more
            delta = new["mean"] - old["mean"]
            old["min"] = np.minimum(old["min"], new["min"])
            old["max"] = np.maximum(old["max"], new["max"])
            old["mean"] = old["mean"] + delta * (more / total)
            # Chan et al. 1979: sums of squared deviations combine without the cancellation of E[x^2] - E[x]^2
            old["M2"] = old["M2"] + new["std"] ** 2 * more + delta**2 * (count * more / total)
            old["std"] = np.sqrt(old["M2"] / total)
            for q in QUANTILES.keys() & new.keys() & old.keys():
                old[q] = old[q] + (new[q] - old[q]) * (more / total)
            old["count"] = total

    def result(self) -> dict[str, Stats]:
        """Feature name to statistics."""
        return {
            name: {stat: stats[stat] for stat in STATS if stat in stats} for name, stats in sorted(self._total.items())
        }


def to_lists(stats: Mapping[str, Stats]) -> dict[str, dict[str, Any]]:
    """Statistics as nested lists, for JSON."""
    return {name: {stat: value.tolist() for stat, value in entry.items()} for name, entry in stats.items()}


def from_lists(stats: Mapping[str, Mapping[str, Any]]) -> dict[str, Stats]:
    """Inverse of to_lists; exact, since JSON keeps every bit of a float64 written by Python."""
    return {
        name: {s: np.asarray(v, dtype=np.int64 if s == "count" else np.float64) for s, v in entry.items()}
        for name, entry in stats.items()
    }
