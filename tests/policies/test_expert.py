"""A scripted expert as a policy does what the expert does, waits for a robot that was held, refuses other scenes."""

from __future__ import annotations

import numpy as np
import pytest

import policies
from policies import checkpoint
from policies.agent import PolicyAgent
from policies.base import Policy
from policies.bimanual.evaluate import environment, run_episode, trials
from policies.bimanual.expert import ExpertPolicy
from policies.bimanual.spaces import joint_feature
from sim.bimanual.episode import prepare
from sim.bimanual.rollout import expert_rollout, features
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.features import STATE, TIMESTAMP
from twinloom.seeding import episode_seed

TASK, ROBOT, SEED = "click_bell", "franka-panda", 5


def scene(episode=0, task=TASK):
    return prepare(task, ROBOT, episode_seed(SEED, task, episode), visuals="simple")


@pytest.fixture(scope="module")
def rollout():
    return expert_rollout(TASK, ROBOT, episode_seed(SEED, TASK, 0), visuals="simple")


def watch(prepared):
    actions = []
    prepared.sim.observers.append(lambda sim: actions.append(sim.action.astype(np.float32)))
    return actions


@pytest.mark.parametrize("n_action_steps", [1, 5, 16])
def test_in_step_it_repeats_the_expert_bit_for_bit(rollout, n_action_steps):
    expert = ExpertPolicy(TASK, seed=SEED)
    env = environment(expert.spec, TASK, ROBOT)
    env.reset(seed=SEED)
    actions = watch(env.prepared)
    expert.reset()
    assert run_episode(expert, env, n_action_steps) == ("", len(actions))
    np.testing.assert_array_equal(actions, rollout.arrays["action"][: len(actions)])


def test_every_reset_is_the_next_episode_and_a_record_names_one():
    expert = ExpertPolicy(TASK, seed=SEED, episode=1)
    expert.reset()
    by_number = expert.act({STATE: expert._states[0], TIMESTAMP: 0.0})
    expert.reset()
    other = expert.act({STATE: expert._states[0], TIMESTAMP: 0.0})
    expert.reset(scene(1).record())
    by_record = expert.act({STATE: expert._states[0], TIMESTAMP: 0.0})
    np.testing.assert_array_equal(by_number, by_record)
    assert np.abs(by_number - other).max() > 1e-3


def drive(expert, prepared, held=(), delay=0, rate=1):
    """Act at ``rate`` questions a step; the robot ignores commands of the steps ``held`` and hears them late."""
    sim, start = prepared.sim, 1.7e9
    queue = [sim.action.copy()] * delay
    for step in range(300):
        observation = {STATE: sim.state().astype(np.float32), TIMESTAMP: np.array([start + sim.time])}
        for _ in range(rate):
            chunk = expert.act(observation)
        queue.append(chunk[0])
        command = queue.pop(0)
        sim.step(sim.action if step in held else command)
        if prepared.monitor.success:
            return step
    return None


def test_a_held_robot_finds_its_place_again():
    expert = ExpertPolicy(TASK, seed=SEED)
    expert.reset()
    free, place = drive(expert, scene()), expert.progress
    expert.reset(scene().record())
    held = drive(expert, scene(), held=range(15, 45))
    assert free is not None
    assert held is not None
    assert 20 <= held - free <= 45
    assert abs(expert.progress - place) < 0.03


@pytest.mark.parametrize(("delay", "rate"), [(1, 1), (3, 1), (0, 3)])
def test_late_commands_and_frequent_questions_do_no_harm(delay, rate):
    expert = ExpertPolicy(TASK, seed=SEED)
    expert.reset()
    assert drive(expert, scene(), delay=delay, rate=rate) is not None


def test_time_that_stands_still_or_runs_backwards_does_not_move_the_plan():
    expert = ExpertPolicy(TASK, seed=SEED)
    expert.reset()
    first = expert.act({STATE: expert._states[0], TIMESTAMP: 10.0})
    for now in (10.0, 3.0):
        np.testing.assert_array_equal(expert.act({STATE: expert._states[0], TIMESTAMP: now}), first)


def test_after_its_end_it_stays():
    expert = ExpertPolicy(TASK, seed=SEED)
    expert.reset()
    end = expert._states[-1]
    for step in range(40):
        expert._states[:] = end  # a robot that is never behind
        chunk = expert.act({STATE: end, TIMESTAMP: float(step)})
    np.testing.assert_array_equal(chunk, np.tile(expert._commands[-1], (16, 1)))


def test_success_is_that_of_the_expert_for_two_arms_too():
    for task in ("lift_pot", "handover_block"):
        found = list(trials(ExpertPolicy(task), task, ROBOT, episodes=1, seed=SEED))
        assert expert_rollout(task, ROBOT, episode_seed(SEED, task, 0), visuals="simple").success
        assert [trial.success for trial in found] == [True]


def test_what_it_cannot_do_is_named():
    with pytest.raises(UnknownNameError, match="click_bell"):
        ExpertPolicy("clik_bell")
    with pytest.raises(TwinloomError, match="there are no experts in cascade; families with: bimanual"):
        policies.load("expert:cascade/adopt_profit")
    with pytest.raises(UnknownNameError):
        ExpertPolicy(TASK, robot="franka")
    with pytest.raises(TwinloomError, match="divide"):
        ExpertPolicy(TASK, fps=30)
    expert, record = ExpertPolicy(TASK), scene().record()
    for change, text in (
        ({"task": "lift_pot"}, "task lift_pot, not click_bell"),
        ({"fps": 50}, "fps 50, not 25"),
        ({"scene": {**record["scene"], "placements": []}}, "another version"),
        ({"scene": None}, "damaged"),
    ):
        with pytest.raises(TwinloomError, match=text):
            expert.reset(record | change)
    with pytest.raises(TwinloomError, match="timestamp"):
        expert.act({STATE: np.zeros(16)})


def test_it_is_a_policy_and_survives_a_checkpoint(tmp_path):
    pytest.importorskip("safetensors")
    expert = policies.load("expert:bimanual/click_bell", seed=SEED)
    assert isinstance(expert, Policy)
    folder = checkpoint.save(tmp_path / "x", expert.spec, {})
    again = policies.load(folder, seed=SEED)
    assert again.spec == expert.spec
    observation = {STATE: scene().sim.state(), TIMESTAMP: 0.0}
    np.testing.assert_array_equal(again.act(observation), expert.act(observation))


def test_joints_are_named_as_in_datasets():
    assert joint_feature(ROBOT) == features(scene().sim)["action"]
    with pytest.raises(TwinloomError, match="made for franka-panda"):
        PolicyAgent(ExpertPolicy(TASK), joint_feature("aloha-agilex").names)
