"""Edges as they come become edges of a simple graph; what was merged or dropped on the way is counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Merged:
    """Simple edges, each once.

    Attributes:
        keys: int64 [E] ascending, ``source * n + target``; source < target if undirected.
        directed: whether a key is an arc or a pair.
        weights: float64 [E], or None.
        loops: edges from a node to itself, dropped.
        repeated: further copies of an edge in the same direction.
        reversed: edges that also came in the other direction (undirected only).
        conflicts: merged copies whose weight was not the one kept.
    """

    keys: np.ndarray
    directed: bool
    weights: np.ndarray | None
    loops: int
    repeated: int
    reversed: int
    conflicts: int


def merge(n: int, pairs: np.ndarray, directed: bool, weights: np.ndarray | None = None) -> Merged:
    """Drop self-loops and merge copies of an edge; of several weights the largest stays.

    The largest, because it does not depend on the order of the lines and does not double the contact rate of a file
    that lists every pair in both directions.

    Args:
        n: number of nodes; all entries of ``pairs`` are in 0 .. n-1.
        pairs: int [E, 2].
        directed: whether (a, b) and (b, a) stay two.
        weights: float64 [E] > 0, or None.
    """
    source, target = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    proper = source != target
    loops = len(pairs) - int(np.count_nonzero(proper))
    if loops:
        source, target = source[proper], target[proper]
        weights = None if weights is None else weights[proper]
    flipped = np.zeros(len(source), bool) if directed else source > target
    keys = np.where(flipped, target * n + source, source * n + target)
    if weights is None:
        tagged = np.sort(keys * 2 + flipped)  # the last bit remembers the direction
        arcs = int(np.count_nonzero(_first_of_each(tagged)))
        keys = tagged >> 1
        first = _first_of_each(keys)
        kept, conflicts = None, 0
    else:
        order = np.lexsort((-weights, keys))  # the largest weight of an edge comes first
        arcs = len(np.unique(keys * 2 + flipped))
        keys, weights = keys[order], weights[order]
        first = _first_of_each(keys)
        kept = weights[first]
        conflicts = int(np.count_nonzero(weights != kept[np.cumsum(first) - 1])) if len(keys) else 0
    edges = int(np.count_nonzero(first))
    return Merged(keys[first], directed, kept, loops, len(keys) - arcs, arcs - edges, conflicts)


def _first_of_each(ordered: np.ndarray) -> np.ndarray:
    """bool mask of the first entry of each run of equal values."""
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first
