"""Settings of problems, options and resets: what cannot be is refused in one line, and then nothing has changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import gymnasium
import numpy as np
import pytest

import sim.envs  # noqa: F401  (registers the ids)
from assets.networks.generate import barabasi_albert, star
from assets.networks.tiers import cut
from sim.cascade.env import worlds
from sim.cascade.env.options import EnvConfig, parse_reset
from sim.cascade.env.scenarios import GraphRange
from sim.cascade.env.single import CascadeEnv
from sim.cascade.env.vector import CascadeVecEnv
from sim.cascade.problems import PROBLEMS, Prices
from twinloom.errors import TwinloomError

GRAPH = barabasi_albert(120, 3, np.random.default_rng(0))
OTHER = barabasi_albert(200, 3, np.random.default_rng(1))


def refused(call, *fragments: str) -> None:
    with pytest.raises(TwinloomError) as caught:
        call()
    assert "\n" not in str(caught.value)
    for fragment in fragments:
        assert fragment in str(caught.value)


# ------------------------------------------------------------------------ types

WRONG = {
    "delta": "1",
    "budget": "a",
    "beta": "a",
    "r0": "a",
    "horizon": 2.0,
    "channels": 5,
    "features": 5,
    "observer": [],
    "world": [],
    "matching": [],
    "r0_by": [],
    "backend": [],
    "device": 0,
    "threads": 1.5,
    "substeps": True,
    "normalise": "no",
    "parameters": "no",
    "prices": {},
    "model": 5,
    "seed": True,
}


@pytest.mark.parametrize("name", WRONG)
def test_options_of_another_type(name):
    refused(lambda: CascadeEnv("adopt_profit", graph=GRAPH, **{name: WRONG[name]}), f"{name} ", " must be ")


@pytest.mark.parametrize("value", [["shares", 5], [[1]], [None]])
def test_names_among_which_something_is_none(value):
    refused(lambda: EnvConfig(features=value), "features", "must be names")
    refused(lambda: EnvConfig(channels=value), "channels", "must be names")


def test_numbers_of_numpy_and_lists_are_as_good():
    numpy: dict[str, Any] = {"horizon": np.int32(3), "delta": np.float32(0.5), "threads": np.int64(1)}
    options = EnvConfig(**numpy, beta=1, normalise=cast(Any, np.bool_(True)), features=["shares"])
    assert type(options.horizon) is int


@pytest.mark.parametrize(
    "change", [{"price": "a"}, {"cap": None}, {"fixed": True}, {"price_range": 1.0}, {"price_range": (1.0,)}]
)
def test_prices_of_another_type(change):
    refused(lambda: Prices(**change), f"prices: {next(iter(change))} ")


@pytest.mark.parametrize(
    "change",
    [
        {"reward": "x"},
        {"channels": ("x",)},
        {"channels": "seed"},
        {"shared": ("x",)},
        {"r0": "a"},
        {"horizon": 2.5},
        {"delta": "1"},
        {"initial": None},
        {"seed_limit": "all"},
        {"commit": "no"},
        {"prices": 1},
        {"strengths": {"boost": "a"}},
        {"strengths": 3},
        {"model": None},
    ],
)
def test_problems_with_fields_of_another_type(change):
    refused(lambda: replace(PROBLEMS["adopt_profit"], **change), "problem adopt_profit: ")


@pytest.mark.parametrize(
    "options",
    [
        5,
        {"params": 5},
        {"params": None},
        {"params": {"r0": "a"}},
        {"params": {"beta": "x"}},
        {"params": {"beta": float("nan")}},
        {"params": {"r1": 2.0}},
        {"scenario_seed": "a"},
        {1: 2},
    ],
)
def test_options_of_a_reset_that_cannot_be(options):
    refused(lambda: parse_reset(options))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "a", 2**64, np.array(3.0), np.array([[1, 2]]), [1, "x"]])
def test_seeds_that_cannot_be(seed):
    for env in (CascadeEnv("escape", graph=GRAPH), CascadeVecEnv("escape", 2, graph=GRAPH)):
        refused(lambda env=env: env.reset(seed=seed), "seed", "must be a whole number from 0 below 2**64")


def test_seeds_of_numpy_are_seeds():
    env = CascadeEnv("epidemic_mitigate", graph=GRAPH)
    first, _ = env.reset(seed=3)
    again, _ = env.reset(seed=np.int64(3))  # type: ignore[arg-type]
    assert np.array_equal(first, again)
    assert env.np_random_seed == 3


@pytest.mark.parametrize("action", ["x", None, 1j, object()])
def test_actions_that_are_no_numbers(action):
    env = CascadeEnv("escape", graph=GRAPH)
    env.reset(seed=0)
    refused(lambda: env.step([action]), "actions are numbers from 0 to 1")


def test_flags_of_vector_environments():
    refused(
        lambda: CascadeVecEnv("escape", 1, tensors=cast(Any, "no"), graph=GRAPH), 'tensors "no" must be True or False'
    )


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        ({"world": "exact", "substeps": 3}, "substeps"),
        ({"world": "markov", "substeps": 3}, "substeps"),
        ({"world": "exact", "device": "cuda"}, "device"),
        ({"world": "renewal", "device": "cuda"}, "device"),
        ({"world": "renewal", "backend": "warp", "threads": 2}, "threads"),
        ({"world": "ode", "threads": 1}, "threads"),
    ],
)
def test_settings_that_the_engine_of_a_world_would_ignore(engine, name):
    refused(lambda: CascadeEnv("escape", graph=GRAPH, **engine), name)


def test_settings_that_it_uses():
    for engine in (
        {"world": "exact", "threads": 1, "device": "cpu"},
        {"world": "renewal", "substeps": 9, "threads": 1},
    ):
        CascadeEnv("escape", graph=GRAPH, **engine).reset(seed=0)
    options = EnvConfig(world="renewal", substeps=4, threads=1, backend="numba", observer="oracle").mean_field()
    assert (options.world, options.engine) == ("ode", {})
    assert set(worlds.WORLDS) == {"ode", "markov", "renewal", "exact"}


# ------------------------------------------------------------------------ resets


def test_parameters_of_a_reset_hold_until_others_are_given():
    env = CascadeEnv("adopt_profit", graph=GRAPH, r0=1.5)

    def beta(**reset) -> float:
        env.reset(**reset)
        return env.episodes.arena().model.beta

    nominal = beta(seed=0)
    assert beta(options={"params": {"beta": 0.5}}) == 0.5
    assert beta(options={"graph": OTHER}) == 0.5
    assert beta(seed=1) == 0.5
    same = GraphRange(n=(100, 120), beta=0.0, means=0.0, cv=None)
    assert beta(options={"graph": same}) == 0.5
    assert beta(seed=2) == 0.5
    assert beta(options={"scenario_seed": 9}) == 0.5
    assert beta(options={"graph": GRAPH, "params": {"r0": 1.5}}) == nominal


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"observer": "global", "tiers": lambda g: cut(g, k=2 if g.n < 150 else 4)},
            "this graph changes the actions (to",
        ),
        (
            {"tiers": lambda g: cut(g, k=2 if g.n < 150 else 4), "channels": "price seed"},
            "this graph changes the actions",
        ),
        ({"observer": "graph"}, "this graph changes the shape of observations"),
    ],
)
def test_a_refused_graph_changes_nothing(options, message):
    env = CascadeEnv("adopt_profit", graph=GRAPH, **options)
    plain = CascadeEnv("adopt_profit", graph=GRAPH, **options)
    action = np.full(len(env.action_names), 0.7, np.float32)
    for one in (env, plain):
        one.reset(seed=5)
        one.step(action)
    refused(lambda: env.reset(seed=9, options={"graph": OTHER, "params": {"beta": 0.9}}), message)
    for _ in range(3):
        assert env.step(action)[1] == plain.step(action)[1]
    for (a, _), (b, _) in ((env.reset(), plain.reset()), (env.reset(seed=6), plain.reset(seed=6))):
        np.testing.assert_equal(a, b)
        assert env.observation_space.contains(a)
    assert env.episodes.arena().scenario.graph is GRAPH


def test_other_refused_resets_change_nothing():
    env = CascadeEnv("adopt_profit", graph=GRAPH)
    env.reset(seed=5)
    for options in ({"graph": star(2)}, {"params": {"r0": 1e9}}, {"graph": OTHER, "params": {"r0": 1.0, "beta": 1.0}}):
        refused(lambda options=options: env.reset(seed=1, options=options))
        assert env.episodes.ledger.seed.tolist() == [5]
        assert env.episodes.scenario_seed == 5
        assert env.episodes.arena().scenario.graph is GRAPH


def test_a_drawn_graph_with_other_actions_is_refused():
    graphs = iter([GRAPH, GRAPH, OTHER, OTHER])
    tiers = lambda g: cut(g, k=2 if g.n < 150 else 4)  # noqa: E731
    env = CascadeEnv("escape", graph=lambda rng: next(graphs), tiers=tiers, channels="shield", observer="global")
    env.reset(seed=3)
    for _ in range(19):
        env.reset()
    refused(lambda: env.reset(), "this graph changes the actions")


def test_names_of_what_is_seen_and_done():
    made = gymnasium.make("cascade/adopt_profit-v0", graph=GRAPH)
    names = made.unwrapped.observation_names  # type: ignore[attr-defined]
    assert len(names) == made.observation_space.shape[0]  # type: ignore[index]
    assert (names[0], made.unwrapped.action_names[0]) == ("tier0/share/U", "seed/tier0")  # type: ignore[attr-defined]
    assert CascadeVecEnv("adopt_profit", 2, graph=GRAPH).observation_names == names
