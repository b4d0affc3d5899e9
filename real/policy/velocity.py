"""The velocity that a walking robot is told: limited, and standing when nobody speaks. Loads no ROS, keeps no time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.humanoid.walking.gait import Command

SLOWEST = 0.02
"""m/s and rad/s; a slower command is meant as standing."""


@dataclass(frozen=True)
class VelocityLimits:
    """What is passed on of a command.

    Attributes:
        forward, backward, sideways: m/s.
        turn: rad/s.
    """

    forward: float = 0.5
    backward: float = 0.2
    sideways: float = 0.15
    turn: float = 0.4


class VelocityCommand:
    """The newest command, and what holds of it now.

    Args:
        limits: commands are cut to these.
        timeout_s: after which an old command is one to stand.

    Attributes:
        rejected: commands with numbers that are not finite.
    """

    def __init__(self, limits: VelocityLimits, timeout_s: float) -> None:
        self._limits, self._timeout_s = limits, timeout_s
        self._newest = (0.0, 0.0, 0.0)
        self._came = -math.inf
        self.rejected = 0

    def take(self, forward: float, sideways: float, turn: float, now: float) -> None:
        """A command came: m/s forward and to the left, rad/s to the left. One that is no number is one to stand."""
        finite = all(map(math.isfinite, (forward, sideways, turn)))
        self.rejected += not finite
        self._newest = (forward, sideways, turn) if finite else (0.0, 0.0, 0.0)
        self._came = now

    def spoken(self, now: float) -> bool:
        """Whether somebody commands."""
        return now - self._came <= self._timeout_s

    def at(self, now: float) -> Command:
        """What to do now."""
        from sim.humanoid.walking.gait import Command

        limits = self._limits
        forward, sideways, turn = self._newest
        if not self.spoken(now) or max(map(abs, self._newest)) < SLOWEST:
            return Command(walk=False)
        return Command(
            (_cut(forward, limits.backward, limits.forward), _cut(sideways, limits.sideways, limits.sideways)),
            _cut(turn, limits.turn, limits.turn),
        )


def _cut(value: float, low: float, high: float) -> float:
    return min(max(value, -low), high)
