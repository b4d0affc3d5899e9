"""What is wrong with a command or a measured state, as a short kind and one line; nothing is ever repaired."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from real.contract import CommandGroup, RobotContract
from twinloom.joint_names import NamesError, match

TOLERANCE = 1e-6  # rad; float32 rounding of a limit is no excess


class Refusal(NamedTuple):
    """Why something is not taken: a word to count it by, and a line for people."""

    kind: str
    line: str


class CommandScreen:
    """Shape, names, numbers, stamps, limits and step of commands.

    A command is for all joints, or for those of one or more whole command groups, as controllers take them.

    Attributes:
        target: (J,) the last command that passed, inside the soft limits; joints it is not for keep their target.
        where: which joints it is for.
        clipped: how many joints of it were clipped; clip_line: the first of them in words.
        newest_stamp: of the commands that counted.
    """

    def __init__(self, contract: RobotContract) -> None:
        self.contract = contract
        self.size = len(contract.names)
        self.lower, self.upper = contract.soft_limits
        self._lowest, self._highest = self.lower - TOLERANCE, self.upper + TOLERANCE
        self.step = contract.column("step") + TOLERANCE
        self.target = contract.home.copy()
        self.clipped, self.clip_line = 0, ""
        self._given, self._flags, self._work = np.empty(self.size), np.empty(self.size, bool), np.empty(self.size)
        self._orders: dict[tuple[str, ...], np.ndarray | slice] = {contract.names: slice(None)}
        self.where: np.ndarray | slice = slice(None)
        self.newest_stamp = -math.inf

    def numbers(self, q: Any, names: Sequence[str] | None, others: np.ndarray) -> Refusal | None:
        """Bring a command into the order of the contract; None if that is possible.

        Args:
            q: as many numbers as there are names, or J.
            names: whose they are.
            others: (J,) targets of joints that it is not for.
        """
        if type(q) is not np.ndarray or q.dtype != np.float64:
            if q is None:
                return Refusal("empty", "a command without positions")
            try:
                given = np.asarray(q)
                if given.dtype.kind not in "fiu":
                    return Refusal("dtype", f"a command of {given.dtype} instead of numbers")
                with np.errstate(over="ignore"):
                    q = given.astype(np.float64)
            except (TypeError, ValueError, OverflowError):
                return Refusal("shape", f"a command that is no array of {self.size} numbers")
        where = slice(None) if names is None else self._order(names)
        if isinstance(where, Refusal):
            return where
        size = self.size if isinstance(where, slice) else len(where)
        if q.shape != (size,):
            return Refusal("shape", f"a command of shape {q.shape} for {size} joints")
        if not isinstance(where, slice):
            self._given[:] = others
        self._given[where] = q
        self.where = where
        if np.count_nonzero(np.isfinite(self._given, out=self._flags)) < self.size:
            bad = int(np.argmin(self._flags))
            return Refusal("non-finite", f"a command with {self._given[bad]} for {self.contract.names[bad]}")
        return None

    def _order(self, names: Sequence[str]) -> np.ndarray | slice | Refusal:
        """Positions in the contract of the joints that are named."""
        try:
            key = tuple(names)
        except TypeError:
            key = ()
        if not key or not all(isinstance(name, str) for name in key):
            return Refusal("names", "a command whose joint names are no list of texts")
        if key in self._orders:
            return self._orders[key]
        contract = self.contract
        own = contract.devices if set(key) & set(contract.devices) - set(contract.names) else contract.names
        groups = [self._of_group(group, own) for group in contract.topics.commands]
        wanted = [name for group in groups if set(group) & set(key) for name in group] or list(own)
        try:
            if len(set(own)) < len(own):
                raise NamesError("a command by device names, which two joints share")
            match(key, wanted, what="a command")
        except NamesError as error:
            return Refusal("names", str(error))
        place = {name: k for k, name in enumerate(own)}
        where = np.array([place[name] for name in key])
        if len(self._orders) < 64:  # a sender does not change its order all the time
            self._orders[key] = where
        return where

    def _of_group(self, group: CommandGroup, own: tuple[str, ...]) -> list[str]:
        return [own[self.contract.index[name]] for name in group.joints]

    def stamp(self, stamp: Any, now: float) -> Refusal | None:
        """Whether a stamp, on the clock of ``now``, is believable and not older than the one before."""
        try:
            stamp = float(stamp)
        except (TypeError, ValueError, OverflowError):
            stamp = math.nan
        if not math.isfinite(stamp):
            return Refusal("stamp", "a command whose stamp is no time")
        age, rules = now - stamp, self.contract.stamps
        if age > rules.max_age_s:
            return Refusal("stale", f"a command that is {age:.2f} s old, allowed {rules.max_age_s:g} s")
        if age < -rules.max_future_s:
            return Refusal("future", f"a command from {-age:.2f} s in the future, allowed {rules.max_future_s:g} s")
        if stamp < self.newest_stamp:
            return Refusal("order", f"a command {self.newest_stamp - stamp:.3f} s older than the one before it")
        return None

    def limits(self) -> Refusal | None:
        """Clip the command to the soft limits or refuse it, as the contract wants."""
        q, target = self._given, self.target
        self.clipped = 0
        low = np.count_nonzero(np.less(q, self._lowest, out=self._flags))
        if low + np.count_nonzero(np.greater(q, self._highest, out=self._flags)):
            outside = (q < self._lowest) | (q > self._highest)
            k = int(np.argmax(outside))
            allowed = f"{self.lower[k]:.4g} to {self.upper[k]:.4g}"
            line = f"{self.contract.names[k]} asked to go to {q[k]:.4g}, allowed {allowed}"
            if self.contract.on_limit == "refuse":
                return Refusal("limits", line)
            self.clipped, self.clip_line = int(outside.sum()), line
        np.maximum(q, self.lower, out=target)
        np.minimum(target, self.upper, out=target)
        return None

    def near(self, pose: np.ndarray, what: str) -> Refusal | None:
        """Whether the command lies within the step limit of a pose, at the joints that it is for."""
        gap = np.subtract(self.target, pose, out=self._work)
        np.abs(gap, out=gap)
        np.greater(gap, self.step, out=self._flags)
        if np.count_nonzero(self._flags[self.where]):
            far = np.arange(self.size)[self.where][self._flags[self.where]]
            k = int(far[np.argmax(gap[far])])
            name, allowed = self.contract.names[k], self.contract.joints[k].step
            return Refusal("step", f"{name} asked to jump {gap[k]:.3f} from where it {what}, allowed {allowed:g}")
        return None


class StateScreen:
    """Measured positions: numbers, jumps and age.

    Attributes:
        q: (J,) last believable measurement, or None; time: when it came.
    """

    JUMP, SLACK = 0.1, 2.0  # rad of noise, and how much faster than its limit a joint may be measured to move
    LONGEST = 0.2  # seconds; after a longer silence a joint may be anywhere

    def __init__(self, contract: RobotContract) -> None:
        self.contract = contract
        self.size = len(contract.names)
        self._speed = np.where(contract.is_gripper, np.inf, self.SLACK * contract.column("velocity"))
        self.q: np.ndarray | None = None
        self.time = -math.inf
        self._work, self._allowed = np.empty(self.size), np.empty(self.size)
        self._flags = np.empty(self.size, bool)

    def take(self, measured: Any, now: float) -> Refusal | None:
        """Take a measurement if it can be one. A jump is taken too, since it may be true, but reported."""
        if type(measured) is not np.ndarray or measured.dtype != np.float64:
            try:
                given = np.asarray(measured)
                if given.dtype.kind not in "fiu":
                    return Refusal("state", f"a state of {given.dtype} instead of numbers")
                with np.errstate(over="ignore"):
                    measured = given.astype(np.float64)
            except (TypeError, ValueError, OverflowError):
                return Refusal("state", f"a state that is no array of {self.size} numbers")
        if measured.shape != (self.size,):
            return Refusal("state", f"a state of shape {measured.shape}; this robot has {self.size} joints")
        if np.count_nonzero(np.isfinite(measured, out=self._flags)) < self.size:
            bad = int(np.argmin(self._flags))
            return Refusal("state", f"{self.contract.names[bad]} was measured at {measured[bad]}")
        refusal = None
        gap_s = now - self.time
        if self.q is not None and 0.0 <= gap_s <= self.LONGEST:
            with np.errstate(over="ignore"):  # 1e308 is finite, its distance from -1e308 is not
                gap = np.subtract(measured, self.q, out=self._work)
            np.abs(gap, out=gap)
            allowed = np.multiply(self._speed, max(gap_s, 1e-9), out=self._allowed)
            allowed += self.JUMP
            if np.count_nonzero(np.greater(gap, allowed, out=self._flags)):
                k = int(np.argmax(self._flags))
                line = f"{self.contract.names[k]} was measured {gap[k]:.3f} away from {1e3 * gap_s:.0f} ms before"
                refusal = Refusal("state jump", line)
        if self.q is None:
            self.q = measured.copy()
        else:
            self.q[:] = measured
        self.time = now
        return refusal

    def forget(self) -> None:
        """No state is known any more."""
        self.q, self.time = None, -math.inf
