"""What a walking robot is told: by keys, within limits, and nothing when nobody speaks."""

from __future__ import annotations

import math

import pytest

from real.policy.velocity import VelocityCommand, VelocityLimits
from real.teleop.drive import MOST, Drive


def test_keys_change_the_velocity_step_by_step_up_to_the_most():
    drive = Drive()
    assert drive.key("w") == "+0.10 m/s forward, +0.00 m/s left, +0.00 rad/s"
    drive.key("a")
    drive.key("q")
    assert drive.velocity == (0.1, 0.05, 0.1)
    for _ in range(20):
        drive.key("up")
        drive.key("right")
    assert drive.velocity == (MOST[0], 0.05, -MOST[2])
    assert drive.key("?") == ""
    drive.key(" ")
    assert drive.velocity == (0.0, 0.0, 0.0)


def test_sticks_are_shares_of_the_most():
    drive = Drive()
    drive.sticks(1.0, -0.5, 0.25)
    assert drive.velocity == (0.5, -0.075, 0.1)


def test_a_command_holds_until_it_is_old():
    command = VelocityCommand(VelocityLimits(), 0.5)
    assert not command.at(0.0).walk
    command.take(0.3, 0.0, 0.1, now=1.0)
    assert command.at(1.4).walk
    assert (command.at(1.4).velocity, command.at(1.4).yaw_rate) == ((0.3, 0.0), 0.1)
    assert not command.at(1.6).walk


def test_a_command_is_cut_to_the_limits_and_a_small_one_means_standing():
    command = VelocityCommand(VelocityLimits(forward=0.5, backward=0.2, sideways=0.1, turn=0.4), 0.5)
    command.take(2.0, -1.0, 9.0, now=0.0)
    assert (command.at(0.0).velocity, command.at(0.0).yaw_rate) == ((0.5, -0.1), 0.4)
    command.take(-2.0, 0.0, 0.0, now=0.0)
    assert command.at(0.0).velocity[0] == -0.2
    command.take(0.01, 0.0, -0.01, now=0.0)
    assert not command.at(0.0).walk


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_means_standing(bad):
    command = VelocityCommand(VelocityLimits(), 0.5)
    command.take(0.3, 0.0, 0.0, now=0.0)
    command.take(0.3, bad, 0.0, now=0.1)
    assert not command.at(0.1).walk
    assert command.rejected == 1
