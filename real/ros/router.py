"""From command messages to the safety filter: groups of joints are put together, trajectories become points in time.

A robot has several controllers, so a command of a policy arrives as several messages. They are offered to the filter as
one, at the first tick at which all of them are there, or one tick later with what is there. A group that has begun to
send must go on: when one falls silent the whole robot holds. A group that never sent keeps its position, so that one
arm can be driven alone.

One sender has the whole robot: messages of another are refused on every topic, also on those that the first one does
not use, until it has been silent for the time after which the robot is given up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from real.contract import CommandGroup, RobotContract
from real.ros.commands import Command
from real.safety.filter import SafetyFilter
from real.safety.modes import Mode
from twinloom.joint_names import NamesError, match

LONGEST = 10_000  # points of one trajectory message
OFFSET_S = 0.002  # by which the system clock may drift from the monotonic one before it counts as set


@dataclass
class _Lane:
    """One command group: where its joints are in the robot, and what it was last told."""

    group: CommandGroup
    where: np.ndarray
    times: np.ndarray = field(default_factory=lambda: np.empty(0))  # monotonic, of each point
    points: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    came: float = -math.inf
    stamp: float | None = None
    fresh: bool = False

    @property
    def used(self) -> bool:
        return self.came > -math.inf


class Router:
    """Feeds the filter of one robot. One thread only.

    Args:
        contract: its groups, names and gripper scaling; messages carry driver names and driver units.
        filter: what commands are offered to.

    Attributes:
        received: number of messages by topic; refused: how many commands and messages were not taken.
    """

    def __init__(self, contract: RobotContract, filter: SafetyFilter) -> None:
        self.contract, self.filter = contract, filter
        self.received: dict[str, int] = {group.topic: 0 for group in contract.topics.commands}
        self.refused = 0
        self._lanes = {g.topic: _Lane(g, contract.where(g.joints)) for g in contract.topics.commands}
        self._orders: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        self._waited = False
        self._was = filter.mode
        self._sender, self._heard = "", -math.inf  # whose messages the lanes hold, and when the last one came
        self._offset = 0.0
        self._step, self._velocity = contract.column("step"), contract.column("velocity")

    def message(self, topic: str, command: Command, now: float, wall: float) -> None:
        """Take a message that came at ``now`` (monotonic) and ``wall`` (seconds of the system clock)."""
        self.received[topic] += 1
        lane = self._lanes[topic]
        source = command.source or "an unnamed sender"
        problem = self._check(lane, command) or self._not_theirs(source, now)
        if problem:
            kind, line = problem
            self._refuse(kind, f"{topic} {line}", now)
            return
        points = self._in_order(lane, command)
        stamp = self._on_our_clock(command.stamp_ns, now, wall) if command.stamp_ns else None
        if lane.group.kind == "trajectory":
            if source != self._sender:
                self._forget()
            problem = self._splice(lane, points, command.times, now if stamp is None else stamp, now)
            if problem:
                self._refuse(problem[0], f"{topic} {problem[1]}", now)
                return
        else:
            if source != self._sender:
                self._forget()
            lane.times, lane.points = np.array([now]), points[-1:]
        lane.came, lane.stamp, lane.fresh = now, stamp, True
        self._sender, self._heard = source, now

    def _not_theirs(self, source: str, now: float) -> tuple[str, str] | None:
        """Whether another sender has the robot, or is about to."""
        holder = self.filter.held_by_another(source, now)
        if not holder and self._sender not in ("", source) and now - self._heard <= self.contract.watchdog.damp_s:
            holder = self._sender
        return ("lease", f"carries a command from {source}, while {holder} has the robot") if holder else None

    def offer(self, now: float) -> None:
        """Once per tick, before the filter's step: offer what the groups say for this moment."""
        if self.filter.mode is not self._was:
            if self.filter.mode not in (Mode.ACTIVE, Mode.HOLD):
                self._forget()  # what was sent before an arm or a stop does not count after it
            self._was = self.filter.mode
        used = [lane for lane in self._lanes.values() if lane.used]
        due = [lane for lane in used if lane.fresh or (lane.group.kind == "trajectory" and now <= lane.times[-1])]
        if not due:
            return
        late = [lane for lane in used if lane not in due]
        if any(lane.fresh for lane in due) and late and not self._waited:
            self._waited = True  # the rest of a command is usually here within a tick
            return
        self._waited = False
        hold_s = self.contract.watchdog.hold_s
        silent = [lane for lane in late if now - lane.came > hold_s]
        if silent:
            line = f"nothing on {silent[0].group.topic} for {now - silent[0].came:.2f} s"
            self._refuse("silent", line, now)
            return
        q = self.filter.limiter.q.copy()
        for lane in used:
            q[lane.where] = self._sample(lane, now)
            lane.fresh = False
        first = max(due, key=lambda lane: lane.came)
        stamp = None if first.group.kind == "trajectory" else first.stamp
        accepted = self.filter.command(q, now, stamp=stamp, source=self._sender).accepted
        self.refused += not accepted
        if not accepted and self.filter.source != self._sender:
            self._forget()  # it does not have the robot, and keeps nobody out by asking for it

    def release(self, topic: str) -> None:
        """A group's sender is done: it is as if the group had never sent, and keeps its position."""
        lane = self._lanes[topic]
        lane.came, lane.fresh, lane.times = -math.inf, False, np.empty(0)

    def _refuse(self, kind: str, line: str, now: float) -> None:
        self.refused += 1
        self.filter.journal.note(kind, f"refused: {line}", now)

    def _sample(self, lane: _Lane, now: float) -> np.ndarray:
        """(n,) what a group is to be at a moment; linear between the points of a trajectory."""
        if len(lane.times) == 1 or now >= lane.times[-1]:
            return lane.points[-1]
        k = int(np.searchsorted(lane.times, now))
        if k == 0:
            return lane.points[0]
        t0, t1 = lane.times[k - 1], lane.times[k]
        return lane.points[k - 1] + (now - t0) / (t1 - t0) * (lane.points[k] - lane.points[k - 1])

    def _splice(self, lane: _Lane, points, offsets, start: float, now: float) -> tuple[str, str] | None:
        """Replace what a trajectory lane has from the first new point on."""
        times = start + offsets
        if (np.diff(offsets) <= 0).any() or (offsets < 0).any():
            return "times", "has points whose times do not increase"
        if times[-1] < now:
            return "stale", f"ends {now - times[-1]:.2f} s ago"
        if times[0] - now > self.contract.stamps.max_age_s:
            return "future", f"begins in {times[0] - now:.2f} s"
        # where it is to be now leads to the first new point
        keep = (lane.times < times[0]) & (lane.times >= now - 0.1) if lane.used else np.zeros(len(lane.times), bool)
        here = self.filter.limiter.q[lane.where][None]
        if keep.any():
            times, points = np.concatenate([lane.times[keep], times]), np.concatenate([lane.points[keep], points])
        if times[0] > now:
            times, points = np.concatenate([[now], times]), np.concatenate([here, points])
        times, points = _cut(times, points, now + self.contract.watchdog.window_s)
        ahead = times > now
        problem = self._jump(lane, np.concatenate([[now], times[ahead]]), np.concatenate([here, points[ahead]]))
        if problem is None:
            lane.times, lane.points = times, points
        return problem

    def _jump(self, lane: _Lane, times: np.ndarray, points: np.ndarray) -> tuple[str, str] | None:
        """A trajectory that leaps further than a single command may: a part of the leap would be followed."""
        gaps, seconds = np.abs(np.diff(points, axis=0)), np.diff(times)[:, None]
        excess = gaps - self._step[lane.where] - self._velocity[lane.where] * seconds
        if not len(excess) or excess.max() <= 0.0:
            return None
        k, joint = np.unravel_index(int(np.argmax(excess)), excess.shape)
        name = lane.group.joints[joint]
        return "step", f"asks {name} to jump {gaps[k, joint]:.3f} within {seconds[k, 0]:.3f} s"

    def _on_our_clock(self, stamp_ns: int, now: float, wall: float) -> float:
        """A stamp of the system clock in monotonic time. The offset is kept: equal stamps stay equal."""
        if abs(wall - now - self._offset) > OFFSET_S:
            self._offset = wall - now
        return stamp_ns * 1e-9 - self._offset

    def _check(self, lane: _Lane, command: Command) -> tuple[str, str] | None:
        size = len(lane.where)
        if len(command.points) > LONGEST:
            return "size", f"brings {len(command.points)} points, allowed {LONGEST}"
        if command.points.ndim != 2 or not len(command.points) or command.points.shape[1] != size:
            width = command.points.shape[-1] if command.points.size else 0
            return "shape", f"brings {width} numbers for {size} joints"
        if not np.isfinite(command.points).all():
            bad = np.argwhere(~np.isfinite(command.points))[0]
            return "non-finite", f"brings {command.points[tuple(bad)]} for {lane.group.joints[bad[1]]}"
        if command.names:
            try:
                self._order(lane, command.names)
            except NamesError as error:
                return "names", str(error)
        elif lane.group.kind == "trajectory":
            return "names", "names no joints"
        return None

    def _in_order(self, lane: _Lane, command: Command) -> np.ndarray:
        """(H, n) in the group's order and in the robot file's units."""
        points = command.points[:, self._order(lane, command.names)] if command.names else command.points
        whole = np.broadcast_to(self.filter.limiter.q, (len(points), len(self.contract.names))).copy()
        whole = self.contract.to_device(whole)
        whole[:, lane.where] = points
        return self.contract.from_device(whole)[:, lane.where]

    def _order(self, lane: _Lane, names: tuple[str, ...]) -> list[int]:
        key = (lane.group.topic, names)
        if key not in self._orders:
            devices = tuple(self.contract.devices[k] for k in lane.where)
            wanted = lane.group.joints if set(names) == set(lane.group.joints) else devices
            order = match(names, wanted, what="")
            if len(self._orders) > 64:  # a sender does not change its order all the time
                self._orders.clear()
            self._orders[key] = order
        return self._orders[key]

    def _forget(self) -> None:
        self._sender, self._heard = "", -math.inf
        for lane in self._lanes.values():
            lane.came, lane.fresh, lane.times = -math.inf, False, np.empty(0)


def _cut(times: np.ndarray, points: np.ndarray, end: float) -> tuple[np.ndarray, np.ndarray]:
    """A trajectory up to ``end``: a message says what is wanted soon, and is to be followed by another.

    Args:
        times: (H,) increasing; points: (H, n).
    """
    if times[-1] <= end:
        return times, points
    k = int(np.searchsorted(times, end))  # the first point behind the end
    if k == 0:
        return times[:1], points[:1]
    share = (end - times[k - 1]) / (times[k] - times[k - 1])
    last = points[k - 1] + share * (points[k] - points[k - 1])
    return np.append(times[:k], end), np.concatenate([points[:k], last[None]])
