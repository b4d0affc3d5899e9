"""From keys and sticks to joint targets: one joint at a time, or a hand through inverse kinematics. Loads no ROS."""

from __future__ import annotations

import numpy as np

from real.contract import RobotContract
from twinloom.errors import TwinloomError

REACH = 0.15  # rad (or opening) by which the target may be ahead of the measured joints
MOVES = {  # key to (translation in the world, rotation vector in the hand)
    "w": ((0, 1, 0), (0, 0, 0)),
    "s": ((0, -1, 0), (0, 0, 0)),
    "a": ((-1, 0, 0), (0, 0, 0)),
    "d": ((1, 0, 0), (0, 0, 0)),
    "r": ((0, 0, 1), (0, 0, 0)),
    "f": ((0, 0, -1), (0, 0, 0)),
    "i": ((0, 0, 0), (0, 1, 0)),
    "k": ((0, 0, 0), (0, -1, 0)),
    "j": ((0, 0, 0), (0, 0, 1)),
    "l": ((0, 0, 0), (0, 0, -1)),
    "u": ((0, 0, 0), (1, 0, 0)),
    "o": ((0, 0, 0), (-1, 0, 0)),
}
ANGLE_PER_M = 5.0  # rad of turning for a metre of moving
HELP = {
    "joint": "left/right: choose a joint   up/down: move it   t: other arm   c/v: close/open the gripper   q: quit",
    "pose": "wasd: forward, left, back, right   r/f: up, down   uo ik jl: turn   t: other arm   c/v: gripper   q: quit",
}


class Jog:
    """Joint targets that a person moves. Targets stay near the measured joints and inside the soft limits.

    Args:
        contract: robot file; "pose" needs one with a model.
        mode: "joint" or "pose".
        step, step_m: of one key press, rad and m.

    Attributes:
        target: (J,) or None before the first measurement.
        arm: "left" or "right"; joint: index of the chosen joint.
    """

    def __init__(self, contract: RobotContract, mode: str, step: float, step_m: float) -> None:
        self.contract, self.mode, self.step, self.step_m = contract, mode, step, step_m
        self.target: np.ndarray | None = None
        self.arm, self.joint = "left", 0
        self.arms = [side for side in ("left", "right") if any(n.startswith(f"{side}_") for n in contract.names)]
        self._solvers = {}
        if mode == "pose":
            if not contract.has_hands:
                raise TwinloomError(f"robot {contract.name} has no model with hands to move; use mode:=joint")
            self._solvers = _solvers(contract)

    def begin(self, measured: np.ndarray) -> None:
        """Start from where the robot is."""
        self.target = np.clip(measured, *self.contract.soft_limits)

    def key(self, key: str, measured: np.ndarray) -> str:
        """Act on one key. Returns what happened, for the screen; "" if the key means nothing."""
        if self.target is None:
            self.begin(measured)
        if key == "t" and len(self.arms) > 1:
            self.arm = self.arms[1 - self.arms.index(self.arm)]
            return f"{self.arm} arm"
        if key in "cv":
            return self._gripper(-0.1 if key == "c" else 0.1, measured)
        if self.mode == "joint":
            return self._joint(key, measured)
        return self._hand(*MOVES[key], measured) if key in MOVES else ""

    def sticks(self, velocity: np.ndarray, seconds: float, measured: np.ndarray) -> None:
        """Move by (6,) velocities of sticks in [-1, 1], translation and rotation, for a while."""
        if self.target is None:
            self.begin(measured)
        scale = seconds * 20.0
        if self.mode == "pose":
            self._hand(tuple(velocity[:3] * scale), tuple(velocity[3:] * scale), measured)
        else:
            self._move(self.joint, self.step * scale * float(velocity[2]), measured)

    def _joint(self, key: str, measured: np.ndarray) -> str:
        if key in ("left", "right"):
            self.joint = (self.joint + (1 if key == "right" else -1)) % len(self.contract.names)
            return f"{self.contract.names[self.joint]}"
        if key in ("up", "down"):
            self._move(self.joint, self.step if key == "up" else -self.step, measured)
            assert self.target is not None
            return f"{self.contract.names[self.joint]} -> {self.target[self.joint]:.3f}"
        return ""

    def _gripper(self, change: float, measured: np.ndarray) -> str:
        name = f"{self.arm}_gripper"
        if name not in self.contract.index:
            return f"no {name}"
        self._move(self.contract.index[name], change, measured, reach=1.0)
        assert self.target is not None
        return f"{name} -> {self.target[self.contract.index[name]]:.2f}"

    def _hand(self, shift, turn, measured: np.ndarray) -> str:
        from twinloom.transforms import rotation_matrix

        assert self.target is not None
        solver, where = self._solvers[self.arm]
        T = solver.forward(self.target[where][None])[0]
        T[:3, 3] += self.step_m * np.array(shift, float)
        T[:3, :3] = T[:3, :3] @ rotation_matrix(self.step_m * ANGLE_PER_M * np.array(turn, float))
        answer = solver.solve(T, self.target[where], restarts=0)
        if not answer.ok[0]:
            return f"the {self.arm} hand cannot go further that way"
        for k, q in zip(where, answer.q[0], strict=True):
            self._move(int(k), float(q - self.target[k]), measured)
        return "the {} hand at {:.3f} {:.3f} {:.3f} m".format(self.arm, *T[:3, 3])

    def _move(self, joint: int, change: float, measured: np.ndarray, reach: float = REACH) -> None:
        assert self.target is not None
        lower, upper = self.contract.soft_limits
        wanted = np.clip(self.target[joint] + change, measured[joint] - reach, measured[joint] + reach)
        self.target[joint] = np.clip(wanted, lower[joint], upper[joint])


def _solvers(contract: RobotContract) -> dict:
    """Side to (solver, positions of its joints in the robot file)."""
    from assets.robots.kinematics import InverseKinematics
    from real.safety.shadow import Shadow

    shadow = Shadow(contract)
    homes = {side: contract.home[where] for side, (_, where) in shadow.arms.items()}
    return {
        side: (InverseKinematics(shadow.model, f"{side}_", home=homes[side]), where)
        for side, (_, where) in shadow.arms.items()
    }
