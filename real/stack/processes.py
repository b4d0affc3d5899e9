"""Child processes on Linux: their own group, gone with their parent, ended politely and then firmly."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

from real import signals

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
LAUNCHED = "TWINLOOM_LAUNCHED"  # environment variable of nodes whose launcher does not make them end with it
STEPS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """Receive a signal when the parent ends, however it ends. Does nothing where the system has no such thing."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)


def name_process(name: str) -> None:
    """What `top`, `ps` and `pgrep` show instead of "python"; the first 15 characters of it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0)


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment and ``extra``; Python's output unbuffered, so that lines appear when written."""
    return {**os.environ, "PYTHONUNBUFFERED": "1", **(extra or {})}


def start(
    command: Sequence[str], environment: Mapping[str, str], death: int = signal.SIGTERM, **options
) -> subprocess.Popen:
    """Start a child in a process group of its own: a Ctrl-C in the terminal reaches it only through us.

    Stop signals that are blocked here are blocked there from the first instruction on (see `real.signals`). ``death``
    is what it receives when we end; SIGKILL for programs that do not look for blocked signals.
    """
    block = signals.blocked()

    def prepare() -> None:
        die_with_parent(death)
        if block:  # the thread that starts it may not block them
            signal.pthread_sigmask(signal.SIG_BLOCK, signals.STOPPING)

    return subprocess.Popen(
        list(command),
        env=dict(environment),
        start_new_session=True,
        preexec_fn=prepare,
        **options,
    )


def stop(child: subprocess.Popen, grace_s: Sequence[float] = (3.0, 2.0, 5.0)) -> int:
    """SIGINT, then SIGTERM, then SIGKILL to the child's whole group. Returns its exit code."""
    for number, grace in zip(STEPS, grace_s, strict=True):
        if child.poll() is not None:
            break
        send(child, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(grace)
    return child.wait()


def send(child: subprocess.Popen, number: int) -> None:
    """A signal to the child's group, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)
