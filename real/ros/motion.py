"""A motion that an action asks for: where joints are to be at each moment, and when they have arrived. Loads no ROS."""

from __future__ import annotations

import numpy as np

from real.contract import CommandGroup, RobotContract
from real.safety.modes import Mode
from twinloom.errors import TwinloomError
from twinloom.joint_names import match

SUCCESSFUL, INVALID_GOAL, INVALID_JOINTS, PATH, GOAL = 0, -1, -2, -4, -5  # codes of FollowJointTrajectory
MOVING = (Mode.READY, Mode.ACTIVE)
STARTS_S = 0.1  # until the filter has taken the first command
STILL_S, STILL = 0.5, 1e-3  # a gripper that moved less than this (m or rad) for that long holds something


class InvalidGoalError(TwinloomError):
    """A goal that cannot be; ``code`` says why in the words of FollowJointTrajectory."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Motion:
    """Positions of one command group over time, in the group's order and the driver's units.

    Args:
        contract, group: whose joints.
        names: joints of ``points``, in any order, by the driver's or the robot file's names.
        times: (H,) seconds after the start, increasing; points: (H, n) positions.
        velocities: (H, n), or None for straight lines between the points.
        tolerance: how near to the last point counts as arrived; patience_s: how much later than planned that may be.
        grips: whether standing still before the goal is an arrival too: the gripper holds something.

    Attributes:
        outcome: (code, text) once it is over; over: whether the control loop has let go of it.

    Raises:
        InvalidGoalError: other joints, numbers that are none, times that do not increase.
    """

    def __init__(
        self,
        contract: RobotContract,
        group: CommandGroup,
        names: tuple[str, ...],
        times: np.ndarray,
        points: np.ndarray,
        velocities: np.ndarray | None = None,
        tolerance: float = 0.02,
        patience_s: float = 1.0,
        grips: bool = False,
    ) -> None:
        self.group, self.where = group, contract.where(group.joints)
        own = [contract.devices[k] for k in self.where]
        try:
            order = match(names, group.joints if set(names) == set(group.joints) else own, what="the goal")
        except TwinloomError as error:
            raise InvalidGoalError(INVALID_JOINTS, str(error)) from error
        if points.ndim != 2 or not len(points) or points.shape[1] != len(names) or len(times) != len(points):
            raise InvalidGoalError(INVALID_GOAL, f"every point must have {len(names)} positions")
        if not (np.isfinite(points).all() and np.isfinite(times).all()):
            raise InvalidGoalError(INVALID_GOAL, "positions and times must be finite")
        if times[0] < 0 or (np.diff(times) <= 0).any():
            raise InvalidGoalError(INVALID_GOAL, "times must increase")
        self._times, self._points = times, points[:, order]
        self._curve = None
        if velocities is not None and velocities.shape == points.shape and len(points) > 1:
            from scipy.interpolate import CubicHermiteSpline

            self._curve = CubicHermiteSpline(times, self._points, velocities[:, order])
        self._tolerance, self._patience_s, self._grips = tolerance, patience_s, grips
        self.names = tuple(own)
        self.outcome: tuple[int, str] | None = None
        self.stalled = self.over = False
        self.begun = self._since = -np.inf
        self._before = np.full(len(own), np.inf)
        self._from: np.ndarray | None = None

    @property
    def goal(self) -> np.ndarray:
        """(n,) the last point."""
        return self._points[-1]

    def sample(self, now: float, here: np.ndarray) -> np.ndarray:
        """(n,) where the joints are to be; the first call starts the motion ``here``."""
        if self._from is None:
            self.begun = self._since = now
            self._from = here.copy()
        t = now - self.begun
        if t < self._times[0]:
            return self._from + t / self._times[0] * (self._points[0] - self._from)
        if self._curve is not None:
            return self._curve(min(t, self._times[-1]))
        return np.array([np.interp(t, self._times, column) for column in self._points.T])

    def judge(self, now: float, measured: np.ndarray, mode: Mode, reason: str) -> None:
        """Set ``outcome`` when the joints have arrived, or will not."""
        if self.outcome is not None or self._from is None:
            return
        if mode not in MOVING and now - self.begun > STARTS_S:
            self.outcome = (PATH, f"the robot is {mode.value}: {reason}" if reason else f"the robot is {mode.value}")
            return
        end = self.begun + float(self._times[-1])
        gap = np.abs(measured - self.goal)
        if now >= end and (gap <= self._tolerance).all():
            self.outcome = (SUCCESSFUL, "")
            return
        if (np.abs(measured - self._before) > STILL).any():
            self._before, self._since = measured.copy(), now
        if self._grips and now >= end and now - self._since > STILL_S:
            self.stalled, self.outcome = True, (SUCCESSFUL, "stands still before the goal")
        elif now > end + self._patience_s and not self._grips:
            k = int(np.argmax(gap))
            self.outcome = (GOAL, f"{self.names[k]} is {gap[k]:.3f} from its goal, allowed {self._tolerance:g}")
