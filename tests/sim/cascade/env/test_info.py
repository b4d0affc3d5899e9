"""What environments report about an episode: who was reached, who stays, which action was carried out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert
from assets.networks.graph import from_edges
from assets.networks.tiers import Tiers
from sim.cascade.env.single import CascadeEnv
from sim.cascade.env.vector import CascadeVecEnv
from sim.cascade.exact.state import recurs
from sim.cascade.problems import PROBLEMS
from sim.cascade.process import models
from sim.cascade.process.laws import exponential
from sim.cascade.simulator import CascadeSim

SIS = models.sis(recovery=exponential(1.0))


@pytest.fixture(scope="module")
def network():
    return barabasi_albert(300, 3, np.random.default_rng(1))


def returning(network, delta: float, **options):
    """An episode of 40 time units without control, in which nodes are reached again and again."""
    problem = replace(PROBLEMS["adopt_profit"], initial=100)
    env = CascadeEnv(problem, graph=network, model=SIS, r0=3.0, delta=delta, horizon=int(40 / delta), **options)
    env.reset(seed=3)
    ended = False
    while not ended:
        *_, terminated, truncated, info = env.step(env.rest)
        ended = terminated or truncated
    return env, info


# ------------------------------------------------------------------ who was reached


def test_the_initially_infectious_and_the_vaccinated_were_not_reached(network):
    env = CascadeVecEnv("epidemic_mitigate", 2, graph=network, beta=0.0, channels="vaccinate")
    env.reset(seed=0)
    for _ in range(5):
        *_, info = env.step(np.ones((2, 3)))
    assert (info["counts"][:, :, 3].sum(axis=1) > 20).all()
    assert env.episodes.ledger.reached.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("world", ["exact", "renewal", "markov", "ode"])
def test_contact_steps_are_counted_in_every_world(world, network):
    env = CascadeVecEnv("adopt_profit", 2, graph=network, world=world, horizon=15)
    env.reset(seed=0)
    for _ in range(15):
        *_, info = env.step(np.ones((2, 9)))
    left = info["counts"][:, :, 1:].sum(axis=(1, 2))
    np.testing.assert_allclose(env.episodes.ledger.reached, left - env.episodes.ledger.seeds, rtol=1e-9)
    assert (env.episodes.ledger.reached > 5).all()


@pytest.mark.parametrize("delta", [0.25, 40.0])
def test_a_node_that_is_reached_again_and_again_counts_once(delta, network):
    env, info = returning(network, delta)
    reached = env.episodes.ledger.reached[0]
    assert env.episodes.arena().sim.flows[0, :, 0, 1].sum() > 10 * network.n
    assert info["counts"][:, 1].sum() <= reached <= network.n
    env.reset()
    assert env.episodes.ledger.reached[0] == 0


@pytest.mark.parametrize("world", ["ode", "renewal"])
def test_worlds_that_do_not_know_say_so(world, network):
    env, _ = returning(network, 5.0, world=world)
    assert np.isnan(env.episodes.ledger.reached[0])


@pytest.mark.parametrize("contact", ["linear", "power"])
def test_the_exact_engine_knows_who_was_ever_infectious_and_who_was_reached(contact):
    """Node 0 of a path of two is seeded, the other can only be reached; whoever is one again is counted once."""
    model = replace(SIS, beta=2.0, contact=contact, power=1.0)
    sim = CascadeSim(
        from_edges(2, [(0, 1)]), model, replicas=50, tiers=Tiers(np.array([0, 1], np.int8), np.array([1, 1]), "x")
    )
    sim.reset([0])
    active, reached = sim.ever()
    assert (active.sum(axis=0).tolist(), reached.sum(axis=0).tolist()) == ([50.0, 0.0], [0.0, 0.0])
    sim.advance(8.0)
    active, reached = sim.ever()
    flows = sim.flows[:, :, 0, 1]
    np.testing.assert_array_equal(reached, flows > 0)
    np.testing.assert_array_equal(active, (flows > 0) | np.array([True, False]))
    assert 0 < reached[:, 0].sum() < 50
    assert (flows > 1).any()


def test_engines_that_keep_no_books_say_so(network):
    for sim, known in (
        (CascadeSim(network, models.sir()), False),
        (CascadeSim(network, models.sir(), engine="leap"), True),
    ):
        sim.reset(5)
        active, reached = sim.ever()
        assert np.isfinite(active).all() == known
        assert np.isnan(reached).all()


def test_which_models_enter_a_compartment_twice():
    relapse = models.Model(
        "r", ("S", "I", "R"), 1.0, 1, 1, tuple(models.Step(*s, exponential(1.0)) for s in [(1, 2), (2, 1)])
    )
    assert [recurs(m) for m in (models.si(), models.sir(), models.adopt())] == [False] * 3
    assert [recurs(m) for m in (models.sis(), models.seirs(), models.adopt_r(), relapse)] == [True] * 4
    assert not recurs(models.adopt_r(), started=False)  # the clock of those who left stands still until winback


# -------------------------------------------------------------------- hub retention


@pytest.mark.parametrize("delta", [0.25, 5.0, 40.0])
def test_hub_retention_does_not_depend_on_how_often_one_looks(delta, network):
    """All 28 hubs are infectious at some time, though never at once, and not all of them when somebody looks."""
    _, info = returning(network, delta)
    active, hubs = info["counts"][0, 1], info["counts"][0].sum()
    assert hubs == 28
    assert info["hub_retention"] == pytest.approx(active / hubs)


def test_hub_retention_is_known_to_leap_and_not_to_the_mean_field(network):
    _, leap = returning(network, 40.0, world="renewal")
    assert leap["hub_retention"] == pytest.approx(leap["counts"][0, 1] / 28)
    assert np.isnan(returning(network, 40.0, world="ode")[1]["hub_retention"])


def test_hubs_that_were_infectious_only_at_the_start_count(network):
    problem = replace(PROBLEMS["adopt_profit"], initial=100)
    env = CascadeEnv(problem, graph=network, model=SIS, beta=0.0, delta=100.0, channels="boost")
    env.reset(seed=3)
    *_, info = env.step(env.rest)
    assert info["hub_retention"] == 0.0


# ------------------------------------------------------------------- action applied


def test_seeding_shows_only_what_was_placed(network):
    problem = replace(PROBLEMS["adopt_profit"], seed_limit=0.01)  # 3 seeds; at full strength 1, 2 and 10 of a tier
    env = CascadeEnv(problem, graph=network, channels="seed", beta=0.0)
    env.reset(seed=0)
    shown = []
    for action in ([0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]):
        *_, info = env.step(np.array(action, np.float32))
        shown.append((info["action_applied"].tolist(), env.episodes.ledger.seeds[0]))
    most = env.episodes.actions._seeds
    first = min(most[1], 3.0)
    assert shown[0] == ([0.0, np.float32(first / most[1]), 0.0], first)
    assert shown[-1] == ([0.0, 0.0, 0.0], 3.0)


def test_where_nobody_is_susceptible_nothing_is_seeded(network):
    env = CascadeEnv("adopt_profit", graph=network, model=models.si(), beta=1e3, channels="seed")
    env.reset(seed=0)
    env.step(np.array([1.0, 0.0, 0.0]))
    *_, info = env.step(np.ones(3))
    assert info["counts"][:, 0].sum() == 0
    assert info["action_applied"].tolist() == [0.0, 0.0, 0.0]


def test_a_shared_seed_entry_shows_the_share_of_all_that_was_asked_for(network):
    problem = replace(PROBLEMS["adopt_profit"], shared=("seed",), seed_limit=0.01)
    env = CascadeEnv(problem, graph=network, beta=0.0)
    env.reset(seed=0)
    *_, info = env.step(np.ones(len(env.action_names)))
    assert info["action_applied"][0] == np.float32(3 / env.episodes.actions._seeds.sum())
    assert info["action_applied"][1:].tolist() == [1.0] * 6
