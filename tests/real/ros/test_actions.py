"""Action clients, as MoveIt and rqt are, drive the simulated robot over DDS. Needs control_msgs, which a ROS brings."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("control_msgs", reason="control_msgs is not among the wheels; a system ROS has it")

from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectoryPoint

from real.safety.modes import Mode

JOINTS = [f"left_joint{k}" for k in range(1, 8)]


def send(sender, client: ActionClient, goal, seconds: float = 60.0, cancel: bool = False):
    """The result of a goal."""
    sender.wait("action server", client.server_is_ready, 20.0)
    feedback: list = []
    asked = client.send_goal_async(goal, feedback_callback=feedback.append)
    sender.wait("answer", asked.done, seconds)
    handle = asked.result()
    assert handle.accepted
    result = handle.get_result_async()
    if cancel:
        sender.wait("feedback", lambda: len(feedback) > 3, seconds)
        handle.cancel_goal_async()
    sender.wait("result", result.done, seconds)
    return result.result().result, result.result().status, feedback


def trajectory(contract, change: float, seconds: int) -> FollowJointTrajectory.Goal:
    goal = FollowJointTrajectory.Goal()
    goal.trajectory.joint_names = JOINTS[::-1]
    target = contract.home[:7].copy()
    target[0] += change
    goal.trajectory.points = [
        JointTrajectoryPoint(positions=target[::-1].tolist(), time_from_start=Duration(sec=seconds))
    ]
    return goal


def test_an_arm_follows_and_a_gripper_closes(robot, sender, contract):
    sender.ready()
    arm = ActionClient(sender.node, FollowJointTrajectory, "/left_arm_controller/follow_joint_trajectory")
    result, status, feedback = send(sender, arm, trajectory(contract, 0.3, 1))
    assert (result.error_code, status) == (FollowJointTrajectory.Result.SUCCESSFUL, 4), result.error_string
    assert feedback
    assert robot.node.filter.limiter.q[0] == pytest.approx(contract.home[0] + 0.3, abs=0.02)
    hand = ActionClient(sender.node, GripperCommand, "/right_gripper_controller/gripper_cmd")
    goal = GripperCommand.Goal()
    goal.command.position = 0.02
    result, status, _ = send(sender, hand, goal)
    assert status == 4
    assert result.reached_goal
    assert result.position == pytest.approx(0.02, abs=0.003)


def test_a_cancelled_goal_stops_the_arm(robot, sender, contract):
    sender.ready()
    arm = ActionClient(sender.node, FollowJointTrajectory, "/left_arm_controller/follow_joint_trajectory")
    _, status, _ = send(sender, arm, trajectory(contract, 0.8, 8), cancel=True)
    assert status == 5
    sender.until("at rest", lambda: robot.node.filter.limiter.at_rest, 10.0)
    assert np.abs(robot.node.filter.limiter.q[0] - contract.home[0]) < 0.75


def test_a_goal_with_other_joints_is_refused_and_an_unarmed_robot_takes_none(robot, sender, contract):
    sender.ready()
    arm = ActionClient(sender.node, FollowJointTrajectory, "/left_arm_controller/follow_joint_trajectory")
    goal = trajectory(contract, 0.1, 1)
    goal.trajectory.joint_names = ["x", *JOINTS[1:]]
    result, status, _ = send(sender, arm, goal)
    assert (result.error_code, status) == (FollowJointTrajectory.Result.INVALID_JOINTS, 6)
    sender.trigger("/robot/disarm")
    sender.until("idle", lambda: sender.mode == Mode.IDLE.value, 10.0)
    asked = arm.send_goal_async(trajectory(contract, 0.1, 1))
    sender.wait("answer", asked.done, 20.0)
    assert not asked.result().accepted
