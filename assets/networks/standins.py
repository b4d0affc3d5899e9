"""Synthetic stand-ins for two large social networks: their size, mean degree, largest degree and kappa, nothing else.

Their clustering is far lower than that of the originals (0.57 and 0.08), so results on them are results on synthetic
graphs; the graphs say so themselves (`Graph.synthetic`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.networks.arguments import check_rng, checked
from assets.networks.graph import Graph, from_edges
from assets.networks.pairing import pair_stubs


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


@checked
def twitter_like(rng: np.random.Generator) -> Graph:
    """Stand-in for the undirected form of SNAP ego-Twitter: 81,306 nodes, 1,342,310 edges, a second of work."""
    return TWITTER.generate(rng)


@checked
def youtube_like(rng: np.random.Generator) -> Graph:
    """Stand-in for SNAP com-Youtube: 1,134,890 nodes, 2,987,624 edges, a few seconds of work."""
    return YOUTUBE.generate(rng)
