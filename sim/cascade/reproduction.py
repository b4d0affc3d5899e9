"""Contact rates from reproduction numbers: beta such that R0 = transmissibility x branching factor of the graph.

A fixed beta makes graphs incomparable: their branching factors differ by a factor of thirty and more.

An edge of weight w transmits with probability T(beta w). On a weighted graph R0 is the branching factor times the mean
of that over the edges, as if weights had nothing to do with degrees; or, by="spectral", the leading eigenvalue of the
non-backtracking matrix whose entries are the T(beta w), which knows where the weights are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from assets.errors import TwinloomError
from assets.networks.graph import Graph
from sim.cascade.laws import Law
from sim.cascade.models import Model
from sim.cascade.weighted import UNSETTLED, Edges, transmits

BRANCHINGS = ("kappa", "spectral")
_ITERATIONS = 2000
_TOLERANCE = 1e-7


def branching_factor(graph: Graph, by: str = "kappa") -> float:
    """New edges that a node reached through an edge offers, on average.

    Args:
        graph: any graph with edges; weights do not count here, see `reproduction_number`.
        by: "kappa": (<k^2> - <k>) / <k>, exact for random graphs of given degrees. "spectral": the leading eigenvalue
            of the non-backtracking matrix, which also feels which degrees are linked to which.

    Raises:
        TwinloomError: unknown ``by``, no edges, or no node with two edges (nothing can spread).
    """
    if by not in BRANCHINGS:
        raise TwinloomError(f'r0_by "{by}" is unknown; allowed: {", ".join(BRANCHINGS)}')
    if not graph.edges:
        raise TwinloomError(f"graph {graph.name or '(unnamed)'} has no edges: nothing spreads on it")
    factor = graph.kappa if by == "kappa" else _non_backtracking(graph)
    if not factor > 0:
        raise TwinloomError(f"graph {graph.name or '(unnamed)'} has branching factor {factor:g}: nothing spreads on it")
    return factor


def beta_for(model: Model, branching: float, r0: float) -> float:
    """The contact rate at which R0 = T(beta) * branching is ``r0``.

    Raises:
        TwinloomError: ``r0`` is not positive, cannot be reached (T is at most 1), or the model has no R0: nobody
            recovers, or contagion is not linear in the number of contacts.
    """
    law = _duration(model)
    target = _positive(r0) / branching
    if target >= 1:
        raise _out_of_reach(r0, branching)
    return _solve(transmits(model), target, 1 / law.mean)


def contact_rate(model: Model, graph: Graph, r0: float, by: str = "kappa", branching: float | None = None) -> float:
    """The contact rate at which `reproduction_number` is ``r0``: `beta_for` unless the graph has weights.

    Args:
        model: any rate of its own is ignored.
        graph: on which it spreads.
        r0: reproduction number that is wanted.
        by, branching: see `reproduction_number`.

    Raises:
        TwinloomError: as of `branching_factor` and `beta_for`.
    """
    branching = branching_factor(graph, by) if branching is None else branching
    if graph.weights is None:
        return beta_for(model, branching, r0)
    law = _duration(model)
    edges = Edges(model, graph, by, branching)
    if not _positive(r0) < edges.limit:
        raise _out_of_reach(r0, edges.limit)
    return _root(edges.reproduction, r0, 1 / (law.mean * float(np.mean(graph.weights, dtype=np.float64))))


def reproduction_number(model: Model, graph: Graph, by: str = "kappa", branching: float | None = None) -> float:
    """R0 without control: infections that an early infected node causes. NaN for models that have none.

    Args:
        model: the process with its contact rate.
        graph: on which it spreads.
        by: "kappa" or "spectral", see `branching_factor`; with weights see above.
        branching: the branching factor by ``by``, where it is known already.
    """
    if model.contact != "linear" or model.step_from(model.infectious) is None:
        return float("nan")
    branching = branching_factor(graph, by) if branching is None else branching
    if graph.weights is None:
        return model.transmissibility() * branching
    return Edges(model, graph, by, branching).reproduction(model.beta) if model.beta > 0 else 0.0


def edge_transmissibility(model: Model, graph: Graph) -> float:
    """Probability that an infectious node ever passes the contagion along an edge, mean of the edges."""
    if graph.weights is None:
        return model.transmissibility()
    return Edges(model, graph, "kappa", 1.0).reproduction(model.beta)


def _duration(model: Model) -> Law:
    """Law of the infectious time. Raises TwinloomError if the model has no R0."""
    step = model.step_from(model.infectious)
    if step is None or model.contact != "linear":
        why = "nobody stops being infectious" if step is None else f"its contagion is {model.contact}, not linear"
        raise TwinloomError(f"model {model.name} has no R0, since {why}; give beta instead of r0")
    return step.law


def _positive(r0: float) -> float:
    if not (r0 > 0 and math.isfinite(r0)):
        raise TwinloomError(f"r0 {r0} must be positive")
    return r0


def _out_of_reach(r0: float, branching: float) -> TwinloomError:
    return TwinloomError(
        f"r0 {r0:g} cannot be reached on this graph: its branching factor is {branching:.3g}, "
        f"and R0 stays below that even if every contact transmits; give a smaller r0"
    )


def _root(reproduction: Callable[[float], float], target: float, scale: float) -> float:
    """Root of an increasing function in few calls."""
    from scipy.optimize import brentq

    low, high = scale, scale
    while reproduction(low) > target:
        low /= 8
    while reproduction(high) < target:
        high *= 8
    if low == high:
        return scale

    def excess(log_rate: float) -> float:
        return math.log(reproduction(math.exp(log_rate)) / target)

    root: Any = brentq(excess, math.log(low), math.log(high), xtol=1e-12)
    return math.exp(root)


def _solve(transmissibility: Callable[[float], float], target: float, scale: float) -> float:
    """Root of an increasing function by bisection in log beta, to machine precision."""
    low, high = scale, scale
    while transmissibility(low) > target:
        low /= 8
    while transmissibility(high) < target:
        high *= 8
    low, high = math.log(low), math.log(high)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if transmissibility(math.exp(middle)) < target else (low, middle)
    return math.exp(0.5 * (low + high))


def _non_backtracking(graph: Graph) -> float:
    """Leading eigenvalue of [[A, 1 - D], [1, 0]] (Ihara and Bass), by power iteration; the spectral radius of A if
    the graph is directed, where walks cannot turn back anyway."""
    from scipy.sparse import csr_array

    adjacency = csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(graph.n, graph.n))
    loss = 0.0 if graph.directed else 1.0 - graph.degree
    x, y = np.ones(graph.n), np.zeros(graph.n)
    value = 0.0
    for _ in range(_ITERATIONS):
        # shifted by the identity: without it the two signs of a bipartite graph would alternate for ever
        ahead, behind = adjacency @ x + loss * y + x, x + y
        norm = math.sqrt(ahead @ ahead + behind @ behind)
        x, y = ahead / norm, behind / norm
        if abs(norm - 1 - value) < _TOLERANCE * norm:
            return norm - 1
        value = norm - 1
    raise TwinloomError(UNSETTLED)
