"""Contact rates from reproduction numbers: beta such that R0 = transmissibility x branching factor of the graph.

A fixed beta makes graphs incomparable: their branching factors differ by a factor of thirty and more.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from assets.errors import TwinloomError
from assets.networks.graph import Graph
from sim.cascade.models import Model

BRANCHINGS = ("kappa", "spectral")
_ITERATIONS = 2000
_TOLERANCE = 1e-7


def branching_factor(graph: Graph, by: str = "kappa") -> float:
    """New edges that a node reached through an edge offers, on average.

    Args:
        graph: any graph with edges; weights are ignored.
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
    step = model.step_from(model.infectious)
    if step is None or model.contact != "linear":
        why = "nobody stops being infectious" if step is None else f"its contagion is {model.contact}, not linear"
        raise TwinloomError(f"model {model.name} has no R0, since {why}; give beta instead of r0")
    if not (r0 > 0 and math.isfinite(r0)):
        raise TwinloomError(f"r0 {r0} must be positive")
    target = r0 / branching
    if target >= 1:
        raise TwinloomError(
            f"r0 {r0:g} cannot be reached on this graph: its branching factor is {branching:.3g}, "
            f"and R0 stays below that even if every contact transmits; give a smaller r0"
        )
    law = step.law
    if model.shedding is None:
        return _solve(law.transmissibility, target, 1 / law.mean)
    return _solve(lambda beta: model.with_beta(beta).transmissibility(), target, 1 / law.mean)


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
    raise TwinloomError('the leading eigenvalue did not settle on this graph; use r0_by="kappa"')
