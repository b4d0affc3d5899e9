"""References for the limiter: targets reached linearly in the time between two commands, and the way to the start."""

from __future__ import annotations

import math

import numpy as np


class Ramp:
    """Turns targets that come now and then into a motion: each is reached linearly by the time the next one is due.

    That time follows the measured interval between commands to a joint, at most ``period``; so a policy at 50 Hz moves
    evenly in a loop at 200 Hz, and one that sends in every tick is followed without delay.

    Args:
        size: number of joints.
        period: longest time in which a target is reached, seconds.

    Attributes:
        start, stop: (J,) where the reference is at the begin and at the end of the tick.
        target: (J,) where it goes.
    """

    SLACK = 1.2  # of a tick: what is left at most when a target is reached in this tick

    def __init__(self, size: int, period: float) -> None:
        self.period = period
        self.start, self.stop, self.target = np.zeros(size), np.zeros(size), np.zeros(size)
        self._left, self._work = np.zeros(size), np.zeros(size)
        self._pace: dict[int, tuple[float, float]] = {}  # of a group, by its first joint: last command, interval
        self._landing = np.empty(size, bool)

    def place(self, q: np.ndarray) -> None:
        """Rest at a position and forget the pace of the commands."""
        self.start[:] = self.target[:] = q
        self._left[:] = 0.0
        self._pace.clear()

    def aim(self, target: np.ndarray, now: float, where: np.ndarray | slice) -> None:
        """New targets, received at ``now``, for the joints at ``where``; ``target`` (J,) holds those of all joints."""
        key = -1 if isinstance(where, slice) else int(where[0])
        last, interval = self._pace.get(key, (now, self.period))
        if now > last:
            interval += 0.2 * (min(now - last, self.period) - interval)
        self._pace[key] = (now, interval)
        self.target[where] = target[where]
        self._left[where] = interval

    def begin(self, dt: float) -> None:
        """Set ``stop`` for a tick of ``dt`` > 0 seconds."""
        landing = np.less_equal(self._left, self.SLACK * dt, out=self._landing)
        np.copyto(self._work, self._left)
        np.copyto(self._work, dt, where=landing)
        stop = np.subtract(self.target, self.start, out=self.stop)
        stop /= self._work
        stop *= dt
        stop += self.start
        np.copyto(stop, self.target, where=landing)

    def end(self, dt: float) -> None:
        """The tick is over."""
        self.start, self.stop = self.stop, self.start
        self._left -= dt
        np.maximum(self._left, 0.0, out=self._left)


class MoveTo:
    """A minimum-jerk motion between two poses: ``s(x) = 10 x^3 - 15 x^4 + 6 x^5``.

    Args:
        start, goal: (J,) poses.
        velocity, acceleration: (J,) limits, of which at most ``share`` is used.
        seconds: shortest duration.

    Attributes:
        start, stop: as of :class:`Ramp`; seconds: duration.
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
        self.start = self.stop = start.copy()
        self._time = 0.0

    @property
    def done(self) -> bool:
        """Whether the reference has arrived."""
        return self._time >= self.seconds

    def begin(self, dt: float) -> None:
        """Set ``stop`` for a tick of ``dt`` > 0 seconds."""
        x = min((self._time + dt) / self.seconds, 1.0) if self.seconds > 0 else 1.0
        self.stop = self.goal if x == 1.0 else self._from + self._way * (x**3 * (10 - x * (15 - 6 * x)))

    def end(self, dt: float) -> None:
        """The tick is over."""
        self.start = self.stop
        self._time += dt
