"""SIGINT and SIGTERM as a request to stop, however many arrive and whenever: never a KeyboardInterrupt.

Both are blocked and picked up by the main thread. A handler would run between any two instructions, and a second Ctrl-C
(a terminal sends one, a launcher another) would cut short the very code that stops the robot. A process that is started
with them blocked, as the runner does, is safe from its first instruction on.
"""

from __future__ import annotations

import signal
from threading import Event

STOPPING = {signal.SIGINT, signal.SIGTERM}
POLL_S = 0.2


def block() -> None:
    """Stop signals wait from now on. Call it in the main thread before any other thread starts: they inherit it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)


def wait(stop: Event) -> str:
    """Sleep until a stop signal arrives or ``stop`` is set; sets it. Returns the name of the signal, or ""."""
    name = ""
    while not stop.is_set():
        info = signal.sigtimedwait(STOPPING, POLL_S)
        if info is not None:
            name = signal.Signals(info.si_signo).name
            stop.set()
    return name


def unblock() -> None:
    """For a child process that is not ours; pending signals are dropped first."""
    while signal.sigtimedwait(STOPPING, 0) is not None:
        pass
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
