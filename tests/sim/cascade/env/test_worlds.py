"""Four worlds, one interface."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert
from sim.cascade.env import worlds
from sim.cascade.env.single import CascadeEnv
from sim.cascade.env.vector import CascadeVecEnv
from sim.cascade.problems import PROBLEMS
from sim.cascade.process import laws
from twinloom.errors import TwinloomError


@pytest.fixture(scope="module")
def network():
    return barabasi_albert(300, 3, np.random.default_rng(0))


@pytest.mark.parametrize("name", PROBLEMS)
def test_spaces_are_the_same_in_every_world(name, network):
    environments = [CascadeEnv(name, graph=network, world=world) for world in worlds.WORLDS]
    assert len({str(e.observation_space) for e in environments}) == 1
    assert len({str(e.action_space) for e in environments}) == 1
    assert len({tuple(e.episodes.observer.names()) for e in environments}) == 1


def test_markov_world_is_exponential_and_keeps_what_it_says(network):
    renewal = CascadeEnv("adopt_profit", graph=network).episodes.arena().model
    by_rate, by_spread = (
        CascadeEnv("adopt_profit", graph=network, world="markov", matching=matching).episodes.arena().model
        for matching in worlds.MATCHINGS
    )
    for model in (by_rate, by_spread):
        assert {step.law.kind for step in model.steps} == {laws.EXPONENTIAL}
    assert by_rate.beta == renewal.beta
    assert [s.law.mean for s in by_rate.steps] == pytest.approx([s.law.mean for s in renewal.steps])
    assert by_spread.transmissibility() == pytest.approx(renewal.transmissibility(), rel=1e-4)
    assert by_spread.generation_time() == pytest.approx(renewal.generation_time(), rel=1e-3)
    assert by_rate.transmissibility() != pytest.approx(renewal.transmissibility(), rel=1e-3)


def test_the_mean_field_passes_as_often_along_an_edge_as_its_matching_says(network):
    renewal = CascadeEnv("adopt_profit", graph=network, r0=5.0).episodes.arena().model
    by_rate, by_spread = (
        CascadeEnv("adopt_profit", graph=network, r0=5.0, world="ode", matching=m).episodes.arena().model
        for m in worlds.MATCHINGS
    )
    assert by_rate == renewal
    active = by_spread.step_from(by_spread.infectious).law.mean
    assert by_spread.beta * active == pytest.approx(renewal.transmissibility(), rel=1e-9)
    assert by_spread.beta < 0.95 * renewal.beta


def mean_attack(network, world, replicas=64, initial=3, horizon=60, **options):
    """Mean share of nodes that were ever infected in an uncontrolled epidemic, and its standard error."""
    problem = replace(PROBLEMS["epidemic_mitigate"], initial=initial)
    env = CascadeVecEnv(problem, replicas, graph=network, world=world, horizon=horizon, **options)
    env.reset(seed=1)
    infected, live = np.zeros(replicas), np.ones(replicas, bool)
    for _ in range(horizon):
        _, _, terminated, truncated, info = env.step(np.tile(env.rest, (replicas, 1)))
        infected = np.where(live, network.n - info["counts"][:, :, 0].sum(axis=1), infected)
        live &= ~(terminated | truncated)
    return infected.mean() / network.n, infected.std() / network.n / replicas**0.5


def test_leap_and_exact_worlds_agree_where_steps_are_small(network):
    exact, error = mean_attack(network, "exact")
    leap, other = mean_attack(network, "renewal", substeps=16)
    assert abs(exact - leap) < 4 * (error**2 + other**2) ** 0.5 + 0.02


def test_the_mean_field_world_has_no_noise_and_is_optimistic_about_spread(network):
    exact, error = mean_attack(network, "exact", initial=1, horizon=200, r0=2.0)
    mean_field, spread = mean_attack(network, "ode", replicas=2, initial=1, horizon=200, r0=2.0)
    assert spread == 0.0
    assert mean_field > exact + 4 * error  # from one seed most cascades die out; an equation never does


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"world": "exakt"}, 'unknown world "exakt". Did you mean exact?'),
        ({"matching": "rates"}, 'unknown matching "rates". Did you mean rate?'),
        ({"world": "ode", "threads": 2}, "the ode world has no engine settings \\(threads\\)"),
    ],
)
def test_worlds_that_do_not_exist(options, message):
    with pytest.raises(TwinloomError, match=message):
        CascadeEnv("escape", **options)
