"""``python -m real.ros.policy --ros-args -p policy:=runs/act/last``: a policy that drives a robot over topics.

Three parts that never wait for each other: the executor takes states, images and the robot's mode; the control
thread sends commands at the robot's command rate, each computed from the state that has just arrived; a process of its
own does the thinking and hands back chunks of actions, which a timeline turns into targets for every moment.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from trajectory_msgs.msg import JointTrajectory

from real.policy.chunks import ActionTimeline
from real.policy.client import PolicyUnavailableError
from real.policy.inference import Chunk, PolicyProcess
from real.ros.commander import Commander
from real.ros.commands import chunk_message
from real.ros.convert import doubles
from real.ros.driving import DrivingNode
from real.ros.health import ERROR, OK, WARN
from real.ros.node import run_node
from real.ros.observer import Observer
from real.ros.qos import EVENTS
from real.ros.topics import load
from real.timing import LatencyTracker
from twinloom.errors import TwinloomError

LEGS = ("observation_age", "wait", "inference", "state_to_command")


class PolicyNode(DrivingNode):
    """Runs one policy.

    Topics: the robot's command topics; ~/chunk (JointTrajectory, every chunk as the policy gave it); ~/latency
    (Float64MultiArray of milliseconds, labels in its layout) for every chunk.
    """

    MODULE, NAME = "real.ros.policy", "policy"

    def configure(self) -> None:
        """Load the policy and listen; nothing is sent."""
        p = self.p
        if not p["policy"]:
            raise TwinloomError(
                "no policy given: -p policy:=<checkpoint folder, expert:<task>, hold, wave or ws://...>"
            )
        self.contract = load(p["robot"])
        scene = {key: p[key] for key in ("seed", "episode", "randomize")}
        options = scene if p["policy"].startswith("expert:") else {}
        self.policy = PolicyProcess(p["policy"], p["robot"], options, self.stopping.is_set)
        spec = self.policy.spec
        self._order = np.array([spec.action.names.index(name) for name in self.contract.names])
        self.follow_mode()
        self.observer = Observer(
            self,
            self.contract,
            spec.observation,
            jpeg=p["images"] == "jpeg",
            health=self.health,
            on_state=lambda _: self._wake.set(),
        )
        self.commander = Commander(self, self.contract, self.health, self.get_name(), p["prefix"])
        self._chunk_out = self.create_publisher(JointTrajectory, "~/chunk", EVENTS)
        self._latency_out = self.create_publisher(Float64MultiArray, "~/latency", EVENTS)
        self.latency = {leg: LatencyTracker(window=1000) for leg in LEGS}
        self.create_timer(1.0, self._say_how_it_goes)
        self.get_logger().info(
            f"{p['policy']}: {spec.kind} policy, {spec.horizon} actions at {spec.fps:g} Hz, joints matched by name"
        )

    def cleanup(self) -> None:
        """End the policy's process."""
        if hasattr(self, "policy"):
            self.policy.close()
            del self.policy

    # -------------------------------------------------------- control thread

    def episode(self) -> None:
        """Until the robot may not be driven any more."""
        spec = self.policy.spec
        self._until_idle()
        self.policy.reset()
        self._until_idle()
        self.timeline = ActionTimeline(1.0 / spec.fps, len(self.contract.names))
        newest = self.observer.state.get()
        self.timeline.reset(newest[1][0] if newest else None)
        self._asked = self._state_to_command = 0.0
        self._begun = False
        for _, stamp_ns, _, due in self.states():
            if due:
                self._send(stamp_ns, 1.0 / self.contract.command_hz)
            self._think()

    def _until_idle(self) -> None:
        while self.policy.busy and not self._ending.is_set():
            try:
                self.policy.poll()
            except PolicyUnavailableError as error:
                self.health.set("policy server", ERROR, str(error))
            self._ending.wait(0.005)

    def _send(self, stamp_ns: int, period: float) -> None:
        if not self.timeline.sample(time.monotonic())[1]:
            if self._begun:
                self.health.set("policy", WARN, "is late: it gave no action for this moment")
            return  # the robot's watchdog brakes it; nothing is extrapolated
        if self.health.level("policy") != OK or not self._begun:
            self.health.set("policy", OK, "drives")
        self._begun = True
        self.commander.send(self._sample, stamp_ns, period, self.p["window_s"])
        self._state_to_command = (time.time_ns() - stamp_ns) * 1e-9
        self.latency["state_to_command"].add(self._state_to_command)

    def _sample(self, times: np.ndarray) -> np.ndarray:
        return np.array([self.timeline.sample(moment)[0] for moment in times])

    def _think(self) -> None:
        """Take a chunk that is ready; ask for the next when enough of the last one has been used."""
        if self.policy.busy:
            try:
                chunk = self.policy.poll()
            except PolicyUnavailableError as error:  # it may come back; until then the robot holds
                self.health.set("policy server", ERROR, str(error))
                return
            if chunk is not None:
                self.health.set("policy server", OK, "answers")
                self._take(chunk)
            return
        now, spec = time.monotonic(), self.policy.spec
        unused = spec.horizon - (self.p["n_action_steps"] or spec.n_action_steps)
        delay = self.latency["inference"].steps(1.0 / spec.fps)
        if self.timeline.remaining(now) > unused and not self.timeline.due(now, delay, spec.horizon):
            return
        observation, observed, missing = self.observer.observe(now)
        if missing:
            self.health.set("observation", ERROR, missing)
            return
        if self.health.level("observation") != OK:
            self.health.set("observation", OK, "complete")
        self._asked = now
        self.policy.ask(observation, observed)

    def _take(self, chunk: Chunk) -> None:
        spec = self.policy.spec
        added = self.timeline.add(chunk.actions[:, self._order], chunk.observed, time.monotonic())
        if not added.used or added.synchronous:
            self.health.set("chunks", WARN, added.reason or "inference takes longer than a chunk lasts")
        legs = (
            self._asked - chunk.observed,
            chunk.begun - self._asked,
            chunk.ended - chunk.begun,
            self._state_to_command,
        )
        for leg, seconds in zip(LEGS[:3], legs[:3], strict=True):
            self.latency[leg].add(seconds)
        message = Float64MultiArray(data=doubles(1e3 * np.array(legs)))
        message.layout.dim = [MultiArrayDimension(label=",".join(LEGS), size=len(LEGS), stride=len(LEGS))]
        self._latency_out.publish(message)
        times = (1 + np.arange(spec.horizon)) / spec.fps
        wall_ns = time.time_ns() - round((time.monotonic() - chunk.observed) * 1e9)
        self._chunk_out.publish(chunk_message(spec.action.names, chunk.actions, times, wall_ns, self.get_name()))

    # ------------------------------------------------- executor thread's side

    def _say_how_it_goes(self) -> None:
        values: dict[str, Any] = {}
        for leg, tracker in self.latency.items():
            values |= {f"{leg}_{key}": f"{value:.3g}" for key, value in tracker.summary().items()}
        self.health.set("latency", OK, "", values)
        self._seconds = getattr(self, "_seconds", 0) + 1
        if self._seconds % 10 == 0 and len(self.latency["inference"]):
            text = ", ".join(
                f"{leg} {1e3 * t.percentile(50):.2f}/{1e3 * t.percentile(99):.2f}" for leg, t in self.latency.items()
            )
            self.get_logger().info(f"latency p50/p99 in ms: {text}")


if __name__ == "__main__":
    run_node(PolicyNode)
