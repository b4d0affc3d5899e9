"""The floating base of a robot on topics: its IMU, and what only a simulator knows of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Transform, Twist
from rclpy.node import Node
from sensor_msgs.msg import Imu, MultiDOFJointState

from real.contract import RobotContract
from real.ros.convert import from_stamp, to_stamp, to_wxyz, to_xyzw
from real.ros.health import Health
from real.ros.qos import STATE_IN, STATE_OUT, on_publisher, on_subscription
from real.timing import Mailbox
from sim.plant import Base

TRUTH = "truth"
"""Topic of a simulated robot's node."""
UNKNOWN = -1.0  # as sensor_msgs/Imu says that something is not measured


class BasePublisher:
    """Publishes the IMU of the robot file and, for a simulated robot, ~/truth (sensor_msgs/MultiDOFJointState).

    Args:
        truth: whether the base is one of a simulator.
    """

    def __init__(self, node: Node, contract: RobotContract, health: Health, truth: bool) -> None:
        assert contract.imu is not None
        topic = contract.imu.topic
        events = on_publisher(topic, health.on_mismatch)
        self._imu_out = node.create_publisher(Imu, topic, STATE_OUT, event_callbacks=events)
        self._imu = Imu()
        self._imu.header.frame_id = contract.imu.frame
        self._truth_out = node.create_publisher(MultiDOFJointState, f"~/{TRUTH}", STATE_OUT) if truth else None
        self._at, self._moves = Transform(), Twist()
        self._truth = MultiDOFJointState(joint_names=[contract.imu.frame])
        self._truth.header.frame_id = "world"

    def publish(self, stamp_ns: int, base: Base) -> None:
        """What is known of the base; a NaN acceleration is one that is not measured."""
        imu, stamp = self._imu, to_stamp(stamp_ns)
        imu.header.stamp = stamp
        _set(imu.orientation, to_xyzw(base.quat), "xyzw")
        _set(imu.angular_velocity, base.angular_velocity)
        known = bool(np.isfinite(base.acceleration).all())
        _set(imu.linear_acceleration, base.acceleration if known else np.zeros(3))
        imu.linear_acceleration_covariance[0] = 0.0 if known else UNKNOWN
        self._imu_out.publish(imu)
        if self._truth_out is not None:
            self._truth.header.stamp = stamp
            _set(self._at.translation, base.position)
            _set(self._at.rotation, to_xyzw(base.quat), "xyzw")
            _set(self._moves.linear, base.velocity)
            _set(self._moves.angular, base.angular_velocity)
            self._truth.transforms, self._truth.twist = [self._at], [self._moves]
            self._truth_out.publish(self._truth)


class BaseListener:
    """Hears the IMU of the robot file, and the truth where it is asked for.

    Attributes:
        imu: newest (orientation wxyz (4,), angular velocity (3,), stamp in ns).
        truth: newest (Base, stamp in ns); its acceleration is NaN.
    """

    def __init__(self, node: Node, contract: RobotContract, health: Health, truth: str = "") -> None:
        assert contract.imu is not None
        self.topics = [contract.imu.topic, *([truth] if truth else [])]
        self.imu: Mailbox[tuple[np.ndarray, np.ndarray, int]] = Mailbox()
        self.truth: Mailbox[tuple[Base, int]] = Mailbox()
        kinds: Any = ((Imu, self._imu_came), (MultiDOFJointState, self._truth_came))
        for topic, (kind, take) in zip(self.topics, kinds, strict=False):
            events = on_subscription(topic, health.on_mismatch)
            node.create_subscription(kind, topic, take, STATE_IN, event_callbacks=events)

    def missing(self, now: float, stale_s: float) -> list[str]:
        """Topics that were silent for ``stale_s``."""
        boxes = (self.imu, self.truth)
        newest = [box.get() for box, _ in zip(boxes, self.topics, strict=False)]
        return [topic for topic, one in zip(self.topics, newest, strict=True) if one is None or now - one[0] > stale_s]

    def _imu_came(self, message: Imu) -> None:
        quat, rate = to_wxyz(_of(message.orientation, "xyzw")), _of(message.angular_velocity)
        if np.isfinite(quat).all() and np.isfinite(rate).all():
            self.imu.put((quat, rate, from_stamp(message.header.stamp)))

    def _truth_came(self, message: MultiDOFJointState) -> None:
        self.truth.put((read_truth(message), from_stamp(message.header.stamp)))


def read_truth(message: MultiDOFJointState) -> Base:
    """The base of a message on ~/truth; its acceleration is NaN."""
    (at,), (moves,) = message.transforms, message.twist
    quat = to_wxyz(_of(at.rotation, "xyzw"))
    return Base(_of(at.translation), quat, _of(moves.linear), _of(moves.angular), np.full(3, np.nan))


def read_imu(message: Imu) -> np.ndarray:
    """(7,) orientation wxyz and angular velocity of a message."""
    return np.concatenate([to_wxyz(_of(message.orientation, "xyzw")), _of(message.angular_velocity)])


def _set(field, values: np.ndarray, names: str = "xyz") -> None:
    for name, value in zip(names, values.tolist(), strict=True):
        setattr(field, name, value)


def _of(field, names: str = "xyz") -> np.ndarray:
    return np.array([getattr(field, name) for name in names])
