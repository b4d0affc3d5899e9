"""The standing pose: knees bent a little, soles flat and forward, centre of mass over the middle of the soles."""

from __future__ import annotations

import mujoco
import numpy as np

from assets.robots.humanoid.feet import sole_pose
from assets.robots.humanoid.slots import SIDES
from assets.robots.humanoid.tree import LinkTree
from twinloom.transforms import pose, rotation_vector

KNEE = 0.5  # rad of flexion; half of it at the hip and half at the ankle keep the foot below the hip
LEAN = 0.35  # rad by which the leg may be turned about the ankle's axis to bring the feet below the centre of mass


def leg_lengths(tree: LinkTree) -> tuple[float, float, float]:
    """Thigh (hip pitch to knee), shank (knee to ankle pitch) and height of the ankle above the sole, m."""
    frames = tree.frames(tree.positions())
    hip, knee, ankle = (frames[tree.link_of(f"left_{name}"), :3, 3] for name in ("hip_pitch", "knee", "ankle_pitch"))
    names = [link.name for link in tree.links]
    sole, _ = sole_pose(tree.feet[0], frames[names.index(tree.feet[0].link)])
    return float(np.linalg.norm(hip - knee)), float(np.linalg.norm(knee - ankle)), float(ankle[2] - sole[2])


def standing_pose(tree: LinkTree, model: mujoco.MjModel) -> tuple[np.ndarray, float]:
    """Joint positions and height of the base.

    Args:
        tree: with signs, offsets and feet.
        model: built from it.

    Returns:
        (joints,) rad in the source's zero, within 95 % of the limits, and the height of the base's origin in m at which
        the soles touch the floor.
    """
    data = mujoco.MjData(model)

    def stance(lean: float) -> tuple[np.ndarray, float]:
        positions = _legs(tree, model, data, lean)
        soles = _soles(tree, model, data, positions)
        middle = np.mean([sole[0] for sole, _ in soles])
        return positions, float(data.subtree_com[1][0] - middle)

    grid = np.linspace(-LEAN, LEAN, 15)
    errors = np.array([stance(lean)[1] for lean in grid])
    crossing = np.flatnonzero(np.sign(errors[:-1]) != np.sign(errors[1:]))
    if len(crossing):
        from scipy.optimize import brentq

        nearest = crossing[np.argmin(np.abs(grid[crossing]))]
        lean = float(brentq(lambda lean: stance(lean)[1], grid[nearest], grid[nearest + 1], xtol=1e-5))  # type: ignore[arg-type]
    else:
        lean = float(grid[np.argmin(np.abs(errors))])
    positions, _ = stance(lean)
    lowest = min(float(sole[2]) for sole, _ in _soles(tree, model, data, positions))
    return positions, -lowest


def _legs(tree: LinkTree, model: mujoco.MjModel, data: mujoco.MjData, lean: float) -> np.ndarray:
    """Bent legs with flat soles that point forward, as far apart as with straight legs; the rest at canonical zero."""
    bent = {"hip_pitch": -KNEE / 2 + lean, "knee": KNEE, "ankle_pitch": -KNEE / 2 - lean}
    positions = tree.positions({f"{side}_{name}": value for side in SIDES for name, value in bent.items()})
    straight = _soles(tree, model, data, tree.positions())
    nominal = _soles(tree, model, data, positions)  # with untilted axes this already is the answer
    low, high = _limits(model)
    jacobian = np.empty((6, model.nv))
    for k, (side, box) in enumerate(zip(SIDES, tree.feet, strict=True)):
        target = np.array([nominal[k][0][0], straight[k][0][1], nominal[k][0][2]])
        mine = [
            i for i, h in enumerate(tree.hinges) if h.slot.startswith(f"{side}_") and h.slot.split("_")[1] in _JOINTS
        ]
        body = model.body(box.link).id
        rolls = tree.has(f"{side}_ankle_roll")
        for _ in range(20):
            centre, R = _soles(tree, model, data, positions)[k]
            error = np.concatenate([target - centre, -rotation_vector(R)])
            mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], centre, body)
            J = jacobian[:, 6:][:, mine]
            if not rolls:  # nothing turns the sole about x: let it stand as the hip leaves it
                error, J = np.delete(error, 3), np.delete(J, 3, axis=0)
            if np.abs(error).max() < 1e-9:
                break
            step = J.T @ np.linalg.solve(J @ J.T + 1e-8 * np.eye(len(J)), error)
            positions[mine] = np.clip(positions[mine] + step, low[mine], high[mine])
    return np.clip(positions, low, high)


_JOINTS = ("hip", "knee", "ankle")


def _limits(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
    """(joints,) the inner 95 % of every joint's range."""
    middle, half = model.jnt_range[1:].mean(axis=1), np.ptp(model.jnt_range[1:], axis=1) / 2
    return middle - 0.95 * half, middle + 0.95 * half


def _soles(tree: LinkTree, model: mujoco.MjModel, data: mujoco.MjData, positions: np.ndarray) -> list:
    """[(centre, rotation)] of both soles, the base at the origin; ``data`` then knows the centre of mass too."""
    data.qpos[:7] = (0, 0, 0, 1, 0, 0, 0)
    data.qpos[7:] = positions
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    bodies = [model.body(box.link).id for box in tree.feet]
    return [
        sole_pose(box, pose(data.xpos[body], data.xmat[body].reshape(3, 3)))
        for box, body in zip(tree.feet, bodies, strict=True)
    ]
