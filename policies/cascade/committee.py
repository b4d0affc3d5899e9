"""Several trainings act as one policy: each proposes an action, and the one that all their critics value most is taken.

Trainings that differ in nothing but their seed part ways on graphs unlike those they saw. What one actor overlooks, the
critics of the others often know.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from policies.base import PolicySpec
from policies.rl.actor import GaussianActor
from twinloom.errors import TwinloomError


class Committee:
    """A policy made of policies.

    Args:
        members: at least two with critics of observation and action, which see and command the same numbers.

    Raises:
        TwinloomError: they cannot be compared.
    """

    def __init__(self, members: Sequence[GaussianActor]) -> None:
        if len(members) < 2:
            raise TwinloomError("a committee has at least two members")
        first = members[0].spec
        for member in members:
            if not getattr(member, "judges", False):
                raise TwinloomError(
                    f"a member of kind {member.spec.kind} has no critics of actions (TQC, SAC, TD3 have)"
                )
            if (member.spec.observation, member.spec.action) != (first.observation, first.action):
                raise TwinloomError("the members of a committee must see and command the same numbers")
        self.members = tuple(members)

    @property
    def spec(self) -> PolicySpec:
        """That of the first member."""
        return self.members[0].spec

    def reset(self) -> None:
        """Nothing is remembered between decisions."""

    def act_batch(self, observations: np.ndarray, sim: object = None) -> np.ndarray:
        """[R, A]."""
        proposals = np.stack([member.act_batch(observations) for member in self.members])
        values = np.stack([self._value(observations, proposal) for proposal in proposals])
        return proposals[values.argmax(axis=0), np.arange(len(observations))]

    def _value(self, observations: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """[R] what the critics of all members expect on average."""
        return np.mean([member.atoms(observations, actions).mean(axis=1) for member in self.members], axis=0)

    def atoms(self, observations: np.ndarray, actions: np.ndarray | None = None) -> np.ndarray:
        """Atoms of the critics of all members, [R, n]; of the committee's action if none are given."""
        chosen = self.act_batch(observations) if actions is None else actions
        return np.concatenate([member.atoms(observations, chosen) for member in self.members], axis=1)
