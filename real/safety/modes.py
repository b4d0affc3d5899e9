"""The words of the safety filter: its modes, its answers, what it lets out."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np


class Mode(Enum):
    """What the filter does; docs/real/safety.md says who may change it to what."""

    DISCONNECTED = "disconnected"  # no measured state
    IDLE = "idle"  # not armed: nothing is sent
    MOVING_TO_START = "moving to start"
    READY = "ready"  # at the start pose, waiting for commands
    ACTIVE = "active"  # following commands
    HOLD = "hold"  # braked; fresh commands near the pose go on
    DAMP = "damp"  # given up: gains zero, only damped
    ESTOP = "estop"  # latched


class Verdict(NamedTuple):
    """Answer to a command or a request.

    Attributes:
        accepted: whether it counts.
        reason: one line, empty if accepted.
        clipped: joints that were brought inside the position limits.
    """

    accepted: bool
    reason: str = ""
    clipped: int = 0


class Output(NamedTuple):
    """What may leave for the device in this tick; always finite and inside the limits.

    Attributes:
        q, qd: (J,) positions and velocities.
        mode: the mode; reason: why it is that, one line, empty where nothing is wrong.
        send: whether the device is to be commanded at all; not before the filter is armed.
        damping: the device is to be damped (gains zero) instead of moved to ``q``.
        goal: (J,) where this motion leads; whoever looks further ahead than this tick goes no further than that.
    """

    q: np.ndarray
    qd: np.ndarray
    mode: Mode
    reason: str
    send: bool
    damping: bool
    goal: np.ndarray
