"""Batches of environments: each has a scene of its own, the same whatever the size of the batch."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import sim
from sim.vector import environment_seed
from twinloom.errors import TwinloomError, UnknownNameError


def test_scenes_of_a_batch():
    envs = sim.make_vec("bimanual/click_bell", 3, obs_mode="rgb", cameras=("head",), size=(48, 32))
    try:
        assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
        observation, _ = envs.reset()
        assert observation["state"].shape == (3, 16)
        images = observation["images.head"].copy()
        assert images.shape == (3, 32, 48, 3)
        assert len({image.tobytes() for image in images}) == 3  # nobody gave a seed: three scenes
        observation, _ = envs.reset(seed=np.int64(7))
        action = np.tile(envs.single_action_space.low, (3, 1))
        after, rewards, *_ = envs.step(action)
        assert rewards.shape == (3,)
        images, states = observation["images.head"].copy(), after["state"].copy()
    finally:
        envs.close()
    alone = sim.make("click_bell", obs_mode="rgb", cameras=("head",), size=(48, 32))
    observation, _ = alone.reset(seed=environment_seed(7, 2))
    np.testing.assert_array_equal(observation["images.head"], images[2])
    np.testing.assert_array_equal(alone.step(action[2])[0]["state"], states[2])
    alone.close()


def test_seeds_of_runs_do_not_overlap():
    assert len({environment_seed(seed, index) for seed in range(50) for index in range(50)}) == 2500


def test_a_family_with_a_batched_simulator_of_its_own_is_asked():
    envs = sim.make_vec("cascade/adopt_profit", 2)
    assert type(envs.unwrapped).__name__ == "CascadeVecEnv"
    envs.close()


def test_what_cannot_be_is_said():
    with pytest.raises(UnknownNameError, match="Did you mean click_bell"):
        sim.make_vec("bimanual/clik_bell", 2)
    with pytest.raises(TwinloomError, match="num_envs 0 must be at least 1"):
        sim.make_vec("click_bell", 0)
    with pytest.raises(TwinloomError, match="one of: NextStep, SameStep, Disabled"):
        sim.make_vec("click_bell", 2, autoreset="never")


def test_stable_baselines_trains_on_it():
    sb3 = pytest.importorskip("stable_baselines3")
    env = sim.make("click_bell", control_mode="joint_delta", normalized=True, reward="dense")
    model = sb3.PPO("MultiInputPolicy", env, n_steps=16, batch_size=16, n_epochs=1, device="cpu", seed=0)
    model.learn(32)
    assert model.num_timesteps == 32
    action, _ = model.predict(env.reset(seed=0)[0])
    assert action in env.action_space
