"""Graphs of given degrees: stubs become edges, unwanted edges are swapped away; stand-ins of two social networks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.networks.graph import Graph, from_edges
from twinloom.arguments import check_rng
from twinloom.errors import TwinloomError

MAX_ROUNDS = 10_000
FRESH_PAIRINGS = 100  # tried on a small graph: a pairing that is simple at once is uniform among all simple graphs
SMALL = 2_000  # edges


def pair_stubs(degrees: np.ndarray, rng: np.random.Generator, *, exact: bool) -> np.ndarray:
    """int64 [E, 2] a random matching of the stubs, ``degrees[i]`` of them at node i.

    Args:
        degrees: int [N] >= 0 with an even sum.
        exact: whether self-loops and parallel edges are swapped away.

    Raises:
        TwinloomError: exact, and no simple graph has these degrees.
    """
    if exact and not graphical(degrees):
        raise TwinloomError("no simple graph has these degrees (Erdos-Gallai); exact=False allows them approximately")
    stubs = np.repeat(np.arange(len(degrees)), degrees)
    rng.shuffle(stubs)
    if not exact:
        return stubs.reshape(-1, 2)
    for _ in range(FRESH_PAIRINGS if len(stubs) <= 2 * SMALL else 0):
        if not len(bad_edges(len(degrees), stubs.reshape(-1, 2))):
            break
        rng.shuffle(stubs)
    return _swap_bad(len(degrees), stubs.reshape(-1, 2), rng)


def graphical(degrees: np.ndarray) -> bool:
    """Whether a simple graph has these degrees (Erdos and Gallai 1960)."""
    d = np.sort(np.asarray(degrees, np.int64))[::-1]
    n = len(d)
    if n == 0 or d.sum() % 2 or d[0] >= n or d[-1] < 0:
        return n == 0
    k = np.arange(1, n + 1)
    # sum over the nodes after the k-th of min(d_i, k): those with d_i >= k count k, the rest their degree
    above = np.searchsorted(-d, -k, side="right")
    tail = np.concatenate((np.cumsum(d[::-1])[::-1], [0]))
    split = np.maximum(above, k)
    return bool(np.all(np.cumsum(d) <= k * (k - 1) + (split - k) * k + tail[split]))


def bad_edges(n: int, pairs: np.ndarray) -> np.ndarray:
    """int64 positions, ascending, of self-loops and of all but the first copy of parallel edges."""
    a, b = pairs[:, 0], pairs[:, 1]
    keys = np.minimum(a, b) * n + np.maximum(a, b)
    ordered = np.sort(keys)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    bad = a == b
    if len(repeated):
        copies = np.flatnonzero(np.isin(keys, repeated))
        later = np.ones(len(copies), bool)
        later[np.unique(keys[copies], return_index=True)[1]] = False
        bad[copies[later]] = True
    return np.flatnonzero(bad)


def _swap_bad(n: int, pairs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Exchange ends between each bad edge and a random other one until the graph is simple; degrees stay."""
    for _ in range(MAX_ROUNDS):
        bad = bad_edges(n, pairs)
        if not len(bad):
            return pairs
        partners = rng.integers(len(pairs), size=len(bad))
        # an edge takes part in one swap a round, or the two writes would lose a stub
        partners, keep = np.unique(partners, return_index=True)
        bad = bad[keep]
        free = ~np.isin(partners, bad)
        bad, partners = bad[free], partners[free]
        pairs[bad, 1], pairs[partners, 1] = pairs[partners, 1], pairs[bad, 1].copy()
    raise TwinloomError(f"these degrees leave hardly any simple graph: none found in {MAX_ROUNDS} rounds of swaps")


def rewire(n: int, pairs: np.ndarray, moved: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Give the ``moved`` edges new random second ends, without self-loops or parallel edges.

    An edge that finds no free end (its node knows nearly all others) stays where it is.

    Args:
        n: number of nodes.
        pairs: int64 [E, 2] a simple graph.
        moved: bool [E].
    """
    pairs = pairs.copy()
    pending = np.flatnonzero(moved)
    for _ in range(200):
        if not len(pending):
            break
        proposed = np.column_stack((pairs[pending, 0], rng.integers(n, size=len(pending))))
        # of two copies the later is the bad one: never an edge that is there already
        bad = bad_edges(n, np.concatenate((pairs, proposed))) - len(pairs)
        fine = np.ones(len(pending), bool)
        fine[bad] = False
        pairs[pending[fine]] = proposed[fine]
        pending = pending[~fine]
    return pairs


@dataclass(frozen=True)
class StandIn:
    """What is matched, and the degree law that matches it: P(k) proportional to (k + shift) ** -exponent, 1 to k_max.

    A plain power law has one parameter; fitted to the mean degree it more than doubles kappa, and with it R0. The shift
    bends the law at low degrees, which fits both. The targets of kappa follow from the published numbers of triangles
    and closed triads of the originals.
    """

    name: str
    nodes: int
    edges: int
    k_max: int
    kappa: float
    exponent: float
    shift: float

    def degrees(self) -> np.ndarray:
        """int64 [N] degrees, ascending: evenly spaced quantiles of the law, so that they are the same in every draw."""
        k = np.arange(1, self.k_max + 1)
        below = np.cumsum((k + self.shift) ** -self.exponent)
        middle = (np.arange(self.nodes) + 0.5) / self.nodes
        degrees = np.searchsorted(below / below[-1], middle) + 1
        degrees[-1] = self.k_max
        # rounding of the two parameters leaves a few stubs too many or too few: spread them over common nodes
        missing = 2 * self.edges - int(degrees.sum())
        first = self.nodes // 2
        degrees[first : first + abs(missing)] += np.sign(missing)
        return degrees

    def generate(self, rng: np.random.Generator) -> Graph:
        """A random simple graph with exactly these degrees, under random ids."""
        check_rng(rng, self.name)
        pairs = pair_stubs(self.degrees(), rng, exact=True)
        return from_edges(self.nodes, rng.permutation(self.nodes)[pairs], name=self.name, synthetic=True)


TWITTER = StandIn("twitter-like", 81_306, 1_342_310, 3_383, 171.4, exponent=3.286, shift=41.639)
YOUTUBE = StandIn("youtube-like", 1_134_890, 2_987_624, 28_754, 493.6, exponent=2.437, shift=1.5488)
