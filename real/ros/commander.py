"""Sends commands to a robot's controllers in its own names, order and units."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from rclpy.node import Node

from real.contract import CommandGroup, RobotContract
from real.ros.commands import chunk_message, message_type, point_message
from real.ros.health import Health
from real.ros.qos import COMMAND_OUT, on_publisher


class Commander:
    """Publishers of all command groups of a robot.

    Args:
        node: which node publishes.
        contract: robot file.
        source: name of the sender, for the robot's lease.
        prefix: put before every topic.
    """

    def __init__(self, node: Node, contract: RobotContract, health: Health, source: str, prefix: str = "") -> None:
        self.contract, self.source = contract, source
        self._groups: list[tuple[CommandGroup, np.ndarray, tuple[str, ...]]] = []
        self._publishers = []
        for group in contract.topics.commands:
            where, topic = contract.where(group.joints), prefix + group.topic
            self._groups.append((group, where, tuple(contract.devices[k] for k in where)))
            events = on_publisher(topic, health.on_mismatch)
            self._publishers.append(
                node.create_publisher(message_type(group.kind), topic, COMMAND_OUT, event_callbacks=events)
            )

    @property
    def trajectories(self) -> bool:
        """Whether any group takes trajectories."""
        return any(group.kind == "trajectory" for group, _, _ in self._groups)

    def missing(self) -> list[str]:
        """Topics that nobody listens to."""
        return [p.topic_name for p in self._publishers if not p.get_subscription_count()]

    def send(self, sample: Callable[[np.ndarray], np.ndarray], stamp_ns: int, period: float, window: float) -> None:
        """One command to every group.

        Args:
            sample: monotonic times (N,) to targets (N, J) in the robot file's order and units.
            stamp_ns: wall-clock stamp of the state the command was computed from.
            period: seconds to the next command; a single point is where the joints are to be by then.
            window: seconds that a trajectory reaches ahead.
        """
        now, wall_ns = time.monotonic(), time.time_ns()
        ahead = period * np.arange(1, max(2, round(window / period)) + 1) if self.trajectories else np.array([period])
        points = self.contract.to_device(sample(now + ahead))
        for publisher, (group, where, names) in zip(self._publishers, self._groups, strict=True):
            if group.kind == "forward":
                publisher.publish(point_message(names, points[0, where], stamp_ns, self.source))
            else:
                publisher.publish(chunk_message(names, points[:, where], ahead, wall_ns, self.source))
