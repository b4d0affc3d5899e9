"""``python -m real.ros.policy --ros-args -p policy:=runs/act/last``: a policy that drives a robot over topics.

Three parts that never wait for each other: the executor takes states, images and the robot's mode; the control
thread sends commands at the robot's command rate, each computed from the state that has just arrived; a process of its
own does the thinking and hands back chunks of actions, which a timeline turns into targets for every moment.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
from rclpy.client import Client
from rclpy.task import Future
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from real.policy.chunks import ActionTimeline
from real.policy.client import PolicyUnavailableError
from real.policy.inference import Chunk, PolicyProcess
from real.ros.commander import Commander
from real.ros.commands import chunk_message
from real.ros.convert import doubles
from real.ros.health import ERROR, OK, WARN
from real.ros.node import ManagedNode, run_node
from real.ros.observer import Observer
from real.ros.qos import EVENTS, LATCHED, on_subscription
from real.ros.topics import load
from real.safety.modes import Mode
from real.timing import LatencyTracker, RateLoop
from twinloom.errors import TwinloomError

DRIVEN = (Mode.READY.value, Mode.ACTIVE.value, Mode.HOLD.value)
UNARMED = ("", Mode.DISCONNECTED.value, Mode.IDLE.value)
LEGS = ("observation_age", "wait", "inference", "state_to_command")
SLACK_NS = 1_000_000  # states come with jitter; a command waits for no further one because of it


class PolicyNode(ManagedNode):
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
        self._wake = threading.Event()
        self.observer = Observer(
            self,
            self.contract,
            spec.observation,
            jpeg=p["images"] == "jpeg",
            health=self.health,
            on_state=lambda _: self._wake.set(),
        )
        self.commander = Commander(self, self.contract, self.health, self.get_name(), p["prefix"])
        self.mode, self._may_arm, self._refusal = "", p["arm"], ""
        topic = f"{p['robot_node']}/mode"
        told = on_subscription(topic, self.health.on_mismatch)
        self.create_subscription(String, topic, self._mode_is, LATCHED, event_callbacks=told)
        self._arm: Client = self.create_client(Trigger, f"{p['robot_node']}/arm_at_start")
        self._chunk_out = self.create_publisher(JointTrajectory, "~/chunk", EVENTS)
        self._latency_out = self.create_publisher(Float64MultiArray, "~/latency", EVENTS)
        self.latency = {leg: LatencyTracker(window=1000) for leg in LEGS}
        self.create_timer(1.0, self._say_how_it_goes)
        self.get_logger().info(
            f"{p['policy']}: {spec.kind} policy, {spec.horizon} actions at {spec.fps:g} Hz, joints matched by name"
        )

    def activate(self) -> None:
        """Start the control thread."""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)
        self._thread.start()

    def deactivate(self) -> None:
        """Send nothing more; the robot's side brakes and holds."""
        self._ending.set()
        self._wake.set()
        self._thread.join(2.0)

    def cleanup(self) -> None:
        """End the policy's process."""
        if hasattr(self, "policy"):
            self.policy.close()
            del self.policy

    # -------------------------------------------------------- control thread

    def _run(self) -> None:
        try:
            while not self._ending.is_set():
                if self._wait_for_robot():
                    self._episode()
        except Exception as error:  # its end is the end of the node, which the runner may start again
            self.fail(error)

    def _wait_for_robot(self) -> bool:
        """Until the robot may be driven; arms it at the start if that is wanted. False when ending."""
        asked = 0.0
        for now in RateLoop(20, stopped=self._ending):
            if self.mode in DRIVEN and self.observer.age(now) < Observer.STALE_S and not self.commander.missing():
                return True
            if self._may_arm and self.mode == Mode.IDLE.value and now - asked > 1.0 and self._arm.service_is_ready():
                asked = now
                self._arm.call_async(Trigger.Request()).add_done_callback(self._armed)
            self._say_what_is_missing(now)
        return False

    def _armed(self, future: Future) -> None:
        answer = future.result()
        self._refusal = "" if answer is None or answer.success else f" ({answer.message})"

    def _say_what_is_missing(self, now: float) -> None:
        if self.observer.age(now) > Observer.STALE_S:
            text = "waits for " + ", ".join(group.topic for group in self.contract.topics.state)
        elif self.commander.missing():
            text = f"nobody listens to {', '.join(self.commander.missing())}"
        elif not self.mode:
            text = f"waits for {self.p['robot_node']}/mode"
        else:
            alone = self._may_arm and not self._refusal
            arm = "" if alone or self.mode != Mode.IDLE.value else f"{self._refusal}; arm it with: real arm"
            text = f"waits: the robot is {self.mode}{arm}"
        self.health.set("policy", WARN, text)

    def _episode(self) -> None:
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
        period, due_ns = 1.0 / self.contract.command_hz, 0
        tick_ns = round(period * 1e9)
        while not self._ending.is_set() and self.mode in DRIVEN:
            if not self._wake.wait(0.1):
                if self.observer.age(time.monotonic()) > Observer.STALE_S:
                    return  # the robot is gone, and what it said of itself last means nothing
                continue
            self._wake.clear()
            newest = self.observer.state.get()
            if newest is None:
                continue
            stamp_ns = newest[1][1]
            if stamp_ns + SLACK_NS >= due_ns:  # every command answers the state that has just come
                due_ns = (due_ns if stamp_ns - due_ns < tick_ns else stamp_ns) + tick_ns
                self._send(stamp_ns, period)
            self._think()
        if not self._ending.is_set():
            self.health.set("policy", WARN, f"stops: the robot is {self.mode}")

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

    def _mode_is(self, message: String) -> None:
        self.mode = message.data
        if self.mode not in UNARMED:
            self._may_arm = False  # once only: after a stop or a disarm it is a person who arms again

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
