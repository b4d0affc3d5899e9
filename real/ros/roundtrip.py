"""What DDS alone takes on this machine: a message to another process and back, and how many images get through.

The other side is ``python -m real.ros.roundtrip``, a child of whoever measures.
"""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass

import numpy as np
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import Int64

from real import signals
from real.ros import convert
from real.ros.qos import COMMAND_IN, COMMAND_OUT, IMAGE_IN, IMAGE_OUT, LATCHED, STATE_IN, STATE_OUT
from real.ros.session import Session
from real.stack import processes
from twinloom.command import run_command

THERE, BACK, IMAGE_TOPIC, COUNT = (f"/twinloom_roundtrip/{name}" for name in ("there", "back", "images", "count"))
JOINTS = tuple(f"joint{k}" for k in range(16))


@dataclass(frozen=True)
class RoundTrip:
    """Results.

    Attributes:
        discovery_s: until both processes saw each other.
        there_and_back_ms: (N,) for a JointState of 16 joints at 200 Hz, answered at once.
        lost: of the messages.
        images, images_lost: 640x480 RGB at 30 Hz, best effort.
    """

    discovery_s: float
    there_and_back_ms: np.ndarray
    lost: int
    images: int
    images_lost: int


def measure(seconds: float = 2.0, images: int = 30, domain_id: int | None = None) -> RoundTrip:
    """Start the other side and exchange messages with it.

    Raises:
        TwinloomError: it was not found within 10 s.
    """
    environment = processes.clean_environment({"ROS_DOMAIN_ID": str(domain_id)} if domain_id is not None else {})
    with Session("roundtrip", domain_id) as session:
        node = session.node
        there, frames = (
            node.create_publisher(JointState, THERE, STATE_OUT),
            node.create_publisher(Image, IMAGE_TOPIC, IMAGE_OUT),
        )
        times: list[float] = []
        counted: list[int] = []
        node.create_subscription(
            JointState,
            BACK,
            lambda m: times.append((time.time_ns() - convert.from_stamp(m.header.stamp)) / 1e6),
            COMMAND_IN,
        )
        node.create_subscription(Int64, COUNT, lambda m: counted.append(m.data), LATCHED)
        began = time.monotonic()
        child = processes.start([sys.executable, "-m", "real.ros.roundtrip"], environment)
        try:
            session.wait(
                "other process",
                lambda: bool(there.get_subscription_count() and frames.get_subscription_count() and counted),
                20.0,
            )
            discovery = time.monotonic() - began
            sent = 0
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                there.publish(convert.joint_state(JOINTS, time.time_ns(), np.zeros(16)))
                sent += 1
                session.pause(0.005)
            frame = np.zeros((480, 640, 3), np.uint8)
            for _ in range(images):
                frames.publish(convert.image(frame, time.time_ns(), "test"))
                session.pause(1 / 30)
            session.pause(0.3)
        finally:
            processes.stop(child)
        return RoundTrip(
            discovery, np.array(times), sent - len(times), images, images - (counted[-1] if counted else 0)
        )


def _answer() -> int:
    stop = threading.Event()
    with Session("roundtrip_answer") as session:
        node = session.node
        back, count = node.create_publisher(JointState, BACK, COMMAND_OUT), node.create_publisher(Int64, COUNT, LATCHED)
        seen = 0

        def image(_: Image) -> None:
            nonlocal seen
            seen += 1
            count.publish(Int64(data=seen))

        node.create_subscription(JointState, THERE, back.publish, STATE_IN)
        node.create_subscription(Image, IMAGE_TOPIC, image, IMAGE_IN)
        session.wait(
            "the one who asks", lambda: bool(back.get_subscription_count() and count.get_subscription_count()), 20.0
        )
        count.publish(Int64(data=0))
        signals.wait(stop)
    return 0


def main() -> None:
    """Body of the other side."""
    signals.block()
    processes.die_with_parent()
    run_command(_answer)


if __name__ == "__main__":
    main()
