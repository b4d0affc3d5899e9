"""Influence tiers: the nodes of a graph cut into a few groups, hubs first, whatever its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from assets.networks.graph import Graph, check_graph, from_edges
from twinloom.errors import TwinloomError, UnknownNameError

Rule = Literal["stub", "top", "pop"]
Score = Literal["degree", "core", "eigenvector"]
TOP_SHARES = (0.1, 0.2, 0.7)
POWER_ITERATIONS = 5


@dataclass(frozen=True, eq=False)
class Tiers:
    """A partition of the nodes by influence.

    Attributes:
        index: int8 [N] tier of each node; 0 holds the hubs.
        sizes: int64 [K] nodes of each tier.
        rule: how they were cut, for tables ("stub", "top", "pop", or "global" for a single tier).
    """

    index: np.ndarray
    sizes: np.ndarray
    rule: str

    @property
    def k(self) -> int:
        """Number of tiers."""
        return len(self.sizes)

    def nodes(self, tier: int) -> np.ndarray:
        """int64 nodes of one tier, ascending."""
        return np.flatnonzero(self.index == tier)


def cut(
    graph: Graph,
    rule: Rule = "stub",
    k: int | None = None,
    shares: Sequence[float] | None = None,
    score: Score = "degree",
) -> Tiers:
    """Sort the nodes by influence and cut.

    A cut falls between different scores, as near to its share as these allow: nodes of equal influence share a tier,
    so that renumbering the nodes, or doubling the graph, leaves every node in its tier. Only a graph with fewer
    different scores than tiers (a regular one) is cut between equals, in order of node id.

    Args:
        graph: a directed one is cut by out-degree, or by the core number of its undirected form.
        rule: "stub": each tier owns an equal share of all edge ends; "pop": of the nodes; "top": population ``shares``.
        k: tiers, 1 (no strata) to 127; 3 if neither k nor shares is given.
        shares: for rule "top" (10, 20 and 70 % if None) or "stub": what each tier owns, hubs first, adding up to 1.
        score: measure of influence.

    Raises:
        TwinloomError: not a Graph, unknown rule or score, more tiers than nodes, shares that do not add up to 1.
    """
    check_graph(graph)
    if rule not in get_args(Rule):
        raise UnknownNameError("tier rule", str(rule), get_args(Rule), "stub, top, pop")
    wanted = _shares(rule, k, shares)
    count = len(wanted)
    if count > graph.n:
        raise TwinloomError(f"{count} tiers of {graph.n} nodes: every tier needs a node")
    if count == 1:
        return Tiers(np.zeros(graph.n, np.int8), np.array([graph.n]), "global")
    value = influence(graph, score)
    order = np.argsort(-value, kind="stable")
    owned = graph.degree[order].astype(np.int64) if rule == "stub" and graph.edges else np.ones(graph.n, np.int64)
    ends = np.concatenate((np.flatnonzero(np.diff(value[order])) + 1, [graph.n]))  # where a run of equals ends
    if len(ends) < count:
        ends = np.arange(1, graph.n + 1)
    total = np.cumsum(owned)[ends - 1]
    borders = [0]  # counted in runs
    for tier, share in enumerate(np.cumsum(wanted)[:-1]):
        low, high = borders[-1] + 1, len(ends) - (count - 1 - tier)  # one run for this tier and each one after it
        nearest = np.argmin(np.abs(total[low - 1 : high] - share * total[-1]))
        borders.append(low + int(nearest))
    sizes = np.diff(np.concatenate(([0], ends[np.array(borders[1:]) - 1], [graph.n])))
    index = np.empty(graph.n, np.int8)
    index[order] = np.repeat(np.arange(count, dtype=np.int8), sizes)
    return Tiers(index, sizes, rule)


def influence(graph: Graph, score: Score = "degree") -> np.ndarray:
    """float64 [N] influence of every node: (out-)degree, core number, or eigenvector centrality.

    The centrality is five power iterations of A + I (without I, hubs and leaves of a star would swap for ever),
    rounded to nine digits, so that symmetric nodes tie.
    """
    if score == "degree":
        return graph.degree.astype(np.float64)
    if score == "core":
        from assets.networks.kernels import core_numbers

        both = graph if not graph.directed else from_edges(graph.n, graph.pairs())
        return core_numbers(both.indptr, both.indices).astype(np.float64)
    if score == "eigenvector":
        value = np.ones(graph.n)
        for _ in range(POWER_ITERATIONS):
            value = value + np.bincount(graph.sources, weights=value[graph.indices], minlength=graph.n)
            value /= value.max()
        return np.round(value, 9)
    raise UnknownNameError("influence score", str(score), get_args(Score), "degree, core, eigenvector")


def _shares(rule: Rule, k: int | None, shares: Sequence[float] | None) -> np.ndarray:
    """float64 [K] what each tier should own."""
    if shares is None:
        if rule == "top" and k in (None, len(TOP_SHARES)):
            return np.array(TOP_SHARES)
        if rule == "top" and k != 1:
            raise TwinloomError(f"top tiers, k={k}: say which population shares, for example shares=(0.01, 0.99)")
        k = 3 if k is None else k
        if not 1 <= k <= 127:
            raise TwinloomError(f"{k} tiers: 1 to 127 are allowed")
        return np.full(k, 1 / k)
    given = np.asarray(shares, np.float64)
    if rule == "pop" or given.ndim != 1 or not len(given) or (k is not None and k != len(given)):
        raise TwinloomError(f"shares {shares!r}: one number for each of the {k} tiers, with rule top or stub")
    if not np.all(given > 0) or abs(given.sum() - 1) > 1e-6:
        raise TwinloomError(f"shares {shares!r}: they must be positive and add up to 1, not {given.sum():g}")
    return given
