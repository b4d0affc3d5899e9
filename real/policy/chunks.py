"""Action chunks on a time line: late ones are entered at the right place, early ones blended in, missing ones held.

A policy looks at ``t_obs`` and answers with H actions; action k is meant for ``t_obs + (k + 1) dt``. The answer comes
later than it was asked for, often while the chunk before it is still being executed (real-time chunking).
"""

from __future__ import annotations

import bisect
from typing import Any, NamedTuple

import numpy as np

from twinloom.errors import TwinloomError


class Added(NamedTuple):
    """What became of a chunk.

    Attributes:
        used: whether it replaced what was to come; reason: why not.
        skipped: its first actions that were left out, because as many had been executed since it was asked for.
        synchronous: it came when its whole time was over, so it is executed from its first action on.
    """

    used: bool
    skipped: int = 0
    synchronous: bool = False
    reason: str = ""


class ActionTimeline:
    """Executes action chunks by time, with cubic Hermite interpolation between actions.

    Args:
        dt: seconds between the actions of a chunk.
        joints: J, numbers of an action.
        blend: control steps over which a new chunk takes over from what is left of the old one.
        jump: how far (rad) a chunk may begin away from where its own motion would make it begin; more than that is
            cancelled at first and faded in over ``blend`` steps.

    Raises:
        TwinloomError: ``dt`` or ``joints`` is not positive.
    """

    def __init__(self, dt: float, joints: int, blend: float = 4.0, jump: float = 0.02) -> None:
        if not (dt > 0 and joints > 0 and blend >= 0 and jump >= 0):
            raise TwinloomError(f"a time line needs dt > 0 and joints > 0, got dt {dt} and {joints} joints")
        self.dt, self.joints, self.blend, self.jump = float(dt), int(joints), float(blend), float(jump)
        self.reset()

    def reset(self, q: Any = None) -> None:
        """Forget all chunks. ``q`` (J,) is where the robot is, if known."""
        self._times: list[float] = []
        self._points, self._slopes = np.zeros((0, self.joints)), np.zeros((0, self.joints))
        self._hold = None if q is None else np.array(q, float)
        self._asked = self._sampled = self._since = -np.inf

    # ------------------------------------------------------------------ add

    def add(self, chunk: Any, t_obs: float, now: float | None = None, executed: int | None = None) -> Added:
        """Take over a chunk.

        Args:
            chunk: (H, J) actions.
            t_obs: time of the observation that it answers.
            now: time at which it came; the time of the last sample if not given.
            executed: actions really executed since ``t_obs``, if the caller counts them; else the time line's own
                count. Time in which nothing was executed (first chunk, starvation) skips no action.

        Raises:
            TwinloomError: wrong shape or a number that is not finite; what is being executed goes on.
        """
        new = np.asarray(chunk, float)
        if new.ndim != 2 or new.shape[1] != self.joints or not len(new):
            raise TwinloomError(f"a chunk has shape (H, {self.joints}) with H >= 1, got {new.shape}")
        if not np.isfinite(new).all():
            k, j = np.argwhere(~np.isfinite(new))[0]
            raise TwinloomError(f"a chunk with {new[k, j]} in action {k}, joint {j}")
        if now is None:
            now = max(self._sampled, t_obs)
        if t_obs < self._asked:
            return Added(False, reason=f"a chunk observed {self._asked - t_obs:.3f} s before the one in use")
        self._asked = t_obs
        done = self.executed(t_obs, now) if executed is None else float(max(executed, 0))
        done = min(done, max(now - t_obs, 0.0) / self.dt)
        synchronous = done >= len(new)
        if synchronous:
            done = 0.0
        times = now + (np.arange(1, len(new) + 1) - done) * self.dt
        keep = times > now + 1e-3 * self.dt
        skipped = int(len(new) - keep.sum())
        self._splice(times[keep], new[keep], now)
        return Added(True, skipped, synchronous)

    def executed(self, t_obs: float, now: float) -> float:
        """Control steps between two times in which there was something to execute."""
        if not self._times:
            return 0.0
        return max(0.0, min(now, self._times[-1]) - max(t_obs, self._since)) / self.dt

    def _splice(self, times: np.ndarray, new: np.ndarray, now: float) -> None:
        here = self._at(now)
        if not self._times or now > self._times[-1]:
            self._since = now  # there was nothing to execute before
        if here is None:
            self._set([*times], new, None)
            return
        q, v = here
        left = self._times[-1] - now if self._times else 0.0
        if left > 1e-3 * self.dt and self.blend > 0:  # both know what comes next
            old = np.array([self._at(t)[0] for t in times])  # type: ignore[index]
            share = _smooth((times - now) / min(self.blend * self.dt, left))[:, None]
            new = old + share * (new - old)
        elif len(new) > 1 and self.blend > 0:
            begin = new[0] - (new[1] - new[0]) * (times[0] - now) / self.dt
            off = q - begin
            off = np.sign(off) * np.maximum(np.abs(off) - self.jump, 0.0)
            new = new + off * (1.0 - _smooth((times - now) / (self.blend * self.dt)))[:, None]
        self._set([now, *times], np.vstack([q, new]), v)

    def _set(self, times: list[float], points: np.ndarray, first_slope: np.ndarray | None) -> None:
        self._times, self._points = [float(t) for t in times], points
        self._slopes = _tangents(np.array(times), points)
        if first_slope is not None and len(times) > 1:
            self._slopes[0] = first_slope
        self._hold = points[-1]

    # --------------------------------------------------------------- sample

    def sample(self, t: float) -> tuple[np.ndarray | None, bool]:
        """Where to be at time ``t``: (J,) position, and whether a chunk covers that time.

        After the last action the position is held (False); before anything is known it is None.
        """
        q, _, fresh = self.state(t)
        return q, fresh

    def state(self, t: float) -> tuple[np.ndarray | None, np.ndarray | None, bool]:
        """As :meth:`sample`, with the velocity (J,) after the position."""
        self._sampled = max(self._sampled, t)
        here = self._at(t)
        if here is None:
            return None, None, False
        fresh = bool(self._times) and t <= self._times[-1] + 1e-9
        return here[0], here[1], fresh

    def _at(self, t: float) -> tuple[np.ndarray, np.ndarray] | None:
        times = self._times
        if not times or t >= times[-1]:
            return None if self._hold is None else (self._hold.copy(), self._end_velocity(t))
        k = bisect.bisect_right(times, t) - 1
        if k < 0:
            return self._points[0].copy(), np.zeros(self.joints)
        width = times[k + 1] - times[k]
        x = (t - times[k]) / width
        p0, p1, m0, m1 = self._points[k], self._points[k + 1], self._slopes[k], self._slopes[k + 1]
        rise = (p1 - p0) / width
        c2, c3 = 3 * rise - 2 * m0 - m1, m0 + m1 - 2 * rise
        return p0 + width * x * (m0 + x * (c2 + x * c3)), m0 + x * (2 * c2 + 3 * x * c3)

    def _end_velocity(self, t: float) -> np.ndarray:
        """At the last action the motion goes on, if a chunk follows at once; later it stands."""
        if self._times and len(self._times) > 1 and t <= self._times[-1] + 1e-3 * self.dt:
            return self._slopes[-1].copy()
        return np.zeros(self.joints)

    # ------------------------------------------------------------ inference

    def remaining(self, t: float) -> float:
        """Control steps left to execute at time ``t``."""
        return max(0.0, self._times[-1] - t) / self.dt if self._times else 0.0

    def due(self, t: float, delay: int, horizon: int, margin: int = 1) -> bool:
        """Whether to ask the policy now, whose answer takes ``delay`` control steps.

        Early enough for the answer to come before the actions run out. Where the answer takes longer than a whole
        chunk lasts, that cannot be; then each chunk is executed to its end before the next one is asked for.
        """
        if delay >= horizon:
            return self.remaining(t) <= 0.0
        return self.remaining(t) <= delay + margin

    def prefix(self, t: float, steps: int) -> np.ndarray | None:
        """(steps, J) actions that will be executed from ``t`` on, for a policy that continues them.

        What is missing at the end repeats the last action: zeros would be the mean of the data set to a policy. None
        before anything is known.
        """
        if self._at(t) is None:
            return None
        return np.array([self._at(t + (k + 1) * self.dt)[0] for k in range(steps)]).reshape(steps, self.joints)  # type: ignore[index]


def _smooth(x: np.ndarray) -> np.ndarray:
    """0 to 1 with zero slope at both ends."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def _tangents(times: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(K, J) slopes: central differences, limited so that the curve never leaves the range of its two neighbours."""
    if len(times) < 2:
        return np.zeros_like(points)
    secants = np.diff(points, axis=0) / np.diff(times)[:, None]
    slopes = np.empty_like(points)
    slopes[0], slopes[-1] = secants[0], secants[-1]
    left, right = secants[:-1], secants[1:]
    width = np.diff(times)[:, None]
    middle = (width[1:] * left + width[:-1] * right) / (width[1:] + width[:-1])
    bound = 3.0 * np.minimum(np.abs(left), np.abs(right))
    slopes[1:-1] = np.where(left * right > 0, np.clip(middle, -bound, bound), 0.0)
    return slopes
