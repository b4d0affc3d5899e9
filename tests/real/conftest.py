"""Robots that exist only for tests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from real.contract import CommandGroup, Gripper, JointLimits, RobotContract, StateGroup, Topics


def small_contract(**changes) -> RobotContract:
    """Two arm joints and a gripper, quick enough to do anything with."""
    joints = (
        JointLimits("left_joint1", -1.0, 1.0, velocity=2.0, acceleration=10.0, step=0.3, home=0.0),
        JointLimits("left_joint2", -0.5, 2.0, velocity=1.0, acceleration=4.0, step=0.3, home=0.5),
        JointLimits("left_gripper", 0.0, 1.0, velocity=5.0, acceleration=100.0, step=1.0, home=1.0),
    )
    groups = (
        CommandGroup("/arm/commands", "forward", ("left_joint1", "left_joint2")),
        CommandGroup("/gripper/commands", "forward", ("left_gripper",)),
    )
    contract = RobotContract(
        "small",
        "a robot for tests",
        joints,
        margin=0.01,
        start_s=0.5,
        grippers=(Gripper("left_gripper", 0.0, 0.08),),
        topics=Topics((StateGroup("/joint_states", tuple(j.name for j in joints)),), groups),
    )
    return replace(contract, **changes)


@pytest.fixture
def contract() -> RobotContract:
    return small_contract()
