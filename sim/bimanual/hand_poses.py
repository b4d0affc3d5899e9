"""Hand poses as flat vectors: for each hand x y z (m), quaternion wxyz, gripper opening; left first, 16 numbers."""

from __future__ import annotations

import numpy as np

from sim.bimanual.plan import ArmKinematics
from sim.bimanual.simulation import Simulation
from twinloom.transforms import matrix_to_quat, pose


def ee_pose(sim: Simulation) -> np.ndarray:
    """(16,) float32 measured hand poses and openings."""
    hands = []
    for side, arm in sim.arms.items():
        T = sim.tcp(side)
        hands += [*T[:3, 3], *matrix_to_quat(T[:3, :3]), arm.opening(sim.data)]
    return np.array(hands, np.float32)


def solve_hands(sim: Simulation, hands: np.ndarray) -> tuple[np.ndarray, bool]:
    """Joint-space action (A,) for (16,) hand poses, near the present joints; and whether both were reached.

    Raises:
        ValueError: wrong shape, not finite, or a zero quaternion.
    """
    hands = np.asarray(hands, float)
    if hands.shape != (16,) or not np.isfinite(hands).all():
        raise ValueError(f"an end-effector action is (16,) finite numbers, got shape {hands.shape}")
    parts, reached = [], True
    for i, (side, arm) in enumerate(sim.arms.items()):
        x = hands[8 * i : 8 * i + 8]
        if np.linalg.norm(x[3:7]) < 1e-6:
            raise ValueError(f"the {side} hand's quaternion is zero")
        kinematics = _kinematics(sim, side)
        answer = kinematics.solve(pose(x[:3], x[3:7]), arm.q(sim.data))
        parts.append([*answer.q[0], x[7]])
        reached &= bool(answer.ok[0])
    return np.concatenate(parts), reached


def _kinematics(sim: Simulation, side: str) -> ArmKinematics:
    """One solver per simulation and arm; building it costs more than using it."""
    cache = sim.__dict__.setdefault("_hand_kinematics", {})
    if side not in cache:
        cache[side] = ArmKinematics(sim.model, f"{side}_", home=sim.arms[side].home)
    return cache[side]
