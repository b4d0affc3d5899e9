"""The robot's side of the topics: a control loop in which every command passes the safety filter.

`sim_robot` puts a simulated robot behind it, `guard` the drivers of a real one.
"""

from __future__ import annotations

import gc
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, Protocol

import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger

from real.contract import RobotContract
from real.ros.commands import message_type, read_chunk, read_point
from real.ros.convert import doubles, to_stamp
from real.ros.health import ERROR, OK, WARN
from real.ros.node import ManagedNode
from real.ros.qos import COMMAND_IN, LATCHED, STATE_OUT, on_publisher, on_subscription
from real.ros.report import TimingReport
from real.ros.router import Router
from real.ros.topics import load
from real.safety.filter import SafetyFilter
from real.safety.modes import Mode, Output, Verdict
from real.timing import LatencyTracker, RateLoop

ANSWER_S = 1.0  # a request is answered by the next tick
NS = 1_000_000_000
BRAKE_S = 2.0  # at the end the loop goes on until nothing moves, at most this long
COLLECT_S = 10.0


class Device(Protocol):
    """What moves.

    Attributes:
        exact: its time goes in whole ticks, however late they come: that of a simulation. Otherwise time is as it is.
    """

    exact: bool

    def read(self, stamp_ns: int) -> np.ndarray | None:
        """(J,) positions at the time of the tick, or None if none came since the last read."""
        ...

    def write(self, out: Output, now: float) -> None:
        """One tick of motion: obey ``out`` if ``out.send``."""
        ...

    def close(self) -> None:
        """Let go."""
        ...


