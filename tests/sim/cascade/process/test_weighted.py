"""Reproduction numbers on graphs with weights: an edge of weight w transmits with probability T(beta w)."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import erdos_renyi
from assets.networks.graph import Graph, from_edges
from sim.cascade.env import worlds
from sim.cascade.env.scenarios import Scenarios
from sim.cascade.problems import PROBLEMS
from sim.cascade.process import laws, models
from sim.cascade.process.reproduction import branching_factor, contact_rate, edge_transmissibility, reproduction_number
from sim.cascade.simulator import CascadeSim
from twinloom.errors import TwinloomError

SIR = models.sir(1.0, laws.exponential(2.0))


def weighted(n: int = 300, mean_degree: float = 6.0, values=(0.5, 4.0), seed: int = 0) -> Graph:
    """A random graph whose weights have nothing to do with its degrees."""
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(n, mean_degree, rng)
    return from_edges(n, graph.pairs(), weights=rng.choice(values, graph.edges))


@pytest.mark.parametrize("by", ["kappa", "spectral"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_twice_the_weight_is_half_the_contact_rate(name, by):
    heavy = weighted(values=(2.0,))
    plain = from_edges(heavy.n, heavy.pairs())
    double, single = (Scenarios(PROBLEMS[name], g, r0_by=by).draw(0, 0) for g in (heavy, plain))
    assert double.model.beta == pytest.approx(single.model.beta / 2, rel=1e-5)
    assert double.r0 == pytest.approx(PROBLEMS[name].r0, rel=1e-6)


def test_r0_is_kappa_times_the_mean_transmissibility_of_the_edges():
    graph = weighted()
    beta = contact_rate(SIR, graph, 1.5)
    rates = 2.0 * beta * graph.weights.astype(float)
    assert graph.kappa * np.mean(rates / (1 + rates)) == pytest.approx(1.5, rel=1e-9)
    assert reproduction_number(SIR.with_beta(beta), graph) == pytest.approx(1.5, rel=1e-9)


def test_many_different_weights_take_the_same_number():
    n = 1000
    weights = np.random.default_rng(3).lognormal(0.0, 3.0, n)
    ring = from_edges(n, np.column_stack((np.arange(n), (np.arange(n) + 1) % n)), weights=weights)
    for law in (laws.exponential(2.0), laws.lognormal(mean=7.5, median=5.0)):
        by_hand = np.mean([law.transmissibility(0.3 * weight) for weight in weights])
        assert edge_transmissibility(models.sir(0.3, law), ring) == pytest.approx(by_hand, rel=1e-6)


@pytest.mark.parametrize("directed", [False, True])
def test_the_spectral_number_is_the_eigenvalue_of_the_weighted_non_backtracking_matrix(directed):
    rng = np.random.default_rng(1)
    base = erdos_renyi(40, 5.0, rng)
    pairs = np.concatenate((base.pairs(), base.pairs()[::3, ::-1])) if directed else base.pairs()
    graph = from_edges(40, pairs, directed, weights=rng.choice([0.2, 1.0, 5.0], len(pairs)))
    model = SIR.with_beta(contact_rate(SIR, graph, 1.5, "spectral"))
    rates = 2.0 * model.beta * graph.weights.astype(float)
    passed, source, target = rates / (1 + rates), graph.sources, graph.indices
    onward = (target[:, None] == source) & (source[:, None] != target)
    assert np.abs(np.linalg.eigvals(onward * passed)).max() == pytest.approx(1.5, rel=1e-6)
    assert reproduction_number(model, graph, "spectral") == pytest.approx(1.5, rel=1e-6)


def test_r0_is_the_measured_reproduction_number_on_a_weighted_graph():
    """Third generation over second from random seeds."""
    graph = weighted(20_000, 6.0, (0.2, 5.0), seed=2)
    model = models.sir(1.0, laws.deterministic(1.0))
    sim = CascadeSim(graph, model.with_beta(contact_rate(model, graph, 1.5)), replicas=10, seed=1, tree=True)
    sim.reset(50)
    sim.advance(50.0)
    first = second = 0
    for parent in sim.tree:
        one = (parent >= 0) & (parent == -1)[np.maximum(parent, 0)]
        first += one.sum()
        second += ((parent >= 0) & one[np.maximum(parent, 0)]).sum()
    assert second / first == pytest.approx(1.5, rel=0.08)


def test_what_cannot_be_reached_is_refused():
    graph = weighted(values=(0.01, 100.0))
    with pytest.raises(TwinloomError, match="r0 50 cannot be reached on this graph: its branching factor is"):
        contact_rate(SIR, graph, 50.0)
    with pytest.raises(TwinloomError, match="cannot be reached"):
        contact_rate(SIR, graph, 50.0, "spectral")
    assert contact_rate(SIR, graph, 0.999 * branching_factor(graph)) > 0
    with pytest.raises(TwinloomError, match="must be positive"):
        contact_rate(SIR, graph, 0.0)
    with pytest.raises(TwinloomError, match="nobody stops being infectious"):
        contact_rate(models.si(), graph, 1.5)
    assert np.isnan(reproduction_number(models.si(), graph))
    assert reproduction_number(SIR.with_beta(0.0), graph) == 0


def test_extreme_weights_and_shedding_by_age():
    graph = weighted(values=(1e-37, 1e37))
    assert reproduction_number(SIR.with_beta(contact_rate(SIR, graph, 1.5)), graph) == pytest.approx(1.5)
    model = models.sir(recovery=laws.deterministic(2.0)).with_shedding(models.Shedding(1.0, (1.0, 1.0, 1.0)))
    plain = models.sir(recovery=laws.deterministic(2.0))
    graph = weighted()
    assert contact_rate(model, graph, 1.5) == pytest.approx(contact_rate(plain, graph, 1.5), rel=1e-3)


def test_simpler_worlds_match_the_transmissibility_of_weighted_edges():
    graph = weighted()
    model = models.sir(0.4, laws.gamma(2.0, 0.5))
    passed = edge_transmissibility(model, graph)
    twin = worlds.simulated(model, "markov", "transmissibility", graph)
    assert edge_transmissibility(twin, graph) == pytest.approx(passed, rel=1e-9)
    assert twin.step_from(1).law.kind == laws.EXPONENTIAL
    field = worlds.simulated(model, "ode", "transmissibility", graph)
    assert field.beta * 2.0 * graph.weights.mean() == pytest.approx(passed, rel=1e-6)
    same = from_edges(graph.n, graph.pairs())
    assert worlds.simulated(model, "markov", "transmissibility", same) == model.markov("transmissibility")
    heavy = from_edges(graph.n, graph.pairs(), weights=np.full(graph.edges, 2.0))
    twice = worlds.simulated(model.with_beta(0.2), "markov", "transmissibility", heavy)
    assert twice.beta * 2 == pytest.approx(model.markov("transmissibility").beta, rel=1e-3)
