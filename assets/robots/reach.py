"""Where above the table an arm can grasp, and how: the reach map behind base placement and docs/bimanual/robots.md.

``python -m assets.robots.reach`` measures every robot and writes docs/results/robots/reach.json.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np

from assets.robots.build import add_robot
from assets.robots.kinematics import InverseKinematics
from assets.robots.load import load_robot, robots
from assets.robots.record import SIDES, BasePose, RobotRecord, Side
from twinloom.command import run_command
from twinloom.results import write_results

# approach direction, degrees below the horizon
MODES: dict[str, float] = {"top-down": 90.0, "tilted": 45.0, "forward": 0.0}
AZIMUTHS = (-40.0, 0.0, 40.0)  # degrees about z; positive turns the hand to the left
HEIGHTS = (0.77, 0.82, 0.9, 1.05)
FAR_CORNER = (0.25, 0.2, 0.78)
TRIES = 8
MARGIN = 0.03  # radians that joints keep from their limits


@dataclass(frozen=True)
class ReachMap:
    """Result for one arm.

    Attributes:
        points: (P, 3) tool positions, metres in the world.
        reached: mode to (P, 3) bool, one column per azimuth of AZIMUTHS.
        corner: the arm can grasp straight down at its far corner of the table, FAR_CORNER.
    """

    points: np.ndarray
    reached: dict[str, np.ndarray]
    corner: bool

    def any(self, mode: str) -> float:
        """Share of points that can be grasped from at least one azimuth."""
        return float(self.reached[mode].any(axis=1).mean())

    def all(self, mode: str) -> float:
        """Share of (point, azimuth) pairs that can be grasped."""
        return float(self.reached[mode].mean())


def hand_rotation(pitch: float, azimuth: float) -> np.ndarray:
    """(3, 3) hand that points forward, ``pitch`` degrees down, then turned by ``azimuth`` degrees about z."""
    p, a = np.radians([pitch, azimuth])
    x = np.array([0.0, np.cos(p), -np.sin(p)])
    y = np.array([-1.0, 0.0, 0.0])
    turn = np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])
    return turn @ np.stack([x, y, np.cross(x, y)], axis=1)


def grid(side: Side, step: float) -> np.ndarray:
    """(P, 3) points above the arm's half of the table and 10 cm of the other half."""
    x = np.linspace(-0.35, 0.1, round(0.45 / step) + 1) * (1 if side == "left" else -1)
    y = np.linspace(-0.25, 0.25, round(0.5 / step) + 1)
    return np.stack(np.meshgrid(x, y, HEIGHTS, indexing="ij"), axis=-1).reshape(-1, 3)


def reach_map(record: RobotRecord, side: Side = "left", step: float = 0.05) -> ReachMap:
    """Solve every grasp of the grid with both finger directions, clear of the table, the stand and the arm itself.

    Args:
        step: spacing of the grid in x and y, metres.
    """
    points = grid(side, step)
    corner = np.array([FAR_CORNER]) * [-1 if side == "left" else 1, 1, 1]
    everything = np.vstack([points, corner])
    targets = np.array(
        [
            _target(point, hand_rotation(pitch, azimuth))
            for pitch in MODES.values()
            for point in everything
            for azimuth in AZIMUTHS
        ]
    )
    ok = reachable(record, side, targets).reshape(len(MODES), len(everything), len(AZIMUTHS))
    return ReachMap(points, dict(zip(MODES, ok[:, :-1], strict=True)), bool(ok[0, -1].any()))


def reachable(record: RobotRecord, side: Side, targets: np.ndarray) -> np.ndarray:
    """(B,) bool for (B, 4, 4) hand poses in the world; the fingers may be swapped."""
    model = _bench(record, side)
    arm = InverseKinematics(model, f"{side}_")
    arm.lower, arm.upper = arm.lower + MARGIN, arm.upper - MARGIN
    both = np.concatenate([targets, targets @ np.diag([1.0, -1.0, -1.0, 1.0])])
    rng = np.random.default_rng(0)
    ok = np.zeros(len(targets), dtype=bool)
    for attempt in range(TRIES):
        todo = np.flatnonzero(~ok)
        rows = np.concatenate([todo, todo + len(targets)])
        if attempt == 0:
            start = np.tile(record.home[side], (len(rows), 1))
        else:
            start = rng.uniform(arm.lower, arm.upper, (len(rows), record.dof))
        q, solved, _ = arm.solve(both[rows], start, restarts=0, iterations=60)
        solved[solved] = free_of_contact(model, arm.qpos_ids, q[solved])
        ok[todo] = solved[: len(todo)] | solved[len(todo) :]
    return ok


