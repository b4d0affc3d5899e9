"""The way of the swing foot: a cubic re-planned in every control step, over a bump of fixed shape."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

from sim.humanoid.walking.body import WalkingBody
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.gait import GaitClock

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

    def restart(self, position: np.ndarray) -> None:
        """The foot leaves the floor here, at rest; (3,) m."""
        self._position, self._velocity = position[:2].copy(), np.zeros(2)
        self._lift_off = float(position[2])

    def follow(self, foothold: np.ndarray, clock: GaitClock) -> Waypoint:
        """The way to the foothold (2,) m, as it is known now; advances by one control step."""
        gains, dt = self._gains, clock.dt
        start = gains.double_support * clock.period
        time = max(gains.arrival * clock.period - clock.time, gains.least_time * clock.period)
        acceleration = cubic_acceleration(foothold - self._position, self._velocity, time)
        acceleration = acceleration * min(1.0, (clock.time - start + dt) / (gains.ramp * clock.period))
        limit = MOST_ACCELERATION * 9.81
        acceleration = np.clip(acceleration, -limit, limit)
        height = self._bump(clock, start)
        plane = (self._position, self._velocity, acceleration)
        now = Waypoint(*(np.array([xy[0], xy[1], z]) for xy, z in zip(plane, height, strict=True)))
        self._position = self._position + self._velocity * dt + 0.5 * acceleration * dt * dt
        self._velocity = self._velocity + acceleration * dt
        return now

    def _bump(self, clock: GaitClock, start: float) -> tuple[float, float, float]:
        """Height, its velocity and acceleration: a raised cosine on the line from lift-off to the floor."""
        L, gains = self._body.leg_length, self._gains
        duration = clock.period - start
        s = min(max((clock.time - start) / duration, 0.0), 1.0)
        top, rate = 0.5 * gains.swing_height * L, 2 * pi / duration
        z = self._lift_off * (1 - s) + top * (1 - cos(2 * pi * s)) - gains.touchdown_depth * L * s**4
        velocity = top * rate * sin(2 * pi * s) - self._lift_off / duration
        return z, velocity, top * rate * rate * cos(2 * pi * s)


def cubic_acceleration(gap: np.ndarray, velocity: np.ndarray, time: float) -> np.ndarray:
    """Acceleration now of the cubic that covers ``gap`` in ``time`` and arrives at rest: 6·gap/t² - 4·v/t."""
    return 6.0 * gap / (time * time) - 4.0 * velocity / time
