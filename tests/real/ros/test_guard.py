"""The filter in front of drivers: a fake driver with both kinds of controllers, over DDS."""

from __future__ import annotations

import time

import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from real.contract import load_contract
from real.ros import convert
from real.ros.executor import Spinner
from real.ros.guard import GuardNode
from real.ros.qos import COMMAND_IN, STATE_OUT
from real.ros.ros_robot import RosRobot
from real.ros.session import Session
from real.ros.topics import load
from tests.real.robots.fake_unitree import FakeRobot, install
from tests.real.ros.conftest import domain

ROBOT = """
description: a robot of two controllers for a test
rate_hz: 100
command_hz: 50
start_s: 0.1
joints:
  - {name: left_joint1, device: arm_1, lower: -1, upper: 1, velocity: 2, acceleration: 20, step: 0.3, home: 0}
  - {name: left_joint2, device: arm_2, lower: -1, upper: 1, velocity: 2, acceleration: 20, step: 0.3, home: 0}
  - {name: left_gripper, device: finger, lower: 0, upper: 1, velocity: 5, acceleration: 100, step: 1, home: 1}
grippers: [{joint: left_gripper, closed: 0, open: 0.04}]
topics:
  state: /joint_states
  commands:
    - {topic: /arm/joint_trajectory, kind: trajectory, joints: [left_joint1, left_joint2]}
    - {topic: /gripper/commands, kind: forward, joints: [left_gripper]}
"""


class Driver(Session):
    """A robot that is where it was told to be."""

    def __init__(self) -> None:
        super().__init__("driver", domain(6))
        self.names, self.q = ("finger", "arm_2", "arm_1", "head"), np.array([0.04, 0.0, 0.0, 9.0])
        self.told: list = []
        self._out = self.node.create_publisher(JointState, "/joint_states", STATE_OUT)
        self.node.create_subscription(JointTrajectory, "/arm/joint_trajectory", self._arm, COMMAND_IN)
        self.node.create_subscription(Float64MultiArray, "/gripper/commands", self._finger, COMMAND_IN)
        self.node.create_timer(0.01, self._say)

    def _arm(self, message: JointTrajectory) -> None:
        assert list(message.joint_names) == ["arm_1", "arm_2"]
        self.told.append(message)
        self.q[2], self.q[1] = message.points[0].positions

    def _finger(self, message: Float64MultiArray) -> None:
        self.q[0] = message.data[0]

    def _say(self) -> None:
        self._out.publish(convert.joint_state(self.names, time.time_ns(), self.q))


@pytest.fixture
def contract_file(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(ROBOT)
    return path


def test_a_humanoid_without_ros_is_driven_over_topics_and_ends_in_damping(monkeypatch):
    """The G1's file behind the guard, the SDK a stand-in: armed twice, moved, damped at the end."""
    fake = FakeRobot()
    install(monkeypatch, fake)
    context = Context()
    rclpy.init(args=[], context=context, domain_id=domain(7), signal_handler_options=SignalHandlerOptions.NO)
    guard = GuardNode(context, {"robot": "g1"})
    spinner = Spinner(guard, on_error=guard.fail)
    contract = load("g1")
    for k, joint in enumerate(contract.joints):
        fake.q[k] = joint.home
    try:
        with RosRobot(contract, prefix="/guarded", images="none", domain_id=domain(7)) as robot:
            goal = contract.home.copy()
            goal[3] += 0.1
            robot._session.trigger("/robot/arm")  # at the start pose a person confirms
            for _ in range(50):
                robot.send_action(goal)
                time.sleep(0.02)
            np.testing.assert_allclose(robot.get_observation()["observation.state"], goal, atol=1e-2)
            assert robot.mode == "active"
    finally:
        spinner.close()
        guard.close()
        rclpy.try_shutdown(context=context)
        fake.close()
    assert guard.failure == ""
    assert fake.commands[-1][3][:29] == [0.0] * 29  # kp
    assert fake.commands[-1][4][:29] == [8.0] * 29  # kd


def test_commands_reach_the_drivers_through_the_filter_only(contract_file):
    context = Context()
    rclpy.init(args=[], context=context, domain_id=domain(6), signal_handler_options=SignalHandlerOptions.NO)
    guard = GuardNode(context, {"robot": str(contract_file)})
    spinner = Spinner(guard, on_error=guard.fail)
    contract = load_contract(contract_file)
    try:
        with Driver() as driver, RosRobot(contract, prefix="/guarded", images="none", domain_id=domain(6)) as robot:
            goal = np.array([0.2, -0.1, 0.5])
            for _ in range(60):
                robot.send_action(goal)
                time.sleep(0.02)
            np.testing.assert_allclose(driver.q, [0.02, -0.1, 0.2, 9.0], atol=1e-3)
            np.testing.assert_allclose(robot.get_observation()["observation.state"], goal, atol=1e-2)
            positions = np.array([m.points[0].positions for m in driver.told])
            assert np.abs(np.diff(positions, axis=0)).max() < 2 * 0.1  # no jump, though the command was one
            before = driver.q.copy()
            robot.send_action(np.array([1.0, 1.0, 0.5]))  # a jump
            time.sleep(0.3)
            np.testing.assert_allclose(driver.q, before, atol=1e-3)
    finally:
        spinner.close()
        guard.close()
        rclpy.try_shutdown(context=context)
    assert guard.failure == ""
