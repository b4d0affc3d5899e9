"""What an action asks for as commands over time, through router and filter; no DDS here."""

from __future__ import annotations

import numpy as np
import pytest

from real.ros.commands import Command
from real.ros.motion import GOAL, INVALID_GOAL, INVALID_JOINTS, PATH, SUCCESSFUL, InvalidGoalError, Motion
from real.safety.modes import Mode
from tests.real.ros.test_router import HOME, NAMES, Bench


def motion(bench: Bench, group: int, names, times, points, **more) -> Motion:
    points = np.atleast_2d(np.asarray(points, float))
    return Motion(bench.contract, bench.contract.topics.commands[group], tuple(names), np.array(times), points, **more)


def carry_out(bench: Bench, what: Motion, seconds: float, follows: bool = True) -> None:
    """Ticks with a robot that is where it is sent, or, if it does not follow, at home."""
    for _ in range(round(seconds / 0.005)):
        if what.outcome is not None:
            bench.router.release(what.group.topic)
            return
        device = bench.contract.to_device(bench.filter.limiter.q)
        point = what.sample(bench.now, device[what.where])[None]
        bench.router.message(
            what.group.topic, Command(what.names, point, np.zeros(1), 0, "action"), bench.now, bench.wall
        )
        bench.now, bench.wall = bench.now + 0.005, bench.wall + 0.005
        bench.router.offer(bench.now)
        out = bench.filter.step(bench.now, bench.filter.limiter.q if follows else HOME)
        here = bench.contract.to_device(out.q if follows else HOME)[what.where]
        what.judge(bench.now, here, out.mode, out.reason)


def test_a_trajectory_arrives_in_time_and_a_gripper_after_it():
    bench = Bench()
    arm = motion(bench, 0, NAMES[::-1], [0.5, 1.0], [[0.6, 0.1], [0.7, 0.2]])
    carry_out(bench, arm, 3.0)
    assert arm.outcome == (SUCCESSFUL, "")
    assert bench.filter.limiter.q[:2] == pytest.approx([0.2, 0.7], abs=0.02)
    bench.tick(100)  # the arm's group is silent, which must not hold the gripper
    hand = motion(bench, 1, ("left_gripper",), [0.3], [[0.02]], tolerance=1e-3, grips=True)
    carry_out(bench, hand, 3.0)
    assert hand.outcome == (SUCCESSFUL, "")
    assert not hand.stalled
    assert bench.filter.limiter.q == pytest.approx([0.2, 0.7, 0.25], abs=0.03)


def test_a_gripper_that_holds_something_has_arrived():
    bench = Bench()
    hand = motion(bench, 1, ("left_gripper",), [0.3], [[0.02]], tolerance=1e-3, grips=True)
    carry_out(bench, hand, 3.0, follows=False)
    assert hand.outcome is not None
    assert hand.outcome[0] == SUCCESSFUL
    assert hand.stalled


def test_an_arm_that_does_not_arrive_is_said_with_its_joint():
    bench = Bench()
    arm = motion(bench, 0, NAMES, [0.2], [[0.15, 0.5]], patience_s=0.2)
    carry_out(bench, arm, 3.0, follows=False)
    assert arm.outcome == (GOAL, "left_joint1 is 0.150 from its goal, allowed 0.02")


def test_a_stop_ends_the_motion():
    bench = Bench()
    arm = motion(bench, 0, NAMES, [2.0], [[0.5, 0.5]])
    carry_out(bench, arm, 0.3)
    bench.filter.estop("test")
    carry_out(bench, arm, 0.1)
    assert arm.outcome == (PATH, "the robot is estop: emergency stop: test")
    assert bench.filter.mode is Mode.ESTOP


@pytest.mark.parametrize(
    ("names", "times", "points", "code"),
    [
        (("left_joint1", "x"), [1.0], [[0.0, 0.0]], INVALID_JOINTS),
        (NAMES, [1.0], [[0.0]], INVALID_GOAL),
        (NAMES, [1.0, 1.0], [[0.0, 0.5]] * 2, INVALID_GOAL),
        (NAMES, [1.0], [[np.nan, 0.5]], INVALID_GOAL),
        (NAMES, [], np.empty((0, 2)), INVALID_GOAL),
    ],
)
def test_goals_that_cannot_be(names, times, points, code):
    with pytest.raises(InvalidGoalError) as caught:
        motion(Bench(), 0, names, times, points)
    assert caught.value.code == code


def test_velocities_make_a_smooth_curve():
    times, points = np.array([1.0, 2.0]), np.array([[0.0, 0.5], [0.2, 0.5]])
    bench = Bench()
    curve = Motion(bench.contract, bench.contract.topics.commands[0], NAMES, times, points, np.zeros((2, 2)))
    curve.sample(10.0, points[0])
    assert curve.sample(11.25, points[0])[0] == pytest.approx(0.2 * (3 * 0.25**2 - 2 * 0.25**3))
