"""The Gymnasium environments: the checker passes, modes have the promised observations, bad input is explained."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import sim.envs
from sim.bimanual.env import OBSERVATION_MODES
from sim.bimanual.task import task_names
from twinloom.errors import TwinloomError

TASK = "bimanual/stack_blocks_two-v0"


@pytest.mark.parametrize("task", task_names())
@pytest.mark.filterwarnings("error", "ignore:.*symmetric and normalized:UserWarning")  # joints are in radians here
def test_checker_passes(task: str) -> None:
    check_env(gymnasium.make(f"bimanual/{task}-v0").unwrapped, skip_render_check=True)


@pytest.mark.parametrize("mode", OBSERVATION_MODES)
def test_observations_belong_to_their_space(mode: str) -> None:
    env = gymnasium.make(TASK, obs_mode=mode, randomize="all", size=(64, 48))
    observation, info = env.reset(seed=0)
    assert observation in env.observation_space
    assert info["is_success"] is False
    assert len(info["task_description"]) > 10
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert observation in env.observation_space
    assert (reward, terminated, truncated) == (0.0, False, False)
    env.close()


def test_hand_actions_move_the_hands() -> None:
    env = gymnasium.make(TASK, control_mode="ee")
    observation, _ = env.reset(seed=1)
    target = observation["ee_pose"].copy()
    target[2] -= 0.1  # left hand down
    target[7] = 0.0  # left gripper closed
    for _ in range(30):
        observation, _, _, _, info = env.step(target)
    assert info["ee_reached"]
    np.testing.assert_allclose(observation["ee_pose"], target, atol=2e-3)


def test_the_expert_recording_succeeds_as_a_policy() -> None:
    from sim.bimanual.rollout import expert_rollout
    from twinloom.seeding import episode_seed

    rollout = expert_rollout("stack_blocks_two", "franka-panda", episode_seed(0, "stack_blocks_two", 0))
    env = gymnasium.make(TASK)
    env.reset(seed=0)
    total = 0.0
    for action in rollout.arrays["action"]:
        _, reward, terminated, _, info = env.step(action)
        total += float(reward)
        if terminated:
            break
    assert total == 1.0
    assert info["is_success"]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"obs_mode": "rbg"}, "allowed: state, rgb"),
        ({"control_mode": "torque"}, "allowed: qpos, ee"),
        ({"robot": "franka-pnada"}, "Did you mean franka-panda"),
        ({"randomize": "lightning"}, "Did you mean lighting"),
        ({"cameras": ("head", "wrist")}, 'unknown camera "wrist"; allowed: head, front'),
        ({"cameras": ("haed",)}, "allowed: head, front"),
        ({"size": (320,)}, "must be .width, height. in pixels"),
        ({"size": (320, 0)}, "must be .width, height. in pixels"),
        ({"fps": 30}, "allowed: 1, 2, 5, 10, 25, 50"),
    ],
)
def test_bad_arguments_are_explained(bad: dict, words: str) -> None:
    with pytest.raises(TwinloomError, match=words):
        gymnasium.make(TASK, **bad)


def test_non_finite_actions_stop_at_the_border() -> None:
    env = gymnasium.make(TASK)
    env.reset(seed=0)
    action = env.action_space.sample()
    action[3] = np.nan
    with pytest.raises(ValueError, match="finite"):
        env.step(action)


@pytest.mark.parametrize("bad", [0.0, np.zeros(1), np.zeros(15), np.zeros((1, 16))])
@pytest.mark.parametrize("mode", ["qpos", "ee"])
def test_actions_of_another_shape_are_refused(mode, bad) -> None:
    env = gymnasium.make(TASK, control_mode=mode).unwrapped
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"an action has shape \(16,\)"):
        env.step(bad)


def test_the_description_is_the_instruction_that_datagen_records() -> None:
    from sim.bimanual.rollout import expert_rollout
    from twinloom.seeding import episode_seed

    env = gymnasium.make(TASK, randomize="language")
    for episode in range(2):
        _, info = env.reset(seed=4) if episode == 0 else env.reset()
        seed = episode_seed(4, "stack_blocks_two", episode)
        rollout = expert_rollout("stack_blocks_two", "franka-panda", seed, frozenset({"language"}), visuals="simple")
        assert info["task_description"] == rollout.instruction


def test_broken_physics_end_the_episode(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file where it stands
    env = gymnasium.make(TASK).unwrapped
    env.reset(seed=0)
    env._prepared.sim.data.qvel[:] = 1e12
    _, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert (reward, terminated, truncated, info["diverged"]) == (0.0, False, True, True)
    env.reset()
    assert not env.step(env.action_space.sample())[3]


assert sim.envs  # importing it registers the ids
