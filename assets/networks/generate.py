"""Random and regular graphs, up to millions of nodes in seconds. The generator passed in is the only randomness."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from assets.networks.degree_sequences import TWITTER, YOUTUBE, pair_stubs, rewire
from assets.networks.graph import Graph, from_edges
from twinloom.arguments import check_rng, ensure, is_whole

MAX_COMPLETE = 20_000
_WHOLE, _NUMBERS = ("n", "m", "d", "k"), ("p", "mean_degree")  # names of arguments
P = ParamSpec("P")


def checked(generator: Callable[P, Graph]) -> Callable[P, Graph]:
    """A generator of graphs that looks at the kinds of its arguments first."""
    signature, who = inspect.signature(generator), generator.__name__

    @functools.wraps(generator)
    def call(*args: P.args, **kwargs: P.kwargs) -> Graph:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            whole = is_whole(value)
            if name in _WHOLE:
                ensure(whole, f"{who}: {name} is a whole number, not {value!r}")
            elif name in _NUMBERS:
                ensure(whole or isinstance(value, (float, np.floating)), f"{who}: {name} is a number, not {value!r}")
            elif name == "rng":
                check_rng(value, who)
        return generator(*args, **kwargs)

    return call


@checked
def barabasi_albert(n: int, m: int, rng: np.random.Generator) -> Graph:
    """Preferential attachment: every new node brings ``m`` edges; grown from a star of m + 1 nodes, m (n - m) edges."""
    ensure(1 <= m < n, f"barabasi_albert(n={n}, m={m}): m is 1 to n - 1")
    from assets.networks.kernels import preferential_attachment

    return _named(n, preferential_attachment(n, m, _seed(rng)), f"barabasi-albert n={n} m={m}")


@checked
def erdos_renyi(n: int, mean_degree: float, rng: np.random.Generator) -> Graph:
    """G(n, p): every pair is an edge with probability p = mean_degree / (n - 1)."""
    ensure(n >= 1, f"erdos_renyi(n={n}): n is at least 1")
    ensure(0 <= mean_degree <= n - 1, f"erdos_renyi(n={n}, mean_degree={mean_degree}): mean_degree is 0 to n - 1")
    p = mean_degree / (n - 1) if n > 1 else 0.0
    return _named(n, _triangle(_bernoulli(n * (n - 1) // 2, p, rng)), f"erdos-renyi n={n} mean degree {mean_degree:g}")


@checked
def random_regular(n: int, d: int, rng: np.random.Generator) -> Graph:
    """Every node has ``d`` neighbours, otherwise random (uniform, or nearly so for d > 3)."""
    text = f"random_regular(n={n}, d={d})"
    ensure(0 <= d < n and n * d % 2 == 0, f"{text}: d is 0 to n - 1, and n * d is even")
    if d <= (n - 1) // 2:
        pairs = pair_stubs(np.full(n, d), rng, exact=True)
    else:  # a dense one is what a sparse one leaves of the complete graph
        absent = pair_stubs(np.full(n, n - 1 - d), rng, exact=True)
        pairs = _all_pairs(n)
        pairs = pairs[~np.isin(pairs[:, 0] * n + pairs[:, 1], absent.min(axis=1) * n + absent.max(axis=1))]
    return _named(n, pairs, f"random-regular n={n} d={d}")


@checked
def circulant(n: int, d: int, rng: np.random.Generator) -> Graph:
    """A ring in which every node knows its ``d`` nearest, under shuffled ids; an odd d adds the node opposite."""
    ensure(0 <= d < n and n * d % 2 == 0, f"circulant(n={n}, d={d}): d is 0 to n - 1, and n * d is even")
    pairs = _ring(n, d // 2)
    if d % 2:
        half = np.arange(n // 2)
        pairs = np.concatenate((pairs, np.column_stack((half, half + n // 2))))
    return _named(n, rng.permutation(n)[pairs], f"circulant n={n} d={d}")


@checked
def configuration(degrees: Any, rng: np.random.Generator, *, exact: bool = False) -> Graph:
    """Random graph of a degree sequence: stubs are paired at random.

    Args:
        degrees: int [N] >= 0 with an even sum.
        exact: False erases self-loops and parallel edges, which costs hubs some of their degree; True swaps them away,
            so that every node has the degree asked for.

    Raises:
        TwinloomError: the sequence is not one of a (simple, if exact) graph.
    """
    degrees = np.asarray(degrees)
    ensure(degrees.ndim == 1 and len(degrees) >= 1, "configuration: degrees is one number for each node")
    ensure(degrees.dtype.kind in "iu" and degrees.min() >= 0, "configuration: degrees are integers >= 0")
    ensure(int(degrees.sum()) % 2 == 0, f"configuration: the degrees add up to {degrees.sum()}, which is odd")
    return _named(len(degrees), pair_stubs(degrees, rng, exact=exact), f"configuration n={len(degrees)}")


@checked
def chung_lu(weights: Any, rng: np.random.Generator) -> Graph:
    """Pairs are edges with probability min(1, w_i w_j / sum w), so node i has about w_i neighbours.

    Args:
        weights: float [N] >= 0.
    """
    weights = np.asarray(weights, np.float64)
    fine = weights.ndim == 1 and len(weights) >= 1 and bool(np.all((weights >= 0) & np.isfinite(weights)))
    ensure(fine, "chung_lu: weights are finite numbers >= 0, one for each node")
    from assets.networks.kernels import expected_degrees

    order, seed = np.argsort(-weights, kind="stable"), _seed(rng)
    room, count = int(weights.sum() / 2 + 6 * math.sqrt(weights.sum())) + 16, -1
    while count < 0:  # a larger number of edges than six standard deviations above the mean is a matter of principle
        edges = np.empty((room, 2), np.int32)
        count, room = expected_degrees(weights[order], seed, edges), 2 * room
    return _named(len(weights), order[edges[:count]], f"chung-lu n={len(weights)}")


@checked
def stochastic_block(sizes: Any, mean_degrees: Any, rng: np.random.Generator) -> Graph:
    """Groups with a chance of an edge that depends on both groups; nodes are numbered group by group.

    Args:
        sizes: int [B] nodes of each group.
        mean_degrees: float [B, B]; entry (a, b) is the mean number of neighbours in b of a node in a. Edges have two
            ends, so sizes[a] * mean_degrees[a, b] must equal sizes[b] * mean_degrees[b, a].
    """
    sizes, means = np.asarray(sizes), np.asarray(mean_degrees, np.float64)
    fine = sizes.ndim == 1 and sizes.dtype.kind in "iu" and len(sizes) > 0 and sizes.min() >= 1
    ensure(fine, "stochastic_block: sizes are integers >= 1, one for each group")
    blocks = len(sizes)
    ensure(means.shape == (blocks, blocks), f"stochastic_block: mean_degrees must be {blocks} by {blocks}")
    ends = sizes[:, None] * means
    text = "stochastic_block: sizes[a] * mean_degrees[a, b] must equal sizes[b] * mean_degrees[b, a]"
    ensure(np.allclose(ends, ends.T, rtol=1e-6), text)
    chance = means / np.maximum(sizes[None, :] - np.eye(blocks), 1)
    ensure(bool(np.all((chance >= 0) & (chance <= 1))), "stochastic_block: mean_degrees exceed the group sizes")
    first = np.concatenate(([0], np.cumsum(sizes)))
    parts = []
    for a in range(blocks):
        inside = _bernoulli(int(sizes[a]) * (int(sizes[a]) - 1) // 2, chance[a, a], rng)
        parts.append(_triangle(inside) + first[a])
        for b in range(a + 1, blocks):
            row, column = np.divmod(_bernoulli(int(sizes[a]) * int(sizes[b]), chance[a, b], rng), sizes[b])
            parts.append(np.column_stack((row + first[a], column + first[b])))
    return _named(int(first[-1]), np.concatenate(parts), f"stochastic-block n={first[-1]} groups={blocks}")


@checked
def small_world(n: int, k: int, p: float, rng: np.random.Generator) -> Graph:
    """Watts-Strogatz: a ring of ``k`` nearest neighbours, one end of each edge moved at random with chance ``p``."""
    ensure(0 <= k < n and k % 2 == 0, f"small_world(n={n}, k={k}): k is even, 0 to n - 1")
    ensure(0 <= p <= 1, f"small_world(p={p}): p is 0 to 1")
    pairs = _ring(n, k // 2)
    moved = rng.random(len(pairs)) < p
    return _named(n, rewire(n, pairs, moved, rng), f"small-world n={n} k={k} p={p:g}")


@checked
def complete(n: int) -> Graph:
    """Every pair is an edge."""
    ensure(1 <= n <= MAX_COMPLETE, f"complete(n={n}): n is 1 to {MAX_COMPLETE:,}; use mean field beyond")
    return _named(n, _all_pairs(n), f"complete n={n}")


@checked
def star(n: int) -> Graph:
    """Node 0 knows all the others, who know only it; ``n`` nodes in total."""
    ensure(n >= 1, f"star(n={n}): n is at least 1")
    leaves = np.arange(1, n)
    return _named(n, np.column_stack((np.zeros_like(leaves), leaves)), f"star n={n}")


@checked
def twitter_like(rng: np.random.Generator) -> Graph:
    """Stand-in for the undirected form of SNAP ego-Twitter: 81,306 nodes, 1,342,310 edges, a second of work."""
    return TWITTER.generate(rng)


@checked
def youtube_like(rng: np.random.Generator) -> Graph:
    """Stand-in for SNAP com-Youtube: 1,134,890 nodes, 2,987,624 edges, a few seconds of work."""
    return YOUTUBE.generate(rng)


def _named(n: int, pairs: np.ndarray, name: str) -> Graph:
    return from_edges(n, pairs, name=name, synthetic=True)


def _seed(rng: np.random.Generator) -> np.uint64:
    return rng.integers(2**64, dtype=np.uint64)


def _ring(n: int, reach: int) -> np.ndarray:
    """int64 [n * reach, 2] edges from every node to the next ``reach``."""
    node = np.repeat(np.arange(n), reach)
    return np.column_stack((node, (node + np.tile(np.arange(1, reach + 1), n)) % n))


def _all_pairs(n: int) -> np.ndarray:
    return np.column_stack(np.triu_indices(n, 1))


def _bernoulli(total: int, p: float, rng: np.random.Generator) -> np.ndarray:
    """int64 positions in 0 .. total-1, each present with probability p: the gaps between them are geometric."""
    if p <= 0 or total == 0:
        return np.empty(0, np.int64)
    if p >= 1:
        return np.arange(total)
    found, last = [], -1
    while last < total:
        block = int((total - last) * p * 1.05 + 10 * math.sqrt((total - last) * p) + 10)
        gaps = rng.geometric(p, block)
        # beyond ``total`` nothing counts, and the sum of uncapped gaps could leave 64 bits
        positions = last + np.cumsum(np.minimum(gaps, total + 1))
        found.append(positions)
        last = int(positions[-1])
    positions = np.concatenate(found)
    return positions[: np.searchsorted(positions, total)]


def _triangle(positions: np.ndarray) -> np.ndarray:
    """int64 [E, 2] pairs (larger, smaller) at these positions of the order (1,0), (2,0), (2,1), (3,0), …"""
    row = ((1 + np.sqrt(1 + 8 * positions.astype(np.float64))) / 2).astype(np.int64)
    row -= row * (row - 1) // 2 > positions  # the root of a large number is off by one now and then
    row += row * (row + 1) // 2 <= positions
    return np.column_stack((row, positions - row * (row - 1) // 2))
