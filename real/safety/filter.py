"""The safety filter: every command to any robot passes it, and nothing else decides what leaves for the device.

It has no clock, no thread and no ROS in it: the control loop passes the time in. It is not a safety-rated function; the
emergency stop of the hardware stays where it is.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from real.contract import RobotContract
from real.safety.guards import guards_of
from real.safety.journal import Journal
from real.safety.limiter import Limiter
from real.safety.modes import Mode, Output, Verdict
from real.safety.pose import Guard
from real.safety.reference import MoveTo, Ramp
from real.safety.screen import CommandScreen, Refusal, StateScreen

_MOVING = (Mode.ACTIVE, Mode.MOVING_TO_START)
_COMMANDED = (Mode.READY, Mode.ACTIVE, Mode.HOLD)
_YES = Verdict(True)


class SafetyFilter:
    """Screens commands and turns them into motion inside the limits of a robot.

    Call :meth:`command` when a command comes and :meth:`step` once per control tick, both from one thread; only
    :meth:`estop` and :meth:`heartbeat` may be called from any.

    Args:
        contract: the robot.
        rate_hz: ticks per second, if not those of the contract.
        guards: further checks of poses (workspace, self-collision); those of the contract if not given.
        lockstep: ticks are all of the same length, as in a simulation that waits for them; shorter ones do not move.

    Attributes:
        mode: present mode; reason: why.
        stops: how many emergency stops were asked for so far.
        journal: lines to log (``filter.journal.take()``) and counts by kind.
    """

    START_TOLERANCE = 0.02  # rad; nearer than this the start pose needs no motion

    def __init__(
        self,
        contract: RobotContract,
        rate_hz: float | None = None,
        guards: Sequence[Guard] | None = None,
        lockstep: bool = False,
    ) -> None:
        self.contract = contract
        self.period = 1.0 / (rate_hz or contract.rate_hz)
        self.shortest_tick = 0.999 * self.period if lockstep else 0.0
        self.longest_tick = 4 * self.period  # in a longer one the device stood still, so motion starts anew
        self.jump_s = max(0.5, 25 * self.period)  # a longer one is a clock that was set, or a process that slept
        lower, upper = contract.soft_limits
        velocity, acceleration = contract.column("velocity"), contract.column("acceleration")
        self.limiter = Limiter(lower, upper, velocity, acceleration, self.shortest_tick)
        self.limiter.place(contract.home)
        self.commands, self.state = CommandScreen(contract), StateScreen(contract)
        self.guards = guards_of(contract) if guards is None else list(guards)
        self.journal = Journal()
        self.mode, self.reason = Mode.DISCONNECTED, "no state yet"
        # in lockstep a command is for the tick that follows it, whatever the rate of a policy in real time
        self._ramp = Ramp(len(contract.names), self.period if lockstep else 1.0 / contract.command_hz)
        self._move: MoveTo | None = None
        self._confirmed = self._powered = self._leaving = self._leased = False
        self._lease: str | None = None
        self._now = self._command_time = self._since = -math.inf
        self._estop: str | None = None
        self._estop_lock, self.stops = threading.Lock(), 0
        self._beat = -math.inf  # when the last heartbeat came
        self._rested = True  # whether the last tick held no position: only then motion may begin elsewhere
        self._given = np.full(len(contract.names), math.inf)  # when a joint was commanded last, if since HOLD
        self._oldest = math.inf  # of those times, of the joints of arms
        self._arms = ~contract.is_gripper  # grippers are also commanded now and then only
        self._trouble = ""  # a fault that was there in the last tick
        self._fallen = ""  # why a robot on legs lies, as far as it is known
        self._tracking = np.where(contract.is_gripper, np.inf, contract.tracking_error)
        self._work, self._far = np.empty(len(contract.names)), np.empty(len(contract.names), bool)

    @property
    def counters(self) -> dict[str, int]:
        """How often commands were refused or clipped and motion was stopped, by kind."""
        return dict(self.journal.counts)

    @property
    def source(self) -> str | None:
        """Who has the robot: the sender of the commands that count."""
        return self._lease if self._leased else None

    def held_by_another(self, source: str | None, now: float) -> str:
        """Who else has the robot now, "" if nobody; a sender that is silent for ``damp_s`` has lost it."""
        fresh = now - self._command_time <= self.contract.watchdog.damp_s
        return str(self._lease) if self._leased and source != self._lease and fresh else ""

    # ------------------------------------------------------------- commands

    def command(
        self,
        q: Any,
        now: float,
        *,
        names: Sequence[str] | None = None,
        stamp: float | None = None,
        source: str | None = None,
    ) -> Verdict:
        """Offer a new target. Whatever is wrong with it refuses it as a whole; nothing raises.

        Args:
            q: (J,) positions, in the order of the contract or of ``names``.
            now: monotonic time of receipt, seconds.
            names: joint names (or device names) of ``q``: all joints, or those of one or more whole command groups;
                the others keep their targets. A group of an arm that was commanded once must be commanded on.
            stamp: when it was made, on the clock of ``now``: ``now - (wall clock - stamp of the message)``.
            source: who sends it; the first one after arming keeps others out until it is silent for ``damp_s``.
        """
        refusal = self._refusal(q, now, names, stamp, source)
        if refusal is not None:
            self.journal.note(refusal.kind, f"refused: {refusal.line}", self._now if self._now > -math.inf else 0.0)
            return Verdict(False, refusal.line)
        self._lease, self._leased = source, True
        if stamp is not None:
            self.commands.newest_stamp = stamp
        self._command_time = now
        if self.mode is not Mode.ACTIVE:
            self._ramp.place(self.limiter.q)
            self._given[:] = math.inf
            self._enter(Mode.ACTIVE)
        where = self.commands.where
        self._ramp.aim(self.commands.target, now, where)
        self._given[where] = now
        self._oldest = now if isinstance(where, slice) else float(np.where(self._arms, self._given, math.inf).min())
        clipped = self.commands.clipped
        if clipped:
            self.journal.note("clipped", f"clipped: {self.commands.clip_line}", now)
            return Verdict(True, "", clipped)
        return _YES

    def _refusal(self, q: Any, now: float, names: Any, stamp: Any, source: str | None) -> Refusal | None:
        if self._estop is not None or self._leaving or self.mode not in _COMMANDED:
            return self._not_now()
        if self.mode is Mode.READY and self.contract.confirm and not self._confirmed:
            return Refusal("mode", "a command before the start was confirmed; arm once more")
        if not abs(now - self._now) <= self.jump_s:
            return Refusal("clock", f"a command received at {now}, while the last tick was at {self._now:.3f}")
        holder = self.held_by_another(source, now)
        if holder:
            return Refusal("lease", f"a command from {source}, while {holder} has the robot")
        others = self._ramp.target if self.mode is Mode.ACTIVE else self.limiter.q
        refusal = self.commands.numbers(q, names, others)
        if refusal is None and stamp is not None:
            refusal = self.commands.stamp(stamp, now)
        if refusal is None:
            refusal = self.commands.limits()
        if refusal is not None:
            return refusal
        if self.state.q is None or now - self.state.time > self.contract.watchdog.hold_s:
            return Refusal("state", "a command while no state comes from the robot")
        refusal = self.commands.near(self.state.q, "is")
        if self.mode is not Mode.ACTIVE and refusal is None:
            if self._trouble:
                return Refusal("hold", f"a command while {self._trouble}")
            refusal = self.commands.near(self.limiter.q, "is held")
        if refusal is not None:
            return refusal
        for guard in self.guards:
            line = guard.refuses(self.commands.target, self.limiter.q)
            if line:
                return Refusal(guard.kind, line)
        return None

    def _not_now(self) -> Refusal:
        if self._estop is not None or self.mode is Mode.ESTOP:
            return Refusal("estop", "a command after the emergency stop; reset, then arm")
        if self._leaving:
            return Refusal("mode", "a command while disarming")
        cure = {Mode.MOVING_TO_START: "wait for ready", Mode.DAMP: "reset, then arm"}.get(self.mode, "arm first")
        return Refusal("mode", f"a command in mode {self.mode.value}; {cure}")

    # ------------------------------------------------------------- requests

    def estop(self, reason: str = "asked for") -> Verdict:
        """Stop now and stay stopped until :meth:`reset`; works in any mode and from any thread."""
        with self._estop_lock:
            self.stops += 1
            self._estop = self._estop or reason or "asked for"
        return _YES

    def heartbeat(self, now: float) -> None:
        """The operator's side lives. A robot whose file asks for heartbeats stops when they are late."""
        self._beat = now

    def balance(self, fallen: str) -> None:
        """Call before each tick of a robot on legs: why it has fallen (`real.safety.balance`), "" if it stands.

        A robot that is armed is damped at once, or stopped where its file says ``damp: hold``; one that lies cannot be
        armed.
        """
        self._fallen = fallen
        if not fallen or not self._powered or self.mode in (Mode.ESTOP, Mode.DAMP):
            return
        self.journal.counts["fall"] += 1
        self._leaving = self._leased = False
        self._move = None
        self._enter(Mode.DAMP if self.contract.damp == "damping" else Mode.HOLD, f"fall: {fallen}")

    def reset(self, now: float, stops: int | None = None) -> Verdict:
        """Leave ESTOP or DAMP, for IDLE. Nothing moves before :meth:`arm`.

        Args:
            now: monotonic time, seconds.
            stops: the attribute of that name when the reset was asked for; a stop that was asked for since wins.
        """
        stops = self.stops if stops is None else stops
        if self.mode not in (Mode.ESTOP, Mode.DAMP) and self._estop is None:
            return Verdict(False, f"nothing to reset in mode {self.mode.value}")
        if self._powered and not self.limiter.at_rest:
            return Verdict(False, "still moving; reset when it stands")
        with self._estop_lock:
            if self.stops != stops:
                return Verdict(False, "an emergency stop came after the reset was asked for; reset again")
            self._estop = None
        self._idle("reset")
        return _YES

    def arm(self, now: float, start: np.ndarray | None = None) -> Verdict:
        """Move to the start pose (home if not given). At the start pose of a robot with ``confirm``: confirm."""
        if self._estop is not None:
            return Verdict(False, "the emergency stop is latched; reset first")
        if self.mode is Mode.READY and self.contract.confirm and not self._confirmed:
            self._confirmed = True
            self.journal.say("confirmed: commands count now")
            return _YES
        if self.mode not in (Mode.IDLE, Mode.READY, Mode.HOLD) or self._leaving:
            return Verdict(False, f"cannot arm in mode {self.mode.value}")
        goal = self.contract.home if start is None else np.asarray(start, float)
        lower, upper = self.contract.soft_limits
        if goal.shape != lower.shape or not ((goal >= lower) & (goal <= upper)).all():
            return Verdict(False, "the start pose is not inside the position limits")
        trouble = self._cannot_arm(now)
        if trouble:
            return Verdict(False, trouble)
        limiter = self.limiter
        if self._rested:
            limiter.place(self.state.q)  # type: ignore[arg-type] (known, or there is trouble)
        self._powered, self._confirmed, self._leased = True, False, False
        self.commands.newest_stamp = -math.inf
        if limiter.at_rest and np.abs(goal - limiter.q).max() <= self.START_TOLERANCE:
            self._ramp.place(limiter.q)
            self._enter(Mode.READY)
        else:
            duration = self.contract.start_s
            self._move = MoveTo(limiter.stopping_pose(), goal, limiter.velocity, limiter.acceleration, duration)
            self._enter(Mode.MOVING_TO_START)
        return _YES

    def _cannot_arm(self, now: float) -> str:
        q = self.state.q
        if q is None or now - self.state.time > self.contract.watchdog.hold_s:
            return "no state comes from the robot"
        if self._fallen:
            return f"it lies: {self._fallen}; lift it"
        if self._trouble:
            return f"{self._trouble}; {'disarm first' if self._powered else 'try again'}"
        if self._heart_stopped(now):
            return f"no heartbeat on {self.contract.heartbeat.topic}"  # type: ignore[union-attr]
        where = np.clip(q, self.limiter.lower, self.limiter.upper) if self._rested else self.limiter.q
        # the first command of a robot that stands outside its limits moves it this far at once
        most = max(self.START_TOLERANCE, self.contract.margin) if self._rested else self.commands.step
        gap = np.where(self.contract.is_gripper, 0.0, np.abs(where - q)) - most
        k = int(np.argmax(gap))
        if gap[k] > 0.0:
            cure = "bring it inside its limits by hand" if self._rested else "disarm first"
            return f"{self.contract.names[k]} is at {q[k]:.3f}, too far from where it may be commanded; {cure}"
        return ""

    def _heart_stopped(self, now: float) -> bool:
        beats = self.contract.heartbeat
        return beats is not None and not now - self._beat <= beats.timeout_s

    def disarm(self) -> Verdict:
        """Brake, then send nothing any more."""
        if not self._powered or self.mode in (Mode.ESTOP, Mode.DAMP):
            return Verdict(False, f"not armed (mode {self.mode.value})")
        self._leaving = True
        self._move = None
        self._enter(Mode.HOLD, "disarming")
        return _YES

    # ----------------------------------------------------------------- tick

    def step(self, now: float, measured: Any = None) -> Output:
        """One control tick.

        Args:
            now: monotonic time, seconds.
            measured: (J,) positions if a new state came since the last tick, else None.
        """
        self._trouble = ""
        dt = self._elapsed(now)
        self._look(measured)
        now = self._now
        watchdog = self.contract.watchdog
        if self._powered and self._estop is None and self._heart_stopped(now):
            self.estop(f"no heartbeat for {now - self._beat:.2f} s")
        if self._estop is not None and self.mode is not Mode.ESTOP:
            self._leaving, self._move = False, None
            self._enter(Mode.ESTOP, f"emergency stop: {self._estop}")
        if self.mode is Mode.ACTIVE:
            oldest = min(self._oldest, self._command_time + watchdog.damp_s)  # grippers alone: not for long
            if now - oldest > watchdog.hold_s:
                self._hold("watchdog", self._silence(now))
        if self.mode is Mode.HOLD and now - max(self._command_time, self._since) > watchdog.damp_s:
            self._give_up()
        if dt > 0.0:
            self._advance(dt, now)
        self.journal.settle(now)
        damping = self._powered and self.contract.damp == "damping" and self.mode in (Mode.DAMP, Mode.ESTOP)
        self._rested = damping or not self._powered
        limiter = self.limiter
        return Output(limiter.q.copy(), limiter.v.copy(), self.mode, self.reason, self._powered, damping, self._goal())

    def _goal(self) -> np.ndarray:
        """(J,) where the motion of this tick leads: the target that passed the filter, or where braking ends."""
        if self.mode is Mode.ACTIVE:
            return self._ramp.target.copy()
        if self.mode is Mode.MOVING_TO_START and self._move is not None:
            return self._move.goal.copy()
        return self.limiter.stopping_pose()

    def _elapsed(self, now: float) -> float:
        """Seconds to move for: measured, but never more than a few periods and never backwards."""
        before, dt = self._now, now - self._now
        if not math.isfinite(now):
            self._fault("clock", f"the tick came at {now}")
            return 0.0
        self._now = now
        if before == -math.inf:
            return self.period
        if 0.0 <= dt < self.shortest_tick:
            self._now = before
            return 0.0
        if 0.0 <= dt <= self.longest_tick:
            return dt
        self.limiter.v[:] = 0.0  # nothing was sent meanwhile: the device stands, and starts from rest
        if 0.0 < dt <= self.jump_s:
            return self.longest_tick
        self._fault("clock", f"time jumped by {dt:+.3f} s between ticks")
        self.state.time, self._command_time = now, min(self._command_time, now)
        self._since = min(self._since, now)
        return 0.0

    def _look(self, measured: Any) -> None:
        """Take the measured state and see whether the robot is where it was sent."""
        now, watchdog = self._now, self.contract.watchdog
        if measured is not None:
            refusal = self.state.take(measured, now)
            if refusal is not None:
                self._fault(refusal.kind, refusal.line)
        q = self.state.q
        if q is None:
            return
        age = now - self.state.time
        if age > watchdog.damp_s:
            self.state.forget()
            self._lose(f"no state for {age:.2f} s")
        elif age > watchdog.hold_s:
            self._fault("state", f"no state came for {watchdog.hold_s:g} s")
        elif self.mode is Mode.DISCONNECTED:
            self._idle("")
        elif self._powered:
            gap = np.subtract(self.limiter.q, q, out=self._work)
            np.abs(gap, out=gap)
            if np.count_nonzero(np.greater(gap, self._tracking, out=self._far)):
                k = int(np.argmax(gap - self._tracking))
                allowed = self.contract.tracking_error
                self._fault("tracking", f"{self.contract.names[k]} is more than {allowed:g} behind ({gap[k]:.3f})")

    def _silence(self, now: float) -> str:
        """Which commands are missing, in words."""
        silent = now - self._command_time
        if silent > self.contract.watchdog.hold_s:
            return f"no command for {silent:.3f} s"
        k = int(np.argmin(np.where(self._arms, self._given, math.inf)))
        return f"no command to {self.contract.names[k]} for {now - self._given[k]:.3f} s"

    def _advance(self, dt: float, now: float) -> None:
        limiter, mode = self.limiter, self.mode
        if mode in (Mode.IDLE, Mode.DISCONNECTED):
            if self.state.q is not None:
                limiter.place(self.state.q)
            return
        if mode is Mode.ACTIVE:
            self._follow(self._ramp, dt)
        elif mode is Mode.MOVING_TO_START and self._move is not None:
            self._follow(self._move, dt)
            if self._move.done and np.abs(limiter.q - self._move.goal).max() < 1e-6:
                self._move = None
                self._ramp.place(limiter.q)
                self._enter(Mode.READY)
        else:
            limiter.brake(dt)
            if self._leaving and limiter.at_rest:
                self._idle("disarmed")
        for guard in self.guards:
            if self.mode in _MOVING and guard.due(now):
                line = guard.trips(limiter.stopping_pose())
                if line:
                    self._fault(guard.kind, line)

    def _follow(self, reference: Ramp | MoveTo, dt: float) -> None:
        reference.begin(dt)
        self.limiter.follow(reference.start, reference.stop, dt)
        reference.end(dt)

    # ---------------------------------------------------------------- modes

    def _enter(self, mode: Mode, reason: str = "") -> None:
        if mode is not self.mode:
            self._since = self._now
            line = f"{mode.value}: {reason}" if reason else mode.value
            self.journal.note(f"mode {mode.value}", line, max(self._now, 0.0), count=False)
        self.mode, self.reason = mode, reason

    def _hold(self, kind: str, reason: str) -> None:
        self.journal.counts[kind] += 1
        self._move = None
        self._enter(Mode.HOLD, reason)

    def _fault(self, kind: str, line: str) -> None:
        """Something is wrong with the robot or the clock: whatever moves is braked."""
        self._trouble = line
        if self.mode in _MOVING:
            self._hold(kind, line)
        else:
            self.journal.note(kind, f"fault: {line}", max(self._now, 0.0))

    def _give_up(self) -> None:
        """Nobody commands any more: another sender may take over; a robot that wants it is damped."""
        self._leased = False
        if self.contract.damp == "damping" and not self._leaving:
            self._enter(Mode.DAMP, self.reason)

    def _lose(self, line: str) -> None:
        """The robot is silent: nothing is sent to it before it is armed again, but a legged one is damped blindly.

        An emergency stop stays latched.
        """
        if self.mode is Mode.ESTOP:
            return
        self._leaving = self._leased = False
        self._move = None
        if self._powered and self.contract.damp == "damping":
            self._enter(Mode.DAMP, line)
        else:
            self._powered = False
            self._enter(Mode.DISCONNECTED, line)

    def _idle(self, reason: str) -> None:
        self._powered = self._leaving = self._leased = False
        self._move = None
        self._enter(Mode.IDLE if self.state.q is not None else Mode.DISCONNECTED, reason)
