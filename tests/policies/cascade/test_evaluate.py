"""Evaluation: common episodes whatever the batch, and numbers that mean what they say."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert
from policies.cascade import evaluate as module
from policies.cascade.baselines import BangBang, Constant, DegreeTargeted, Random, channel_entries, hub_entries
from policies.cascade.evaluate import Outcomes, evaluate, normalised
from policies.cascade.mpc import MeanFieldPlanner
from sim.cascade.env.vector import CascadeVecEnv
from sim.cascade.process import models
from sim.cascade.process.laws import exponential
from twinloom.errors import TwinloomError

GRAPH = barabasi_albert(200, 3, np.random.default_rng(0))
OPTIONS = {"graph": GRAPH, "horizon": 20}
NAMES = [f"{channel}/tier{k}" for channel in ("seed", "boost", "retain") for k in range(3)]
HALF = Constant(np.full(9, 0.5))


def test_doing_nothing_earns_nothing():
    outcomes = evaluate(Constant(np.zeros(9)), "adopt_profit", OPTIONS, 7)
    np.testing.assert_array_equal(outcomes.profit, 0.0)
    metrics = outcomes.metrics()
    assert (metrics["loss_share"], metrics["outbreak_share"], metrics["spend"]) == (0.0, 0.0, 0.0)
    assert np.isnan(metrics["hub_retention"])
    assert np.isnan(metrics["optimism"])


def test_episodes_are_the_same_whatever_the_batch_and_the_observer(monkeypatch):
    whole = evaluate(HALF, "adopt_profit", OPTIONS, 7)
    assert whole.profit.std() > 0
    monkeypatch.setattr(module, "CELLS", 3 * GRAPH.n)
    parts = evaluate(HALF, "adopt_profit", OPTIONS | {"observer": "global", "features": "basic"}, 7)
    for name, values in vars(whole).items():
        np.testing.assert_array_equal(values, getattr(parts, name), err_msg=name)


def test_profit_is_the_sum_of_the_rewards_of_the_environment():
    env = CascadeVecEnv("adopt_profit", 4, **OPTIONS)
    env.reset(seed=[module.SEED + j for j in range(4)])
    total, discounted, going = np.zeros(4), np.zeros(4), np.ones(4, bool)
    for step in range(20):
        _, reward, terminated, truncated, info = env.step(np.full((4, 9), 0.5, np.float32))
        total += going * reward
        discounted += going * 0.99**step * reward
        going &= ~(terminated | truncated)
    outcomes = evaluate(HALF, "adopt_profit", OPTIONS, 4)
    np.testing.assert_allclose(outcomes.profit, total, rtol=1e-9)
    np.testing.assert_allclose(outcomes.discounted, discounted, rtol=1e-9)
    np.testing.assert_allclose(outcomes.spend, info["spend"] / 200, rtol=1e-9)


def test_outcomes_survive_json():
    outcomes = evaluate(HALF, "adopt_profit", OPTIONS, 3)
    again = Outcomes.from_json(outcomes.to_json())
    for name, values in vars(outcomes).items():
        np.testing.assert_array_equal(values, getattr(again, name))


def test_what_critics_expect_is_recorded_and_makes_optimism():
    class Sure(Constant):
        def atoms(self, observations):
            return np.full((len(observations), 5), 2.0)

    metrics = evaluate(Sure(np.zeros(9)), "adopt_profit", OPTIONS, 3).metrics()
    assert metrics["optimism"] == 2.0


def test_normalised_scores():
    null, best = np.zeros(4), np.full(4, 2.0)
    assert normalised(np.full(4, 0.5), null, best) == 0.25
    assert np.isnan(normalised(null, null, null))


def test_hubs_are_targeted_until_the_share_of_seeds_is_gone():
    spent: list[np.ndarray] = []

    class Watched(DegreeTargeted):
        def act_batch(self, observations, sim=None):
            spent.append(sim.ledger.seeds.copy())
            action = super().act_batch(observations, sim)
            np.testing.assert_array_equal(action[:, 0] == 1, spent[-1] < 2)
            assert not action[:, 1:].any()
            return action

    action = hub_entries(NAMES, ["seed"]).astype(float)
    evaluate(Watched(action, np.zeros(9), share=0.2), replaced(seed_limit=0.05), OPTIONS, 3)  # 0.2 of 10 seeds
    assert spent[-1].max() >= 2


def replaced(**changes):
    from dataclasses import replace

    from sim.cascade.problems import PROBLEMS

    return replace(PROBLEMS["adopt_profit"], **changes)


@pytest.mark.parametrize("below", [True, False])
def test_bang_bang_switches_on_one_side_of_the_threshold(below):
    on, seen = np.ones(9), []

    class Watched(BangBang):
        def act_batch(self, observations, sim=None):
            action = super().act_batch(observations, sim)
            active = np.asarray(sim.arena.sim.counts)[:, :, 1:3].sum((1, 2)) / 200
            np.testing.assert_array_equal(action[:, 0] == 1, active < 0.02 if below else active > 0.02)
            seen.append(action[:, 0].copy())
            if not below:
                action[:, 0] = 1.0  # so that something happens at all
            return action

    evaluate(Watched(on, np.zeros(9), 0.02, below), replaced(seed_limit=0.05), OPTIONS, 3)
    assert {0.0, 1.0} <= set(np.concatenate(seen))


@pytest.mark.parametrize(
    "make", [lambda: Random(9, seed=3), lambda: MeanFieldPlanner(candidates=8, iterations=1, elites=2)]
)
@pytest.mark.parametrize(
    ("problem", "options"),
    [("adopt_profit", {}), ("epidemic_mitigate", {"r0": 1.1, "channels": "shield,isolate,vaccinate"})],
)
def test_what_policies_draw_in_an_episode_does_not_depend_on_the_batch(make, problem, options, monkeypatch):
    options = OPTIONS | {"horizon": 6} | options
    whole = evaluate(make(), problem, options, 5)
    assert len(np.unique(whole.spend)) == 5  # every episode draws its own
    monkeypatch.setattr(module, "CELLS", 2 * GRAPH.n)
    parts = evaluate(make(), problem, options, 5)
    for name, values in vars(whole).items():
        np.testing.assert_array_equal(values, getattr(parts, name), err_msg=name)


def test_random_actions_have_a_seed_and_change_with_every_decision():
    seen: list[np.ndarray] = []

    class Watched(Random):
        def act_batch(self, observations, sim=None):
            seen.append(super().act_batch(observations, sim))
            return seen[-1]

    for seed in 0, 0, 1:
        evaluate(Watched(9, seed), "adopt_profit", OPTIONS | {"horizon": 2}, 1)
    assert np.array_equal(seen[0], seen[2])
    assert len(np.unique(np.concatenate(seen))) == 4 * 9
    assert 0 <= np.min(seen) <= np.max(seen) <= 1


@pytest.mark.parametrize(
    ("episodes", "seed", "text"),
    [(0, 0, "episodes 0 must"), (2.5, 0, "episodes 2.5"), (1, -1, "seed -1"), (3, 2**64 - 2, "below 2\\*\\*64")],
)
def test_episodes_that_cannot_be_are_refused(episodes, seed, text):
    with pytest.raises(TwinloomError, match=text) as error:
        evaluate(HALF, "adopt_profit", OPTIONS, episodes, seed)
    assert len(str(error.value)) < 200


def test_entries_are_picked_by_name():
    names = ["seed/tier0", "seed/tier1", "price"]
    assert hub_entries(names).tolist() == [True, False, True]
    assert hub_entries(names, ["seed"]).tolist() == [True, False, False]
    assert channel_entries(names, "seed").tolist() == [True, True, False]


def test_vaccinated_and_initially_infectious_nodes_are_no_outbreak():
    everything = Constant(np.ones(12))
    metrics = evaluate(everything, "epidemic_mitigate", {"graph": GRAPH, "r0": 1.2}, 30).metrics()
    assert metrics["outbreak_share"] < 0.1
    assert evaluate(everything, "epidemic_mitigate", {"graph": GRAPH, "beta": 0.0}, 2).reached.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("world", "told"), [("exact", True), ("ode", False)])
def test_where_nodes_return_the_reached_are_counted_or_unknown(world, told):
    options = OPTIONS | {"model": models.sis(recovery=exponential(1.0)), "r0": 2.0, "world": world}
    metrics = evaluate(Constant(np.zeros(9)), replaced(initial=60), options, 3).metrics()
    assert np.isfinite(metrics["outbreak_share"]) == told
    assert np.isfinite(metrics["attack_rate"]) == told
    assert not told or metrics["attack_rate"] > 0.2


def test_the_planner_plans_beside_engines_with_settings_of_their_own():
    options = {"graph": GRAPH, "world": "renewal", "substeps": 4, "threads": 1, "horizon": 2}
    planner = MeanFieldPlanner(candidates=8, iterations=1)
    assert np.isfinite(evaluate(planner, "adopt_profit", options, 2).profit).all()
