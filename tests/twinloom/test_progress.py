"""Progress: alive on a terminal, a line a minute elsewhere."""

from __future__ import annotations

import io

import pytest

from twinloom.progress import Progress, duration


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_without_a_terminal_there_is_a_line_a_minute():
    clock, stream = Clock(), io.StringIO()
    with Progress(100, "episode", done=10, stream=stream, clock=clock) as progress:
        for _ in range(60):
            clock.now += 3
            progress.advance()
            progress.status("hanging_mug")
            progress.log("a detail")
        progress.log("something happened", important=True)
    assert stream.getvalue().splitlines() == [
        "30/100 episodes  20.0/min  eta 3:30  (hanging_mug)",
        "50/100 episodes  20.0/min  eta 2:30  (hanging_mug)",
        "70/100 episodes  20.0/min  eta 1:30  (hanging_mug)",
        "something happened",
        "70/100 episodes  20.0/min  eta 1:30  (hanging_mug)",
    ]


def test_earlier_items_do_not_count_for_the_rate():
    clock = Clock()
    progress = Progress(100, done=50, stream=io.StringIO(), clock=clock)
    clock.now += 10
    progress.advance(5)
    assert progress.rate() == pytest.approx(0.5)
    assert progress.text() == "55/100 items  30.0/min  eta 1:30"


def test_short_work_is_silent_without_a_terminal():
    stream = io.StringIO()
    with Progress(3, stream=stream) as progress:
        progress.advance(3)
    assert stream.getvalue() == ""


def test_a_terminal_shows_a_bar_and_keeps_log_lines(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with Progress(4, "episode", stream=stream) as progress:
        progress.advance(2)
        progress.log("  hanging_mug [1/1] ✓")
        progress.advance(2)
    assert "4/4" in stream.getvalue()
    assert "  hanging_mug [1/1] ✓" in stream.getvalue()


def test_a_dumb_terminal_gets_plain_lines(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    clock, stream = Clock(), Terminal()
    with Progress(4, "episode", stream=stream, clock=clock) as progress:
        clock.now += 120
        progress.advance(2)
    assert "2/4 episode" in stream.getvalue()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (7.4, "0:07"), (750, "12:30"), (11110, "3:05:10"), (-1, "0:00")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text
