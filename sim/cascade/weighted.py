"""R0 on graphs whose edges have weights: an edge of weight w transmits with probability T(beta w)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from assets.errors import TwinloomError
from assets.networks.graph import Graph
from sim.cascade.models import Model

UNSETTLED = 'the leading eigenvalue did not settle on this graph; use r0_by="kappa"'
_ITERATIONS = 2000
_TOLERANCE = 1e-9
_FEW, _SPACING = 200, 0.1  # rates whose transmissibility is computed one by one; of a spline in log rate


def transmits(model: Model) -> Callable[[float], float]:
    """Transmissibility of an edge as a function of its contact rate."""
    step = model.step_from(model.infectious)
    if step is not None and model.shedding is None:
        return step.law.transmissibility
    return lambda rate: model.with_beta(rate).transmissibility()


class Edges:
    """R0 on a weighted graph as a function of the contact rate.

    Args:
        model: any rate of its own is ignored.
        graph: with weights.
        by: "kappa" or "spectral".
        branching: branching factor of the graph without its weights, for "kappa".

    Attributes:
        limit: what R0 stays below at any rate.

    Raises:
        TwinloomError: the leading eigenvalue does not settle, as on a tree.
    """

    def __init__(self, model: Model, graph: Graph, by: str, branching: float) -> None:
        assert graph.weights is not None
        self._passes = transmits(model)
        weights, place, counts = np.unique(graph.weights, return_inverse=True, return_counts=True)
        self._weights, self._share = weights.astype(np.float64), counts / counts.sum()
        self._walk = Walk(graph, place) if by == "spectral" else None
        self._branching = branching
        self.limit = branching if self._walk is None else self._walk.radius(np.ones(len(weights)))

    def reproduction(self, beta: float) -> float:
        """R0 at a contact rate."""
        passed = self._along(beta * self._weights)
        return float(self._share @ passed) * self._branching if self._walk is None else self._walk.radius(passed)

    def _along(self, rates: np.ndarray) -> np.ndarray:
        """Transmissibility at ascending rates; of many from a spline in logarithms, to seven digits."""
        if len(rates) <= _FEW:
            return np.array([self._passes(rate) for rate in rates.tolist()])
        from scipy.interpolate import CubicSpline

        log = np.log(rates)
        nodes = np.linspace(log[0], log[-1], max(8, math.ceil((log[-1] - log[0]) / _SPACING)))
        spline = CubicSpline(nodes, np.log([self._passes(rate) for rate in np.exp(nodes).tolist()]))
        return np.minimum(np.exp(spline(log)), 1.0)


class Walk:
    """The non-backtracking matrix of a weighted graph: from an arc u v on to each arc v x but the one back to u."""

    def __init__(self, graph: Graph, place: np.ndarray) -> None:
        keys = graph.sources.astype(np.int64) * graph.n + graph.indices  # ascending
        turned = graph.indices.astype(np.int64) * graph.n + graph.sources
        back = np.minimum(np.searchsorted(keys, turned), len(keys) - 1)
        self._graph, self._place, self._back, self._has_back = graph, place, back, keys[back] == turned
        self._start = np.ones(len(keys)) / math.sqrt(len(keys))

    def radius(self, passed: np.ndarray) -> float:
        """Leading eigenvalue if arcs of the k-th weight count ``passed[k]``, by power iteration."""
        graph, factor = self._graph, passed[self._place]
        shift = float(factor.mean())  # parts the two signs of a bipartite graph, see _non_backtracking
        z, value = self._start, 0.0
        for _ in range(_ITERATIONS):
            arriving = factor * z
            total = np.bincount(graph.sources, arriving, graph.n)
            z = total[graph.indices] - np.where(self._has_back, arriving[self._back], 0.0) + shift * z
            norm = math.sqrt(z @ z)
            z /= norm
            if abs(norm - shift - value) < _TOLERANCE * norm:
                self._start = z  # of the next rate
                return norm - shift
            value = norm - shift
        raise TwinloomError(UNSETTLED)
