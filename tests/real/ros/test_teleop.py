"""The loop of the teleoperation node, without a robot and without a person."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy")

from real.ros.teleop import TeleopNode
from real.safety.modes import Mode
from real.timing import Mailbox


def test_what_the_observer_has_measured_becomes_a_command():
    ending, sent, failures = threading.Event(), [], []
    state: Mailbox[tuple[np.ndarray, int, np.ndarray]] = Mailbox()
    state.put((np.array([0.1, 0.2]), 42, np.array([np.nan, np.nan])))
    observer = SimpleNamespace(state=state)
    jog = SimpleNamespace(target=None)

    def hand(measured: np.ndarray) -> bool:
        jog.target = measured + 0.01
        return True

    def send(targets, stamp_ns, period, length) -> None:
        sent.append((targets(np.zeros(1)), stamp_ns))
        ending.set()

    def fail(error: Exception) -> None:
        failures.append(error)
        ending.set()

    node = SimpleNamespace(
        contract=SimpleNamespace(command_hz=100.0),
        observer=observer,
        health=SimpleNamespace(set=lambda *_: None),
        mode=Mode.ACTIVE.value,
        jog=jog,
        commander=SimpleNamespace(send=send),
        fail=fail,
        _ending=ending,
        _hand=hand,
    )
    TeleopNode._run(node)  # type: ignore[arg-type]
    assert failures == []
    (targets, stamp_ns), *_ = sent
    np.testing.assert_allclose(targets, [[0.11, 0.21]])
    assert stamp_ns == 42
