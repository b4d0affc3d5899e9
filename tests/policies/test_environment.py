"""Evaluation through Gymnasium environments: names, chunks, clipping, seeds, and the table that comes out."""

from __future__ import annotations

import json

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import policies
from policies import environment as evaluation
from policies.base import PolicySpec
from sim.families import find
from twinloom.errors import TwinloomError
from twinloom.features import Feature

STEPS = 6
JOINTS = Feature("float32", (2,), ("a", "b"))


class Scenes(gymnasium.Env):
    """Six steps; the reward is the first joint of the action, success a last action of ones."""

    action_space = spaces.Box(-1, 1, (2,), np.float32)
    observation_space = spaces.Dict(
        state=spaces.Box(-9, 9, (2,), np.float32), head=spaces.Box(0, 255, (4, 6, 3), np.uint8)
    )

    def __init__(self) -> None:
        self.seeds, self.actions, self.closed = [], [], False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seeds.append(seed)
        self._step = 0
        return self._observation(), {}

    def step(self, action):
        self.actions.append(action)
        self._step += 1
        done = self._step == STEPS
        success = {"is_success": bool((action == 1).all())} if done else {}
        return self._observation(), float(action[0]), False, done, success

    def close(self):
        self.closed = True

    def _observation(self):
        return {"state": np.full(2, self._step, np.float32), "head": np.full((4, 6, 3), self._step, np.uint8)}


class Rising:
    """Chunks of four actions (k + 1) / 2 in both joints, k from 0: the last two exceed the action space."""

    def __init__(self, task: str = "bimanual/click_bell") -> None:
        image = Feature("video", (4, 6, 3), ("height", "width", "channels"))
        observation = {"observation.state": JOINTS, "observation.images.head": image}
        self.spec = PolicySpec("rising", observation, JOINTS, fps=10, horizon=4, n_action_steps=4, task=task)
        self.seen, self.resets = [], 0

    def reset(self) -> None:
        self.resets += 1

    def act(self, observation) -> np.ndarray:
        self.seen.append(observation)
        return np.repeat((np.arange(4, dtype=np.float32)[:, None] + 1) / 2, 2, axis=1)


def test_arrays_get_their_names_in_datasets_and_a_time():
    policy = Rising()
    evaluation.episodes_of(Scenes(), policy, 1, seed=3)
    first, second = policy.seen
    assert {"observation.state", "observation.images.head", "timestamp"} <= set(first)
    assert (float(first["timestamp"]), float(second["timestamp"])) == (0.0, 0.4)
    assert second["observation.images.head"].max() == second["observation.state"].max() == 4


def test_actions_are_clipped_and_chunks_carried_out():
    env, policy = Scenes(), Rising()
    returns, successes = evaluation.episodes_of(env, policy, 2, seed=3, n_action_steps=2)
    np.testing.assert_array_equal(np.array(env.actions)[:, 0], [0.5, 1.0] * STEPS)
    assert env.actions[0].dtype == np.float32
    assert (returns, successes) == ([4.5, 4.5], [True, True])
    assert (len(policy.seen), policy.resets) == (6, 2)
    whole, _ = evaluation.episodes_of(Scenes(), Rising(), 1, seed=3)
    assert whole == [5.0]  # 0.5 1 1 1 0.5 1


def test_the_first_episode_is_seeded_and_the_environment_draws_the_others():
    env = Scenes()
    evaluation.episodes_of(env, Rising(), 3, seed=7)
    assert env.seeds == [7, None, None]


def test_policies_act_in_the_same_episodes_and_the_table_says_how_often_they_succeed(monkeypatch, tmp_path, capsys):
    made = []
    monkeypatch.setattr(policies, "load", lambda name: Rising())
    monkeypatch.setattr(evaluation, "environment", lambda *given: made.append((Scenes(), given)) or made[-1][0])
    evaluation.evaluate(("one", "two"), robot="piper", episodes=2, seed=5, json=tmp_path / "rows.json")
    (first, given), (second, _) = made
    assert first.seeds == second.seeds == [5, None]
    assert first.closed
    assert second.closed
    assert (given[0].name, *given[1:]) == ("bimanual", "click_bell", {"robot": "piper"})
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert [(row["policy"], row["task"], row["k"], row["n"], row["return"]) for row in rows] == [
        ("one", "bimanual/click_bell", 2, 2, 5.0),
        ("two", "bimanual/click_bell", 2, 2, 5.0),
    ]
    assert "bimanual/click_bell" in capsys.readouterr().out


@pytest.mark.parametrize(("given", "said"), [({"episodes": 0}, "--episodes 0"), ({"seed": -1}, "--seed -1")])
def test_numbers_that_cannot_be_are_refused(given, said):
    with pytest.raises(TwinloomError, match=said):
        evaluation.evaluate(("one",), **given)


def test_the_environment_is_the_registered_one():
    env = evaluation.environment(find("bimanual/click_bell")[0], "click_bell", {"robot": "piper"})
    assert env.spec is not None
    assert env.spec.id == "bimanual/click_bell-v0"
    assert env.unwrapped.robot == "piper"  # type: ignore[attr-defined]
    env.close()
