"""The leap engine keeps its books, its random streams and its clocks, and converges to the exact engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.networks.generate import complete, erdos_renyi, star
from assets.networks.graph import from_edges
from assets.networks.tiers import cut
from sim.cascade.leap import state
from sim.cascade.process import laws, models
from sim.cascade.process.markov_chains import master_equation
from sim.cascade.simulator import CascadeSim
from twinloom.errors import TwinloomError

GRAPH = erdos_renyi(400, 6.0, np.random.default_rng(0))
SHORT = laws.gamma(2.0, cv=0.5)
MODELS = [
    models.si(0.2),
    models.sis(0.3, SHORT),
    models.sir(0.3, SHORT),
    models.seir(0.3, SHORT, laws.weibull(2.0, 0.7)),
    models.seirs(0.3, SHORT, laws.lognormal(2.0, cv=1.1), laws.empirical([1.0, 2.0, 4.0])),
    models.adopt_r(0.3, laws.deterministic(1.0), SHORT, SHORT),
    models.thresh(0.5, churn=SHORT, theta=(0.1, 0.3)),
    replace(models.seirs(0.05, SHORT, SHORT, SHORT), contact="power"),
]
PAIRS = np.array([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)])


def leap(graph, model, replicas=1, **options):
    return CascadeSim(graph, model, replicas, engine="leap", **options)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{m.name}-{m.contact}")
def test_counts_flows_states_exposures_and_tree_agree(model):
    """Everything that is kept up to date step by step, against a count from scratch."""
    sim = leap(GRAPH, model, 3, seed=1, tiers=cut(GRAPH, k=3), tree=True)
    sim.reset(20)
    start = sim.counts
    if model.name == "adopt_r":
        sim.set_control("speed:X", 1.0)
    for step in range(12):
        sim.set_control("out", 1.0 + (step % 3) * np.arange(3))
        sim.advance(0.7)
        if step == 5:
            sim.move(0, model.entry, [[1, 2, 3]])
        flows = sim.flows
        np.testing.assert_array_equal(sim.counts, start + flows.sum(2) - flows.sum(3))
        for r in range(3):
            cell = sim.tiers.index.astype(int) * model.size + sim.state[r]
            np.testing.assert_array_equal(sim.counts[r].ravel(), np.bincount(cell, minlength=3 * model.size))
    assert sim.flows[:, :, 0, model.entry].sum() > 100
    exposure = sim._backend.batch.exposure
    for r in range(3):
        infectious, tree = sim.state[r] == model.infectious, sim.tree[r]
        for v in range(0, GRAPH.n, 7):
            near = GRAPH.neighbours(v)
            counted = np.bincount(sim.tiers.index[near[infectious[near]]], minlength=3)
            np.testing.assert_array_equal(exposure[r, v], counted)
        assert all(tree[v] in GRAPH.neighbours(v) for v in np.flatnonzero(tree >= 0))
        assert np.all(tree[sim.state[r] != 0] != -2)
        mean = [exposure[r, (sim.tiers.index == k) & (sim.state[r] == 0)].sum(axis=1) for k in range(3)]
        np.testing.assert_allclose(sim.pressure()[r], [m.mean() if len(m) else 0.0 for m in mean])


@pytest.mark.parametrize("model", [MODELS[4], MODELS[6]], ids=lambda m: m.name)
def test_a_replica_depends_on_neither_the_others_nor_the_threads(model):
    runs = []
    for replicas, threads in ((2, None), (5, None), (5, 2)):
        sim = leap(GRAPH, model, replicas, seed=7, threads=threads)
        sim.reset(10)
        for _ in range(4):
            sim.advance(1.0)
        runs.append(sim.state[:2].copy())
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[1], runs[2])
    assert np.any(runs[0][0] != runs[0][1])


def test_a_reset_of_some_replicas_leaves_the_others_alone():
    sim, twin = (leap(GRAPH, MODELS[4], 3, seed=3) for _ in range(2))
    for one in (sim, twin):
        one.reset(10)
        one.advance(1.5)
    sim.reset(10, mask=np.array([False, True, False]))
    for one in (sim, twin):
        one.advance(1.5)
    np.testing.assert_array_equal(sim.state[[0, 2]], twin.state[[0, 2]])
    assert np.any(sim.state[1] != twin.state[1])
    sim.reset(10, episode=1)
    sim.advance(1.5)
    fresh = leap(GRAPH, MODELS[4], 3, seed=3)
    fresh.reset(10, episode=1)
    fresh.advance(1.5)
    np.testing.assert_array_equal(fresh.state, sim.state)
    np.testing.assert_array_equal(fresh.age, sim.age)


def test_clocks_and_ages():
    sim = leap(star(3), models.sir(0.0, laws.deterministic(2.0)), substeps=1)
    sim.reset([0])
    sim.advance(1.0)
    sim.set_control("speed:I", 0.0)
    sim.advance(50.0)
    assert sim.age[0, 0] == 1.0
    sim.set_control("speed:I", 0.25)
    sim.advance(4.0)
    assert sim.state[0, 0] == 1  # an interval does not hold the events at its end
    sim.advance(0.5)
    assert sim.state[0, 0] == 2
    assert sim.age[0, 0] == pytest.approx(0.5)  # it left where the interval began, on a clock of full speed since then
    assert sim.age[0, 1] == pytest.approx(55.5)
    mean, older = sim.age_stats()
    assert mean[0, 0, 0] == pytest.approx(55.5)
    assert older[0, 0].tolist() == [0, 0, 0]


def test_controls_reach_what_they_name():
    tiers = cut(GRAPH, k=3)

    def infected(**controls):
        sim = leap(GRAPH, models.seir(0.5, SHORT, SHORT), 4, tiers=tiers)
        sim.reset(20)
        for name, value in controls.items():
            sim.set_control(name.replace("_", ":"), value)
        for _ in range(6):
            sim.advance(1.0)
        return sim.flows.sum(axis=0)

    assert infected(out=0.0)[:, 0, 1].sum() == 0
    assert infected(hazard=0.0)[:, 0, 1].sum() == 0
    assert infected(speed_I=0.0)[:, 2, 3].sum() == 0
    shielded = infected(**{"in": [[0.0, 1.0, 1.0]]})
    assert shielded[0, 0, 1] == 0
    assert shielded[1:, 0, 1].min() > 0
    free = infected()[:, 0, 1].sum()
    assert infected(out=[[0.0, 1.0, 1.0]])[:, 0, 1].sum() < free < infected(out=[[2.0, 2.0, 2.0]])[:, 0, 1].sum()


def test_a_silenced_tier_is_a_tier_without_outgoing_edges():
    """Common random numbers: the same epidemic."""
    tiers = cut(GRAPH, k=3)
    kept = tiers.index[GRAPH.sources] != 0
    arcs = np.column_stack((GRAPH.sources, GRAPH.indices))[kept]
    model = models.seir(0.4, SHORT, SHORT)
    silenced = leap(GRAPH, model, 2, tiers=tiers)
    removed = leap(from_edges(GRAPH.n, arcs, directed=True), model, 2, tiers=tiers)
    for sim in (silenced, removed):
        sim.reset(20)
        sim.set_control("out", [[0.0, 1.0, 1.0]])
        for _ in range(5):
            sim.advance(1.0)
    np.testing.assert_array_equal(silenced.state, removed.state)
    assert silenced.flows.sum() > 200


def test_weights_multiply_rates():
    """A weight of 2 on every edge is twice the rate; weights may differ by orders of magnitude."""
    pairs = GRAPH.pairs()
    doubled = from_edges(GRAPH.n, pairs, weights=np.full(len(pairs), 2.0))
    a, b = leap(doubled, models.seir(0.2, SHORT, SHORT)), leap(GRAPH, models.seir(0.4, SHORT, SHORT))
    for sim in (a, b):
        sim.reset(10)
        sim.advance(3.0)
    np.testing.assert_array_equal(a.state, b.state)
    uneven = from_edges(3, np.array([(0, 1), (0, 2)]), weights=np.array([1e-3, 1e3]))
    sim = leap(uneven, models.si(1.0))
    sim.reset([0])
    assert sim.pressure()[0, 0] == pytest.approx(500.0005, rel=1e-6)


@pytest.mark.parametrize(("edges", "dtype"), [(127, np.int8), (128, np.int16), (32767, np.int16), (32768, np.int32)])
def test_counts_of_neighbours_fit_their_type(edges, dtype):
    assert leap(star(edges + 1), models.si())._backend.batch.exposure.dtype == dtype


def test_all_neighbours_of_a_hub_at_once():
    sim = leap(star(128), models.si(0.0))
    sim.reset(np.arange(1, 128))
    sim.advance(1.0)
    assert sim.pressure()[0, 0] == 127


def test_clocks_are_set_back_without_a_trace(monkeypatch):
    """A process longer than 32 bits of ticks: forced here after each few steps."""
    model = MODELS[4]
    plain, often = leap(GRAPH, model, 2, seed=2), leap(GRAPH, model, 2, seed=2)
    for sim in (plain, often):
        sim.reset(20)
    for _ in range(10):
        plain.advance(1.0)
        monkeypatch.setattr("sim.cascade.leap.engine.REBASE", often._backend.rules.ticks * 1.5)
        often.advance(1.0)
        monkeypatch.setattr("sim.cascade.leap.engine.REBASE", state.REBASE)
    assert often._backend._clock.max() < 3 * often._backend.rules.ticks
    np.testing.assert_array_equal(plain.state, often.state)
    np.testing.assert_allclose(plain.age, often.age, atol=2 / plain._backend.rules.ticks)


def test_adaptive_steps_follow_the_pressure():
    """A hub of which all neighbours are infectious needs finer steps than a pair does."""
    graph = star(101)
    coarse, fine = (leap(graph, models.si(0.2), 64, substeps=1, eps=eps) for eps in (None, 0.03))
    for sim in (coarse, fine):
        sim.reset(np.arange(1, 101))
        sim.advance(0.05)
    assert coarse._backend._steps.tolist() == [1] * 64
    assert fine._backend._steps.min() >= 20
    assert fine.time.tolist() == [0.05] * 64
    infected = [(sim.state[:, 0] == 1).mean() for sim in (coarse, fine)]
    assert infected == pytest.approx([1 - np.exp(-1.0)] * 2, abs=4 * 0.06)


MARKOV = [models.sis(0.8, laws.exponential(1.0)), models.sir(0.8, laws.exponential(1.0))]


@pytest.mark.parametrize("model", MARKOV, ids=lambda m: m.name)
def test_markovian_models_follow_the_master_equation(model):
    """Five nodes, 40,000 runs: two step lengths extrapolated to none, within 4 standard errors."""
    graph = from_edges(5, PAIRS)
    times = np.array([0.5, 1.0, 2.0, 3.0, 4.0])
    expected = master_equation(graph, model, np.array([1, 0, 0, 0, 0]), times)
    means, errors = [], []
    for substeps in (5, 10):
        sim = leap(graph, model, 40_000, substeps=substeps, seed=substeps)
        sim.reset([0])
        found, error = [], []
        for _ in range(8):
            sim.advance(0.5)
            found.append(sim.counts.mean(axis=(0, 1)))
            error.append(sim.counts[:, 0].std(axis=0) / 200)
        means.append(np.array(found)[[0, 1, 3, 5, 7]])
        errors.append(np.array(error)[[0, 1, 3, 5, 7]])
    extrapolated = 2 * means[1] - means[0]
    noise = np.sqrt(4 * errors[1] ** 2 + errors[0] ** 2)
    assert np.all(np.abs(extrapolated - expected) < 4 * noise + 1e-3)
    assert np.abs(means[1] - expected).max() < np.abs(means[0] - expected).max()


def test_bad_options_are_answered_in_one_line():
    wrong = [
        {"substeps": 0},
        {"substeps": 2.5},
        {"eps": 0.0},
        {"backend": "torch", "tree": True},
        {"backend": "torch", "device": "nonsense"},
        {"backend": "warp", "device": "nonsense"},
    ]
    for options in wrong:
        with pytest.raises(TwinloomError) as error:
            leap(GRAPH, models.seir(), **options)
        assert "\n" not in str(error.value)
    shedding = models.seir().with_shedding(models.Shedding(1.0, (0.0, 1.0)))
    with pytest.raises(TwinloomError, match="exact"):
        leap(GRAPH, shedding)
    sim = leap(complete(3), models.seir())
    sim.reset(1)
    sim.set_control("hazard:I", 2.0)
    with pytest.raises(TwinloomError, match="exact"):
        sim.advance(1.0)
    sim.reset(1)
    with pytest.raises(TwinloomError, match="advance by less"):
        sim.advance(1e9)
