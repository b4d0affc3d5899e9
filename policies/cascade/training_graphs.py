"""Training graphs: Barabasi-Albert, a share of them rewired into communities; Erdos-Renyi for the escape problem.

On a graph without communities a cascade that starts well goes on well. Real networks are different: hubs fill their own
community and stop there. A policy that never saw that keeps paying for a spread that does not come.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.networks.generate import barabasi_albert, erdos_renyi
from assets.networks.graph import Graph, from_edges
from sim.cascade.env.scenarios import GraphRange

SMALLEST = 20  # nodes of a community
INSIDE = (0.5, 0.95)  # share of the edge ends that stay in their community


@dataclass(frozen=True)
class CommunityRange(GraphRange):
    """A GraphRange whose graphs have communities with probability ``communities``.

    Attributes:
        communities: that probability.
    """

    communities: float = 0.5

    def graph(self, rng: np.random.Generator) -> Graph:
        """A graph of the range."""
        n = int(rng.integers(self.n[0], self.n[1], endpoint=True))
        m = int(np.exp(rng.uniform(np.log(self.m[0]), np.log(self.m[1] + 1))))  # sparse and dense ones alike
        base = barabasi_albert(n, min(m, self.m[1]), rng)
        rewired, size, inside = rng.random() < self.communities, rng.random(), rng.uniform(*INSIDE)
        if not rewired:
            return base
        return into_communities(
            base, round(np.exp(np.log(SMALLEST) + size * np.log(base.n / 2 / SMALLEST))), inside, rng
        )


@dataclass(frozen=True)
class RandomRange(GraphRange):
    """A GraphRange of Erdos-Renyi graphs, where a threshold is the same for all nodes.

    Attributes:
        degree: least and greatest mean degree.
    """

    n: tuple[int, int] = (2000, 5000)
    beta: float = 0.05
    means: float = 0.0
    cv: tuple[float, float] | None = None
    degree: tuple[float, float] = (30.0, 50.0)

    def graph(self, rng: np.random.Generator) -> Graph:
        """A graph of the range."""
        return erdos_renyi(int(rng.integers(self.n[0], self.n[1], endpoint=True)), rng.uniform(*self.degree), rng)


OWN_RANGES: dict[str, GraphRange] = {"escape": RandomRange()}
"""Problems that make sense only on graphs of another kind. The valley of escape lies between a reproduction number of
0.8 and the threshold 1: a process drawn further away, or hubs, which cascade by themselves, would fill it in."""


def into_communities(graph: Graph, size: int, inside: float, rng: np.random.Generator) -> Graph:
    """Almost the same degrees, but edges mostly within random groups of nodes.

    Args:
        graph: undirected.
        size: mean nodes of a group, at least 2.
        inside: probability that an edge end is joined to one of its own group.
        rng: of groups and pairs.

    Returns:
        A graph of as many nodes; fewer edges, mostly at hubs, as pairs that coincide are merged and loops dropped.
    """
    group = rng.integers(0, max(1, graph.n // size), graph.n)
    stubs = np.repeat(np.arange(graph.n), graph.degree)
    own = rng.random(len(stubs)) < inside
    pairs = [
        _paired(stubs[~own], np.zeros(int((~own).sum()), np.int64), rng),
        _paired(stubs[own], group[stubs[own]], rng),
    ]
    return from_edges(graph.n, np.concatenate(pairs), name="communities", synthetic=True)


def _paired(stubs: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Random pairs of stubs of equal group, int64 [E, 2]; one of a group with an odd number of them is left over."""
    order = np.lexsort((rng.random(len(stubs)), group))
    stubs, group = stubs[order], group[order]
    place = np.arange(len(stubs)) - np.searchsorted(group, group)
    first = np.flatnonzero((place % 2 == 0)[:-1] & (group[1:] == group[:-1]))
    return np.stack([stubs[first], stubs[first + 1]], axis=1)
