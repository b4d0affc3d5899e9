"""The adapter: resets at once, says what ended an episode, maps actions; normalisation keeps zero rewards zero."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

from policies.rl.vecenv import CLIP, STD_FLOOR, GymnasiumVecEnv, Normalise
from tests.policies.rl.toys import Clock, Short, vector
from twinloom.errors import TwinloomError


def play(env: GymnasiumVecEnv, steps: int) -> list:
    env.reset()
    return [env.step(np.zeros((env.num_envs, 2), np.float32)) for _ in range(steps)]


def test_episodes_restart_in_the_step_that_ends_them():
    steps = play(GymnasiumVecEnv(vector([Clock, Short])), 6)
    assert [list(obs[:, 0]) for obs, *_ in steps] == [[1, 1], [2, 2], [3, 0], [4, 1], [0, 2], [1, 0]]
    assert [list(done) for _, _, done, _ in steps] == [
        [False, False],
        [False, False],
        [False, True],
        [False, False],
        [True, False],
        [False, True],
    ]


def test_infos_tell_time_limits_from_ends():
    steps = play(GymnasiumVecEnv(vector([Clock, Short])), 5)
    limit, end = steps[4][3][0], steps[2][3][1]
    assert limit["TimeLimit.truncated"] is True
    assert limit["terminal_observation"] == 5
    assert limit["episode"] == {"r": 2.5, "l": 5}
    assert end["TimeLimit.truncated"] is False
    assert end["terminal_observation"] == 3
    assert steps[0][3] == [{}, {}]


def test_actions_are_mapped_to_the_bounds_and_clipped():
    env = GymnasiumVecEnv(vector([Clock]))
    env.reset()
    for given, applied in ([-1, -1], [0, -2]), ([0, 0], [0.5, 2]), ([1, 3], [1, 6]):
        env.step(np.array([given], np.float32))
        np.testing.assert_allclose(env.env.envs[0].action, applied, rtol=1e-6)


def test_environments_that_reset_by_themselves_are_refused():
    with pytest.raises(TwinloomError, match="DISABLED"):
        GymnasiumVecEnv(SyncVectorEnv([Clock]))


def test_zero_reward_stays_zero_and_the_scale_is_that_of_the_discounted_return():
    env = Normalise(GymnasiumVecEnv(vector([Clock] * 4)), 0.9)
    env.reset()
    rng, returns, seen = np.random.default_rng(0), np.zeros(4), []
    for _ in range(200):
        action = rng.uniform(-1, 1, (4, 2)).astype(np.float32)
        _, _, done, _ = env.step(action)
        returns = 0.9 * returns + (action[:, 0] + 1) / 2
        seen.append(returns.copy())
        returns[done] = 0
    assert env.return_std == pytest.approx(np.std(seen), rel=1e-3)
    np.testing.assert_array_equal(env.normalize_reward(np.zeros(3)), 0)


def test_features_that_do_not_vary_stay_small():
    env = Normalise(GymnasiumVecEnv(vector([Clock])), 0.9)
    env.obs_rms.mean, env.obs_rms.var = np.array([3.0]), np.array([0.0])
    np.testing.assert_allclose(env.normalize_obs(np.array([[3.0 + STD_FLOOR]])), 1.0, rtol=1e-5)
    assert env.normalize_obs(np.array([[1e6]])) == CLIP


def test_what_training_never_saw_is_taken_for_the_edge_of_what_it_saw():
    env = Normalise(GymnasiumVecEnv(vector([Clock])), 0.9)
    env.reset()
    for _ in range(3):
        env.step(np.zeros((1, 2), np.float32))
    assert (env.low, env.high) == (0.0, 3.0)
    np.testing.assert_array_equal(env.normalize_obs(np.array([[80.0]])), env.normalize_obs(np.array([[3.0]])))
    assert env.normalize_obs(np.array([[1.0]])) < env.normalize_obs(np.array([[2.0]]))


def test_statistics_survive_a_round_trip():
    one, two = (Normalise(GymnasiumVecEnv(vector([Clock] * 2)), 0.9) for _ in range(2))
    one.reset()
    for _ in range(7):
        one.step(np.ones((2, 2), np.float32))
    two.restore(one.statistics())
    x = np.array([[2.5], [9.0]])
    np.testing.assert_array_equal(one.normalize_obs(x), two.normalize_obs(x))
    assert one.return_std == two.return_std
