"""Graphs in compressed sparse rows, against networkx on random small ones."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.networks.graph import Graph, from_edges
from assets.networks.kernels import core_numbers, triangles
from assets.networks.stats import measure
from assets.networks.tiers import cut
from twinloom.errors import TwinloomError, UnknownNameError

NODES = st.integers(1, 12)


@st.composite
def edge_lists(draw):
    n = draw(NODES)
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node), max_size=40))


def reference(n: int, pairs: list[tuple[int, int]], directed: bool) -> nx.Graph:
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from((a, b) for a, b in pairs if a != b)
    return graph


@settings(max_examples=150, deadline=None)
@given(edge_lists(), st.booleans())
def test_structure_equals_networkx(given_edges, directed):
    n, pairs = given_edges
    graph, expected = from_edges(n, pairs, directed), reference(n, pairs, directed)
    assert (graph.n, graph.edges) == (n, expected.number_of_edges())
    for node in range(n):
        assert graph.neighbours(node).tolist() == sorted(expected.neighbors(node))
        into = expected.predecessors(node) if isinstance(expected, nx.DiGraph) else expected.neighbors(node)
        assert graph.reverse().neighbours(node).tolist() == sorted(into)
    assert graph.degree.tolist() == [len(list(expected.neighbors(node))) for node in range(n)]
    rebuilt = from_edges(n, graph.pairs(), directed)
    assert np.array_equal(rebuilt.indptr, graph.indptr)
    assert np.array_equal(rebuilt.indices, graph.indices)


@settings(max_examples=100, deadline=None)
@given(edge_lists())
def test_cores_and_triangles_equal_networkx(given_edges):
    n, pairs = given_edges
    graph, expected = from_edges(n, pairs), reference(n, pairs, False)
    assert core_numbers(graph.indptr, graph.indices).tolist() == [nx.core_number(expected)[v] for v in range(n)]
    assert triangles(graph.indptr, graph.indices).tolist() == [nx.triangles(expected)[v] for v in range(n)]


def test_types_of_the_contract():
    graph = from_edges(3, [(2, 0), (0, 1)])
    assert (graph.indptr.dtype, graph.indices.dtype, graph.degree.dtype) == (np.int64, np.int32, np.int32)
    assert graph.indices.tolist() == [1, 2, 0, 0]
    assert graph.pairs().tolist() == [[0, 1], [0, 2]]
    assert graph.mean_degree == pytest.approx(4 / 3)
    assert graph.kappa == pytest.approx((4 + 1 + 1 - 4) / 4)
    assert graph.reverse() is graph
    assert graph.weights is None
    assert graph.labels is None


def test_the_reverse_is_kept_and_reversible():
    graph = from_edges(4, [(0, 1), (0, 2), (3, 1)], directed=True, weights=[1.0, 2.0, 3.0])
    assert graph.reverse() is graph.reverse()
    assert graph.reverse().pairs().tolist() == [[1, 0], [1, 3], [2, 0]]
    assert graph.reverse().weights.tolist() == [1, 3, 2]
    assert graph.reverse().reverse().pairs().tolist() == graph.pairs().tolist()


def test_the_largest_of_several_weights_stays_in_any_order():
    pairs, weights = [(0, 1), (1, 0), (0, 1), (1, 2)], [0.5, 2.0, 1.0, 4.0]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]):
        graph = from_edges(3, [pairs[k] for k in order], weights=[weights[k] for k in order])
        assert graph.indices.tolist() == [1, 0, 2, 1]
        assert graph.weights.tolist() == [2, 2, 4, 4]
        assert graph.weights.dtype == np.float32


def test_a_graph_without_edges():
    graph = from_edges(3, [])
    assert (graph.edges, graph.degree.tolist(), graph.mean_degree) == (0, [0, 0, 0], 0)
    assert np.isnan(graph.kappa)


def test_node_pairs_near_the_largest_key_do_not_overflow():
    n = 2**31 - 1
    merged_last = n - 1
    from assets.networks.graph import merge

    merged = merge(n, np.array([[merged_last, merged_last - 1], [merged_last - 1, merged_last]]), False)
    assert np.divmod(merged.keys, n)[0].tolist() == [merged_last - 1]
    assert (merged.reversed, merged.repeated) == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0, []), "at least 1"),
        ((2, [(0, 2)]), r"edge \[0, 2\]: nodes of a graph of 2 are 0 to 1"),
        ((2, [(-1, 0)]), "nodes of a graph of 2 are 0 to 1"),
        ((2, [(0.0, 1.0)]), "int array"),
        ((2, [(0, 1, 1)]), "int array"),
        ((2, [(0, 1)], False, [0.0]), "positive"),
        ((2, [(0, 1)], False, [1.0, 2.0]), "one for each edge"),
        ((2, [(0, 1)], False, [np.nan]), "positive"),
        ((2, [(0, 1)], False, [np.inf]), "positive"),
        ((2, [(0, 1)], False, ["x"]), "array of numbers"),
        ((2, [(0, 1)], False, [None]), "array of numbers"),
        ((2.0, [(0, 1)]), "n is 2.0; the first argument is the number of nodes"),
        (([(0, 1)], 2), r"n is \[\(0, 1\)\]; the first argument is the number of nodes"),
    ],
)
def test_bad_edges_are_refused(arguments, said):
    with pytest.raises(TwinloomError, match=said):
        from_edges(*arguments)


@pytest.mark.parametrize("labels", [["a"], [1.0, 2.0], [["a", "b"]], ["a", None], ["a", "a"]])
def test_bad_labels_are_refused(labels):
    with pytest.raises(TwinloomError, match="label"):
        from_edges(2, [(0, 1)], labels=labels)


@pytest.mark.parametrize("given", [nx.path_graph(3), [[0, 1]], np.zeros((2, 2)), None])
@pytest.mark.parametrize("use", [cut, measure])
def test_what_is_no_graph_is_told_how_to_become_one(given, use):
    with pytest.raises(
        TwinloomError, match=r"graph is .*; allowed: a Graph\. assets\.networks\.graph\.from_edges"
    ) as error:
        use(given)
    assert ("networkx.classes.graph.Graph" in str(error.value)) == isinstance(given, nx.Graph)


def test_labels_lead_back_to_nodes():
    labels = np.array([30, 10, 20])
    graph = from_edges(3, [(0, 1)], labels=labels)
    assert graph.find([10, 30]).tolist() == [1, 0]
    assert graph.find(20) == 2
    with pytest.raises(UnknownNameError, match='unknown node id "11"'):
        graph.find([10, 11])
    words = from_edges(2, [(0, 1)], labels=np.array(["ann", "bob"]))
    assert words.find("bob") == 1
    with pytest.raises(UnknownNameError, match="Did you mean ann"):
        words.find("anne")
    assert from_edges(2, [(0, 1)]).find([1, 0]).tolist() == [1, 0]


def test_its_text_says_what_it_is():
    assert (
        repr(from_edges(2, [(0, 1)], name="x", synthetic=True)) == "Graph(x: 2 nodes, 1 edges, undirected, synthetic)"
    )
    assert isinstance(from_edges(1, []), Graph)
