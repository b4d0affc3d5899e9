"""Time in a control process: a loop with absolute deadlines, a mailbox for the newest value, latency percentiles."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")


class RateLoop:
    """Ticks at a fixed rate: ``for _ in loop: ...`` until :meth:`stop`.

    Deadlines are absolute, so a late tick does not shift those after it. After ``resync`` missed periods (a suspended
    process, a debugger) the missed ticks are dropped instead of being run in a burst.

    Args:
        hz: ticks per second.
        resync: periods of lateness after which deadlines start anew.
        clock, wait: replaceable in tests; ``wait(seconds)`` may return early once stopped.

    Attributes:
        ticks: how many there were; ``dropped``: how many were skipped by starting anew.
        stopped: the event that ends the loop; may be shared.
    """

    def __init__(
        self,
        hz: float,
        resync: int = 5,
        stopped: threading.Event | None = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        if not hz > 0:
            raise ValueError(f"a rate must be positive, got {hz}")
        self.period = 1.0 / hz
        self.resync = resync
        self.stopped = stopped or threading.Event()
        self.clock, self._wait = clock, wait or self.stopped.wait
        self.ticks = self.dropped = 0
        self.lateness: deque[float] = deque(maxlen=16384)
        self.periods: deque[float] = deque(maxlen=16384)

    def __iter__(self) -> Iterator[float]:
        """Yields the time of each tick, seconds of ``clock``; the first at once."""
        due, last = self.clock(), None
        while True:
            ahead = due - self.clock()
            while ahead > 0 and not self.stopped.is_set():
                self._wait(ahead)
                ahead = due - self.clock()
            if self.stopped.is_set():
                return
            now = self.clock()
            self.lateness.append(now - due)
            if last is not None:
                self.periods.append(now - last)
            last = now
            self.ticks += 1
            yield now
            due += self.period
            behind = self.clock() - due
            if behind > self.resync * self.period:
                missed = int(behind / self.period)
                self.dropped += missed
                due += missed * self.period

    def stop(self) -> None:
        """End the loop before its next tick; from any thread or a signal handler."""
        self.stopped.set()

    def summary(self) -> dict[str, float]:
        """Rate (Hz), and percentiles of period and lateness (ms), over the last 16,384 ticks."""
        periods, late = 1e3 * np.array(self.periods), 1e3 * np.array(self.lateness)
        if not len(periods):
            return {"ticks": self.ticks, "dropped": self.dropped}
        p50, p99 = np.percentile(periods, [50, 99])
        return {
            "ticks": self.ticks,
            "dropped": self.dropped,
            "hz": float(1e3 / periods.mean()),
            "period_p50_ms": float(p50),
            "period_p99_ms": float(p99),
            "period_max_ms": float(periods.max()),
            "late_p99_ms": float(np.percentile(late, 99)),
        }


class Mailbox(Generic[T]):
    """The newest value and the monotonic time at which it came; written by one thread, read by another.

    A single assignment is atomic, so there is no lock to hold in a callback.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._slot: tuple[float, int, T] | None = None
        self._taken = 0
        self.count = 0

    def put(self, value: T, now: float | None = None) -> None:
        """Replace the value; ``now`` is when it was received, the present if not given."""
        self.count += 1
        self._slot = (self._clock() if now is None else now, self.count, value)

    def get(self) -> tuple[float, T] | None:
        """(receive time, value), or None before the first."""
        slot = self._slot
        return None if slot is None else (slot[0], slot[2])

    def take(self) -> tuple[float, T] | None:
        """As :meth:`get`, but each value once: None until the next one comes."""
        slot = self._slot
        if slot is None or slot[1] == self._taken:
            return None
        self._taken = slot[1]
        return slot[0], slot[2]

    @property
    def missed(self) -> int:
        """Values replaced before anyone took them, as far as the last take."""
        return 0 if self._slot is None else self._slot[1] - self._taken


class LatencyTracker:
    """Percentiles of the last latencies; the first ones, which pay for warming up, do not count.

    Args:
        window: how many are kept.
        skip: how many of the first are left out (a policy's first inference compiles and allocates).
    """

    def __init__(self, window: int = 200, skip: int = 1) -> None:
        self._values: deque[float] = deque(maxlen=window)
        self._skip = skip
        self.total = 0

    def add(self, seconds: float) -> None:
        """One latency. Negative or non-finite ones, from clocks that were set, are left out."""
        self.total += 1
        if self._skip > 0:
            self._skip -= 1
        elif np.isfinite(seconds) and seconds >= 0:
            self._values.append(float(seconds))

    def __len__(self) -> int:
        return len(self._values)

    def percentile(self, p: float, default: float = 0.0) -> float:
        """Seconds below which p percent of the window lie; ``default`` before there is one."""
        return float(np.percentile(np.array(self._values), p)) if self._values else default

    def steps(self, dt: float, p: float = 95.0) -> int:
        """Delay in whole control steps of ``dt`` seconds, rounded up: ceil(percentile / dt)."""
        return int(np.ceil(round(self.percentile(p) / dt, 9)))

    def summary(self) -> dict[str, float]:
        """Number, and p50, p95, p99, max in milliseconds."""
        if not self._values:
            return {"count": self.total}
        values = 1e3 * np.array(self._values)
        p50, p95, p99 = np.percentile(values, [50, 95, 99])
        return {
            "count": self.total,
            "p50_ms": float(p50),
            "p95_ms": float(p95),
            "p99_ms": float(p99),
            "max_ms": float(values.max()),
        }
