"""The scalar environment: Gymnasium's contract, ends of episodes, money, options."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import sim.envs  # noqa: F401  (registers the ids)
from assets.networks.generate import barabasi_albert
from sim.cascade.env import worlds
from sim.cascade.env.single import CascadeEnv
from sim.cascade.problems import PROBLEMS, Prices
from sim.cascade.process import models
from sim.cascade.process.laws import exponential, gamma
from twinloom.errors import TwinloomError


@pytest.fixture(scope="module")
def network():
    return barabasi_albert(200, 3, np.random.default_rng(0))


def play(env, action, seed: int | None = 0):
    """One episode of a constant action: rewards, last step."""
    env.reset(seed=seed)
    rewards = []
    while True:
        observation, reward, terminated, truncated, info = env.step(action)
        rewards.append(reward)
        if terminated or truncated:
            return rewards, observation, terminated, truncated, info


@pytest.mark.parametrize("world", worlds.WORLDS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_checker_of_gymnasium_is_silent(name, world, network):
    env = gymnasium.make(f"cascade/{name}-v0", graph=network, world=world, disable_env_checker=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", PROBLEMS)
def test_observations_stay_within_their_space(name, network):
    env = CascadeEnv(name, graph=network)
    rng = np.random.default_rng(0)
    for episode in range(3):
        observation, _ = env.reset(seed=episode)
        ended = False
        while not ended:
            assert env.observation_space.contains(observation)
            observation, _, terminated, truncated, _ = env.step(rng.random(env.action_space.shape))
            ended = terminated or truncated
        assert env.observation_space.contains(observation)


def test_the_same_seed_repeats_an_episode_and_the_next_one_differs(network):
    action = np.full(9, 0.6)
    env = CascadeEnv("adopt_profit", graph=network)
    first, *_ = play(env, action, seed=4)
    assert play(env, action, seed=4)[0] == first
    assert play(env, action, seed=None)[0] != first
    assert play(CascadeEnv("adopt_profit", graph=network, seed=4), action, seed=None)[0] == first


# ------------------------------------------------------------- ends of episodes


def test_time_limit_truncates(network):
    env = CascadeEnv("adopt_profit", graph=network, horizon=7)
    rewards, observation, terminated, truncated, _ = play(env, np.full(9, 0.5))
    assert (len(rewards), terminated, truncated) == (7, False, True)
    assert observation[env.episodes.observer.names().index("time")] == 1.0


def test_an_epidemic_that_dies_out_terminates(network):
    strong = replace(PROBLEMS["epidemic_mitigate"], strengths={"isolate": 1.0})
    env = CascadeEnv(strong, graph=network, channels="isolate", horizon=2000)
    rewards, _, terminated, truncated, info = play(env, np.ones(3))
    assert (terminated, truncated) == (True, False)
    assert len(rewards) < 2000
    assert info["counts"][:, 1:3].sum() == 0
    assert info["counts"].sum() == network.n


def test_no_termination_while_a_seed_could_start_it_again(network):
    env = CascadeEnv("adopt_profit", graph=network, horizon=60)
    rewards, _, terminated, truncated, info = play(env, env.rest)
    assert rewards == [0.0] * 60
    assert (terminated, truncated) == (False, True)
    assert np.isnan(info["hub_retention"])


def test_termination_when_the_seeds_are_used_up_and_nobody_is_left(network):
    lonely = replace(PROBLEMS["adopt_profit"], seed_limit=0.02)
    env = CascadeEnv(lonely, graph=network, beta=0.0, horizon=500)
    _, observation, terminated, truncated, info = play(env, np.eye(9)[0])
    assert (terminated, truncated) == (True, False)
    assert info["counts"][:, 3].sum() == 4  # 2 % of 200 adopted and left
    assert observation[env.episodes.observer.names().index("spent")] == 1.0


def test_termination_and_the_last_decision_at_once_is_termination(network):
    rewards, _, terminated, truncated, _ = play(CascadeEnv("escape", graph=network), np.zeros(1))
    assert (len(rewards), terminated, truncated) == (1, True, False)


def test_steps_need_a_running_episode(network):
    env = CascadeEnv("escape", graph=network)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(1))
    play(env, np.zeros(1))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(1))


# ------------------------------------------------------------------------ money


def test_profit_is_what_the_formula_says(network):
    """From counts alone: new adoptions are A + X now minus A + X before."""
    problem = replace(PROBLEMS["adopt_profit"], seed_limit=1.0, prices=Prices())
    env = CascadeEnv(problem, graph=network, normalise=False, channels="seed")
    prices = env.episodes.actions.seed_price
    env.reset(seed=0)
    before, total = env.episodes.info()["counts"][0], 0.0
    for step in range(30):
        action = np.eye(3)[0] if step < 3 else np.zeros(3)
        _, reward, _, _, info = env.step(action)
        after = info["counts"]
        adoptions = (after[:, 2:] - before[:, 2:]).sum()
        most = np.maximum(1, np.floor(0.05 * after.sum(axis=1)))[0] if step < 3 else 0
        expected = adoptions + 0.02 * after[:, 2].sum() - most * prices[0]
        assert reward == pytest.approx(expected, abs=1e-9)
        total += reward
        before = after
    assert info["profit"] == pytest.approx(total)


def test_mitigation_pays_for_infections_and_for_exceeding_capacity(network):
    env = CascadeEnv("epidemic_mitigate", graph=network, normalise=False, prices=Prices(cap=0.02, peak=3.0))
    env.reset(seed=0)
    before, calm = env.episodes.info()["counts"][0], True
    for _ in range(40):
        _, reward, _, _, info = env.step(env.rest)
        after = info["counts"]
        above = max(0.0, after[:, 2].sum() - 0.02 * network.n)
        assert reward == pytest.approx(-(before[:, 0] - after[:, 0]).sum() - 3.0 * above, abs=1e-9)
        calm &= above == 0
        before = after
    assert not calm
    assert info["is_success"] is False


def test_rewards_per_node(network):
    action = np.full(9, 0.5)
    plain, *_ = play(CascadeEnv("adopt_profit", graph=network, normalise=False), action)
    scaled, *_, info = play(CascadeEnv("adopt_profit", graph=network), action)
    np.testing.assert_allclose(scaled, np.array(plain) / 200)
    assert info["profit"] == pytest.approx(sum(plain))


def test_fixed_cost_of_any_spending(network):
    free = CascadeEnv("adopt_profit", graph=network, prices=Prices(), normalise=False)
    taxed = CascadeEnv("adopt_profit", graph=network, prices=Prices(fixed=5.0), normalise=False)
    action = np.eye(9)[0]
    assert play(taxed, action)[0][0] == pytest.approx(play(free, action)[0][0] - 5.0)
    assert play(taxed, taxed.rest)[0] == [0.0] * taxed.problem.horizon


def test_hub_retention_is_the_share_of_hubs_still_active(network):
    env = CascadeEnv("adopt_profit", graph=network, horizon=12, seed=2)
    *_, info = play(env, np.ones(9), seed=2)
    active, left = info["counts"][0, 2], info["counts"][0, 3]
    assert left > 0
    assert info["hub_retention"] == pytest.approx(active / (active + left))


def test_hub_retention_counts_a_hub_once_where_nodes_return(network):
    model = models.sis(recovery=gamma(1.0, 0.5))
    problem = replace(PROBLEMS["epidemic_mitigate"], channels=("isolate",), initial=0.2)
    env = CascadeEnv(problem, graph=network, model=model, r0=3.0, horizon=15)
    *_, info = play(env, env.rest)
    hubs = info["counts"][0].sum()
    assert info["counts"][0, 1] / hubs <= info["hub_retention"] <= 1.0


# ---------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grph": None}, 'unknown option "grph". Did you mean graph?'),
        ({"features": "ful"}, 'unknown feature set "ful". Did you mean full?'),
        ({"features": ("share",)}, 'unknown feature block "share". Did you mean shares?'),
        ({"observer": "tier"}, 'unknown observer "tier". Did you mean tiers?'),
        ({"channels": "seeds"}, 'unknown channel "seeds". Did you mean seed?'),
        ({"channels": "seed seed"}, "one of them appears twice"),
        ({"channels": "boost"}, "adopt_profit starts with nobody active, so its channels must include seed"),
        ({"horizon": 0}, "horizon 0 must be a whole number of at least 1"),
        ({"delta": 0.0}, "delta 0.0 must be a finite number above 0"),
        ({"budget": -1.0}, "budget -1.0 must be a number, finite and not negative"),
        ({"seed": -1}, "seed -1 must be a whole number from 0"),
        ({"beta": -0.1}, "beta -0.1 must be a number, finite and not negative"),
        ({"r0": 1.5, "beta": 0.1}, "say the same thing twice"),
        ({"render_mode": "human"}, 'unknown render_mode "human"; allowed: rgb_array'),
        ({"graph": "no-such-network"}, "no-such-network"),
    ],
)
def test_bad_options_are_one_line(options, message):
    with pytest.raises(TwinloomError, match=re.escape(message)) as caught:
        CascadeEnv("adopt_profit", **options)
    assert "\n" not in str(caught.value)


def test_unknown_problem():
    with pytest.raises(TwinloomError, match=re.escape('unknown problem "adopt_proft". Did you mean adopt_profit?')):
        CascadeEnv("cascade/adopt_proft-v0")


def test_channels_that_a_model_has_no_step_for(network):
    for channel, model in (("retain", models.si()), ("vaccinate", models.sis()), ("winback", models.sir())):
        problem = replace(PROBLEMS["epidemic_mitigate"], channels=(channel,))
        with pytest.raises(TwinloomError, match=f"channel {channel} "):
            CascadeEnv(problem, graph=network, model=model, beta=0.1)


def test_bad_actions(network):
    env = CascadeEnv("adopt_profit", graph=network)
    env.reset(seed=0)
    with pytest.raises(TwinloomError, match="actions have shape \\(1, 3\\); \\(1, 9\\) is needed"):
        env.step(np.zeros(3))
    with pytest.raises(TwinloomError, match="not a finite number"):
        env.step(np.full(9, np.nan))


def test_reset_options_change_graph_and_parameters(network):
    env = CascadeEnv("adopt_profit", graph=network)
    bigger = barabasi_albert(400, 3, np.random.default_rng(1))
    _, info = env.reset(seed=0, options={"graph": bigger, "params": {"r0": 2.0}})
    assert info["counts"].sum() == 400
    assert env.episodes.arena().scenario.r0 == pytest.approx(2.0, rel=1e-4)
    env.reset()
    assert env.episodes.arena().scenario.graph is bigger
    with pytest.raises(TwinloomError, match='unknown reset option "grph"'):
        env.reset(options={"grph": bigger})
    with pytest.raises(TwinloomError, match='unknown parameter "r1"'):
        env.reset(options={"params": {"r1": 2.0}})


def test_every_node_for_a_graph_network(network):
    env = CascadeEnv("epidemic_mitigate", graph=network, observer="graph")
    observation, info = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    assert observation["nodes"].shape == (200, 6)
    np.testing.assert_array_equal(observation["nodes"][:, :4].sum(axis=0), info["counts"].sum(axis=0))
    large = barabasi_albert(5001, 2, np.random.default_rng(0))
    with pytest.raises(TwinloomError, match='observer "graph" takes at most 5,000 nodes, this graph has 5,001'):
        CascadeEnv("epidemic_mitigate", graph=large, observer="graph")


def test_the_process_may_be_another_one(network):
    env = CascadeEnv("adopt_profit", graph=network, model=models.adopt(churn=exponential(3.0)), tiers="pop2")
    observation, _ = env.reset(seed=0)
    assert env.action_names[:2] == ["seed/tier0", "seed/tier1"]
    assert len(observation) == 2 * (4 + 6 + 3 + 2) + 4
