"""R0 on graphs whose edges have weights: an edge of weight w transmits with probability T(beta w)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from assets.networks.graph import Graph
from sim.cascade.process.models import Model

_ENDLESS = 1e100  # contacts in a mean infectious time: all that can be transmitted is
_LEAST, _MOST = 1e-300, 1e200  # rates that laws can reckon with
_FEW, _SPACING = 200, 0.1  # rates whose transmissibility is computed one by one; of a spline in log rate


def transmits(model: Model) -> Callable[[float], float]:
    """Transmissibility of an edge as a function of its contact rate."""
    step = model.step_from(model.infectious)
    if step is not None and model.shedding is None:
        return step.law.transmissibility
    return lambda rate: model.with_beta(rate).transmissibility()


def transmits_at_most(model: Model) -> float:
    """Transmissibility that no contact rate exceeds: below 1 if infectious times may be 0, or end before shedding."""
    step = model.step_from(model.infectious)
    return transmits(model)(1.0 if step is None else min(_ENDLESS / step.law.mean, _MOST))


class Edges:
    """R0 on a weighted graph as a function of the contact rate.

    Args:
        model: any rate of its own is ignored.
        graph: with weights.
        by: "kappa" or "spectral".
        branching: branching factor of the graph without its weights, for "kappa".

    Raises:
        TwinloomError: the leading eigenvalue does not settle, see `sim.cascade.process.non_backtracking.Walk`.
    """

    def __init__(self, model: Model, graph: Graph, by: str, branching: float) -> None:
        assert graph.weights is not None
        self._passes = transmits(model)
        weights, place, counts = np.unique(graph.weights, return_inverse=True, return_counts=True)
        self._weights, self._share = weights.astype(np.float64), counts / counts.sum()
        self._branching, self._place, self._walk = branching, place, None
        if by == "spectral":
            from sim.cascade.process.non_backtracking import Walk  # compiles

            self._walk = Walk(graph)

    def reproduction(self, beta: float) -> float:
        """R0 at a contact rate."""
        passed = self._along(np.clip(beta * self._weights, _LEAST, _MOST))
        if self._walk is not None:
            return self._walk.radius(passed[self._place])
        return float(self._share @ passed) * self._branching

    def _along(self, rates: np.ndarray) -> np.ndarray:
        """Transmissibility at ascending rates; of many from a spline in logarithms, to seven digits."""
        if len(rates) <= _FEW or rates[0] == rates[-1] or not self._passes(float(rates[0])) > 0:
            return np.array([self._passes(rate) for rate in rates.tolist()])
        from scipy.interpolate import CubicSpline

        log = np.log(rates)
        nodes = np.linspace(log[0], log[-1], max(8, math.ceil((log[-1] - log[0]) / _SPACING)))
        spline = CubicSpline(nodes, np.log([self._passes(rate) for rate in np.exp(nodes).tolist()]))
        return np.minimum(np.exp(spline(log)), 1.0)