def free_of_contact(model: mujoco.MjModel, addresses: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(B,) bool: nothing touches with joints at ``addresses`` (N,) at each row of ``q`` (B, N), the rest at qpos0."""
    data = mujoco.MjData(model)
    free = np.zeros(len(q), dtype=bool)
    for i, angles in enumerate(q):
        data.qpos[addresses] = angles
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        free[i] = not np.any(data.contact.dist < 0) if data.ncon else True
    return free


def placed(record: RobotRecord, x: float, y: float, z: float, yaw: float = 90.0, tilt: float = 0.0) -> RobotRecord:
    """The same robot with its bases at (-x, y, z) and (x, y, z).

    Args:
        yaw: degrees of the left base about z, 90 faces +y; the right one is mirrored.
        tilt: degrees by which the bases lean forward.
    """
    c, s = np.cos(np.radians(tilt) / 2), np.sin(np.radians(tilt) / 2)
    base = {}
    for side, sign, angle in zip(SIDES, (-1, 1), (yaw, 180.0 - yaw), strict=True):
        C, S = np.cos(np.radians(angle) / 2), np.sin(np.radians(angle) / 2)
        base[side] = BasePose((sign * x, y, z), (float(C * c), float(-S * s), float(C * s), float(S * c)))
    return replace(record, base=base, stand=())  # a stand fits only the placement it was made for


def _target(point: np.ndarray, R: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, point
    return T


def _bench(record: RobotRecord, side: Side) -> mujoco.MjModel:
    """One arm, fully open, with the stand and the table; the other arm is not there."""
    scene = mujoco.MjSpec()
    scene.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.6, 0.35, 0.025], pos=[0, 0, 0.715])
    add_robot(scene, record, "simple")
    other = "right" if side == "left" else "left"
    scene.delete(scene.body(f"{other}_base"))
    half = record.gripper.max_opening / 2
    model = scene.compile()
    for finger in ("finger1", "finger2"):
        model.qpos0[model.joint(f"{side}_{finger}").qposadr[0]] = half
    return model


def row(record: RobotRecord, step: float = 0.05) -> dict[str, object]:
    """Coverage of a robot's two arms together, shares rounded to three digits."""
    maps = [reach_map(record, side, step) for side in SIDES]
    shares: dict[str, object] = {"robot": record.name, "points": sum(len(m.points) for m in maps)}
    for mode in MODES:
        shares[mode] = round(float(np.mean([m.any(mode) for m in maps])), 3)
        shares[f"{mode}, all azimuths"] = round(float(np.mean([m.all(mode) for m in maps])), 3)
    return shares | {"far corners": all(m.corner for m in maps)}


def main() -> None:
    """Measure all robots and write the results."""
    path = write_results(
        "robots",
        "reach",
        [row(load_robot(name)) for name in robots()],
        command="python -m assets.robots.reach",
        title="Reach of each robot over the table",
        note="Share of points above the table (each arm: its own half and 10 cm of the other, 0.5 m deep, four heights "
        "from 3 to 31 cm above the surface) where the hand can stand without touching table, stand or its own arm. "
        "Top-down: approach straight down; tilted: 45 degrees; forward: horizontal, impossible for wide hands in "
        "the lowest layer. A point counts if one of the azimuths -40, 0 and 40 degrees works; in the columns "
        '"all azimuths" each pair of point and azimuth counts. Far corners: straight down at x = 0.25 m, y = 0.2 m, '
        "4 cm above the table, on both sides.",
    )
    print(path)


if __name__ == "__main__":
    run_command(main)
