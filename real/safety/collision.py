"""The robot keeps away from itself and its stand: a shadow model measures the clearance between its parts."""

from __future__ import annotations

import mujoco
import numpy as np

from real.contract import RobotContract
from real.safety.pose import PoseGuard
from real.safety.shadow import Shadow

NEIGHBOURS = 3  # links of one arm nearer than this along the chain may touch


class CollisionGuard(PoseGuard):
    """Clearance between the two arms, each arm's far links, and arms and stand.

    Only pairs whose bounding spheres are nearer than the smallest clearance found so far are measured.
    """

    kind = "self-collision"

    def __init__(self, contract: RobotContract) -> None:
        assert contract.self_collision is not None
        shadow = Shadow(contract)
        self.margin = contract.self_collision.margin
        self.model, self.data = shadow.model, mujoco.MjData(shadow.model)
        self._qpos = np.concatenate([chain.qpos_ids for chain, _ in shadow.arms.values()])
        self._where = np.concatenate([where for _, where in shadow.arms.values()])
        felt = np.flatnonzero(self.model.geom_contype)
        self._fingers, self._grippers, self._strokes = _fingers(contract, shadow)
        one, two = np.meshgrid(felt, felt, indexing="ij")
        keep = [
            (a, b)
            for a, b in zip(one.ravel().tolist(), two.ravel().tolist(), strict=True)
            if a < b and _may_collide(shadow, a, b)
        ]
        self.pairs = np.array(keep, int).reshape(-1, 2)
        self._radii = self.model.geom_rbound[self.pairs].sum(1)
        super().__init__(contract.self_collision.rate_hz, self._reach(shadow, felt))

    def _reach(self, shadow: Shadow, felt: np.ndarray) -> np.ndarray:
        """Parts reach further than the hand's centre: by no more than the largest shape and its offset."""
        model = self.model
        extent = model.geom_rbound[felt] + np.linalg.norm(model.geom_pos[felt], axis=1)
        reach = np.where(shadow.reach > 0.0, shadow.reach + float(extent.max()), 0.0)
        for gripper, stroke in zip(self._grippers, self._strokes, strict=True):
            reach[gripper] = stroke
        return reach

    def excess(self, q: np.ndarray) -> tuple[float, str]:
        """See :class:`PoseGuard`."""
        model, data = self.model, self.data
        data.qpos[self._qpos] = q[self._where]
        data.qpos[self._fingers] = np.clip(q[self._grippers], 0.0, 1.0)[:, None] * self._strokes[:, None]
        mujoco.mj_kinematics(model, data)
        ends = data.geom_xpos[self.pairs]
        gaps = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) - self._radii
        best, nearest = 1.0, -1
        for k in np.argsort(gaps):
            if gaps[k] >= best:
                break
            one, two = (int(geom) for geom in self.pairs[k])
            distance = mujoco.mj_geomDistance(model, data, one, two, best, None)
            if distance < best:
                best, nearest = distance, int(k)
        if nearest < 0:
            return self.margin - best, ""
        bodies = [int(model.geom_bodyid[geom]) for geom in self.pairs[nearest]]
        names = [model.body(body).name if body else "the stand" for body in bodies]
        how = f"come within {1e3 * best:.0f} mm of" if best > 0 else "hit"
        return self.margin - best, f"{names[1]} would {how} {names[0]}, allowed are {1e3 * self.margin:.0f} mm"


def _fingers(contract: RobotContract, shadow: Shadow) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(G, 2) position indices of fingers, (G,) their grippers in the contract, (G,) strokes in metres."""
    sides = [side for side in shadow.arms if f"{side}_gripper" in contract.index]
    fingers = [[int(shadow.model.joint(f"{side}_finger{i}").qposadr[0]) for i in (1, 2)] for side in sides]
    grippers = contract.where([f"{side}_gripper" for side in sides])
    strokes = [(shadow.robot.chains[side].opening or 0.0) / 2 for side in sides]
    return np.array(fingers, int).reshape(-1, 2), grippers, np.array(strokes)


def _may_collide(shadow: Shadow, one: int, two: int) -> bool:
    """Whether a pair of shapes is watched: not fixed to each other, nor next to each other along an arm."""
    chains = [_chain(shadow.model, int(shadow.model.geom_bodyid[geom])) for geom in (one, two)]
    if chains[0][:1] == chains[1][:1]:  # the same arm, or both fixed to the world
        shared = len([1 for a, b in zip(*chains, strict=False) if a == b])
        return len(chains[0]) + len(chains[1]) - 2 * shared > NEIGHBOURS
    return max(map(len, chains)) > NEIGHBOURS  # the first links of an arm stay where they are: at its stand


def _chain(model: mujoco.MjModel, body: int) -> list[int]:
    """Bodies with joints from the world to a body, after the one that is fixed to the world; first the arm's base."""
    chain = []
    while body != 0:
        chain.insert(0, body)
        body = int(model.body_parentid[body])
    return chain
