"""Histograms that merge exactly, so that quantiles of a growing dataset are those of all its frames.

The bins of one element are ``2 ** exponent`` wide and lie on multiples of that width; the exponent is the smallest
with which the range of values fits into ``BINS`` bins. It follows from minimum and maximum alone, and a bin of a
coarser grid is the union of bins of the finer one. So the counts do not depend on the order or the grouping in which
values came, and a quantile is exact to 1/2048 of the range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from twinloom.errors import TwinloomError

BINS = 4096
DIGITS = 40  # bits between the largest value and the width of a bin: less would be rounding
HISTOGRAMS = Path("meta/histograms.parquet")
_SCHEMA = pa.schema(
    [
        ("feature", pa.string()),
        ("element", pa.int64()),
        ("min", pa.float64()),
        ("max", pa.float64()),
        ("counts", pa.list_(pa.int64())),
    ]
)


def _exponent(low: float, high: float) -> int:
    """Smallest exponent of a bin width with which ``low`` to ``high`` takes at most BINS bins."""
    exponent = max(math.frexp(max(abs(low), abs(high)))[1] - DIGITS, -900)
    if high > low:
        exponent = max(exponent, math.frexp(high - low)[1] - int(math.log2(BINS)) - 1)
    while _bin(high, exponent) - _bin(low, exponent) >= BINS:
        exponent += 1
    return exponent


def _bin(value: float, exponent: int) -> int:
    return math.floor(math.ldexp(value, -exponent))


@dataclass
class Histogram:
    """Counts of one element. ``counts[k]`` belongs to bin ``floor(low / width) + k``."""

    low: float
    high: float
    counts: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> Histogram:
        """Histogram of (N,) finite values, N at least 1."""
        low, high = float(values.min()), float(values.max())
        exponent = _exponent(low, high)
        places = np.floor(np.ldexp(values.astype(np.float64), -exponent)).astype(np.int64)
        return cls(low, high, np.bincount(places - _bin(low, exponent)))

    def merged(self, other: Histogram) -> Histogram:
        """Histogram of the values of both."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        exponent = _exponent(low, high)
        first = _bin(low, exponent)
        counts = np.zeros(_bin(high, exponent) - first + 1, dtype=np.int64)
        for part in (self, other):
            own = _exponent(part.low, part.high)
            places = (_bin(part.low, own) + np.arange(len(part.counts))) >> (exponent - own)
            np.add.at(counts, places - first, part.counts)
        return Histogram(low, high, counts)

    @property
    def total(self) -> int:
        """Number of values."""
        return int(self.counts.sum())

    def quantile(self, p: float) -> float:
        """The ``p``-quantile (0 to 1), linear between neighbouring values as in NumPy."""
        exponent, below = _exponent(self.low, self.high), np.cumsum(self.counts)
        first, rank = _bin(self.low, exponent), p * (int(below[-1]) - 1)
        ranks = np.array([math.floor(rank), math.ceil(rank)])
        places = np.searchsorted(below, ranks, side="right")
        inside = (ranks - below[places] + self.counts[places] + 0.5) / self.counts[places]
        values = np.clip(np.ldexp(first + places + inside, exponent), self.low, self.high)
        return float(values[0] + (values[1] - values[0]) * (rank - ranks[0]))


class Histograms:
    """Histograms of every element of every numeric feature."""

    def __init__(self) -> None:
        self._parts: dict[str, list[Histogram]] = {}

    def add(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take in (T, ...) arrays by feature name; strings are passed over."""
        for name, array in arrays.items():
            if array.dtype.kind not in "fiub":
                continue
            new = [Histogram.of(values) for values in array.reshape(len(array), -1).T]
            old = self._parts.get(name)
            self._parts[name] = [a.merged(b) for a, b in zip(old, new, strict=True)] if old else new

    def total(self, name: str) -> int:
        """Number of frames taken in of a feature."""
        return self._parts[name][0].total if name in self._parts else 0

    def quantile(self, name: str, p: float) -> np.ndarray:
        """(n,) quantile of each element of a feature."""
        return np.array([part.quantile(p) for part in self._parts[name]])

    def table(self) -> pa.Table:
        """As a table, a row an element."""
        rows = [
            {"feature": name, "element": k, "min": part.low, "max": part.high, "counts": part.counts.tolist()}
            for name, parts in sorted(self._parts.items())
            for k, part in enumerate(parts)
        ]
        return pa.Table.from_pylist(rows, schema=_SCHEMA)

    @classmethod
    def load(cls, path: Path) -> Histograms:
        """Inverse of table.

        Raises:
            TwinloomError: the file is missing or damaged.
        """
        found = cls()
        try:
            for row in pq.read_table(path, schema=_SCHEMA).to_pylist():
                part = Histogram(row["min"], row["max"], np.array(row["counts"], dtype=np.int64))
                found._parts.setdefault(row["feature"], []).append(part)
        except (OSError, pa.ArrowException) as error:
            raise TwinloomError(f"{path} is not readable: {error}") from error
        return found
