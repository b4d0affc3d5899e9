"""A committee takes the proposal that all critics value most."""

from __future__ import annotations

import numpy as np
import pytest

import policies
from policies.cascade import commands, resolve
from policies.cascade.committee import Committee
from twinloom.errors import TwinloomError


class Member:
    """Proposes one action, and values an action by its distance to another."""

    judges = True

    def __init__(self, proposal: float, likes: float, weight: float = 1.0) -> None:
        self.proposal, self.likes, self.weight = proposal, likes, weight

    class spec:  # noqa: N801 (stands for an attribute)
        observation, action, kind = {"x": 1}, "a", "toy"

    def act_batch(self, observations):
        return np.full((len(observations), 1), self.proposal)

    def atoms(self, observations, actions):
        value = -self.weight * np.abs(actions - self.likes)
        return np.concatenate([value - 0.1, value + 0.1], axis=1)


def test_the_proposal_with_the_highest_value_of_all_wins():
    seen = np.zeros((3, 2))
    one, two, three = Member(0.1, likes=0.1), Member(0.5, likes=0.4), Member(0.9, likes=0.6)
    together = Committee([one, two, three])
    assert together.act_batch(seen).tolist() == [[0.5]] * 3
    loud = Member(0.9, likes=0.9, weight=10.0)
    assert Committee([one, two, loud]).act_batch(seen).tolist() == [[0.9]] * 3
    assert together.atoms(seen).shape == (3, 6)
    assert together.atoms(seen).mean() == pytest.approx(-(0.4 + 0.1 + 0.1) / 3)


def test_who_cannot_be_compared_is_refused():
    blind = Member(0.1, 0.1)
    blind.judges = False
    with pytest.raises(TwinloomError, match="no critics of actions"):
        Committee([Member(0.1, 0.1), blind])
    with pytest.raises(TwinloomError, match="at least two"):
        Committee([Member(0.1, 0.1)])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        commands.train("adopt_profit", steps=160, num_envs=4, seed=seed, out=folder / str(seed))
    commands.train("adopt_profit", steps=160, num_envs=4, observer="global", out=folder / "blind")
    commands.train("adopt_profit", algo="ppo", steps=160, num_envs=4, out=folder / "ppo")
    return folder


def test_folders_joined_by_a_plus_act_together(trained, capsys):
    joined = f"{trained / '0'}+{trained / '1'}"
    assert commands.evaluate((joined, str(trained / "0")), episodes=2) == 0
    assert "profit" in capsys.readouterr().out
    chosen = resolve.resolve(joined, "adopt_profit", {})
    seen = np.random.default_rng(0).random((20, 52)).astype(np.float32)
    members = [policies.load(trained / name).act_batch(seen) for name in "01"]
    found = chosen.policy.act_batch(seen)
    assert all(any(np.array_equal(row, m[i]) for m in members) for i, row in enumerate(found))


@pytest.mark.parametrize(
    ("other", "words"), [("blind", "another observer"), ("ppo", "no critics of actions"), ("nowhere", "no folder")]
)
def test_unlike_folders_are_refused(trained, other, words):
    with pytest.raises(TwinloomError, match=words):
        commands.evaluate((f"{trained / '0'}+{trained / other}",), episodes=1)
