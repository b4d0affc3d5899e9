"""The vector environment is the scalar one, many times."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import sim.envs  # noqa: F401  (registers the ids)
from assets.networks.generate import barabasi_albert
from sim.cascade.env.scenarios import GraphRange
from sim.cascade.env.single import CascadeEnv
from sim.cascade.env.vector import CascadeVecEnv
from twinloom.errors import TwinloomError

REPLICAS = 3


@pytest.fixture(scope="module")
def network():
    return barabasi_albert(150, 3, np.random.default_rng(0))


def compare(problem, steps, scalar=None, **options):
    """Random actions in both forms with the same keys; returns the number of episodes that ended."""
    vector = CascadeVecEnv(problem, REPLICAS, **options)
    singles = [CascadeEnv(problem, **(options | (scalar or {}))) for _ in range(REPLICAS)]
    rng, ends = np.random.default_rng(0), 0
    ended = [False] * REPLICAS
    observations, infos = vector.reset(seed=7)
    for r, env in enumerate(singles):
        observation, info = env.reset(seed=7 + r, options={"scenario_seed": 7})
        assert np.array_equal(observation, observations[r])
        assert np.array_equal(info["counts"], infos["counts"][r])
    for _ in range(steps):
        actions = rng.random((REPLICAS, len(vector.action_names)), np.float32)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        for r, env in enumerate(singles):
            if ended[r]:
                observation, info = env.reset()
                reward, over, late = 0.0, False, False
            else:
                observation, reward, over, late, info = env.step(actions[r])
            ended[r] = over or late
            ends += ended[r]
            assert (reward, over, late) == (rewards[r], terminated[r], truncated[r])
            assert np.array_equal(observation, observations[r])
            for key, value in info.items():
                assert np.array_equal(value, infos[key][r], equal_nan=True), key
    return ends


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        ("adopt_profit", {}),
        ("adopt_profit", {"budget": 0.1, "observer": "oracle", "channels": "seed,price,boost"}),
        ("epidemic_mitigate", {"horizon": 20, "observer": "global", "features": "basic"}),
        ("epidemic_mitigate", {"horizon": 20, "budget": 0.05, "parameters": True}),
        ("epidemic_mitigate", {"world": "renewal", "horizon": 20}),
        ("adopt_profit", {"world": "markov", "matching": "transmissibility"}),
        ("adopt_profit", {"world": "ode", "horizon": 10}),
        ("escape", {}),
    ],
)
def test_vector_equals_scalar_bit_for_bit(problem, options, network):
    assert compare(problem, 60, graph=network, **options) >= REPLICAS


@pytest.mark.parametrize("world", ["exact", "renewal"])
def test_vector_equals_scalar_on_drawn_graphs_though_episodes_end_at_different_times(world):
    """Replicas of R = 3 change their graph after every episode if a range says every 4."""
    ranged, single = GraphRange(n=(60, 120), m=(2, 4), every=4), GraphRange(n=(60, 120), m=(2, 4), every=1)
    options = {"world": world, "horizon": 40, "r0": 0.8}
    assert compare("epidemic_mitigate", 120, {"graph": single}, graph=ranged, **options) > 6


def test_many_replicas_on_drawn_graphs_of_very_different_size():
    env = CascadeVecEnv("adopt_profit", 16, graph=GraphRange(n=(40, 900), m=(2, 6)), seed=3, horizon=8, budget=0.1)
    rng = np.random.default_rng(0)
    env.reset(seed=3)
    sizes = set()
    for _ in range(40):
        _, rewards, _, _, info = env.step(rng.random((16, 9)))
        sizes |= set(info["counts"].sum(axis=(1, 2)).tolist())
        assert np.isfinite(rewards).all()
    assert len(sizes) >= 4


def test_autoreset_is_announced_and_done_in_the_next_step(network):
    env = gymnasium.make_vec("cascade/adopt_profit-v0", 2, graph=network, horizon=3)
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    first, _ = env.reset(seed=0)
    action = np.ones((2, 9), np.float32)
    for _ in range(3):
        last, *_, truncated, _ = env.step(action)
    assert truncated.all()
    observation, rewards, terminated, truncated, info = env.step(action)
    assert not np.stack((rewards, terminated, truncated)).any()
    assert not np.array_equal(observation, last)
    assert np.array_equal(observation, first)  # everybody unaware again
    assert np.array_equal(info["action_applied"], np.zeros((2, 9)))
    assert info["spend"].sum() == 0


def test_infos_satisfy_wrappers_of_gymnasium(network):
    env = gymnasium.wrappers.vector.DictInfoToList(CascadeVecEnv("adopt_profit", 2, graph=network))
    env.reset(seed=0)
    *_, infos = env.step(np.ones((2, 9)))
    assert [info["counts"].shape for info in infos] == [(3, 4)] * 2


def test_tensors_hold_the_same_numbers(network):
    torch = pytest.importorskip("torch")
    plain = CascadeVecEnv("adopt_profit", 2, graph=network)
    env = CascadeVecEnv("adopt_profit", 2, graph=network, tensors=True)
    actions = torch.full((2, 9), 0.7)
    expected, found = plain.reset(seed=0)[0], env.reset(seed=0)[0]
    assert torch.equal(found, torch.from_numpy(expected))
    for theirs, ours in zip(env.step(actions)[:4], plain.step(actions.numpy())[:4], strict=True):
        assert isinstance(theirs, torch.Tensor)
        assert np.array_equal(theirs.numpy(), ours)


def test_a_replica_does_not_depend_on_how_many_there_are(network):
    few, many = (CascadeVecEnv("epidemic_mitigate", r, graph=network) for r in (2, 5))
    few.reset(seed=11)
    many.reset(seed=[11, 12, 90, 91, 92])
    for _ in range(30):
        a = few.step(np.full((2, 12), 0.2))
        b = many.step(np.full((5, 12), 0.2))
        for x, y in zip(a[:4], b[:4], strict=True):
            assert np.array_equal(x, y[:2])


def test_seeds_may_be_numbers_of_numpy_and_nodes_may_be_observed(network):
    env = CascadeVecEnv("epidemic_mitigate", 2, graph=network, observer="graph", tensors=False)
    observations, infos = env.reset(seed=np.int64(3))
    again, _ = env.reset(seed=np.array([3, 4]))
    assert env.observation_space.contains(observations)
    assert np.array_equal(observations["nodes"], again["nodes"])
    np.testing.assert_array_equal(observations["nodes"][:, :, :4].sum(axis=1), infos["counts"].sum(axis=1))
    observations, *_ = env.step(np.zeros((2, 12)))
    assert env.observation_space.contains(observations)


@pytest.mark.parametrize("number", [0, 2.5])
def test_numbers_of_replicas_that_cannot_be(number):
    with pytest.raises(TwinloomError, match="must be a whole number of at least 1"):
        CascadeVecEnv("escape", number)


def test_seeds_that_cannot_be(network):
    env = CascadeVecEnv("escape", 2, graph=network)
    with pytest.raises(TwinloomError, match="or 2 of them"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(TwinloomError, match="reset"):
        env.step(np.zeros((2, 1)))
