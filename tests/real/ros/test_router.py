"""How messages of several controllers become commands: groups, units, trajectories in time. No DDS here."""

from __future__ import annotations

import numpy as np
import pytest

from real.contract import CommandGroup, StateGroup, Topics
from real.ros.commands import Command
from real.ros.router import Router
from real.safety.filter import SafetyFilter
from real.safety.modes import Mode
from tests.real.conftest import small_contract

ARM, GRIPPER = "/arm/commands", "/gripper/commands"
NAMES = ("left_joint1", "left_joint2")
HOME = np.array([0.0, 0.5, 1.0])


class Bench:
    """A router and its filter, armed at home, with time that is told to it."""

    def __init__(self, **changes) -> None:
        self.contract = small_contract(**changes)
        self.filter = SafetyFilter(self.contract)
        self.router = Router(self.contract, self.filter)
        self.now, self.wall = 100.0, 5000.0
        self.filter.step(self.now, HOME)
        assert self.filter.arm(self.now).accepted
        self.tick()
        assert self.filter.mode is Mode.READY

    def tick(self, count: int = 1) -> np.ndarray:
        for _ in range(count):
            self.now += 0.005
            self.wall += 0.005
            self.router.offer(self.now)
            out = self.filter.step(self.now, HOME)
        return out.q

    def tell(self, topic: str, points, names=(), times=None, stamp_s: float | None = None, source="policy") -> None:
        points = np.atleast_2d(np.asarray(points, float))
        times = np.zeros(len(points)) if times is None else np.asarray(times, float)
        stamp_ns = 0 if stamp_s is None else round(stamp_s * 1e9)
        self.router.message(topic, Command(tuple(names), points, times, stamp_ns, source), self.now, self.wall)


def trajectories() -> Topics:
    joints = (*NAMES, "left_gripper")
    return Topics((StateGroup("/joint_states", joints),), (CommandGroup("/t", "trajectory", joints),))


def test_groups_are_offered_together():
    bench = Bench()
    bench.tell(ARM, [0.1, 0.6])
    bench.tell(GRIPPER, [0.04])
    bench.tick(8)
    assert bench.filter.commands.target == pytest.approx([0.1, 0.6, 0.5])  # 0.04 m is half of 0.08


def test_an_arm_can_be_driven_alone():
    bench = Bench()
    bench.tell(ARM, [0.1, 0.5])
    bench.tick(2)
    assert bench.filter.commands.target == pytest.approx([0.1, 0.5, 1.0])
    assert bench.router.refused == 0


def test_equal_stamps_of_a_late_group_are_no_older_command():
    bench = Bench()
    bench.tell(ARM, [0.1, 0.5], stamp_s=bench.wall)
    bench.tick(2)
    bench.tell(GRIPPER, [0.08], stamp_s=bench.wall - 0.010)
    bench.tell(ARM, [0.1, 0.5], stamp_s=bench.wall - 0.010)
    bench.tick(2)
    assert bench.router.refused == 0


def test_what_was_said_before_arming_does_not_count():
    bench = Bench()
    bench.tell(ARM, [0.2, 0.5])
    bench.filter.estop()
    bench.tick()
    bench.filter.reset(bench.now)
    bench.tick()
    bench.filter.arm(bench.now)
    bench.tick(3)
    assert bench.filter.mode is Mode.READY


@pytest.mark.parametrize(
    ("points", "names", "kind"),
    [
        ([0.1], (), "shape"),
        ([0.1, 0.2, 0.3], (), "shape"),
        ([np.nan, 0.5], (), "non-finite"),
        ([0.1, 0.5], ("left_joint1", "left_joint1"), "names"),
        ([0.1, 0.5], ("x/left_joint1", "x/left_joint2"), "names"),
    ],
)
def test_messages_that_cannot_be_are_refused_with_their_topic(points, names, kind):
    bench = Bench()
    bench.tell(ARM, points, names)
    bench.tick(2)
    assert bench.filter.mode is Mode.READY
    assert bench.filter.counters[kind] == 1
    assert any(line.startswith(f"refused: {ARM} ") for line in bench.filter.journal.take())


def test_a_trajectory_is_followed_in_time():
    bench = Bench(topics=trajectories())
    times = np.arange(1, 11) * 0.02
    goal = np.array([0.1, 0.6, 0.08])
    points = HOME * [1, 1, 0.08] + (goal - HOME * [1, 1, 0.08]) * (times / times[-1])[:, None]
    bench.tell("/t", points, (*NAMES, "left_gripper"), times, stamp_s=bench.wall)
    bench.tick(10)  # it gathers speed first
    assert bench.tick(10)[0] == pytest.approx(0.05, abs=0.006)
    assert bench.tick(10)[0] == pytest.approx(0.075, abs=0.006)
    bench.tick(12)
    assert bench.filter.mode is Mode.ACTIVE
    np.testing.assert_allclose(bench.filter.limiter.q[:2], [0.1, 0.6], atol=0.02)
    bench.tick(25)
    assert bench.filter.mode is Mode.HOLD  # it is over, and nothing new came


