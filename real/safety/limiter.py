"""Motion that keeps position, velocity and acceleration limits together, whatever it is asked to follow.

Per joint and tick of ``dt`` seconds, ``q' = q + v' dt``. The limiter keeps the invariant that from (q, v) the joint can
always stop in time: ``v^2 / 2a`` is at most the distance to the limit that it moves towards. The largest ``v'`` that
keeps it solves ``v' dt + v'^2 / 2a = d``. Braking as hard as allowed satisfies that for any ``dt``, so there always is
an answer, also when ticks are uneven.
"""

from __future__ import annotations

import numpy as np

SNAP = 1e-14  # rounding of q + v dt: nearer than this, the reference itself goes out, bit for bit


class Limiter:
    """Follows a reference inside limits. All arrays are (J,) float64.

    Args:
        lower, upper: position limits.
        velocity, acceleration: magnitudes, positive.
        shortest: seconds that every tick lasts at least. A joint may then also run into its limit with what it loses
            in such a tick. 0 where ticks may be of any length.

    Attributes:
        q, v: position and velocity last sent; changed in place.
    """

    def __init__(
        self,
        lower: np.ndarray,
        upper: np.ndarray,
        velocity: np.ndarray,
        acceleration: np.ndarray,
        shortest: float = 0.0,
    ) -> None:
        size = len(lower)
        self.lower, self.upper = lower.astype(float), upper.astype(float)
        self.velocity, self.acceleration = velocity.astype(float), acceleration.astype(float)
        self.q, self.v = np.clip(np.zeros(size), self.lower, self.upper), np.zeros(size)
        self._minus_velocity = -self.velocity
        self._lost = self.acceleration * shortest if shortest > 0.0 else None
        self._twice = 2.0 * self.acceleration
        self._distance = np.empty((3, size))  # to the upper limit, to the lower limit, to the reference
        self._low, self._high, self._change, self._work = (np.empty(size) for _ in range(4))
        self._met = np.empty(size, bool)

    def place(self, q: np.ndarray) -> None:
        """Start anew at rest at a position, brought inside the limits."""
        np.clip(q, self.lower, self.upper, out=self.q)
        self.v[:] = 0.0

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves."""
        return not self.v.any()

    def stopping_pose(self) -> np.ndarray:
        """(J,) where full braking would end; a new array."""
        return self.q + 0.5 * self.v * np.abs(self.v) / self.acceleration

    def brake(self, dt: float) -> None:
        """Slow down as much as allowed for ``dt`` seconds, then stand still."""
        change = np.multiply(self.acceleration, dt, out=self._change)
        speed = np.abs(self.v, out=self._work)
        np.subtract(speed, change, out=speed)
        np.maximum(speed, 0.0, out=speed)
        np.copysign(speed, self.v, out=self.v)
        self.q += np.multiply(self.v, dt, out=self._work)
        np.clip(self.q, self.lower, self.upper, out=self.q)  # rounding only

    def follow(self, start: np.ndarray, stop: np.ndarray, dt: float) -> None:
        """Move for ``dt`` > 0 seconds with a reference that goes from ``start`` to ``stop`` meanwhile.

        A reference that keeps the limits itself is met exactly, without lag. One that jumps is approached at the
        highest velocity from which it can still be met at its own velocity.
        """
        q, v, d, work = self.q, self.v, self._distance, self._work
        error = np.subtract(start, q, out=work)
        np.subtract(self.upper, q, out=d[0])
        np.subtract(q, self.lower, out=d[1])
        np.abs(error, out=d[2])
        change = np.multiply(self.acceleration, dt, out=self._change)
        high, low = self._high, self._low
        np.divide(d[2], dt, out=high)
        np.minimum(high, change, out=high)  # lands in this tick, and can rest in the next
        lost = None if self._lost is None else np.minimum(d[:2] / dt, self._lost)
        d *= self._twice
        np.multiply(change, change, out=low)
        d += low
        np.sqrt(d, out=d)
        d -= change
        if lost is not None:
            np.maximum(d[:2], lost, out=d[:2])
        closing = np.maximum(d[2], high, out=high)
        np.copysign(closing, error, out=work)
        rate = np.subtract(stop, start, out=d[2])
        rate /= dt
        work += rate  # the velocity that is wanted
        np.add(v, change, out=high)
        np.minimum(high, self.velocity, out=high)
        np.minimum(high, d[0], out=high)
        np.subtract(v, change, out=low)
        np.maximum(low, self._minus_velocity, out=low)
        np.negative(d[1], out=d[1])
        np.maximum(low, d[1], out=low)
        np.maximum(work, low, out=v)
        np.minimum(v, high, out=v)
        np.multiply(v, dt, out=work)
        q += work
        miss = np.subtract(stop, q, out=work)
        np.abs(miss, out=miss)
        np.copyto(q, stop, where=np.less(miss, SNAP, out=self._met))
        np.maximum(q, self.lower, out=q)  # rounding only
        np.minimum(q, self.upper, out=q)
