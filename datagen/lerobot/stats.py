"""Statistics of features: per episode, and folded over the dataset exactly as far as that is possible.

Minimum, maximum, mean, standard deviation and count of the dataset are exact. Quantiles of numeric features come from
histograms of all frames, those of images from the seven points that are known of each episode's distribution. (LeRobot
averages the quantiles of the episodes, which leaves up to most frames outside of q01 to q99.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from datagen.lerobot.histogram import Histograms

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
    """Statistics of the whole dataset, one episode after the other; the same episodes give the same bits.

    Attributes:
        histograms: of the numeric features, filled beside by whoever has the frames.
    """

    def __init__(self) -> None:
        self.histograms = Histograms()
        self._total: dict[str, Stats] = {}
        self._levels: dict[str, np.ndarray] = {}

    def add(self, episode: Mapping[str, Stats]) -> None:
        """Take in the statistics of the next episode."""
        for name, new in episode.items():
            if new["mean"].ndim == 3 and QUANTILES.keys() <= new.keys():
                self._levels[name] = self._levels.get(name, 0.0) + _levels(new)
            if name not in self._total:
                self._total[name] = {stat: np.array(new[stat]) for stat in ("min", "max", "mean", "std", "count")}
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
            old["count"] = total

    def result(self) -> dict[str, Stats]:
        """Feature name to statistics; quantiles of those features whose every frame is in the histograms."""
        found = {}
        for name, total in sorted(self._total.items()):
            stats = {stat: total[stat] for stat in STATS if stat in total}
            if self.histograms.total(name) == int(total["count"].reshape(-1)[0]):
                quantiles = {q: self.histograms.quantile(name, p) for q, p in QUANTILES.items()}
                stats |= {q: value.reshape(total["min"].shape) for q, value in quantiles.items()}
            elif name in self._levels:
                share = np.cumsum(self._levels[name], axis=1) / np.sum(self._levels[name], axis=1, keepdims=True)
                for q, p in QUANTILES.items():
                    levels = (share >= p - 1e-9).argmax(axis=1) / 255.0
                    stats[q] = np.clip(levels.reshape(total["min"].shape), total["min"], total["max"])
            found[name] = stats
        return found


def _levels(stats: Stats) -> np.ndarray:
    """(channels, 256) frames of an episode by brightness, as its minimum, quantiles and maximum tell."""
    knots = np.stack([stats[name].reshape(-1) for name in ("min", *QUANTILES, "max")], axis=1) * 255.0
    shares = np.array([0.0, *QUANTILES.values(), 1.0])
    edges = np.arange(256) + 0.5
    below = np.stack([_share_below(row, shares, edges) for row in knots])
    return np.diff(below, axis=1, prepend=0.0) * stats["count"].reshape(-1)[0]


def _share_below(knots: np.ndarray, shares: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Share of values below each edge, linear between knots; where knots coincide, the share jumps."""
    after = np.searchsorted(knots, edges, side="right")
    left, right = np.clip(after - 1, 0, None), np.clip(after, None, len(knots) - 1)
    width = knots[right] - knots[left]
    part = np.divide(edges - knots[left], width, out=np.zeros(len(edges)), where=width > 0)
    inside = shares[left] + part * (shares[right] - shares[left])
    return np.where(after == 0, 0.0, np.where(after == len(knots), 1.0, inside))


def to_lists(stats: Mapping[str, Stats]) -> dict[str, dict[str, Any]]:
    """Statistics as nested lists, for JSON."""
    return {name: {stat: value.tolist() for stat, value in entry.items()} for name, entry in stats.items()}


def from_lists(stats: Mapping[str, Mapping[str, Any]]) -> dict[str, Stats]:
    """Inverse of to_lists; exact, since JSON keeps every bit of a float64 written by Python."""
    return {
        name: {s: np.asarray(v, dtype=np.int64 if s == "count" else np.float64) for s, v in entry.items()}
        for name, entry in stats.items()
    }
