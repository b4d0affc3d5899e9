"""SIGINT and SIGTERM as a request to stop, however many arrive and whenever: never a KeyboardInterrupt.

A second Ctrl-C (a terminal sends one, a launcher another) must not cut short the very code that stops the robot. Both
signals are blocked and picked up by the main thread where it waits. A thread that does not block them, as a library
started or unblocked it (multiprocessing does), may get one instead; then a handler notes it. A process
that is started with them blocked, as the runner does, is safe from its first instruction on.
"""

from __future__ import annotations

import signal
from collections import deque
from threading import Event
from typing import Any

STOPPING = {signal.SIGINT, signal.SIGTERM}
POLL_S = 0.2


class StoppedError(Exception):
    """Told to stop in the middle of something long, such as loading: the end of it, and no failure."""


_noted: deque[int] = deque(maxlen=16)
_before: dict[int, Any] = {}


def block() -> None:
    """Stop signals wait from now on. Call it in the main thread, before other threads start: they inherit it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    for number in STOPPING - _before.keys():
        _before[number] = signal.signal(number, lambda got, _: _noted.append(got))


def blocked() -> bool:
    """Whether `block` is in force; child processes should then begin with the signals blocked."""
    return bool(_before)


def pending() -> str:
    """Name of a stop signal that has come since the last call, "" if none has."""
    return _taken(0.0)


def _taken(seconds: float) -> str:
    """Name of a stop signal that was noted, waits, or comes within ``seconds``; "" if there is none."""
    info = signal.sigtimedwait(STOPPING, 0.0 if _noted else seconds)
    # a process that was stopped and continued in the call may get a result that is no signal (Python 3.11: memory
    # that was never written), and a signal that arrived meanwhile still waits
    if info is not None and info.si_signo in STOPPING:
        return signal.Signals(info.si_signo).name
    return signal.Signals(_noted.popleft()).name if _noted else ""


def wait(stop: Event) -> str:
    """Sleep until a stop signal arrives or ``stop`` is set; sets it. Returns the name of the signal, or ""."""
    name = ""
    while not stop.is_set():
        name = _taken(POLL_S)
        if name:
            stop.set()
    return name


def unblock() -> None:
    """As before `block`; signals that wait are dropped."""
    while pending():
        pass
    for number in list(_before):
        signal.signal(number, _before.pop(number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
