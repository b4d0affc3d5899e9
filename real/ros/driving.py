"""What every node does that drives a robot by itself: wait until it may, arm once if told to, stop when it may not."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
from rclpy.client import Client
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger

from real.contract import RobotContract
from real.ros.commander import Commander
from real.ros.health import WARN
from real.ros.node import ManagedNode
from real.ros.observer import Observer
from real.ros.qos import LATCHED, on_subscription
from real.safety.modes import Mode
from real.timing import RateLoop

SLACK_NS = 1_000_000  # states come with jitter; a command waits for no further one because of it
DRIVEN = (Mode.READY.value, Mode.ACTIVE.value, Mode.HOLD.value)
UNARMED = ("", Mode.DISCONNECTED.value, Mode.IDLE.value)


class DrivingNode(ManagedNode):
    """Has a control thread that runs episodes.

    Subclasses make ``contract``, ``observer`` and ``commander`` in `configure`, call `follow_mode`, and drive in
    `episode`. Parameters: robot_node, arm.
    """

    contract: RobotContract
    observer: Observer
    commander: Commander

    def episode(self) -> None:
        """Drive until the robot may not be driven any more."""
        raise NotImplementedError

    def lacking(self, now: float) -> list[str]:
        """Topics besides the state that are waited for."""
        return []

    def follow_mode(self) -> None:
        """Listen to the robot's mode; part of `configure`."""
        self._wake = threading.Event()
        self.mode, self._may_arm, self._refusal = "", self.p["arm"], ""
        topic = f"{self.p['robot_node']}/mode"
        told = on_subscription(topic, self.health.on_mismatch)
        self.create_subscription(String, topic, self._mode_is, LATCHED, event_callbacks=told)
        self._arm: Client = self.create_client(Trigger, f"{self.p['robot_node']}/arm_at_start")

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

    def states(self) -> Iterator[tuple[np.ndarray, int, np.ndarray, bool]]:
        """Each new state while the robot may be driven: positions, stamp (ns), velocities, whether a command is due.

        Commands are due at the rate of the robot file, and every one answers the state that has just come.
        """
        tick_ns, due_ns = round(1e9 / self.contract.command_hz), 0
        while not self._ending.is_set() and self.mode in DRIVEN:
            if not self._wake.wait(0.1):
                if self.observer.age(time.monotonic()) > Observer.STALE_S:
                    return  # the robot is gone, and what it said of itself last means nothing
                continue
            self._wake.clear()
            newest = self.observer.state.get()
            if newest is None:
                continue
            q, stamp_ns, qd = newest[1]
            due = stamp_ns + SLACK_NS >= due_ns
            if due:
                due_ns = (due_ns if stamp_ns - due_ns < tick_ns else stamp_ns) + tick_ns
            yield q, stamp_ns, qd, due
        if not self._ending.is_set():
            self.health.set("policy", WARN, f"stops: the robot is {self.mode}")

    # -------------------------------------------------------- control thread

    def _run(self) -> None:
        try:
            while not self._ending.is_set():
                if self._wait_for_robot():
                    self.episode()
        except Exception as error:  # its end is the end of the node, which the runner may start again
            self.fail(error)

    def _wait_for_robot(self) -> bool:
        """Until the robot may be driven; arms it at the start if that is wanted. False when ending."""
        asked = 0.0
        for now in RateLoop(20, stopped=self._ending):
            fresh = self.observer.age(now) < Observer.STALE_S and not self.lacking(now)
            if self.mode in DRIVEN and fresh and not self.commander.missing():
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
        elif lacking := self.lacking(now):
            text = "waits for " + ", ".join(lacking)
        elif self.commander.missing():
            text = f"nobody listens to {', '.join(self.commander.missing())}"
        elif not self.mode:
            text = f"waits for {self.p['robot_node']}/mode"
        else:
            alone = self._may_arm and not self._refusal
            arm = "" if alone or self.mode != Mode.IDLE.value else f"{self._refusal}; arm it with: real arm"
            text = f"waits: the robot is {self.mode}{arm}"
        self.health.set("policy", WARN, text)

    # ------------------------------------------------- executor thread's side

    def _mode_is(self, message: String) -> None:
        self.mode = message.data
        if self.mode not in UNARMED:
            self._may_arm = False  # once only: after a stop or a disarm it is a person who arms again
