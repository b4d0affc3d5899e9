"""Control modes of the environments: what the numbers of an action mean, and how they become joint targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gymnasium import spaces
from scipy.spatial.transform import Rotation

from sim.bimanual.hand_poses import ee_pose, solve_hands
from sim.bimanual.simulation import Simulation
from twinloom.errors import TwinloomError

CONTROL_MODES = {
    "joint_pos": "left joints (rad), left gripper, right joints, right gripper: absolute targets",
    "joint_delta": "the same, but joints as changes of the last targets, at most 2 rad/s; grippers stay absolute",
    "ee_pose": "for each hand x y z (m), quaternion wxyz, gripper: absolute, solved by inverse kinematics",
    "ee_delta": "for each hand a shift (m) and a turn (rotation vector, rad), world axes, gripper absolute;"
    " at most 0.5 m/s and 2 rad/s",
}
JOINT_SPEED, HAND_SPEED, HAND_TURN = 2.0, 0.5, 2.0  # rad/s, m/s, rad/s
REACH_LOW, REACH_HIGH = (-1.0, -1.0, 0.4), (1.0, 1.0, 2.0)  # metres, where a hand may be sent


class InvalidActionError(TwinloomError, ValueError):
    """An action that is none: another shape, no numbers, not finite, or a quaternion of zeros."""


@dataclass(frozen=True)
class Bounds:
    """(A,) lower and upper bounds of an action in its own units."""

    low: np.ndarray
    high: np.ndarray


class Control:
    """Turns the actions of one mode into joint targets.

    Args:
        mode: one of CONTROL_MODES.
        joints: bounds of joint targets.
        fps: control rate, Hz.
        normalized: actions are in [-1, 1], mapped linearly to the bounds of the mode.

    Attributes:
        space: of actions, float32.
    """

    def __init__(self, mode: str, joints: Bounds, fps: int, normalized: bool = False) -> None:
        self.mode, self.joints, self.normalized = mode, joints, normalized
        self.bounds = _bounds(mode, joints, fps)
        ones = np.ones_like(self.bounds.low)
        low, high = (-ones, ones) if normalized else (self.bounds.low, self.bounds.high)
        self.space = spaces.Box(low.astype(np.float32), high.astype(np.float32))

    def reset(self, sim: Simulation) -> None:
        """A new episode begins: the hands are told to stay where they are."""
        self._hands = ee_pose(sim).astype(float)

    def targets(self, sim: Simulation, action: np.ndarray) -> tuple[np.ndarray, bool]:
        """Joint targets (A,) for an action, and whether the hands can get where it sends them. Clips to the bounds.

        Raises:
            InvalidActionError: see there.
        """
        action = self._checked(action)
        if self.mode == "joint_pos":
            return action, True
        if self.mode == "joint_delta":
            grippers = _grippers(len(action))
            wanted = np.where(grippers, action, sim.action + action)
            return np.clip(wanted, self.joints.low, self.joints.high), True
        hands = action if self.mode == "ee_pose" else self._moved(action)
        for side, quat in zip(sim.arms, (hands[3:7], hands[11:15]), strict=True):
            if np.linalg.norm(quat) < 1e-6:
                raise InvalidActionError(f"the {side} hand's quaternion is zero")
        joints, reached = solve_hands(sim, hands)
        # where a hand cannot go, later shifts start from where it is: targets do not run away from it
        self._hands = hands if reached else ee_pose(sim).astype(float)
        return np.clip(joints, self.joints.low, self.joints.high), reached

    def _checked(self, action: np.ndarray) -> np.ndarray:
        try:
            numbers = np.asarray(action, float)
        except (TypeError, ValueError) as error:
            raise InvalidActionError(f"an action is {self.space.shape} numbers, got {action!r}") from error
        if numbers.shape != self.space.shape:
            raise InvalidActionError(f"an action has shape {self.space.shape}, got {numbers.shape}")
        if not np.isfinite(numbers).all():
            raise InvalidActionError(f"an action is finite numbers, got {numbers}")
        if self.normalized:
            share = (np.clip(numbers, -1, 1) + 1) / 2
            return self.bounds.low + share * (self.bounds.high - self.bounds.low)
        return np.clip(numbers, self.bounds.low, self.bounds.high)

    def _moved(self, action: np.ndarray) -> np.ndarray:
        """(16,) the commanded hands after a shift and turn of each (14,)."""
        hands = self._hands.copy()
        for i in range(2):
            shift, hand = action[7 * i : 7 * i + 7], hands[8 * i : 8 * i + 8]
            hand[:3] = np.clip(hand[:3] + shift[:3], REACH_LOW, REACH_HIGH)
            turned = Rotation.from_rotvec(shift[3:6]) * Rotation.from_quat(hand[3:7], scalar_first=True)
            hand[3:7], hand[7] = turned.as_quat(scalar_first=True), shift[6]
        return hands


def _grippers(numbers: int) -> np.ndarray:
    """(A,) which numbers of a joint-space action are openings."""
    return np.arange(1, numbers + 1) % (numbers // 2) == 0


def _bounds(mode: str, joints: Bounds, fps: int) -> Bounds:
    if mode == "joint_pos":
        return joints
    if mode == "joint_delta":
        grippers = _grippers(len(joints.low))
        most = np.full(len(joints.low), JOINT_SPEED / fps)
        return Bounds(np.where(grippers, joints.low, -most), np.where(grippers, joints.high, most))
    if mode == "ee_pose":
        return Bounds(np.tile([*REACH_LOW, -1, -1, -1, -1, 0.0], 2), np.tile([*REACH_HIGH, 1, 1, 1, 1, 1.0], 2))
    most = [HAND_SPEED / fps] * 3 + [HAND_TURN / fps] * 3
    return Bounds(np.tile([*np.negative(most), 0.0], 2), np.tile([*most, 1.0], 2))
