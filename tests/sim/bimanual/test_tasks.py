"""Every task obeys the same contract: it loads, starts unsolved, is done by its expert, repeats exactly."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sim.bimanual.episode import prepare
from sim.bimanual.language import expand, instructions, templates
from sim.bimanual.randomize import AXES
from sim.bimanual.rollout import expert_rollout, replay_rollout
from sim.bimanual.spec import SceneSpec
from sim.bimanual.task import task_class, task_names
from twinloom.seeding import episode_seed

ROBOT = "franka-panda"
ALL = frozenset(AXES)
TASKS = task_names()


def first_success(task: str, axes: frozenset[str], tries: int = 3):
    """The first of a few attempts at episode 0 that succeeds, with its seed."""
    for attempt in range(tries):
        seed = episode_seed(0, task, 0, attempt)
        rollout = expert_rollout(task, ROBOT, seed, axes, visuals="simple")
        if rollout.success:
            return rollout, seed
    pytest.fail(f"{task}: no success in {tries} attempts; the last one: {rollout.detail}")


@pytest.mark.parametrize("task", TASKS)
def test_expert_succeeds_and_the_record_repeats_it_bit_for_bit(task: str) -> None:
    rollout, _ = first_success(task, ALL)
    assert rollout.length <= task_class(task)().limit_steps(25)
    for name, array in rollout.arrays.items():
        feature = rollout.features[name]
        assert array.dtype == np.float32
        assert array.shape == (rollout.length, *feature.shape)
        assert len(feature.names) == feature.shape[0]
        assert np.isfinite(array).all(), name
    again = replay_rollout(json.loads(json.dumps(rollout.record)), rollout.arrays["action"])
    assert again.success
    assert np.array_equal(rollout.qpos, again.qpos)
    assert all(np.array_equal(rollout.arrays[name], again.arrays[name]) for name in rollout.arrays)
    assert rollout.instruction == again.instruction
    assert rollout.record == again.record


@pytest.mark.parametrize("task", TASKS)
def test_the_check_does_not_pass_while_nothing_is_done(task: str) -> None:
    prepared = prepare(task, ROBOT, episode_seed(1, task, 0), visuals="simple")
    for _ in range(15):
        prepared.sim.step(prepared.sim.home_action)
        assert prepared.monitor.held_s == 0.0


@pytest.mark.parametrize("task", TASKS)
def test_scenes_differ_between_episodes_and_survive_json(task: str) -> None:
    specs = [prepare(task, ROBOT, episode_seed(2, task, e), ALL, visuals="simple").spec for e in range(2)]
    assert specs[0].placements != specs[1].placements
    for spec in specs:
        assert SceneSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


@pytest.mark.parametrize("task", TASKS)
def test_instructions_are_many_distinct_and_split(task: str) -> None:
    kind = task_class(task)
    seen, unseen = templates(kind.instructions, "seen"), templates(kind.instructions, "unseen")
    assert len(seen) + len(unseen) >= 60
    assert not set(seen) & set(unseen)
    assert not any(c in sentence for p in kind.instructions for sentence in expand(p) for c in "[]|")
    prepared = prepare(task, ROBOT, episode_seed(0, task, 0), visuals="simple")
    for split in ("seen", "unseen"):
        rng = np.random.default_rng(0)
        sentences = instructions(kind.instructions, prepared.task.slots(), split, rng, 20)
        assert len(sentences) >= 5
        assert not any("{" in s or "}" in s or "  " in s for s in sentences)


def test_an_axis_that_is_off_leaves_the_others_alone() -> None:
    task = TASKS[0]
    seed = episode_seed(0, task, 3)
    full = prepare(task, ROBOT, seed, ALL, visuals="simple").spec
    without = prepare(task, ROBOT, seed, ALL - {"camera"}, visuals="simple").spec
    assert full.cameras != without.cameras
    assert full.placements == without.placements
    assert full.lights == without.lights
    assert full.surfaces == without.surfaces
