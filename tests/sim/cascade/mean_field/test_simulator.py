"""The mean-field world: stages, books, controls, and limits in which it is exact."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert, complete, random_regular
from assets.networks.tiers import cut
from sim.cascade.mean_field.phases import Phases
from sim.cascade.mean_field.simulator import TierODE
from sim.cascade.process import laws, models
from sim.cascade.process.markov_chains import CompleteSis
from sim.cascade.process.theory import well_mixed_sir
from sim.cascade.simulator import CascadeSim
from twinloom.errors import TwinloomError

GRAPH = barabasi_albert(600, 3, np.random.default_rng(0))
TIERS = cut(GRAPH, "stub", k=3)


def run(sim, days, **controls):
    sim.reset(30)
    for name, value in controls.items():
        sim.set_control(name.replace("_", ":"), value)
    for _ in range(days):
        sim.advance(1.0)
    return sim


@pytest.mark.parametrize("cv", [0.05, 0.3, 0.58, 0.9, 1.0, 1.12, 2.5])
def test_stages_keep_mean_and_cv(cv):
    phases = Phases.of(laws.gamma(3.0, cv))
    if phases.serial:
        stay = 1 / phases.rate
        mean = phases.start @ np.cumsum(stay[::-1])[::-1]
        second = phases.start @ (np.cumsum(stay[::-1] ** 2)[::-1] + np.cumsum(stay[::-1])[::-1] ** 2)
    else:
        mean, second = phases.start @ (1 / phases.rate), phases.start @ (2 / phases.rate**2)
    assert phases.start.sum() == pytest.approx(1)
    assert mean == pytest.approx(3.0)
    assert np.sqrt(second - mean**2) / mean == pytest.approx(max(cv, 32**-0.5), rel=1e-6)


def test_complete_graph_sis_is_the_mean_field_equation():
    n, times = 50, np.array([1.0, 2.0, 5.0])
    ode = TierODE(complete(n), models.sis(1.5 / (n - 1), laws.exponential(1.0)))
    ode.reset(np.array([0, 1]))
    found = []
    for _ in range(5):
        ode.advance(1.0)
        found.append(ode.counts[0, 0, 1] / n)
    expected = CompleteSis(n, 1.5, 1.0, 2).ode(times)
    assert np.array(found)[[0, 1, 4]] == pytest.approx(expected, abs=1e-5)


def test_erlang_times_on_a_complete_graph_follow_the_renewal_equation():
    n = 1000
    law = laws.erlang(2.0, 3)
    ode = TierODE(complete(n), models.sir(1.2 / n, law))
    ode.reset(20, into="I")
    times, s, i = well_mixed_sir(law, 1.2, 20 / n, 12.0)
    for day in range(1, 13):
        ode.advance(1.0)
        at = np.searchsorted(times, day - 1e-9)
        assert ode.counts[0, 0, :2] / n == pytest.approx([s[at], i[at]], abs=2e-3)


@pytest.mark.parametrize("name", models.FACTORIES)
def test_books_of_every_model(name):
    sim = TierODE(GRAPH, models.FACTORIES[name](), TIERS, 2)
    sim.reset(20)
    before = sim.counts
    for _ in range(30):
        sim.move(0, sim.model.entry, [[1, 0, 2], [0, 0, 0]])
        sim.advance(0.5)
        assert np.all(sim.counts > -1e-9)
    assert sim.counts.sum(axis=2) == pytest.approx(np.tile(TIERS.sizes, (2, 1)), rel=1e-9)
    flows = sim.flows
    assert before + flows.sum(axis=2) - flows.sum(axis=3) == pytest.approx(sim.counts, abs=1e-6)
    assert sim.time.tolist() == [15.0, 15.0]


def test_replicas_and_partial_resets_are_independent():
    both, alone = TierODE(GRAPH, models.seir(), TIERS, 2), TierODE(GRAPH, models.seir(), TIERS)
    both.reset(30)
    both.advance(3.0)
    both.reset(30, mask=np.array([False, True]))
    run(alone, 4)
    for _ in range(4):
        both.advance(1.0)
    assert both.counts[1] == pytest.approx(alone.counts[0])
    assert both.time.tolist() == [7.0, 4.0]


def test_controls():
    free = run(TierODE(GRAPH, models.seir(), TIERS), 20).flows
    assert run(TierODE(GRAPH, models.seir(), TIERS), 20, out=0.0).flows[..., 0, 1].sum() == 0
    assert run(TierODE(GRAPH, models.seir(), TIERS), 20, speed_I=0.0).flows[..., 2, 3].sum() == 0
    assert run(TierODE(GRAPH, models.seir(), TIERS), 20, hazard_I=0.0).flows[..., 2, 3].sum() == 0
    hubs = run(TierODE(GRAPH, models.seir(), TIERS), 20, out=np.array([[0.0, 1.0, 1.0]])).flows
    tail = run(TierODE(GRAPH, models.seir(), TIERS), 20, out=np.array([[1.0, 1.0, 0.0]])).flows
    assert hubs[..., 0, 1].sum() < tail[..., 0, 1].sum() < free[..., 0, 1].sum()


def test_a_large_regular_graph_with_many_seeds_is_close_to_the_simulator():
    """Without degree differences or chance only pair correlations are missing."""
    graph = random_regular(3000, 30, np.random.default_rng(0))
    model = models.seir(0.4 / 30, laws.gamma(2.0, 0.6), laws.gamma(5.0, 0.5))
    ode, exact = TierODE(graph, model), CascadeSim(graph, model, 8)
    ode.reset(150)
    exact.reset(150)
    for _ in range(30):
        ode.advance(1.0)
        exact.advance(1.0)
        assert ode.counts[0, 0] / 3000 == pytest.approx(exact.counts.mean(axis=0)[0] / 3000, abs=0.05)
        assert ode.pressure()[0, 0] == pytest.approx(exact.pressure().mean(), abs=1.0)
    age, older = (x[0, 0, 2] for x in ode.age_stats())
    exact_age, exact_older = (x.mean(axis=0)[0, 2] for x in exact.age_stats())
    assert age == pytest.approx(exact_age, rel=0.15)
    assert older == pytest.approx(exact_older, abs=0.15)


def test_ages_begin_at_zero():
    sim = TierODE(GRAPH, models.seir(), TIERS)
    sim.reset(30)
    assert sim.age_stats()[0].max() == 0
    assert sim.age_stats()[1].max() == 0


def test_what_a_mean_field_cannot_say():
    sim = TierODE(GRAPH, models.seir(), TIERS)
    with pytest.raises(TwinloomError, match="not nodes"):
        _ = sim.state
    with pytest.raises(TwinloomError, match="infectivity by age"):
        TierODE(GRAPH, models.seir().with_shedding(models.Shedding(1.0, (0.0, 1.0))), TIERS)
