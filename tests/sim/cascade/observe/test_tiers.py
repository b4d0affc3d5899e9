"""The observer against brute force, and what may not change it."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert
from assets.networks.graph import from_edges
from assets.networks.tiers import cut
from sim.cascade.observe.tiers import Observer
from sim.cascade.process import models
from sim.cascade.simulator import CascadeSim
from tests.sim.cascade.state_sim import StateSim
from twinloom.errors import TwinloomError

MODEL = models.seir()
TIME, SPENT = np.array([0.25]), np.array([0.5])


@pytest.fixture(scope="module")
def network():
    return barabasi_albert(400, 3, np.random.default_rng(0))


def state(n, seed=0):
    """Random compartments and ages, and steps of the last window."""
    rng = np.random.default_rng(seed)
    return rng.choice(4, n, p=[0.6, 0.1, 0.2, 0.1]).astype(np.int8), rng.exponential(6.0, n)


def observe(graph, compartments, ages, tiers=None, contacts=None, nodal=None, **options):
    tiers = cut(graph) if tiers is None else tiers
    sim = StateSim(graph, tiers, MODEL, compartments, ages)
    none = np.zeros((1, tiers.k))
    observer = Observer(graph, tiers, MODEL, **options)
    steps = [none if x is None else np.asarray(x, float)[None] for x in (contacts, nodal)]
    observation = observer.observe(sim, sim.counts.astype(float), steps[0], steps[1], TIME, SPENT)
    assert observation.shape == (1, observer.size)
    assert observation.dtype == np.float32
    return dict(zip(observer.names(), observation[0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({}, 52),
        ({"features": "basic"}, 16),
        ({"kind": "global"}, 4 + 6 + 4 + 4),
        ({"kind": "oracle"}, 52 + 6),
        ({"features": ("shares", "pressure")}, 3 * 5 + 4),
        ({"parameters": True}, 52 + 5),
    ],
)
def test_dimension_does_not_depend_on_the_graph(options, size, network):
    for graph in (network, barabasi_albert(37, 2, np.random.default_rng(1))):
        assert Observer(graph, cut(graph), MODEL, **options).size == size


@pytest.mark.parametrize("k", [1, 2, 5])
def test_dimension_follows_tiers_and_compartments(k, network):
    for model in (models.sir(), models.adopt()):
        found = Observer(network, cut(network, "stub", k), model).size
        assert found == k * (model.size + 6) + k * (3 + k) + 4


def test_every_number_against_brute_force(network):
    compartments, ages = state(network.n)
    tiers = cut(network)
    found = observe(network, compartments, ages, contacts=[3, 5, 7], nodal=[1, 2, 30], kind="oracle", parameters=True)
    degree, law = network.degree, MODEL.steps[1].law
    for k in range(3):
        nodes = np.flatnonzero(tiers.index == k)
        here = compartments[nodes]
        infectious, susceptible = nodes[here == 2], nodes[here == 0]
        expected = {f"share/{name}": (here == m).mean() for m, name in enumerate(MODEL.compartments)}
        expected |= {"contacts": (3, 5, 7)[k] / len(nodes), "nodal": (1, 2, 30)[k] / len(nodes)}
        expected |= {"age": ages[infectious].mean() / 7.5, "older": (ages[infectious] > law.median).mean()}
        edges = [sum(compartments[network.neighbours(i)] == 2) for i in susceptible]
        expected |= {"pressure": np.mean(edges) / degree[nodes].mean()}
        expected |= {"infectious": np.log10(1 + len(infectious)) / np.log10(1 + len(nodes))}
        stubs = degree[nodes].sum()
        expected |= {"edges": sum(edges) / stubs, "log_edges": np.log10(1 + sum(edges)) / np.log10(1 + stubs)}
        expected |= {"population": len(nodes) / network.n, "edge_ends": stubs / degree.sum()}
        expected |= {"log10_degree": np.log10(degree[nodes].mean())}
        for other in range(3):
            to = sum((tiers.index[network.neighbours(i)] == other).sum() for i in nodes)
            expected |= {f"mixing/{other}": to / stubs}
        for name, value in expected.items():
            assert found.pop(f"tier{k}/{name}") == pytest.approx(value, rel=1e-5), (k, name)
    cvs = {f"cv_{MODEL.compartments[s.source]}": s.law.cv for s in MODEL.steps}
    means = {f"log10_mean_{MODEL.compartments[s.source]}": np.log10(s.law.mean) for s in MODEL.steps}
    expected = {"time": 0.25, "spent": 0.5, "log10_nodes": np.log10(400), "log10_kappa": np.log10(network.kappa)}
    assert found == pytest.approx(expected | cvs | means | {"log10_beta": np.log10(MODEL.beta)}, rel=1e-5)


def test_global_is_one_tier_of_everybody(network):
    compartments, ages = state(network.n)
    merged = observe(network, compartments, ages, kind="global", contacts=[3, 5, 7])
    single = observe(network, compartments, ages, tiers=cut(network, "pop", 1), contacts=[15])
    assert merged == pytest.approx(single, rel=1e-6)


def test_renumbering_the_nodes_changes_no_bit(network):
    compartments, ages = state(network.n)
    new = np.random.default_rng(5).permutation(network.n)
    renumbered = from_edges(network.n, new[network.pairs()])
    moved, older = np.empty_like(compartments), np.empty_like(ages)
    moved[new], older[new] = compartments, ages
    for options in ({}, {"kind": "global"}, {"kind": "oracle"}):
        for rule in ("stub", "top"):
            a = observe(network, compartments, ages, cut(network, rule), **options)
            assert a == observe(renumbered, moved, older, cut(renumbered, rule), **options)


@pytest.mark.parametrize("engine", ["exact", "leap"])
def test_renumbering_changes_no_bit_of_what_the_engines_count(engine, network):
    new = np.random.default_rng(5).permutation(network.n)
    renumbered = from_edges(network.n, new[network.pairs()])
    seeds = np.random.default_rng(6).choice(network.n, 60, replace=False)
    found = []
    for graph, nodes in ((network, seeds), (renumbered, new[seeds])):
        tiers = cut(graph)
        sim = CascadeSim(graph, MODEL.with_beta(0.0), engine=engine, tiers=tiers)
        sim.reset(nodes, into="I")
        sim.advance(0.0)
        none = np.zeros((1, 3))
        observer = Observer(graph, tiers, MODEL, kind="oracle")
        found.append(observer.observe(sim, np.array(sim.counts, float), none, none, TIME, SPENT))
    assert np.array_equal(*found)
    assert found[0][0, 2] > 0


def test_two_copies_of_a_graph_look_the_same_but_for_their_size(network):
    compartments, ages = state(network.n)
    twice = from_edges(2 * network.n, np.concatenate((network.pairs(), network.pairs() + network.n)))
    one = observe(network, compartments, ages, contacts=[3, 5, 7], nodal=[1, 2, 30])
    two = observe(twice, np.tile(compartments, 2), np.tile(ages, 2), contacts=[6, 10, 14], nodal=[2, 4, 60])
    differ = {name for name in one if one[name] != two[name]}
    assert differ == {"log10_nodes", *(f"tier{k}/infectious" for k in range(3))}
    assert two["log10_nodes"] == pytest.approx(one["log10_nodes"] + np.log10(2))


def test_engines_count_what_brute_force_counts(network):
    tiers = cut(network)
    none = np.zeros((1, 3))
    observer = Observer(network, tiers, MODEL, kind="oracle")
    for engine in ("exact", "leap"):
        sim = CascadeSim(network, MODEL, engine=engine, tiers=tiers, seed=3)
        sim.reset(20)
        for _ in range(8):
            sim.advance(2.0)
        oracle = StateSim(network, tiers, MODEL, sim.state[0], sim.age[0].astype(float))
        np.testing.assert_array_equal(sim.counts, oracle.counts)
        a, b = (observer.observe(s, np.array(s.counts, float), none, none, TIME, SPENT) for s in (sim, oracle))
        np.testing.assert_allclose(a, b, atol=2e-3 if engine == "leap" else 1e-5)


def test_a_global_observer_cannot_tell_hubs_from_leaves(network):
    """100 % of the difference between infecting hubs and leaves is in the tiers."""
    order = np.argsort(-network.degree, kind="stable")
    views = []
    for kind in ("global", "tiers"):
        found = []
        for nodes in (order[:40], order[-40:]):
            compartments = np.zeros(network.n, np.int8)
            compartments[nodes] = 2
            found.append(observe(network, compartments, np.zeros(network.n), kind=kind, features=("shares", "counts")))
        views.append(found[0] == found[1])
    assert views == [True, False]


def test_nobody_infectious_nobody_susceptible():
    graph = barabasi_albert(50, 2, np.random.default_rng(0))
    for compartment in range(4):
        found = observe(graph, np.full(50, compartment, np.int8), np.full(50, 1e9), kind="oracle")
        assert np.isfinite(list(found.values())).all()
        assert found["tier0/age"] == (10.0 if compartment == 2 else 0.0)  # bounded


@pytest.mark.parametrize("features", ["fulll", (), ("ages", "edges")])
def test_features_that_do_not_exist(features, network):
    with pytest.raises(TwinloomError, match="feature"):
        Observer(network, cut(network), MODEL, features)
