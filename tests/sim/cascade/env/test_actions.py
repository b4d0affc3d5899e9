"""Channels act when, where and as much as they say, and budgets hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert
from assets.networks.graph import from_edges
from assets.networks.tiers import cut
from sim.cascade.env.single import CascadeEnv
from sim.cascade.env.vector import CascadeVecEnv
from sim.cascade.problems import PROBLEMS, Prices
from sim.cascade.process import models
from sim.cascade.process.laws import gamma
from sim.cascade.simulator import CascadeSim

FULL = {"shield": 1.0, "isolate": 1.0, "boost": 2.0, "retain": 1.0, "treat": 3.0, "vaccinate": 0.3, "seed": 0.2}
WORLDS = ("exact", "renewal")


@pytest.fixture(scope="module")
def network():
    return barabasi_albert(300, 3, np.random.default_rng(0))


def problem(name="epidemic_mitigate", **changes):
    return replace(PROBLEMS[name], strengths=FULL, **changes)


def courses(network, world, channel, level, steps=10, name="epidemic_mitigate", replicas=16, tier=None, **options):
    """Run one channel at a level in all tiers, or in one; info after every decision."""
    base = options.pop("problem", problem(name, initial=0.1))
    env = CascadeVecEnv(base, replicas, graph=network, world=world, channels=channel, horizon=500, **options)
    env.reset(seed=2)
    action = np.zeros((replicas, len(env.action_names)))
    action[:, slice(None) if tier is None else tier] = level
    return [env.step(action)[-1] for _ in range(steps)]


def susceptible(info):
    return info["counts"][:, :, 0]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("channel", ["shield", "isolate"])
def test_full_shielding_and_full_isolation_stop_every_contact(channel, world, network):
    infos = courses(network, world, channel, 1.0)
    assert np.array_equal(susceptible(infos[0]), susceptible(infos[-1]))
    assert (susceptible(infos[0]).sum(axis=1) == 270).all()
    free = courses(network, world, channel, 0.0)
    assert (susceptible(free[-1]).sum(axis=1) < 270).all()


@pytest.mark.parametrize("world", WORLDS)
def test_a_shielded_tier_keeps_its_susceptible_nodes_and_the_others_lose_theirs(world, network):
    infos = courses(network, world, "shield", 1.0, tier=0, steps=20)
    first, last = (susceptible(infos[i]).sum(axis=0) for i in (0, -1))
    assert first[0] == last[0]
    assert (first[1:] > last[1:]).all()


@pytest.mark.parametrize("world", ["exact", "renewal", "ode", "markov"])
@pytest.mark.parametrize(("channel", "more"), [("boost", True), ("isolate", False), ("shield", False)])
def test_direction_of_contact_channels_in_every_world(channel, more, world, network):
    low, high = (courses(network, world, channel, u)[-1] for u in (0.0, 0.5))
    fewer = susceptible(high).sum() < susceptible(low).sum()
    assert fewer == more


@pytest.mark.parametrize("world", ["exact", "renewal", "ode", "markov"])
def test_treatment_speeds_recovery_up_and_retention_stops_churn(world, network):
    quick, slow = (courses(network, world, "treat", u, r0=0.5)[-1]["counts"][:, :, 3].sum() for u in (1.0, 0.0))
    assert quick > 1.5 * slow
    stays = courses(network, world, "retain", 1.0, steps=40)[-1]["counts"]
    assert stays[:, :, 3].sum() == pytest.approx(0.0, abs=1e-9)
    assert stays[:, :, 2].sum() > 0


@pytest.mark.parametrize("world", WORLDS)
def test_vaccination_is_binomial_in_the_tier_it_is_given(world, network):
    info = courses(network, world, "vaccinate", 0.5, steps=1, tier=2, beta=0.0, replicas=200)[0]
    doses = info["counts"][:, 2, 3]
    before = doses + susceptible(info)[:, 2]
    assert info["counts"][:, :2, 3].sum() < 40  # early recoveries at most
    expected = 0.15 * before
    z = (doses - expected).sum() / np.sqrt((expected * 0.85).sum())
    assert abs(z) < 4
    assert doses.var() > 0.5 * expected.mean() * 0.85
    np.testing.assert_allclose(info["spend"], doses * 0.5, atol=1e-9 + 0.5 * 4)


@pytest.mark.parametrize("world", ["exact", "renewal", "ode", "markov"])
def test_seeds_are_rounded_shares_of_a_tier_and_priced(world, network):
    env = CascadeVecEnv(problem("adopt_profit", seed_limit=1.0), 3, graph=network, world=world, channels="seed")
    env.reset(seed=0)
    *_, info = env.step(np.array([[0.0, 0.0, 0.0], [0.0, 0.3, 0.0], [1.0, 0.0, 1.0]]))
    sizes = info["counts"].sum(axis=2)[0]
    level = np.array([[0, 0, 0], [0, 0.3, 0], [1, 0, 1]])
    seeds = np.floor(np.maximum(1, np.floor(0.2 * sizes)) * level + 0.5)
    np.testing.assert_allclose(info["spend"], seeds @ env.episodes.actions.seed_price)
    entered = sizes - info["counts"][:, :, 0]
    assert (entered >= seeds - 1e-9).all()


def test_seeding_stops_at_the_limit_hubs_first(network):
    env = CascadeVecEnv(problem("adopt_profit", seed_limit=0.03), 2, graph=network, channels="seed", beta=0.0)
    env.reset(seed=0)
    *_, info = env.step(np.ones((2, 3)))
    entered = info["counts"].sum(axis=2) - info["counts"][:, :, 0]
    hubs = max(1, int(0.2 * (cut(network).sizes[0])))
    assert entered.sum(axis=1).tolist() == [9, 9]
    assert entered[0, 0] == min(9, hubs)
    *_, info = env.step(np.ones((2, 3)))
    assert (info["counts"].sum(axis=2) - info["counts"][:, :, 0]).sum(axis=1).tolist() == [9, 9]


def test_price_slows_adoption_and_is_neutral_in_the_middle(network):
    prices = Prices(elasticity=2.0, price_range=(0.5, 2.0))
    base = replace(PROBLEMS["adopt_profit"], prices=prices, initial=0.2)
    env = CascadeVecEnv(base, 64, graph=network, channels="price", normalise=False)
    assert env.rest.tolist() == [0.5]
    adopted = []
    for level in (0.0, 0.5, 1.0):
        env.reset(seed=0)
        for _ in range(10):
            *_, info = env.step(np.full((64, 1), level))
        adopted.append(network.n - susceptible(info).sum() / 64)
    assert adopted[0] > adopted[1] > adopted[2]
    plain = CascadeVecEnv(replace(base, seed_limit=0.0), 64, graph=network, channels="seed", normalise=False)
    plain.reset(seed=0)
    for _ in range(10):
        *_, reference = plain.step(np.zeros((64, 3)))
    assert network.n - susceptible(reference).sum() / 64 == adopted[1]


def test_revenue_follows_the_price(network):
    base = replace(PROBLEMS["adopt_profit"], prices=Prices(elasticity=0.0, margin=0.0), initial=0.2)
    env = CascadeVecEnv(base, 8, graph=network, channels="price", normalise=False)
    totals = []
    for level in (0.0, 0.5, 1.0):
        env.reset(seed=0)
        totals.append(sum(env.step(np.full((8, 1), level))[1] for _ in range(10)))
    np.testing.assert_allclose(totals[0], 0.5 * totals[1])
    np.testing.assert_allclose(totals[2], 1.5 * totals[1])


def test_winback_starts_the_clock_of_the_churned(network):
    model = models.adopt_r(decision=gamma(1.0, 0.5), churn=gamma(1.0, 0.5))
    base = replace(PROBLEMS["adopt_profit"], initial=0.3)
    env = CascadeEnv(base, graph=network, model=model, channels="winback", beta=0.0, horizon=20)
    for level in (0.0, 1.0):
        env.reset(seed=0)
        for _ in range(20):
            _, _, terminated, _, info = env.step(np.full(3, level))
            assert not terminated  # whoever left may be won back
        assert (info["counts"][:, 1:3].sum() > 0) == (level == 1.0)
        assert (info["spend"] > 0) == (level == 1.0)


@pytest.mark.parametrize("engine", ["exact", "leap"])
def test_isolating_a_tier_equals_deleting_its_outgoing_edges(engine, network):
    """Common random numbers: the trajectories are the same node by node."""
    tiers = cut(network)
    kept = tiers.index[network.sources] != 1
    pairs = np.column_stack((network.sources, network.indices))
    arcs = from_edges(network.n, pairs, directed=True)
    without = from_edges(network.n, pairs[kept], directed=True)
    states = []
    for graph, factor in ((arcs, [1.0, 0.0, 1.0]), (without, [1.0, 1.0, 1.0])):
        sim = CascadeSim(graph, models.seir(), 4, engine=engine, tiers=tiers, seed=5)
        sim.reset(10)
        sim.set_control("out", factor)
        for _ in range(10):
            sim.advance(2.0)
        states.append(sim.state.copy())
    assert np.array_equal(*states)
    assert (states[0] > 0).sum() > 60


# ---------------------------------------------------------------------- budgets


@pytest.mark.parametrize("name", ["adopt_profit", "epidemic_mitigate"])
@pytest.mark.parametrize("budget", [0.0, 0.02, 0.3])
def test_a_hard_budget_is_never_exceeded(name, budget, network):
    env = CascadeVecEnv(replace(PROBLEMS[name], seed_limit=0.2), 8, graph=network, budget=budget)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(40):
        *_, info = env.step(rng.random((8, len(env.action_names))))
        assert (info["spend"] <= budget * network.n * (1 + 1e-12) + 1e-9).all()
    if budget == 0:
        assert (info["spend"] < 1e-9).all()


def test_the_applied_action_is_the_nearest_affordable_one(network):
    env = CascadeEnv("epidemic_mitigate", graph=network, channels="shield isolate", budget=0.003)
    env.reset(seed=0)
    counts = env.episodes.info()["counts"].astype(float)
    cost = env.episodes.actions.unit_costs(counts, np.ones(1, bool))[0]
    wanted = np.array([1.0, 0.8, 0.1, 1.0, 0.0, 0.9])
    *_, info = env.step(wanted)
    applied = info["action_applied"].astype(float)
    assert applied @ cost == pytest.approx(0.003 * network.n, rel=1e-6)
    # stationarity: where an entry was cut but not to zero, it was cut in proportion to its cost
    inside = (applied > 0) & (wanted > 0) & (cost > 0)
    ratio = (wanted - applied)[inside] / cost[inside]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-4)
    assert inside.sum() >= 2
    np.testing.assert_allclose(applied[cost == 0], wanted[cost == 0], rtol=1e-6)  # free entries keep their value
    assert info["spend"] == pytest.approx(0.003 * network.n, rel=1e-6)


def test_without_a_budget_actions_are_applied_as_they_are(network):
    env = CascadeEnv("epidemic_mitigate", graph=network)
    env.reset(seed=0)
    *_, info = env.step(np.linspace(-1, 2, 12))
    np.testing.assert_allclose(info["action_applied"], np.clip(np.linspace(-1, 2, 12), 0, 1), rtol=1e-6)


def test_running_costs_are_paid_for_those_they_reach(network):
    env = CascadeEnv("epidemic_mitigate", graph=network, delta=0.5)
    env.reset(seed=0)
    counts = env.episodes.info()["counts"][0]
    action = np.zeros(12)
    action[[1, 4, 11]] = (0.5, 1.0, 0.25)  # shield tier 1, isolate tier 1, treat tier 2
    *_, info = env.step(action)
    prices = PROBLEMS["epidemic_mitigate"].prices
    expected = 0.5 * (
        0.5 * prices.shield * counts[1, 0] + prices.isolate * counts[1, 2] + 0.25 * prices.treat * counts[2, 2]
    )
    assert info["spend"] == pytest.approx(expected)


# ----------------------------------------------------------------------- valley


@pytest.mark.parametrize(("level", "low", "high"), [(0.0, 0.0, 0.03), (0.3, -0.16, -0.07), (0.8, 0.03, 0.08)])
def test_the_valley_of_escape(level, low, high):
    """Means of 4.3: nothing without spending, a loss just above the threshold, a profit beyond it."""
    env = CascadeVecEnv("escape", 64)
    env.reset(seed=0)
    _, rewards, terminated, _, info = env.step(np.full((64, 1), level))
    assert terminated.all()
    np.testing.assert_allclose(info["spend"], 0.6 * 5000 * level)
    assert low < rewards.mean() < high


def test_near_the_threshold_outcomes_fall_into_two_groups():
    env = CascadeVecEnv("escape", 64)
    env.reset(seed=1)
    _, rewards, *_ = env.step(np.full((64, 1), 0.35))
    middle = 0.5 * (rewards.min() + rewards.max())
    groups = rewards[rewards < middle], rewards[rewards >= middle]
    assert min(map(len, groups)) > 5
    assert groups[1].mean() - groups[0].mean() > 3 * max(g.std() for g in groups)


def test_later_decisions_of_a_committed_problem_change_nothing():
    env = CascadeVecEnv("escape", 2, horizon=6, delta=1.0)
    env.reset(seed=0)
    env.step(np.full((2, 1), 0.5))
    for action in (0.0, 1.0):
        *_, info = env.step(np.full((2, 1), action))
        assert info["action_applied"].tolist() == [[0.5], [0.5]]
        assert info["spend"].tolist() == [1500.0, 1500.0]
