"""``python -m real.ros.recorder --ros-args -p robot:=aloha2 -p out:=run.mcap``: what a robot says and hears, in a bag.

Messages are kept as they came over the wire. Topics that begin later are picked up; each is subscribed as its publisher
offers it.
"""

from __future__ import annotations

import datetime
import time
from pathlib import Path

from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from real.bags.bag import BagWriter
from real.ros.base import TRUTH
from real.ros.health import OK, WARN
from real.ros.messages import message_class
from real.ros.node import ManagedNode, run_node
from real.ros.qos import on_subscription, recording
from real.ros.topics import load
from twinloom.errors import TwinloomError

LOOK_S = 0.25  # between looks for topics that have begun
ALWAYS = ("/diagnostics", "/estop")
OF_ROBOT = ("mode", "scene", "success", "sent")
DURATIONS, FOREVER = ("deadline", "lifespan", "liveliness_lease_duration"), (9223372036, 854775807)
OF_POLICY = ("chunk", "latency")


class RecorderNode(ManagedNode):
    """Records from activation to deactivation; then the bag is closed and complete."""

    MODULE, NAME = "real.ros.recorder", "recorder"

    def configure(self) -> None:
        """Decide which topics; nothing is written yet."""
        p = self.p
        contract = load(p["robot"])
        robot, policy = p["robot_node"], p["policy_node"]
        wanted = [group.topic for group in contract.topics.state]
        wanted += [p["prefix"] + group.topic for group in contract.topics.commands]
        wanted += [f"{robot}/{name}" for name in OF_ROBOT] + [f"{policy}/{name}" for name in OF_POLICY]
        if contract.imu is not None:
            wanted += [contract.imu.topic, f"{robot}/{TRUTH}", p["cmd_vel"]]
        if p["images"] != "none":
            end = "/compressed" if p["images"] == "jpeg" else ""
            wanted += [camera.topic + end for camera in contract.cameras]
            wanted += [camera.topic.rpartition("/")[0] + "/camera_info" for camera in contract.cameras]
        self._wanted = [*wanted, *ALWAYS]
        name = p["out"] or f"{contract.name}-{datetime.datetime.now():%Y%m%d-%H%M%S}.mcap"
        self._path = Path(name).expanduser()
        self._about = {
            "robot": p["robot"],
            "task": p["task"],
            "instruction": p["instruction"],
            "prefix": p["prefix"],
            "robot_node": robot,
            "cmd_vel": p["cmd_vel"],
        }
        self._subscribed: dict[str, object] = {}
        self._bag: BagWriter | None = None

    def activate(self) -> None:
        """Open the bag and listen."""
        self._bag = BagWriter(self._path, self._about)
        self._looking = self.create_timer(LOOK_S, self._look)
        self._look()
        self.get_logger().info(f"records to {self._path}")

    def deactivate(self) -> None:
        """Stop listening and close the bag."""
        self.destroy_timer(self._looking)
        for subscription in self._subscribed.values():
            self.destroy_subscription(subscription)  # type: ignore[arg-type]
        self._subscribed.clear()
        if self._bag is not None:
            count = self._bag.close()
            self._bag = None
            self.get_logger().info(f"{count} messages in {self._path}")

    def _look(self) -> None:
        for topic in self._wanted:
            if topic in self._subscribed:
                continue
            offers = self.get_publishers_info_by_topic(topic)
            if offers:
                self._subscribe(topic, offers)
        silent = [topic for topic in self._wanted[:1] if topic not in self._subscribed]
        text = f"nobody publishes {silent[0]}" if silent else f"{len(self._subscribed)} topics"
        count = self._bag.count if self._bag else 0
        self.health.set("recording", WARN if silent else OK, text, {"messages": count, "file": self._path})

    def _subscribe(self, topic: str, offers) -> None:
        kind = offers[0].topic_type
        reliable = all(o.qos_profile.reliability == ReliabilityPolicy.RELIABLE for o in offers)
        latched = all(o.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for o in offers)
        qos = recording(latched, reliable)
        offered = _yaml(qos)
        self._subscribed[topic] = self.create_subscription(
            message_class(kind),
            topic,
            lambda data, t=topic, k=kind, q=offered: self._received(t, k, data, q),  # type: ignore[misc]
            qos,
            raw=True,
            event_callbacks=on_subscription(topic, self.health.on_mismatch),
        )

    def _received(self, topic: str, kind: str, data: bytes, qos: str) -> None:
        try:
            if self._bag is not None:
                self._bag.put(topic, kind, data, time.time_ns(), qos)
        except TwinloomError as error:  # the disk: what was written is kept, the node ends and says why
            self.fail(error)


def _yaml(qos) -> str:
    """QoS as rosbag2 keeps it, so that ``ros2 bag play`` publishes with the same."""
    reliable = 1 if qos.reliability == ReliabilityPolicy.RELIABLE else 2
    durable = 1 if qos.durability == DurabilityPolicy.TRANSIENT_LOCAL else 2
    lines = [f"history: 1\n  depth: {qos.depth}\n  reliability: {reliable}\n  durability: {durable}\n  liveliness: 1"]
    lines += [f"{name}:\n    sec: {FOREVER[0]}\n    nsec: {FOREVER[1]}" for name in DURATIONS]
    lines.append("avoid_ros_namespace_conventions: false")
    return "- " + "\n  ".join(lines)


if __name__ == "__main__":
    run_node(RecorderNode)
