"""The way of the swing foot: a cubic re-planned in every control step, over a bump of fixed shape."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

from sim.humanoid.walking.body import WalkingBody
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.gait import GaitClock
from sim.humanoid.walking.state import SoleState

MOST_ACCELERATION = 25.0
"""Limit of the planned acceleration, in g."""


@dataclass(frozen=True)
class Waypoint:
    """Where the sole is to be now: (3,) m, m/s, m/s², world."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


class SwingFoot:
    """The reference of one swing, from lift-off to touch-down."""

    def __init__(self, body: WalkingBody, gains: WalkingGains) -> None:
        """For this body."""
        self._body, self._gains = body, gains
        self.restart(np.zeros(3))

    def restart(self, position: np.ndarray, time: float = 0.0) -> None:
        """The foot leaves the floor here, at rest; (3,) m, at this time of the step, s."""
        self._position, self._velocity = position[:2].copy(), np.zeros(2)
        self._height, self._start = float(position[2]), time

    def follow(self, foothold: np.ndarray, clock: GaitClock) -> Waypoint:
        """The way to the foothold (2,) m, as it is known now; advances by one control step."""
        gains, dt = self._gains, clock.dt
        time = max(gains.arrival * clock.period - clock.time, gains.least_time * clock.period)
        acceleration = cubic_acceleration(foothold - self._position, self._velocity, time)
        acceleration = acceleration * min(1.0, (clock.time - self._start + dt) / (gains.ramp * clock.period))
        limit = MOST_ACCELERATION * 9.81
        acceleration = np.clip(acceleration, -limit, limit)
        height = self._bump(clock)
        plane = (self._position, self._velocity, acceleration)
        now = Waypoint(*(np.array([xy[0], xy[1], z]) for xy, z in zip(plane, height, strict=True)))
        self._position = self._position + self._velocity * dt + 0.5 * acceleration * dt * dt
        self._velocity = self._velocity + acceleration * dt
        return now

    def down(self, sole: SoleState, clock: GaitClock) -> Waypoint:
        """Straight to the floor, where the foot is, as fast as a foot comes down at the end of its swing."""
        fall = 4 * self._gains.touchdown_depth * self._body.leg_length / clock.period + 0.1 * self._body.speed_unit
        position = sole.position.copy()
        return Waypoint(position, np.array([0.0, 0.0, -fall]), np.zeros(3))

    def _bump(self, clock: GaitClock) -> tuple[float, float, float]:
        """Height, its velocity and acceleration: a raised cosine on the line from lift-off to below the floor.

        A foot that has not met the floor when it should goes on sinking as fast as it came.
        """
        L, gains = self._body.leg_length, self._gains
        duration = max(clock.period - self._start, 2 * clock.dt)
        s = max((clock.time - self._start) / duration, 0.0)
        top, depth = 0.5 * gains.swing_height * L, gains.touchdown_depth * L
        if s >= 1.0:
            fall = (self._height + 4 * depth) / duration
            return -depth - fall * (s - 1.0) * duration, -fall, 0.0
        z = self._height * (1 - s) + top * (1 - cos(2 * pi * s)) - depth * s**4
        velocity = top * 2 * pi * sin(2 * pi * s) - self._height - 4 * depth * s**3
        acceleration = top * 4 * pi * pi * cos(2 * pi * s) - 12 * depth * s * s
        return z, velocity / duration, acceleration / duration**2


def cubic_acceleration(gap: np.ndarray, velocity: np.ndarray, time: float) -> np.ndarray:
    """Acceleration now of the cubic that covers ``gap`` in ``time`` and arrives at rest: 6·gap/t² - 4·v/t."""
    return 6.0 * gap / (time * time) - 4.0 * velocity / time
