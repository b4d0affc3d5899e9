"""Checks of whole poses: hands inside the workspace box, parts of the robot away from each other."""

from __future__ import annotations

from typing import Protocol

import numpy as np

SMALL = 1e-4  # metres; less is noise


class Guard(Protocol):
    """A check of poses; amounts are metres by which a rule is broken, 0 or less where it is kept.

    Attributes:
        kind: a word to count by.
    """

    kind: str

    def refuses(self, target: np.ndarray, present: np.ndarray) -> str:
        """Why a command to ``target`` is refused, or "". From a bad pose, one that leads out of it is allowed."""
        ...

    def due(self, now: float) -> bool:
        """Whether it is time to look at the moving robot again."""
        ...

    def trips(self, pose: np.ndarray) -> str:
        """Why the robot, which would stop at ``pose``, must brake now, or ""."""
        ...


class PoseGuard:
    """What guards share: a rate, a violation that may only shrink, and no kinematics where none are needed.

    A pose was seen to keep the rule by some distance. No part moves further than the sum of each joint's motion times
    the ``reach`` behind it; so poses near enough to that one keep the rule too.

    Args:
        rate_hz: how often the moving robot is looked at.
        reach: (J,) metres by which any part moves at most per radian (or opening) of each joint.
    """

    kind = ""

    def __init__(self, rate_hz: float, reach: np.ndarray) -> None:
        self._every = 1.0 / rate_hz
        self._next = -np.inf
        self._worst = 0.0
        self._reach = reach
        self._seen, self._room = np.zeros(len(reach)), 0.0
        self._work = np.empty(len(reach))

    def excess(self, q: np.ndarray) -> tuple[float, str]:
        """Metres by which the rule is broken (negative: by which it is kept), and a line that says so."""
        raise NotImplementedError

    def _look(self, q: np.ndarray) -> tuple[float, str]:
        way = np.subtract(q, self._seen, out=self._work)
        np.abs(way, out=way)
        if way.dot(self._reach) < self._room:
            return -SMALL, ""
        amount, line = self.excess(q)
        if amount < 0.0:
            self._seen[:], self._room = q, -amount
        return amount, line

    def refuses(self, target: np.ndarray, present: np.ndarray) -> str:
        """See :class:`Guard`."""
        amount, line = self._look(target)
        if amount <= 0.0 or amount < self.excess(present)[0] - SMALL:
            return ""
        return line

    def due(self, now: float) -> bool:
        """See :class:`Guard`."""
        if self._next - self._every <= now < self._next:
            return False
        self._next = now + self._every
        return True

    def trips(self, pose: np.ndarray) -> str:
        """See :class:`Guard`."""
        amount, line = self._look(pose)
        worse = amount > max(self._worst, 0.0) + SMALL
        self._worst = max(amount, 0.0)
        return line if worse else ""
