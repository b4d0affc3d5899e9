"""Influence tiers: shares, ties, scores, and that ids do not matter."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert, chung_lu, circulant, star
from assets.networks.graph import Graph, from_edges
from assets.networks.tiers import cut, influence
from twinloom.errors import TwinloomError, UnknownNameError


@pytest.fixture(scope="module")
def graph() -> Graph:
    return barabasi_albert(3_000, 3, np.random.default_rng(5))


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_stub_tiers_own_equal_shares_of_the_edge_ends(graph, k):
    tiers = cut(graph, k=k)
    owned = np.array([graph.degree[tiers.nodes(t)].sum() for t in range(k)]) / graph.degree.sum()
    assert owned == pytest.approx(np.full(k, 1 / k), abs=0.06)  # nodes of one degree stay together
    assert tiers.index.dtype == np.int8
    assert tiers.sizes.tolist() == np.bincount(tiers.index, minlength=k).tolist()
    assert tiers.rule == ("global" if k == 1 else "stub")
    lowest = [graph.degree[tiers.nodes(t)].min() for t in range(k)]
    highest = [graph.degree[tiers.nodes(t)].max() for t in range(k)]
    assert all(lowest[t] > highest[t + 1] for t in range(k - 1))


def test_top_and_pop_tiers_have_their_population_shares():
    weights = np.random.default_rng(0).pareto(1.5, 20_000) * 5 + 3
    graph = chung_lu(weights, np.random.default_rng(1))
    assert cut(graph, "top").sizes / graph.n == pytest.approx([0.1, 0.2, 0.7], abs=0.03)
    assert cut(graph, "top", shares=(0.01, 0.09, 0.9)).sizes / graph.n == pytest.approx([0.01, 0.09, 0.9], abs=0.02)
    assert cut(graph, "pop").sizes / graph.n == pytest.approx([1 / 3] * 3, abs=0.06)


@pytest.mark.parametrize("rule", ["stub", "top", "pop"])
@pytest.mark.parametrize("score", ["degree", "core", "eigenvector"])
def test_renumbering_and_doubling_leave_every_node_in_its_tier(rule, score):
    rng = np.random.default_rng(7)
    graph = chung_lu(rng.pareto(1.5, 2_000) * 4 + 2, rng)
    index = cut(graph, rule, score=score).index
    new_id = rng.permutation(graph.n)
    renumbered = from_edges(graph.n, new_id[graph.pairs()])
    assert np.array_equal(cut(renumbered, rule, score=score).index[new_id], index)
    doubled = from_edges(2 * graph.n, np.concatenate((graph.pairs(), graph.pairs() + graph.n)))
    assert np.array_equal(cut(doubled, rule, score=score).index, np.tile(index, 2))


def test_equals_are_split_only_where_there_is_no_other_way():
    ring = circulant(12, 4, np.random.default_rng(0))
    assert cut(ring).sizes.tolist() == [4, 4, 4]
    assert cut(ring).index.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert cut(star(10), k=2).sizes.tolist() == [1, 9]
    assert cut(star(10), k=2).index[0] == 0
    assert cut(from_edges(4, []), k=2).sizes.tolist() == [2, 2]


def test_scores():
    graph = from_edges(6, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)])
    assert influence(graph, "degree").tolist() == [2, 2, 3, 2, 1, 0]
    assert influence(graph, "core").tolist() == [2, 2, 2, 1, 1, 0]
    central = influence(graph, "eigenvector")
    assert central.argmax() == 2
    assert central[0] == central[1] > central[3] > central[4] > central[5] > 0
    arcs = from_edges(3, [(0, 1), (0, 2)], directed=True)
    assert influence(arcs).tolist() == [2, 0, 0]
    assert influence(arcs, "core").tolist() == [1, 1, 1]


def test_eigenvector_tiers_agree_with_the_real_eigenvector():
    import networkx as nx

    graph = barabasi_albert(300, 3, np.random.default_rng(3))
    exact = nx.eigenvector_centrality_numpy(nx.Graph(graph.pairs().tolist()))
    mine = influence(graph, "eigenvector")
    assert np.corrcoef(mine, [exact[v] for v in range(graph.n)])[0, 1] > 0.95


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"rule": "stubs"}, UnknownNameError, "Did you mean stub"),
        ({"score": "pagerank"}, UnknownNameError, "degree, core, eigenvector"),
        ({"k": 0}, TwinloomError, "1 to 127"),
        ({"k": 128}, TwinloomError, "1 to 127"),
        ({"k": 11}, TwinloomError, "11 tiers of 10 nodes"),
        ({"rule": "top", "shares": (0.5, 0.4)}, TwinloomError, "add up to 1"),
        ({"rule": "top", "k": 2}, TwinloomError, "say which population shares"),
        ({"rule": "pop", "shares": (0.5, 0.5)}, TwinloomError, "rule top or stub"),
        ({"rule": "top", "k": 3, "shares": (0.5, 0.5)}, TwinloomError, "3 tiers"),
    ],
)
def test_bad_cuts_are_refused(arguments, error, said):
    with pytest.raises(error, match=said):
        cut(star(10), **arguments)
