"""The robot's side of the topics: a control loop in which every command passes the safety filter.

`sim_robot` puts a simulated robot behind it, `guard` the drivers of a real one.
"""

from __future__ import annotations

import gc
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from rclpy.context import Context
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Header, String
from std_srvs.srv import Trigger

from real.contract import RobotContract
from real.ros import actions
from real.ros.commands import Command, message_type, read_chunk, read_point
from real.ros.convert import doubles, from_stamp, to_stamp
from real.ros.description import Description
from real.ros.health import ERROR, OK, WARN
from real.ros.node import ManagedNode
from real.ros.qos import ANY_IN, COMMAND_IN, LATCHED, STATE_OUT, UNASKED, on_publisher, on_subscription
from real.ros.report import TimingReport
from real.ros.router import Router
from real.ros.senders import Senders
from real.ros.topics import load
from real.safety.balance import Balance
from real.safety.filter import SafetyFilter
from real.safety.modes import Mode, Output, Verdict
from real.stack.parameters import Value
from real.timing import LatencyTracker, RateLoop

ANSWER_S = 1.0  # a request is answered by the next tick; one that could not be is dropped, not carried out later
INBOX = 256  # messages between two ticks; what is older than the newest of them is lost
NS = 1_000_000_000
BRAKE_S = 2.0  # at the end the loop goes on until nothing moves, at most this long
COLLECT_S = 10.0
BUSY = 0.02  # share of the ticks of ten seconds that may be dropped
UNTOUCHED = (Mode.DISCONNECTED, Mode.IDLE)


