"""References for the limiter: targets reached linearly in the time between two commands, and the way to the start."""

from __future__ import annotations

import math

import numpy as np


class Ramp:
    """Turns targets that come now and then into a motion: each is reached linearly by the time the next one is due.

    That time follows the measured interval between commands, at most ``period``; so a policy at 50 Hz moves evenly in
    a loop at 200 Hz, and one that sends in every tick is followed without delay.

    Args:
        size: number of joints.
        period: longest time in which a target is reached, seconds.

    Attributes:
        start, rate: (J,) where the reference is at the begin of a tick, and its velocity during it.
    """

    def __init__(self, size: int, period: float) -> None:
        self.period = period
        self.start, self.rate = np.zeros(size), np.zeros(size)
        self._target = np.zeros(size)
        self._left = 0.0
        self._interval = period
        self._last: float | None = None

    def place(self, q: np.ndarray) -> None:
        """Rest at a position and forget the pace of the commands."""
        self.start[:] = self._target[:] = q
        self.rate[:] = 0.0
        self._left, self._interval, self._last = 0.0, self.period, None

    def aim(self, target: np.ndarray, now: float) -> None:
        """A new target, received at ``now``."""
        if self._last is not None and now - self._last > 0.0:
            self._interval += 0.2 * (min(now - self._last, self.period) - self._interval)
        self._last = now
        self._target[:] = target
        self._left = self._interval

    def begin(self, dt: float) -> None:
        """Set the rate for a tick of ``dt`` > 0 seconds."""
        left = self._left
        if left <= 0.0:
            if self.rate.any():
                self.rate[:] = 0.0
            return
        np.subtract(self._target, self.start, out=self.rate)
        self.rate /= dt if left <= 1.2 * dt else left

    def end(self, dt: float) -> None:
        """The tick is over."""
        if self._left <= 0.0:
            return
        if self._left <= 1.2 * dt:
            self.start[:] = self._target
            self._left = 0.0
        else:
            self.start += self.rate * dt
            self._left -= dt


class MoveTo:
    """A minimum-jerk motion between two poses: ``s(x) = 10 x^3 - 15 x^4 + 6 x^5``.

    Args:
        start, goal: (J,) poses.
        velocity, acceleration: (J,) limits, of which at most ``share`` is used.
        seconds: shortest duration.

    Attributes:
        start, rate: as of :class:`Ramp`; seconds: duration.
    """

    def __init__(
        self,
        start: np.ndarray,
        goal: np.ndarray,
        velocity: np.ndarray,
        acceleration: np.ndarray,
        seconds: float,
        share: float = 0.5,
    ) -> None:
        self._from, self._way = start.copy(), goal - start
        # peaks of the profile: 15/8 of the mean velocity, 10/sqrt(3) of distance over time squared
        by_velocity = float((1.875 * np.abs(self._way) / (share * velocity)).max())
        by_acceleration = math.sqrt(float((10 / math.sqrt(3) * np.abs(self._way) / (share * acceleration)).max()))
        self.seconds = max(seconds, by_velocity, by_acceleration)
        self.goal = goal.copy()
        self.start, self.rate = start.copy(), np.zeros_like(start)
        self._time = 0.0

    @property
    def done(self) -> bool:
        """Whether the reference has arrived."""
        return self._time >= self.seconds

    def begin(self, dt: float) -> None:
        """Set the rate for a tick of ``dt`` > 0 seconds."""
        x = min((self._time + dt) / self.seconds, 1.0) if self.seconds > 0 else 1.0
        there = self.goal if x == 1.0 else self._from + self._way * (x**3 * (10 - x * (15 - 6 * x)))
        self.rate = (there - self.start) / dt
        self._there = there

    def end(self, dt: float) -> None:
        """The tick is over."""
        self.start = self._there.copy()
        self._time += dt
