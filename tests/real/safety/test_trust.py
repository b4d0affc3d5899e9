"""Who may command, what stops, what never happens late: faults that were found, each as its smallest case."""

from __future__ import annotations

import numpy as np
import pytest

from real.contract import Heartbeat
from real.safety.filter import SafetyFilter
from real.safety.modes import Mode, Output
from tests.real.conftest import small_contract

HOME = np.array([0.0, 0.5, 1.0])


class Loop:
    """A filter that is ticked with a robot that stands where it is told."""

    def __init__(self, armed: bool = True, **changes) -> None:
        self.contract = small_contract(**changes)
        self.filter, self.now, self.real = SafetyFilter(self.contract, guards=()), 10.0, HOME.copy()
        self.tick()
        if armed:
            assert self.filter.arm(self.now).accepted
            self.tick()

    def tick(self, count: int = 1) -> Output:
        for _ in range(count):
            self.now += 0.005
            out = self.filter.step(self.now, self.real)
        return out


def test_reset_and_arm_in_one_tick_do_not_jump_to_where_the_arm_sagged():
    loop = Loop()
    loop.filter.command(HOME, loop.now)
    loop.tick()
    loop.filter.estop("test")
    before = loop.tick(10)
    loop.real = HOME + np.array([0.0, 0.25, 0.0])
    before = loop.tick(2)
    assert loop.filter.reset(loop.now).accepted
    assert loop.filter.arm(loop.now).accepted
    after = loop.tick()
    assert after.send
    assert (np.abs(after.q - before.q) <= loop.contract.column("velocity") * 0.005 + 1e-12).all()


def test_a_tick_without_commands_lets_the_next_arm_begin_where_the_robot_is():
    loop = Loop()
    loop.filter.estop("test")
    loop.tick(10)
    assert loop.filter.reset(loop.now).accepted
    loop.real = HOME + np.array([0.0, 0.25, 0.0])
    assert not loop.tick(2).send
    assert loop.filter.arm(loop.now).accepted
    assert loop.tick().q == pytest.approx(loop.real, abs=1e-3)


def test_a_stop_that_comes_while_a_reset_waits_wins():
    loop = Loop()
    loop.filter.estop("first")
    loop.tick(10)
    asked = loop.filter.stops
    loop.filter.estop("second")
    verdict = loop.filter.reset(loop.now, asked)
    assert not verdict.accepted
    assert loop.tick().mode is Mode.ESTOP
    assert loop.filter.reset(loop.now).accepted


def test_a_lost_heartbeat_stops_and_stays_stopped():
    loop = Loop(armed=False, heartbeat=Heartbeat(timeout_s=0.1))
    assert loop.filter.arm(loop.now).reason == "no heartbeat on /safety/heartbeat"
    loop.filter.heartbeat(loop.now)
    assert loop.filter.arm(loop.now).accepted
    assert loop.tick(10).mode is Mode.READY
    out = loop.tick(20)
    assert out.mode is Mode.ESTOP
    assert "no heartbeat" in out.reason
    loop.filter.heartbeat(loop.now)
    assert loop.tick().mode is Mode.ESTOP


@pytest.mark.parametrize("stamp", [10**400, -(10**400), "9" * 400, float("nan")])
def test_a_stamp_that_is_no_time_is_refused(stamp):
    verdict = Loop().filter.command(HOME, 10.01, stamp=stamp)
    assert not verdict.accepted
    assert "no time" in verdict.reason or "old" in verdict.reason or "future" in verdict.reason


def test_the_robot_is_held_by_one_sender_until_it_is_silent():
    loop = Loop()
    assert loop.filter.command(HOME, loop.now, source="a").accepted
    loop.tick()
    assert loop.filter.held_by_another("b", loop.now) == "a"
    assert loop.filter.held_by_another("a", loop.now) == ""
    assert not loop.filter.command(HOME, loop.now, source="b").accepted
    loop.tick(300)
    assert loop.filter.held_by_another("b", loop.now) == ""


def test_the_goal_is_never_behind_the_target_that_passed():
    loop = Loop()
    target = np.array([0.2, 0.6, 1.0])
    loop.filter.command(target, loop.now)
    for _ in range(15):
        out = loop.tick()
        assert (out.goal == target).all()
    assert loop.filter.mode is Mode.ACTIVE