def test_a_late_trajectory_loses_its_past_points():
    bench = Bench(topics=trajectories())
    times = np.arange(1, 11) * 0.02
    points = np.linspace(HOME * [1, 1, 0.08], [0.2, 0.5, 0.08], 10)
    bench.tell("/t", points, (*NAMES, "left_gripper"), times, stamp_s=bench.wall - 0.1)
    bench.tick()
    assert bench.filter.commands.target[0] == pytest.approx(points[4, 0], abs=0.02)


def test_a_new_trajectory_replaces_the_rest_of_the_old():
    bench = Bench(topics=trajectories())
    names, times = (*NAMES, "left_gripper"), np.arange(1, 11) * 0.02
    first = np.linspace(HOME * [1, 1, 0.08], [0.1, 0.5, 0.08], 10)
    bench.tell("/t", first, names, times, stamp_s=bench.wall)
    bench.tick(10)
    back = np.linspace(first[2], HOME * [1, 1, 0.08], 10)
    bench.tell("/t", back, names, times, stamp_s=bench.wall)
    bench.tick(45)
    np.testing.assert_allclose(bench.filter.limiter.q, HOME, atol=2e-3)


@pytest.mark.parametrize(
    ("times", "shift_s", "kind"),
    [
        ([0.02, 0.02], 0.0, "times"),
        ([0.04, 0.02], 0.0, "times"),
        ([0.02, 0.04], -9.0, "stale"),
        ([2.0, 3.0], 0.0, "future"),
    ],
)
def test_trajectories_out_of_time_are_refused(times, shift_s, kind):
    bench = Bench(topics=trajectories())
    points = np.tile(HOME * [1, 1, 0.08], (2, 1))
    bench.tell("/t", points, (*NAMES, "left_gripper"), times, stamp_s=bench.wall + shift_s)
    bench.tick(2)
    assert bench.filter.counters[kind] == 1
    assert bench.filter.mode is Mode.READY


def test_a_trajectory_that_jumps_is_refused_as_a_whole():
    bench = Bench(topics=trajectories())
    points = np.array([[0.01, 0.5, 0.08], [0.9, 0.5, 0.08]])
    bench.tell("/t", points, (*NAMES, "left_gripper"), [0.02, 0.04], stamp_s=bench.wall)
    bench.tick(10)
    assert bench.filter.counters["step"] == 1
    np.testing.assert_allclose(bench.filter.limiter.q, HOME, atol=1e-9)


def test_a_trajectory_without_names_is_refused():
    bench = Bench(topics=trajectories())
    bench.tell("/t", HOME, (), [0.02])
    bench.tick()
    assert bench.filter.counters["names"] == 1


def test_another_sender_gets_no_group_that_the_holder_does_not_use():
    bench = Bench()
    bench.tell(ARM, [0.1, 0.5], source="alice")
    bench.tick(3)
    bench.tell(GRIPPER, [0.0], source="bob")
    bench.tell(ARM, [0.1, 0.5], source="alice")
    bench.tick(3)
    assert bench.filter.commands.target == pytest.approx([0.1, 0.5, 1.0])
    assert bench.filter.counters["lease"] == 1
    line = next(line for line in bench.filter.journal.take() if "bob" in line)
    assert line == "refused: /gripper/commands carries a command from bob, while alice has the robot"


def test_two_senders_at_once_are_not_mixed_into_one_command():
    bench = Bench()
    bench.tell(ARM, [0.1, 0.5], source="alice")
    bench.tell(GRIPPER, [0.0], source="bob")
    bench.tick(3)
    assert bench.filter.source == "alice"
    assert bench.filter.commands.target == pytest.approx([0.1, 0.5, 1.0])


def test_a_sender_whose_commands_are_refused_keeps_nobody_out():
    bench = Bench()
    bench.tell(ARM, [0.9, 0.5], source="bob")  # further than a step
    bench.tick(3)
    bench.tell(ARM, [0.1, 0.5], source="alice")
    bench.tick(3)
    assert bench.filter.source == "alice"


def test_one_long_message_moves_the_robot_no_longer_than_the_window():
    bench = Bench(topics=trajectories())
    times = np.linspace(0.1, 10.0, 100)
    points = np.tile(HOME * [1, 1, 0.08], (100, 1))
    points[:, 0] = np.linspace(0.0, 0.9, 100)
    bench.tell("/t", points, (*NAMES, "left_gripper"), times, stamp_s=bench.wall)
    bench.tick(2)
    assert bench.filter.mode is Mode.ACTIVE
    bench.tick(round(0.45 / 0.005))
    assert bench.filter.mode is Mode.HOLD
    assert bench.filter.limiter.at_rest
    expected = np.interp(bench.contract.watchdog.window_s, times, points[:, 0])
    assert bench.filter.limiter.q[0] == pytest.approx(expected, abs=0.01)


def test_a_message_of_a_million_points_is_refused():
    bench = Bench(topics=trajectories())
    points = np.tile(HOME * [1, 1, 0.08], (20_000, 1))
    bench.tell("/t", points, (*NAMES, "left_gripper"), np.arange(1, 20_001) * 1e-3)
    bench.tick(2)
    assert bench.filter.counters["size"] == 1
