"""Walks that do not turn back: their leading eigenvalue against dense matrices and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from assets.networks.generate import barabasi_albert, circulant, complete, random_regular, small_world, star
from assets.networks.graph import Graph, from_edges
from sim.cascade.process import laws, models
from sim.cascade.process.non_backtracking import Arcs, Walk
from sim.cascade.process.reproduction import branching_factor, contact_rate, reproduction_number
from twinloom.errors import TwinloomError

SIR = models.sir(1.0, laws.exponential(2.0))


def ring(n: int, directed: bool = False) -> Graph:
    return from_edges(n, [(i, (i + 1) % n) for i in range(n)], directed)


def heavy(graph: Graph, weights) -> Graph:
    return from_edges(graph.n, graph.pairs(), graph.directed, weights=weights)


def matrix(graph: Graph) -> np.ndarray:
    """1 where a walk may go on from one arc to another."""
    return (graph.indices[:, None] == graph.sources) & (graph.sources[:, None] != graph.indices)


def radius(steps: np.ndarray, factors: np.ndarray) -> float:
    """Leading eigenvalue, in parts that are strongly connected, since the others make eigenvalues ill-conditioned."""
    part, largest = connected_components(steps, connection="strong")[1], 0.0
    for label in np.unique(part):
        inside = np.ix_(part == label, part == label)
        largest = max(largest, np.abs(np.linalg.eigvals((steps * factors)[inside])).max())
    return largest


def small_graphs(count: int):
    """Sparse random graphs, undirected, directed, and directed with edges both ways."""
    rng = np.random.default_rng(5)
    for k in range(count):
        n = int(rng.integers(2, 10))
        pairs = rng.integers(0, n, (int(rng.integers(1, 2 * n + 2)), 2))
        if k % 3 == 2:
            pairs = np.concatenate((pairs, pairs[rng.random(len(pairs)) < rng.random()][:, ::-1]))
        graph = from_edges(n, pairs, directed=k % 3 > 0)
        if graph.edges:
            yield graph, rng.uniform(0.01, 1, len(graph.indices))


def test_small_graphs_of_every_kind_have_the_eigenvalue_of_the_dense_matrix():
    seen = set()
    for graph, factors in small_graphs(400):
        steps = matrix(graph)
        expected = radius(steps, np.ones(len(factors)))
        assert branching_factor(graph, "spectral") == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert Walk(graph).radius(factors) == pytest.approx(radius(steps, factors), rel=1e-9, abs=1e-12)
        seen.add((graph.directed, min(round(expected, 6), 2.0)))
    assert {(d, value) for d in (False, True) for value in (0.0, 1.0, 2.0)} <= seen


def test_recurrent_arcs_are_those_on_closed_walks():
    for graph, _ in small_graphs(300):
        steps = matrix(graph)
        part = connected_components(steps, connection="strong")[1]
        closed = {k for k in range(len(part)) if steps[np.ix_([k], part == part[k])].any()}
        arcs, component = Arcs.of(graph).recurrent()
        assert set(arcs.origin.tolist()) == closed
        for label in np.unique(component[arcs.sources]):
            inside = arcs.origin[component[arcs.sources] == label]
            senses = len(np.unique(part[inside]))
            assert senses == 1 or (senses == 2 and (steps[np.ix_(inside, inside)].sum(1) == 1).all())


TREE = from_edges(7, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5)])
TADPOLE = from_edges(9, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (3, 6)])


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (star(5), 0), (TREE, 0), (ring(30_000, True), 1), (from_edges(50_000, [(i, i + 1) for i in range(49_999)]), 0),
        (from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)], directed=True), 0),
        (from_edges(3, [(0, 1), (1, 0), (1, 2), (2, 1)], directed=True), 0),  # a path both ways
        (ring(3), 1), (ring(30_000), 1), (TADPOLE, 1),
        (from_edges(8, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 3)]), 1),  # two cycles apart
        (from_edges(6, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)], directed=True), 1),  # one way between
        (from_edges(6, [*ring(6).pairs(), *ring(6).pairs()[:, ::-1]], directed=True), 1),
        (complete(4), 2), (circulant(2_000, 6, np.random.default_rng(0)), 5),
        (random_regular(2_000, 3, np.random.default_rng(0)), 2),
        (from_edges(9, [*complete(4).pairs(), *(4 + complete(5).pairs())]), 3),
        (from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]), 3 ** (1 / 3)),  # two triangles at one node
    ],
)  # fmt: skip
def test_closed_forms(graph, expected):
    assert branching_factor(graph, "spectral") == pytest.approx(expected, rel=1e-10, abs=0)
    ones = heavy(graph, np.ones(graph.edges))
    passed = SIR.transmissibility()
    assert reproduction_number(SIR, graph, "spectral") == pytest.approx(passed * expected, rel=1e-10, abs=0)
    assert reproduction_number(SIR, ones, "spectral") == pytest.approx(passed * expected, rel=1e-3, abs=0)


def test_weights_round_a_cycle_count_by_their_geometric_mean():
    passed = np.array([1e-30, 0.5, 0.25, 1.0])
    assert Walk(ring(4, True)).radius(passed) == pytest.approx((1e-30 / 8) ** 0.25, rel=1e-12)
    both = from_edges(3, [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)], directed=True)
    one_sense = np.where(np.isin(both.sources * 3 + both.indices, [1, 5, 6]), 0.9, 0.1)  # 0 to 1 to 2 to 0
    assert Walk(both).radius(one_sense) == pytest.approx(0.9)
    assert Walk(both).radius(np.zeros(6)) == 0


def test_large_graphs_have_the_eigenvalue_of_ihara_and_bass():
    rng = np.random.default_rng(0)
    for graph in (barabasi_albert(400, 3, rng), small_world(300, 4, 0.1, rng)):
        n = graph.n
        dense = np.zeros((2 * n, 2 * n))
        dense[:n, :n][graph.sources, graph.indices] = 1.0
        dense[:n, n:] = np.eye(n) - np.diag(graph.degree)
        dense[n:, :n] = np.eye(n)
        assert branching_factor(graph, "spectral") == pytest.approx(np.abs(np.linalg.eigvals(dense)).max(), rel=1e-10)


def test_a_walk_finds_the_part_that_leads_whatever_it_found_before():
    parts = from_edges(60, [*complete(20).pairs(), *(20 + circulant(40, 10, np.random.default_rng(0)).pairs())])
    walk, first = Walk(parts), parts.sources < 20
    for low in (0.1, 1e-6, 0.9):
        assert walk.radius(np.where(first, low, 1.0)) == pytest.approx(max(18 * low, 9.0), rel=1e-9)
        assert walk.radius(np.where(first, 1.0, low)) == pytest.approx(18.0, rel=1e-9)
    assert walk.radius(np.full(len(first), 1e-250)) == pytest.approx(18e-250, rel=1e-9)


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.5, 1.0])])
def test_an_r0_on_a_forest_is_refused_in_one_line(weights):
    forest = from_edges(5, star(5).pairs(), weights=weights)
    assert reproduction_number(SIR, forest, "spectral") == 0
    with pytest.raises(TwinloomError, match=r'its branching factor is 0, every walk on it ends.*r0_by="kappa"'):
        contact_rate(SIR, forest, 1.5, "spectral")
    assert contact_rate(SIR, forest, 1.2) > 0


def test_a_long_cycle_with_a_chord_says_that_it_does_not_settle():
    graph = from_edges(1_000, [*ring(1_000).pairs(), (0, 500)])
    with pytest.raises(TwinloomError, match='did not settle on this graph; use r0_by="kappa"'):
        branching_factor(graph, "spectral")
    short = from_edges(100, [*ring(100).pairs(), (0, 50)])
    assert branching_factor(short, "spectral") == pytest.approx(radius(matrix(short), np.ones(202)), rel=1e-9)


ONE_DAY = models.sir(recovery=laws.deterministic(1.0))
INFECTIOUS = models.sir(recovery=laws.exponential(1.0))


@pytest.mark.parametrize(
    ("model", "most"),
    [
        (models.sir(recovery=laws.empirical([0, 0, 0, 1, 2])), r"0\.5 at most"),
        (INFECTIOUS.with_shedding(models.Shedding(1.0, (0.0, 0.0, 0.0, 1.0))), r"0\.135 at most"),  # exp(-2)
        (
            ONE_DAY.with_shedding(models.Shedding(1.0, (0.0, 0.0, 1.0))),
            "0 at most",
        ),
        (INFECTIOUS.with_shedding(models.Shedding(1.0, (0.0,))), "0 at most"),
    ],
)
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("by", ["kappa", "spectral"])
def test_a_transmissibility_out_of_reach_is_said(model, most, weights, by):
    graph = complete(6)
    graph = heavy(graph, np.linspace(0.1, 2.0, graph.edges)) if weights else graph
    with pytest.raises(TwinloomError, match=f"r0 3.5 cannot be reached on this graph: .* transmits with .* {most}"):
        contact_rate(model, graph, 3.5, by)
    if not most.startswith("0 "):
        rate = contact_rate(model, graph, 0.4, by)
        assert reproduction_number(model.with_beta(rate), graph, by) == pytest.approx(0.4, rel=1e-3)


def test_many_weights_and_nothing_shed_give_0():
    graph = heavy(circulant(300, 4, np.random.default_rng(0)), np.linspace(0.1, 2.0, 600))
    assert reproduction_number(INFECTIOUS.with_shedding(models.Shedding(1.0, (0.0,))), graph) == 0


@pytest.mark.parametrize(
    ("r0", "mean", "said"),
    [("2", 1.0, "r0 is '2', not a finite number"), (float("nan"), 1.0, "not a finite number"),
     (5e-324, 1.0, "must be positive, at least 1e-100"), (1.5, 1e300, "take another unit of time")],
)  # fmt: skip
def test_numbers_beyond_reckoning_are_refused(r0, mean, said):
    for graph in (complete(6), heavy(complete(6), np.linspace(0.1, 2.0, 15))):
        with pytest.raises(TwinloomError, match=said):
            contact_rate(models.sir(recovery=laws.exponential(mean)), graph, r0)
