"""Every runner carries out as many actions of a chunk as the policy was made for, joints matched by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from policies.agent import PolicyAgent
from policies.base import PolicySpec
from policies.bimanual.evaluate import trials
from policies.bimanual.spaces import joint_feature
from sim.loop import run
from twinloom.errors import TwinloomError
from twinloom.features import STATE, Feature

ROBOT, TASK = "franka-panda", "click_bell"
JOINTS = joint_feature(ROBOT)


class Still:
    """A policy that keeps the joints where they are and counts how often it is asked."""

    def __init__(self, joints: Feature = JOINTS, horizon: int = 24, n_action_steps: int = 8) -> None:
        self.spec = PolicySpec("still", {STATE: joints}, joints, 25, horizon, n_action_steps, ROBOT)
        self.asked: list[np.ndarray] = []

    def reset(self) -> None:
        self.asked = []

    def act(self, observation):
        self.asked.append(observation[STATE])
        return np.tile(observation[STATE], (self.spec.horizon, 1)) + 1e-3 * np.arange(self.spec.horizon)[:, None]


class Place:
    """An environment whose state is the last action."""

    over = False

    def __init__(self, numbers: int) -> None:
        self.state, self.actions = np.arange(numbers, dtype=float), []

    def observe(self):
        return {STATE: self.state}

    def apply(self, action):
        self.state = np.array(action)
        self.actions.append(action)


@pytest.mark.parametrize(("asked_for", "times"), [(0, 3), (1, 20), (24, 1)])
def test_a_chunk_is_carried_out_as_far_as_it_was_made_for(asked_for, times):
    policy, place = Still(), Place(16)
    run(place, PolicyAgent(policy, JOINTS.names, asked_for), limit=20)
    assert len(policy.asked) == times


def test_evaluation_and_trials_on_a_robot_ask_equally_often(monkeypatch):
    from real.tools import trials as on_robot

    policy = Still()
    (trial,) = trials(policy, TASK, ROBOT, episodes=1, seed=0)
    assert len(policy.asked) == -(-trial.steps // 8)
    monkeypatch.setattr(on_robot, "make_policy", lambda *_: policy)
    seconds = trial.steps / policy.spec.fps
    policy.reset()
    (_,) = on_robot.in_process("still", TASK, ROBOT, 1, 0, "none", seconds)
    assert len(policy.asked) == -(-trial.steps // 8)


def test_joints_are_matched_by_name():
    mixed = replace(JOINTS, names=JOINTS.names[::-1])
    policy, place = Still(mixed), Place(16)
    run(place, PolicyAgent(policy, JOINTS.names), limit=1)
    np.testing.assert_array_equal(policy.asked[0], np.arange(16)[::-1])
    np.testing.assert_array_equal(place.actions[0], np.arange(16))


def test_what_does_not_fit_is_refused():
    with pytest.raises(TwinloomError, match=r"still policy .made for franka-panda. lacks"):
        PolicyAgent(Still(), [*JOINTS.names[:-1], "tail"])
    with pytest.raises(TwinloomError, match="n_action_steps 25: a chunk of this policy has 24 actions"):
        PolicyAgent(Still(), JOINTS.names, 25)
    with pytest.raises(TwinloomError, match="n_action_steps 30: a chunk has 24 actions"):
        Still(n_action_steps=30)
