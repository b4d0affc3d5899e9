"""Joint names, the loop, the mailbox, latencies."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from real.timing import LatencyTracker, Mailbox, RateLoop
from twinloom.joint_names import NamesError, match


def test_names_are_matched_in_any_order():
    assert match(["c", "a", "b"], ["a", "b", "c"]) == [1, 2, 0]
    assert match(["x", "b", "a"], ["a", "b"], extra=True) == [2, 1]


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (["a"], "lacks b"),
        (["a", "a"], "names a twice"),
        (["a", "b", "z"], "names z, which this robot does not have"),
        (["r/a", "r/b"], 'prefix "r/"'),
        ([], "lacks a, b"),
    ],
)
def test_names_that_do_not_fit_are_said(given, line):
    with pytest.raises(NamesError, match="the state of x") as caught:
        match(given, ["a", "b"], what="the state of x")
    assert line in str(caught.value)


class Clock:
    """Time that passes only when someone waits."""

    def __init__(self) -> None:
        self.now = 10.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


def test_a_late_tick_does_not_shift_those_after_it():
    clock = Clock()
    loop = RateLoop(100, clock=clock, wait=clock.wait)
    times = []
    for k, now in enumerate(loop):
        times.append(now)
        clock.now += 0.025 if k == 3 else 0.001
        if k == 9:
            loop.stop()
    due = 10.0 + 0.01 * np.arange(10)
    late = np.array(times) - due
    assert late[:4] == pytest.approx(0, abs=1e-9)
    assert late[4] == pytest.approx(0.015)
    assert late[7:] == pytest.approx(0, abs=1e-9)
    assert loop.dropped == 0


def test_after_a_long_sleep_missed_ticks_are_dropped_not_repeated():
    clock = Clock()
    loop = RateLoop(100, clock=clock, wait=clock.wait)
    times = []
    for k, now in enumerate(loop):
        times.append(now)
        clock.now += 3.0 if k == 2 else 0.0
        if k == 6:
            loop.stop()
    assert loop.dropped == 299
    assert np.diff(times)[3:] == pytest.approx(0.01, abs=1e-6)


def test_a_real_loop_keeps_its_rate_and_stops_at_once():
    loop = RateLoop(200)
    threading.Timer(0.3, loop.stop).start()
    count = sum(1 for _ in loop)
    assert 20 <= count <= 62
    assert loop.summary()["ticks"] == count


def test_a_mailbox_keeps_the_newest():
    box: Mailbox[str] = Mailbox(clock=lambda: 5.0)
    assert box.get() is None
    assert box.take() is None
    box.put("a")
    box.put("b", now=7.0)
    assert box.take() == (7.0, "b")
    assert box.take() is None
    assert box.get() == (7.0, "b")
    assert box.count == 2


def test_warming_up_does_not_count_as_latency():
    tracker = LatencyTracker(window=4, skip=1)
    assert tracker.steps(0.04) == 0
    for seconds in (9.0, 0.05, float("nan"), -1.0, 0.07):
        tracker.add(seconds)
    assert tracker.summary()["max_ms"] == pytest.approx(70)
    assert tracker.steps(0.04) == 2
    for _ in range(4):
        tracker.add(0.04)
    assert tracker.steps(0.04) == 1  # the window has moved on, and 0.04 is one step, not two