class RobotNode(ManagedNode):
    """Lifecycle: `configure` opens the device, `activate` starts the loop, `deactivate` brakes and ends it.

    Services (std_srvs/Trigger): ~/arm, ~/disarm, ~/estop, ~/reset, ~/home. Topics: ~/mode (latched), /estop (true
    stops), ~/sent (JointState: what left the filter, in the names and units of the robot file).
    """

    device: Device

    def open_device(self, contract: RobotContract) -> Device:
        """The device of this robot."""
        raise NotImplementedError

    def after_tick(self, out: Output, stamp_ns: int) -> None:
        """Called in the loop after each tick; publishes what was sent."""
        if out.send:
            self._sent.header.stamp = to_stamp(stamp_ns)
            self._sent.position = doubles(out.q)
            self._sent_out.publish(self._sent)

    # ------------------------------------------------------------- lifecycle

    def configure(self) -> None:
        """Load the robot file, open the device, listen."""
        self.contract = load(self.p["robot"])
        self.filter = SafetyFilter(self.contract)
        self.router = Router(self.contract, self.filter)
        self.latency = LatencyTracker(window=1000, skip=0)
        self.report = TimingReport(self.p["report"])
        self._inbox: queue.SimpleQueue[tuple[str, Any, float, float]] = queue.SimpleQueue()
        self._requests: queue.SimpleQueue[tuple[Callable[[float], Verdict], Future[Verdict]]] = queue.SimpleQueue()
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.device = self.open_device(self.contract)
        warn = self.health.on_mismatch
        self._sent_out = self.create_publisher(JointState, "~/sent", STATE_OUT)
        self._sent = JointState(name=list(self.contract.names))
        self._mode_out = self.create_publisher(String, "~/mode", LATCHED, event_callbacks=on_publisher("~/mode", warn))
        for group in self.contract.topics.commands:
            topic, read = self.p.get("prefix", "") + group.topic, read_point if group.kind == "forward" else read_chunk
            self.create_subscription(
                message_type(group.kind),
                topic,
                lambda message, t=group.topic, read=read: self._received(t, read(message)),  # type: ignore[misc]
                COMMAND_IN,
                event_callbacks=on_subscription(topic, warn),
            )
        self.create_subscription(
            Bool, "/estop", self._stop_asked, LATCHED, event_callbacks=on_subscription("/estop", warn)
        )
        for name, request in (
            ("arm", self.filter.arm),
            ("disarm", lambda now: self.filter.disarm()),
            ("reset", self.filter.reset),
            ("home", self._home),
        ):
            self.create_service(Trigger, f"~/{name}", lambda _, answer, r=request: self._ask(r, answer))
        self.create_service(Trigger, "~/estop", self._estop)
        self.create_timer(1.0, self._say_how_it_goes)

    def activate(self) -> None:
        """Start the control loop."""
        self._ending, self._arm_at_once = threading.Event(), self.p["auto_arm"]
        self.loop = RateLoop(self.contract.rate_hz)
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)
        self._thread.start()
        threading.Thread(target=self._log, name="log", daemon=True).start()

    def deactivate(self) -> None:
        """Brake, hold, end the loop."""
        self._ending.set()
        self._thread.join(BRAKE_S + 1.0)
        self._lines.put(None)

    def cleanup(self) -> None:
        """Let go of the device and write the report."""
        if hasattr(self, "device"):
            self.device.close()
            self.report.write(self.loop if hasattr(self, "loop") else None, self.router.refused)
            del self.device

    # ---------------------------------------------------------- control loop

    def _run(self) -> None:
        try:
            if self.p["sched_fifo"]:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(self.p["sched_fifo"]))
            gc.collect()
            gc.freeze()  # nothing that exists now is ever looked at again
            gc.disable()
            self.filter.step(time.monotonic(), self.device.read(time.time_ns()))  # what loads on use loads now
            self._loop()
        except BaseException as error:  # the loop is the robot: without it the node ends, and says why
            self.fail(error)
        finally:
            gc.enable()

    def _loop(self) -> None:
        mode, deadline, collect = None, None, time.monotonic() + COLLECT_S
        for now in self.loop:
            late = self.loop.lateness[-1] if self.device.exact else 0.0
            tick, stamp_ns = now - late, time.time_ns() - round(late * NS)
            measured = self.device.read(stamp_ns)
            while not self._inbox.empty():
                self.router.message(*self._inbox.get())
            self._answer(tick)
            self.router.offer(tick)
            out = self.filter.step(tick, measured)
            self.device.write(out, tick)
            self.after_tick(out, stamp_ns)
            self.report.tick(now, stamp_ns, late)
            if out.mode is not mode:
                mode = out.mode
                self._mode_out.publish(String(data=mode.value))
            for line in self.filter.journal.take():
                self._lines.put(line)
            if self._ending.is_set():
                if deadline is None:
                    deadline = now + BRAKE_S
                    self.filter.disarm()
                if self.filter.limiter.at_rest or now > deadline:
                    return
            if now > collect and mode not in (Mode.ACTIVE, Mode.MOVING_TO_START):
                gc.collect()
                collect = now + COLLECT_S

    def _answer(self, now: float) -> None:
        if self._arm_at_once and self.filter.mode is Mode.IDLE and self.filter.arm(now).accepted:
            self._arm_at_once = False
        while not self._requests.empty():
            request, future = self._requests.get()
            future.set_result(request(now))

    def _log(self) -> None:
        """Lines of the filter; a log call takes longer than a tick may."""
        while (line := self._lines.get()) is not None:
            self.get_logger().info(line)

    # ------------------------------------------------- executor thread's side

    def _received(self, topic: str, command) -> None:
        now, wall_ns = time.monotonic(), time.time_ns()
        self._inbox.put((topic, command, now, wall_ns * 1e-9))
        if command.stamp_ns:
            self.latency.add((wall_ns - command.stamp_ns) * 1e-9)
        self.report.command(topic, wall_ns, command.stamp_ns)

    def _ask(self, request: Callable[[float], Verdict], answer: Trigger.Response) -> Trigger.Response:
        future: Future[Verdict] = Future()
        self._requests.put((request, future))
        try:
            verdict = future.result(ANSWER_S)
        except FutureTimeoutError:
            answer.success, answer.message = False, "the control loop does not run; activate the node"
            return answer
        answer.success, answer.message = verdict.accepted, verdict.reason or self.filter.mode.value
        return answer

    def _estop(self, _: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        self.filter.estop("service ~/estop")
        answer.success, answer.message = True, "stopping; ~/reset, then ~/arm"
        return answer

    def _stop_asked(self, message: Bool) -> None:
        if message.data:
            self.filter.estop("topic /estop")

    def _home(self, now: float) -> Verdict:
        if self.filter.mode is Mode.READY:
            return Verdict(True)
        if self.filter.mode is Mode.ACTIVE:
            return Verdict(False, "a sender drives the robot; stop it first")
        return self.filter.arm(now)

    def _say_how_it_goes(self) -> None:
        out = self.filter
        level = {Mode.ESTOP: ERROR, Mode.DAMP: ERROR, Mode.DISCONNECTED: ERROR, Mode.HOLD: WARN}.get(out.mode, OK)
        self.health.set("mode", level, out.reason or out.mode.value, {"mode": out.mode.value, **out.counters})
        alone = self.count_publishers(self._mode_out.topic_name) == 1
        several = f"another {self.get_name()} is in this DDS domain, and both get every command; set ROS_DOMAIN_ID"
        self.health.set("alone", OK if alone else WARN, "yes" if alone else several)
        if hasattr(self, "loop"):
            timing = {key: f"{value:.5g}" for key, value in self.loop.summary().items()}
            latency = {f"state_to_command_{k}": f"{v:.3g}" for k, v in self.latency.summary().items()}
            late = self.loop.dropped > getattr(self, "_dropped", 0)
            self._dropped = self.loop.dropped
            text = "ticks are dropped: the machine is too busy" if late else "on time"
            self.health.set("control loop", WARN if late else OK, text, {**timing, **latency})