class Device(Protocol):
    """What moves.

    Attributes:
        exact: its time goes in whole ticks, however late they come: that of a simulation. Otherwise time is as it is.
    """

    exact: bool

    @property
    def orientation(self) -> np.ndarray | None:
        """(4,) of the floating base, wxyz, as of the last read; None where there is none or it is not known."""
        ...

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

    Services (std_srvs/Trigger): ~/arm, ~/disarm, ~/estop, ~/reset, ~/home, and ~/arm_at_start for programs that arm
    unasked: it arms a robot that was not armed before. Topics: ~/mode (latched), /estop (std_msgs/Bool, any quality of
    service; true stops), ~/sent (JointState: what left the filter, in the names and units of the robot file), and the
    heartbeat of the robot file; /robot_description (latched) and /tf of robots with a model. Messages are taken by the
    executor that tells who sent them.
    """

    device: Device

    def __init__(self, context: Context | None = None, parameters: Mapping[str, Value] | None = None) -> None:
        self._touched = False  # whether it ever was anything but idle; outlives a cleanup
        self._looping = False
        super().__init__(context, parameters)

    def load_contract(self) -> RobotContract:
        """The robot file."""
        return load(self.p["robot"])

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
        self.contract = self.load_contract()
        self.balance = Balance(self.contract) if self.contract.fall else None
        self.filter = SafetyFilter(self.contract)
        self.router = Router(self.contract, self.filter)
        self.latency = LatencyTracker(window=1000, skip=0)
        self.report = TimingReport(self.p["report"])
        self.senders = Senders(self)
        self._beat_ns, self._others = 0, 0
        self._dropped: deque[tuple[int, int]] = deque(maxlen=11)  # of the last ten seconds
        self._inbox: deque[tuple[str, Any, float, float]] = deque(maxlen=INBOX)
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
                self._listener(group.topic, topic, read),
                COMMAND_IN,
                event_callbacks=on_subscription(topic, warn),
            )
        # a stop is heard whatever its publisher offers: one subscription for what was said before, one for all others
        self.create_subscription(Bool, "/estop", self._stop_asked, LATCHED, event_callbacks=UNASKED)
        self.create_subscription(Bool, "/estop", self._stop_asked, ANY_IN)
        if self.contract.heartbeat is not None:
            self.create_subscription(Header, self.contract.heartbeat.topic, self._beats, ANY_IN)
        for name, request in (
            ("arm", self.filter.arm),
            ("arm_at_start", self._arm_at_start),
            ("disarm", lambda now: self.filter.disarm()),
            ("home", self._home),
        ):
            self.create_service(Trigger, f"~/{name}", lambda _, answer, r=request: self._ask(r, answer))
        self.create_service(Trigger, "~/reset", self._reset)
        self.create_service(Trigger, "~/estop", self._estop)
        self.actions: actions.Actions | None = None
        if actions.available() and self.contract.damp == "hold":
            prefix = self.p.get("prefix", "")
            self.actions = actions.Actions(self, self.contract, self.filter, self.router, prefix)
        self.description = Description(self, self.contract) if self.contract.has_hands else None
        self.create_timer(1.0, self._say_how_it_goes)

    def activate(self) -> None:
        """Start the control loop."""
        self._ending = threading.Event()
        self.loop = RateLoop(self.contract.rate_hz)
        self._inbox.clear()
        self._looping = True
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)
        self._thread.start()
        threading.Thread(target=self._log, name="log", daemon=True).start()

    def deactivate(self) -> None:
        """Brake, hold, end the loop."""
        self._looping = False  # no request is taken any more
        self._ending.set()
        self._thread.join(BRAKE_S + 1.0)
        self._lines.put(None)

    def cleanup(self) -> None:
        """Let go of the device and write the report."""
        if hasattr(self, "actions") and self.actions is not None:
            self.actions.close()
            self.actions = None
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
            tick = now - late
            stamp_ns = time.time_ns() - round((time.monotonic() - tick) * NS)  # however late this line is
            measured = self.device.read(stamp_ns)
            for _ in range(len(self._inbox)):  # no more than there are now, however fast they come
                self.router.message(*self._inbox.popleft())
            self._answer(tick)
            if self.actions is not None:
                self.actions.feed(tick, stamp_ns * 1e-9)
            self.router.offer(tick)
            self._look_for_a_fall(measured)
            out = self.filter.step(tick, measured)
            if self.description is not None:
                self.description.take(self.filter.state.q)
            self._touched |= out.mode not in UNTOUCHED
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

    def _look_for_a_fall(self, measured: np.ndarray | None) -> None:
        if self.balance is not None:
            q, quat = self.filter.state.q if measured is None else measured, self.device.orientation
            known = q is not None and quat is not None and np.isfinite(q).all()
            self.filter.balance(self.balance.look(quat, q) if known else "no IMU comes")  # type: ignore[arg-type]

    def _answer(self, now: float) -> None:
        if self.p["auto_arm"] and self.filter.mode is Mode.IDLE:
            self._arm_at_start(now)
        while not self._requests.empty():
            request, future = self._requests.get()
            if future.set_running_or_notify_cancel():  # else it was answered with a no
                future.set_result(request(now))

    def _log(self) -> None:
        """Lines of the filter; a log call takes longer than a tick may."""
        while (line := self._lines.get()) is not None:
            self.get_logger().info(line)

    # ------------------------------------------------- executor thread's side

    def _listener(self, lane: str, topic: str, read: Callable) -> Callable[[Any, Any], None]:
        """Callback of a command topic; two arguments, so that rclpy tells who sent the message."""
        return lambda message, info: self._received(lane, topic, read(message), info)

    def _received(self, topic: str, full_topic: str, command: Command, info: Any) -> None:
        now, wall_ns = time.monotonic(), time.time_ns()
        if not self._looping:
            return  # what is said to a node that does not run is not done when it does
        command = replace(command, source=self.senders.name(info, full_topic, command.source))
        self._inbox.append((topic, command, now, wall_ns * 1e-9))
        if command.stamp_ns:
            self.latency.add((wall_ns - command.stamp_ns) * 1e-9)
        self.report.command(topic, wall_ns, command.stamp_ns)

    def _ask(self, request: Callable[[float], Verdict], answer: Trigger.Response) -> Trigger.Response:
        future: Future[Verdict] = Future()
        if not self._looping:
            answer.success, answer.message = False, "the control loop does not run; activate the node"
            return answer
        self._requests.put((request, future))
        try:
            verdict = future.result(ANSWER_S)
        except FutureTimeoutError:
            if future.cancel():
                answer.success, answer.message = False, f"the control loop did not answer within {ANSWER_S:g} s"
                return answer
            verdict = future.result()  # it is being carried out just now
        answer.success, answer.message = verdict.accepted, verdict.reason or self.filter.mode.value
        return answer

    def _estop(self, _: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        self.filter.estop("service ~/estop")
        answer.success, answer.message = True, "stopping; ~/reset, then ~/arm"
        return answer

    def _reset(self, _: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        stops = self.filter.stops  # a stop that is asked for from now on wins
        return self._ask(lambda now: self.filter.reset(now, stops), answer)

    def _arm_at_start(self, now: float) -> Verdict:
        """For whoever arms unasked: once in the life of this node, and not after a stop, whoever asks how often."""
        if self._touched:
            return Verdict(False, "it was armed or stopped before; now a person arms it")
        return self.filter.arm(now)

    def _beats(self, message: Header) -> None:
        stamp_ns = from_stamp(message.stamp)
        if not stamp_ns or stamp_ns != self._beat_ns:  # one that is repeated says nothing
            self._beat_ns = stamp_ns
            self.filter.heartbeat(time.monotonic())

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
        counts = {"mode": out.mode.value, **out.counters, "failed_callbacks": self.errors.total()}
        self.health.set("mode", level, out.reason or out.mode.value, counts, log=False)  # its journal said it
        refused, self._others = out.counters.get("lease", 0) - self._others, out.counters.get("lease", 0)
        lease = f"commands of another sender are refused, {out.source or 'the first one'} has the robot"
        self.health.set("lease", WARN if refused else OK, lease if refused else out.source or "free", log=False)
        alone = self.count_publishers(self._mode_out.topic_name) == 1
        several = f"another {self.get_name()} is in this DDS domain, and both get every command; set ROS_DOMAIN_ID"
        self.health.set("alone", OK if alone else WARN, "yes" if alone else several)
        if hasattr(self, "loop"):
            self._dropped.append((self.loop.dropped, self.loop.ticks))
            dropped, ticks = (now - before for now, before in zip(self._dropped[-1], self._dropped[0], strict=True))
            late = dropped > BUSY * (ticks + dropped)
            text = "ticks are dropped: the machine is too busy" if late else "on time"
            timing = {key: f"{value:.5g}" for key, value in self.loop.summary().items()}
            timing["dropped_in_10_s"] = str(dropped)
            latency = {f"state_to_command_{k}": f"{v:.3g}" for k, v in self.latency.summary().items()}
            self.health.set("control loop", WARN if late else OK, text, {**timing, **latency})
