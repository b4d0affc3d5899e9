"""A G1 on its feet over DDS: it walks, turns and stops by /cmd_vel, and is damped when it is left alone."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from datagen.lerobot.verify import verify
from real.bags.bag import Bag
from real.bags.dataset import add_bags, replay
from tests.real.ros.conftest import Sender, domain
from tests.real.ros.stacks import Stack

from geometry_msgs.msg import Twist  # isort: skip
from std_msgs.msg import Bool  # isort: skip
from real.contract import with_topics, load_contract  # isort: skip
from real.ros.base import BaseListener  # isort: skip
from real.ros.health import Health  # isort: skip
from real.ros.qos import EVENTS, LATCHED  # isort: skip

pytestmark = pytest.mark.slow  # in real time: dropped ticks of a busy machine are failures of the robot
WALK = {"sim": "true", "policy": "model-based:humanoid"}
COMMANDS = ((3.0, 0.0, 0.0), (17.0, 0.3, 0.0), (12.0, 0.15, 0.4), (6.0, 0.0, 0.0), (14.0, 0.4, -0.2), (8.0, 0.0, 0.0))
"""Seconds, m/s forward, rad/s to the left: a minute."""


class Driver(Sender):
    """Says a velocity, and sees where the robot is."""

    def __init__(self, number: int) -> None:
        contract = with_topics(load_contract("g1"))
        super().__init__(contract, number)
        self._out = self.node.create_publisher(Twist, "/cmd_vel", EVENTS)
        self.stop = self.node.create_publisher(Bool, "/estop", LATCHED)
        self.base = BaseListener(self.node, contract, Health(self.node), "/robot/truth")
        self.heights: list[float] = []

    def say(self, seconds: float, forward: float = 0.0, turn: float = 0.0) -> tuple[float, float]:
        """Repeat a command. Returns the mean velocity forward (m/s) and the mean rate of turning (rad/s) meanwhile."""
        message = Twist()
        message.linear.x, message.angular.z = forward, turn
        end, speeds, turns = time.monotonic() + seconds, [], []
        while time.monotonic() < end:
            self._out.publish(message)
            self.pause(0.05)
            newest = self.base.truth.get()
            if newest is not None:
                base = newest[1][0]
                w, x, y, z = base.quat
                heading = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
                speeds.append(float(np.cos(heading) * base.velocity[0] + np.sin(heading) * base.velocity[1]))
                turns.append(base.angular_velocity[2])
                self.heights.append(float(base.position[2]))
        half = len(speeds) // 3  # after speeding up
        return float(np.mean(speeds[half:])), float(np.mean(turns[half:]))


@pytest.fixture(scope="module")
def walked(tmp_path_factory) -> tuple[Path, list, str]:
    """A minute of walking, and what came of each command."""
    bag = tmp_path_factory.mktemp("humanoid") / "walk.mcap"
    with Stack(3, {**WALK, "record": str(bag)}, "humanoid", "g1") as stack:
        stack.wait("policy: drives")
        with Driver(3) as driver:
            rows = [(forward, turn, *driver.say(seconds, forward, turn)) for seconds, forward, turn in COMMANDS]
            mode, heights = driver.mode, list(driver.heights)
        assert stack.end() == 0, stack.text
    assert mode == "active", stack.text
    assert min(heights) > 0.7
    return bag, rows, stack.text


def test_it_walks_turns_and_stops_as_told(walked):
    _, rows, text = walked
    for forward, turn, speed, rate in rows:
        print(f"command {forward:.2f} m/s {turn:+.2f} rad/s: {speed:.3f} m/s {rate:+.3f} rad/s")
        assert abs(speed - forward) < 0.12, text
        assert abs(rate - turn) < 0.12, text


def test_nothing_was_refused_and_the_rates_hold(walked):
    bag, _, text = walked
    for word in ("refused", "fall", "clipped", "fault"):
        assert word not in text, text
    seconds, counts = {}, {}
    for topic in ("/joint_states", "/imu", "/joint_commands"):
        times = [message.received_ns for message in Bag(bag).messages(topic, decode=False)]
        seconds[topic], counts[topic] = (times[-1] - times[0]) * 1e-9, len(times) - 1
    rates = {topic: counts[topic] / seconds[topic] for topic in counts}
    print(rates)
    assert rates["/joint_states"] > 190
    assert rates["/imu"] > 190
    assert rates["/joint_commands"] > 47


def test_the_bag_becomes_a_dataset_that_verifies_and_replays(walked, tmp_path):
    bag, *_ = walked
    (added,) = add_bags([bag], tmp_path / "walk", fps=200)
    assert verify(tmp_path / "walk").problems == []
    done = replay(tmp_path / "walk", added.index)
    print(f"{done.frames} frames, joints within {done.joint_rad:.2e} rad")
    assert done.frames > 11_000
    assert done.joint_rad < 0.05  # 1e-7 until the machine is late for the first time


def test_an_emergency_stop_and_a_killed_policy_end_in_damping():
    with Stack(4, {**WALK}, "humanoid", "g1") as stack:
        stack.wait("policy: drives")
        with Driver(4) as driver:
            driver.say(3.0, 0.2)
            driver.stop.publish(Bool(data=True))
            driver.until("stopped", lambda: driver.mode == "estop", 5.0)
            driver.pause(1.5)
            assert driver.base.truth.get()[1][0].position[2] < 0.7  # it sinks: nothing holds it
    with Stack(5, {"sim": "true"}, "humanoid", "g1") as robot, Policy(5) as policy:
        robot.wait("robot | idle")
        with Driver(5) as driver:
            driver.trigger("/robot/arm")
            driver.until("ready", lambda: driver.mode in ("ready", "active"), 15.0)
            driver.say(4.0, 0.2)
            assert driver.mode == "active"
            os.kill(policy.pid, signal.SIGKILL)
            driver.until("damped", lambda: driver.mode == "damp", 5.0)
    assert "hold: no command for 0.1" in robot.text


class Policy:
    """The walking policy's node alone."""

    def __init__(self, number: int) -> None:
        import subprocess
        import sys

        words = ["robot:=g1", "policy:=model-based:humanoid", "truth:=true"]
        arguments = [word for pair in words for word in ("-p", pair)]
        self._child = subprocess.Popen(
            [sys.executable, "-m", "real.ros.walker", "--ros-args", *arguments],
            env=dict(os.environ) | {"ROS_DOMAIN_ID": str(domain(number))},
        )
        self.pid = self._child.pid

    def __enter__(self) -> Policy:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.wait(10)
