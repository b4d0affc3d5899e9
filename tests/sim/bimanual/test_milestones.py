"""Dense rewards: milestones are read off the expert, cost nothing of the episode, and rise on the way to success."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import sim.envs
from sim.bimanual.episode import prepare
from sim.bimanual.milestones import Progress
from sim.bimanual.rollout import expert_rollout
from sim.bimanual.task import task_names
from twinloom.seeding import episode_seed

ROBOT = "franka-panda"
QUICK = ("click_bell", "move_can_pot", "open_laptop")


def test_the_script_of_a_task_is_its_milestones():
    progress = Progress(prepare("place_can_basket", ROBOT, episode_seed(0, "place_can_basket", 0), visuals="simple"))
    names = [one.name for one in progress.milestones]
    hands = [name for name in names if "hand at" in name]
    assert [name.split()[-1] for name in hands] == ["can", "basket"]
    assert hands[0].split()[0] != hands[1].split()[0]
    assert "can at its goal" in names
    assert "can lifted" in names


def test_a_rehearsal_leaves_the_episode_alone():
    prepared = prepare("stack_bowls_two", ROBOT, episode_seed(0, "stack_bowls_two", 0), visuals="simple")
    sim, before = prepared.sim, prepared.sim.data.qpos.copy()
    poses = {name: actor.pose() for name, actor in sim.actors.items()}
    revision, task = sim.revision, dict(vars(prepared.task))
    Progress(prepared)()
    np.testing.assert_array_equal(sim.data.qpos, before)
    assert (sim.revision, vars(prepared.task)) == (revision, task)
    for name, actor in sim.actors.items():
        np.testing.assert_array_equal(actor.pose(), poses[name])


@pytest.mark.parametrize(
    "task", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in task_names()]
)
def test_an_expert_earns_more_and_more(task):
    rollout = expert_rollout(task, ROBOT, episode_seed(0, task, 0), visuals="simple")
    if not rollout.success:
        pytest.skip(f"the first attempt of the expert fails: {rollout.detail}")
    env = gymnasium.make(f"bimanual/{task}-v0", reward="dense").unwrapped
    env.reset(seed=0)
    rewards = []
    for action in rollout.arrays["action"]:
        _, reward, terminated, _, _ = env.step(action)
        rewards.append(reward)
        if terminated:
            break
    earned = np.array(rewards)
    assert (earned[-1], terminated) == (1.0, True)
    assert earned.min() >= 0
    assert earned[:-1].max() < 1
    assert earned[len(earned) // 2 :].mean() > earned[: len(earned) // 2].mean() + 0.1
    assert (np.maximum.accumulate(earned) - earned).max() < 0.1  # it falls back by little


def test_doing_nothing_earns_little_and_nothing_more():
    env = gymnasium.make("bimanual/move_can_pot-v0", reward="dense").unwrapped
    env.reset(seed=0)
    hold = env.prepared.sim.action.astype(np.float32)
    rewards = [env.step(hold)[1] for _ in range(20)]
    assert max(rewards) < 0.1
    assert max(rewards) - min(rewards) < 0.01


assert sim.envs  # importing it registers the ids
