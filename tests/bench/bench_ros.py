"""The closed loop over DDS beside what DDS alone takes: a state to another process and a command back.

Each repetition runs robot, policy and recorder as three processes and, right after it, two processes that only
exchange the same messages. The last run's table is printed and its histograms are written to build/bench/.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from tests.bench.harness import Samples, Skip, benchmark
from twinloom.errors import TwinloomError

SECONDS, REPETITIONS = 8.0, 3
OUT = Path("build/bench")
DOMAIN = 1 + os.getpid() % 100


def loop(cameras: int, name: str) -> Samples:
    """p50 of state to command of the stack, and of bare messages there and back, in ms."""
    try:
        import rclpy  # noqa: F401
    except ImportError as error:
        raise Skip(f"{error}: pip install 'twinloom[ros2]' (x86_64 Linux), or source the ROS of the system") from error
    from real.contract import load_contract
    from real.ros.roundtrip import measure as roundtrip
    from real.tools.measure import Measured, draw, measure

    os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    ours, bare, last = [], [], Measured(load_contract("franka-panda"))
    for _ in range(REPETITIONS):
        last = measure(SECONDS, "franka-panda", "wave", "click_bell", cameras, OUT / name)
        ours.append(last.rows["state_to_command_p50_ms"])
        there_and_back = roundtrip(SECONDS / 2, images=0, domain_id=DOMAIN).there_and_back_ms
        if not len(there_and_back):
            raise TwinloomError("no bare message came back")
        bare.append(float(np.median(there_and_back)))
    image = OUT / f"{name}.png"
    draw(last, image, f"ros/{name}: closed loop over DDS, {cameras} cameras, {SECONDS:g} s")
    print(f"\nros/{name}\n{last.table()}\nhistograms: {image}\n")
    return Samples(ours, bare)


@benchmark("ros/loop", unit="ms", peer="bare rclpy messages there and back", better="lower")
def loop_alone() -> Samples:
    """Robot, policy and recorder, no images."""
    return loop(0, "loop")


@benchmark("ros/loop_with_cameras", unit="ms", peer="bare rclpy messages there and back", better="lower")
def loop_with_cameras() -> Samples:
    """The same while two cameras of 320x240 stream and are recorded."""
    return loop(2, "loop_with_cameras")
