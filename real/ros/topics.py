"""The publisher of a robot's state, and robot files as nodes see them."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from real.contract import RobotContract, load_contract, with_topics
from real.ros import convert
from real.ros.health import Health
from real.ros.qos import STATE_OUT, on_publisher


def load(robot: str) -> RobotContract:
    """The robot file; robots whose drivers speak no ROS get /joint_states and /joint_commands for all joints."""
    return with_topics(load_contract(robot))


class StatePublisher:
    """Publishes measured joints as the drivers of the robot file would: their topics, names and units."""

    def __init__(self, node: Node, contract: RobotContract, health: Health) -> None:
        self._contract = contract
        self._groups = []
        for group in contract.topics.state:
            where = contract.where(group.joints)
            events = on_publisher(group.topic, health.on_mismatch)
            publisher = node.create_publisher(JointState, group.topic, STATE_OUT, event_callbacks=events)
            self._groups.append((publisher, where, JointState(name=[contract.devices[k] for k in where])))

    def publish(self, stamp_ns: int, q: np.ndarray, qd: np.ndarray | None = None) -> None:
        """Positions (J,) and velocities (J,) in the order and units of the robot file."""
        positions, stamp = self._contract.to_device(q), convert.to_stamp(stamp_ns)
        velocities = None if qd is None else qd * self._contract.scale  # velocities have no offset
        for publisher, where, message in self._groups:
            message.header.stamp = stamp
            message.position = convert.doubles(positions[where])
            if velocities is not None:
                message.velocity = convert.doubles(velocities[where])
            publisher.publish(message)
