"""``python -m real.ros.walker --ros-args -p policy:=runs/walker``: a policy that walks a humanoid as /cmd_vel says.

A set point cannot wait for a plan: every fiftieth of a second the policy answers the state that has just come, in this
process, and its answer is sent at once. When nobody commands a velocity the robot stands.
"""

from __future__ import annotations

import time

import numpy as np
from geometry_msgs.msg import Twist

from real.policy.velocity import VelocityCommand, VelocityLimits
from real.policy.walking import MODEL_BASED, Sensed, make_walker
from real.ros.base import TRUTH, BaseListener
from real.ros.commander import Commander
from real.ros.driving import DrivingNode
from real.ros.health import OK, WARN
from real.ros.node import run_node
from real.ros.observer import Observer
from real.ros.qos import ANY_IN, on_subscription
from real.ros.topics import load
from real.timing import LatencyTracker
from sim.plant import Base
from twinloom.errors import TwinloomError

LEGS = ("inference", "state_to_command")
STALE_S = 0.1
"""Of the IMU: older ones say nothing about now; the watchdog brakes then."""
APART_NS = 20_000_000
"""By which the stamps of joints and base may differ."""


class WalkerNode(DrivingNode):
    """Walks one robot.

    Topics: the robot's states, IMU and command topics, and /cmd_vel (geometry_msgs/Twist). For the model-based
    controller also the truth of the simulated robot's node.
    """

    MODULE, NAME = "real.ros.walker", "policy"

    def configure(self) -> None:
        """Load the policy and listen; nothing is sent."""
        p = self.p
        if not p["policy"]:
            raise TwinloomError(
                "no policy given: -p policy:=<folder of a walking network, model-based:humanoid or stand>"
            )
        self.contract = load(p["robot"])
        self.walker = make_walker(p["policy"], self.contract, p["truth"])
        wants_truth = p["policy"].partition(":")[0] == MODEL_BASED
        self.follow_mode()
        self.observer = Observer(
            self, self.contract, {}, jpeg=False, health=self.health, on_state=lambda _: self._wake.set()
        )
        self.base = BaseListener(self, self.contract, self.health, f"{p['robot_node']}/{TRUTH}" if wants_truth else "")
        self.commander = Commander(self, self.contract, self.health, self.get_name(), p["prefix"])
        limits = VelocityLimits(p["forward"], p["backward"], p["sideways"], p["turn"])
        self.velocity = VelocityCommand(limits, p["timeout_s"])
        told = on_subscription(p["cmd_vel"], self.health.on_mismatch)
        self.create_subscription(Twist, p["cmd_vel"], self._told, ANY_IN, event_callbacks=told)
        self.latency = {leg: LatencyTracker(window=1000) for leg in LEGS}
        self.create_timer(1.0, self._say_how_it_goes)
        self.get_logger().info(f"{p['policy']} walks {self.contract.name} as {p['cmd_vel']} says")

    def lacking(self, now: float) -> list[str]:
        """See DrivingNode."""
        return self.base.missing(now, STALE_S)

    def episode(self) -> None:
        """See DrivingNode."""
        self.walker.reset()
        self.health.set("policy", OK, "drives")
        period = 1.0 / self.contract.command_hz
        for q, stamp_ns, qd, due in self.states():
            if not due:
                continue
            began = time.monotonic()
            sensed = self._sensed(q, qd, stamp_ns, began)
            if sensed is None:
                continue
            targets = self.walker.act(sensed, self.velocity.at(began))
            self.commander.send(lambda times, q=targets: np.tile(q, (len(times), 1)), stamp_ns, period, period)
            self.latency["inference"].add(time.monotonic() - began)
            self.latency["state_to_command"].add((time.time_ns() - stamp_ns) * 1e-9)

    def _sensed(self, q: np.ndarray, qd: np.ndarray, stamp_ns: int, now: float) -> Sensed | None:
        """What the policy sees, or None where a part of it is missing: the robot's watchdog then brakes it."""
        missing = self.lacking(now)
        if not missing and not np.isfinite(qd).all():
            missing = [f"velocities on {self.contract.topics.state[0].topic}"]
        imu, truth = self.base.imu.get(), self.base.truth.get()
        if missing or imu is None or abs(stamp_ns - imu[1][2]) > APART_NS:
            self.health.set("policy", WARN, f"waits for {', '.join(missing) or 'an IMU of the time of the state'}")
            return None
        if self.health.level("policy") != OK:
            self.health.set("policy", OK, "drives")
        quat, rate, _ = imu[1]
        known: Base | None = None if truth is None else truth[1][0]
        return Sensed(q, qd, quat, rate, known)

    # ------------------------------------------------- executor thread's side

    def _told(self, message: Twist) -> None:
        self.velocity.take(message.linear.x, message.linear.y, message.angular.z, time.monotonic())

    def _say_how_it_goes(self) -> None:
        spoken = self.velocity.spoken(time.monotonic())
        text = "commands come" if spoken else f"nobody commands on {self.p['cmd_vel']}: it stands"
        self.health.set("velocity", OK, text, {"not_finite": self.velocity.rejected}, log=False)
        values = {
            f"{leg}_{key}": f"{value:.3g}" for leg, one in self.latency.items() for key, value in one.summary().items()
        }
        self.health.set("latency", OK, "", values)


if __name__ == "__main__":
    run_node(WalkerNode)
