"""Contact rates from reproduction numbers: beta such that R0 = transmissibility x branching factor of the graph.

A fixed beta makes graphs incomparable: their branching factors differ by a factor of thirty and more.

An edge of weight w transmits with probability T(beta w). On a weighted graph R0 is the branching factor times the mean
of that over the edges, as if weights had nothing to do with degrees; or, by="spectral", the leading eigenvalue of the
non-backtracking matrix whose entries are the T(beta w), which knows where the weights are (`non_backtracking`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from assets.networks.graph import Graph
from sim.cascade.checks import is_number
from sim.cascade.process.laws import Law
from sim.cascade.process.models import Model
from sim.cascade.process.weighted import Edges, transmits, transmits_at_most
from twinloom.errors import TwinloomError

BRANCHINGS = ("kappa", "spectral")
_LEAST = 1e-100  # R0 that numbers can resolve
_LONGEST, _LARGEST = 1e50, 1e300  # mean infectious time, contact rate


def branching_factor(graph: Graph, by: str = "kappa") -> float:
    """New edges that a node reached through an edge offers, on average.

    Args:
        graph: any graph with edges; weights do not count here, see `reproduction_number`.
        by: "kappa": (<k^2> - <k>) / <k>, exact for random graphs of given degrees. "spectral": the leading eigenvalue
            of the non-backtracking matrix, which also feels which degrees are linked to which; 0 on forests, 1 if no
            component has more than one cycle.

    Raises:
        TwinloomError: unknown ``by``, no edges, or kappa is 0 since no node has two edges (nothing can spread).
    """
    if by not in BRANCHINGS:
        raise TwinloomError(f'r0_by "{by}" is unknown; allowed: {", ".join(BRANCHINGS)}')
    if not graph.edges:
        raise TwinloomError(f"graph {graph.name or '(unnamed)'} has no edges: nothing spreads on it")
    if by == "spectral":
        from sim.cascade.process.non_backtracking import Walk  # compiles

        return Walk(graph).radius(np.ones(len(graph.indices)))
    factor = graph.kappa
    if not factor > 0:
        raise TwinloomError(f"graph {graph.name or '(unnamed)'} has branching factor {factor:g}: nothing spreads on it")
    return factor


def beta_for(model: Model, branching: float, r0: float) -> float:
    """The contact rate at which R0 = T(beta) * branching is ``r0``.

    Raises:
        TwinloomError: ``r0`` is not positive, cannot be reached (T is at most 1, or less where infectious times may be
            0), or the model has no R0: nobody recovers, or contagion is not linear in the number of contacts.
    """
    law = _duration(model)
    _check_reach(model, branching, r0)
    return _solve(transmits(model), r0 / branching, 1 / law.mean)


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
    _check_reach(model, branching, r0)
    edges = Edges(model, graph, by, branching)
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
    """Law of the infectious time. Raises TwinloomError if the model has no R0, or times are beyond reckoning."""
    step = model.step_from(model.infectious)
    if step is None or model.contact != "linear":
        why = "nobody stops being infectious" if step is None else f"its contagion is {model.contact}, not linear"
        raise TwinloomError(f"model {model.name} has no R0, since {why}; give beta instead of r0")
    if not 1 / _LONGEST <= step.law.mean <= _LONGEST:
        raise TwinloomError(
            f"the mean infectious time {step.law.mean:g} of model {model.name} must lie between {1 / _LONGEST:g} and "
            f"{_LONGEST:g}; take another unit of time"
        )
    return step.law


def _check_reach(model: Model, branching: float, r0: float) -> None:
    """Raise TwinloomError if no contact rate gives ``r0``."""
    if not is_number(r0):
        raise TwinloomError(f"r0 is {r0!r}, not a finite number")
    if not r0 >= _LEAST:
        raise TwinloomError(f"r0 {r0} must be positive, at least {_LEAST:g}")
    passed = transmits_at_most(model)
    if r0 < passed * branching:
        return
    text = f"r0 {float(r0):g} cannot be reached on this graph: its branching factor is {branching:.3g}"
    if not branching > 0:
        why = 'every walk on it ends, as on a tree, so no outbreak lasts; give beta, or r0_by="kappa"'
    elif passed > 1 - 1e-6:
        why = "and R0 stays below that even if every contact transmits; give a smaller r0"
    else:
        why = (
            f"and an edge transmits with probability {passed:.3g} at most, whatever the contact rate, so R0 is at most "
            f"{passed * branching:.3g}; give a smaller r0, or look at the law of infectious times and the shedding"
        )
    raise TwinloomError(f"{text}, {why}")


def _root(reproduction: Callable[[float], float], target: float, scale: float) -> float:
    """Root of an increasing function in few calls."""
    from scipy.optimize import brentq

    low, high = scale, scale
    while reproduction(low) > target:
        low /= 8
    while reproduction(high) < target and high < _LARGEST:  # at the limit itself rounding may be in the way
        high *= 8
    if low == high:
        return scale

    def excess(log_rate: float) -> float:
        return math.log(max(reproduction(math.exp(log_rate)), math.ulp(0.0))) - math.log(target)

    root: Any = brentq(excess, math.log(low), math.log(high), xtol=1e-12)
    return math.exp(root)


def _solve(transmissibility: Callable[[float], float], target: float, scale: float) -> float:
    """Root of an increasing function by bisection in log beta, to machine precision."""
    low, high = scale, scale
    while transmissibility(low) > target:
        low /= 8
    while transmissibility(high) < target and high < _LARGEST:
        high *= 8
    low, high = math.log(low), math.log(high)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if transmissibility(math.exp(middle)) < target else (low, middle)
    return math.exp(0.5 * (low + high))
