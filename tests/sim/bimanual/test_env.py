"""The Gymnasium environments: the checker passes, modes have the promised observations, bad input is explained."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from scipy.spatial.transform import Rotation

import sim.envs
from sim.bimanual.control import CONTROL_MODES, InvalidActionError
from sim.bimanual.env import OBSERVATION_MODES
from sim.bimanual.task import task_names
from sim.bimanual.viewer import Page
from twinloom.errors import TwinloomError

TASK = "bimanual/stack_blocks_two-v0"
QUICK = ("click_bell", "handover_mic", "open_laptop", "put_object_cabinet", "stack_bowls_two")


@pytest.mark.parametrize(
    "task", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in task_names()]
)
@pytest.mark.filterwarnings("error")
def test_checker_passes_silently(task: str) -> None:
    env = gymnasium.make(f"bimanual/{task}-v0", normalized=True, reward="dense").unwrapped
    check_env(env, skip_render_check=True)
    assert env._progress.milestones


@pytest.mark.parametrize("mode", CONTROL_MODES)
@pytest.mark.filterwarnings("error", "ignore:.*symmetric and normalized:UserWarning")  # joints are in radians here
def test_checker_passes_in_every_control_mode(mode: str) -> None:
    check_env(gymnasium.make(TASK, control_mode=mode, reward="dense").unwrapped, skip_render_check=True)


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


def test_keys_are_the_names_of_datasets() -> None:
    env = gymnasium.make(TASK, obs_mode="rgb", cameras=("head",), size=64).unwrapped
    observation, _ = env.reset(seed=0)
    assert set(observation) == {"state", "ee_pose", "images.head"}
    assert set(env.observe()) == {"timestamp", *(f"observation.{name}" for name in observation)}
    assert observation["images.head"].shape == (64, 64, 3)
    env.close()


def test_sizes_may_be_numbers_of_any_kind_and_differ() -> None:
    size = {"head": np.int64(32), "left_wrist": (np.int32(48), 16)}
    env = gymnasium.make(TASK, obs_mode="rgb", cameras=("head", "left_wrist"), size=size, fps=np.int64(25))
    shapes = {name: space.shape for name, space in env.observation_space.items() if name.startswith("images")}
    assert shapes == {"images.head": (32, 32, 3), "images.left_wrist": (16, 48, 3)}
    observation, _ = env.reset(seed=np.int64(3))
    assert observation in env.observation_space
    env.close()


def test_the_spec_says_how_long_an_episode_may_be() -> None:
    for fps, steps in ((25, 1200), (50, 2400)):
        env = gymnasium.make(TASK, fps=fps)
        assert env.spec.max_episode_steps == env.unwrapped.spec.max_episode_steps == steps
        assert env.unwrapped.kind.limit_steps(fps) == steps
    assert gymnasium.make(env.spec).spec.max_episode_steps == 2400


def test_without_a_seed_no_two_are_alike() -> None:
    def heads(env) -> list[np.ndarray]:
        return [actor.position for actor in env.unwrapped.prepared.sim.actors.values()]

    first, second = gymnasium.make(TASK), gymnasium.make(TASK)
    first.reset()
    second.reset()
    assert not np.allclose(heads(first), heads(second))
    before = heads(first)
    first.reset()
    assert not np.allclose(heads(first), before)
    first.reset(seed=5)
    second.reset(seed=4)
    second.reset(seed=5)
    np.testing.assert_array_equal(heads(first), heads(second))
    first.reset()  # goes on with seed 5
    second.reset(seed=5, options={"episode": 1})
    np.testing.assert_array_equal(heads(first), heads(second))


def test_hand_actions_move_the_hands() -> None:
    env = gymnasium.make(TASK, control_mode="ee_pose")
    observation, _ = env.reset(seed=1)
    target = observation["ee_pose"].copy()
    target[2] -= 0.1  # left hand down
    target[7] = 0.0  # left gripper closed
    for _ in range(30):
        observation, _, _, _, info = env.step(target)
    assert info["ee_reached"]
    np.testing.assert_allclose(observation["ee_pose"], target, atol=2e-3)


@pytest.mark.parametrize("normalized", [False, True])
def test_hands_move_by_steps(normalized: bool) -> None:
    env = gymnasium.make(TASK, control_mode="ee_delta", normalized=normalized)
    observation, _ = env.reset(seed=1)
    before, action = observation["ee_pose"].copy(), np.zeros(14, np.float32)
    action[[6, 13]] = 1.0
    action[2], action[7 + 5] = (-0.5, 0.5) if normalized else (-0.01, 0.04)  # left down; right turns about the vertical
    for _ in range(10):
        observation, _, _, _, info = env.step(action)
    action[[2, 12]] = 0.0
    for _ in range(10):
        observation, _, _, _, info = env.step(action)
    assert info["ee_reached"]
    now = observation["ee_pose"]
    np.testing.assert_allclose(now[:3] - before[:3], [0, 0, -0.1], atol=3e-3)
    turn = (
        Rotation.from_quat(now[11:15], scalar_first=True) * Rotation.from_quat(before[11:15], scalar_first=True).inv()
    )
    np.testing.assert_allclose(turn.as_rotvec(), [0, 0, 0.4], atol=0.01)


@pytest.mark.parametrize("normalized", [False, True])
def test_joints_move_by_steps(normalized: bool) -> None:
    env = gymnasium.make(TASK, control_mode="joint_delta", normalized=normalized)
    env.reset(seed=1)
    before, action = env.unwrapped.prepared.sim.action.copy(), np.zeros(16, np.float32)
    action[[7, 15]] = 1.0
    action[0] = 0.5 if normalized else 0.04
    for _ in range(5):
        env.step(action)
    moved = env.unwrapped.prepared.sim.action - before
    np.testing.assert_allclose(moved, 0.2 * np.eye(16)[0], atol=1e-6)
    env.step(100 * action)  # as far as the mode goes
    assert env.unwrapped.prepared.sim.action[0] - before[0] == pytest.approx(0.28)


def test_normalized_joint_targets_are_the_same_ones() -> None:
    plain, scaled = (gymnasium.make(TASK, normalized=n) for n in (False, True))
    for env in (plain, scaled):
        env.reset(seed=2)
    action = plain.unwrapped.prepared.sim.action * 0.9
    low, high = plain.action_space.low, plain.action_space.high
    plain.step(action)
    scaled.step((action - low) / (high - low) * 2 - 1)
    np.testing.assert_allclose(scaled.unwrapped.prepared.sim.action, plain.unwrapped.prepared.sim.action, atol=1e-6)


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
        ({"control_mode": "torque"}, "allowed: joint_pos, joint_delta, ee_pose, ee_delta"),
        ({"reward": "shaped"}, "allowed: sparse, dense"),
        ({"render_mode": "ansi"}, "allowed: None, rgb_array, human"),
        ({"robot": "franka-pnada"}, "Did you mean franka-panda"),
        ({"randomize": "lightning"}, "Did you mean lighting"),
        ({"cameras": ("head", "wrist")}, 'unknown camera "wrist"; allowed: head, front'),
        ({"cameras": ("haed",)}, "allowed: head, front"),
        ({"size": (320,)}, "must be .width, height. in pixels"),
        ({"size": (320, 0)}, "must be .width, height. in pixels"),
        ({"size": 0}, "must be .width, height. in pixels"),
        ({"size": (320.5, 240)}, "must be .width, height. in pixels"),
        ({"fps": 30}, "allowed: 1, 2, 5, 10, 25, 50"),
    ],
)
def test_bad_arguments_are_explained(bad: dict, words: str) -> None:
    with pytest.raises(TwinloomError, match=words):
        gymnasium.make(TASK, **bad)


BAD = (0.0, np.zeros(1), np.zeros(99), np.zeros((1, 16)), "left", None, np.full(16, np.nan), np.full(14, np.inf))


@pytest.mark.parametrize("bad", BAD, ids=repr)
@pytest.mark.parametrize("mode", CONTROL_MODES)
def test_bad_actions_are_refused_in_one_way(mode, bad) -> None:
    env = gymnasium.make(TASK, control_mode=mode).unwrapped
    env._prepared = SimpleNamespace(sim=None)  # nothing of the scene is asked or changed
    with pytest.raises(InvalidActionError, match="an action"):
        env.step(bad)


def test_a_quaternion_of_zeros_is_refused_too() -> None:
    env = gymnasium.make(TASK, control_mode="ee_pose")
    env.reset(seed=0)
    with pytest.raises(InvalidActionError, match="left hand's quaternion is zero"):
        env.step(np.zeros(16, np.float32))


def test_human_mode_shows_every_step_or_says_why_not(monkeypatch) -> None:
    pytest.importorskip("viser")
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(TwinloomError, match=f"port {port} cannot be used"):
            gymnasium.make(TASK, render_mode="human", port=port)
    shown = []
    monkeypatch.setattr(Page, "show", lambda page, data: shown.append(data.time))
    env = gymnasium.make(TASK, render_mode="human", port=port)
    env.reset(seed=0)
    env.step(env.unwrapped.prepared.sim.action.astype(np.float32))
    assert shown == pytest.approx([0.0, 0.04])
    assert env.render() is None
    env.close()


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
    env.prepared.sim.data.qvel[:] = 1e12
    _, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert (reward, terminated, truncated, info["diverged"]) == (0.0, False, True, True)
    env.reset()
    assert not env.step(env.action_space.sample())[3]


assert sim.envs  # importing it registers the ids
