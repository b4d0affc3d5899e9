"""Batched kinematics of one arm in NumPy: forward kinematics, Jacobian and damped least-squares inverse."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from assets.robots.build import arm_spec
from assets.robots.meshes import rotation
from assets.robots.record import RobotRecord, Side


@dataclass(frozen=True)
class Chain:
    """Serial chain of N hinges from the arm's root body to the site ``tcp``.

    Attributes:
        offsets: (N, 4, 4) pose of each joint's body in the body of the joint before, joint at zero.
        axes: (N, 3) unit axes in that body.
        tool: (4, 4) pose of the tool centre point in the last joint's body.
        lower, upper: (N,) radians.
    """

    offsets: np.ndarray
    axes: np.ndarray
    tool: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @staticmethod
    def of(record: RobotRecord, side: Side = "left") -> Chain:
        """Read the chain from the arm model."""
        model = arm_spec(record, side, "simple").compile()
        site = model.site("tcp")
        body = int(site.bodyid[0])
        path = []
        while body != model.body("base").id:
            path.append(body)
            body = int(model.body_parentid[body])
        offsets, axes, joints = [], [], []
        pending = np.eye(4)
        for body in reversed(path):
            pending = pending @ pose(model.body_pos[body], model.body_quat[body])
            if model.body_jntnum[body]:
                joint = int(model.body_jntadr[body])
                joints.append(joint)
                offsets.append(pending)
                axes.append(model.jnt_axis[joint])
                pending = np.eye(4)
        tool = pending @ pose(site.pos, site.quat)
        limits = model.jnt_range[joints]
        return Chain(np.array(offsets), np.array(axes), tool, limits[:, 0], limits[:, 1])

    def forward(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Tool poses and Jacobians in the frame of the root body.

        Args:
            q: (B, N) radians.

        Returns:
            (B, 4, 4) poses and (B, 6, N) Jacobians (linear above angular velocity).
        """
        batch, n = q.shape
        T = np.broadcast_to(np.eye(4), (batch, 4, 4))
        origins, directions = [], []
        for i in range(n):
            T = T @ self.offsets[i]
            origins.append(T[:, :3, 3])
            directions.append(T[:, :3, :3] @ self.axes[i])
            T = T @ about(self.axes[i], q[:, i])
        T = T @ self.tool
        axis = np.stack(directions, axis=-1)
        arm = T[:, :3, 3, None] - np.stack(origins, axis=-1)
        return T, np.concatenate([np.cross(axis, arm, axis=1), axis], axis=1)

    def inverse(
        self, targets: np.ndarray, start: np.ndarray, iterations: int = 80, margin: float = 0.03
    ) -> tuple[np.ndarray, np.ndarray]:
        """Damped least squares from ``start``, within the joint limits less ``margin`` radians.

        Args:
            targets: (B, 4, 4) tool poses in the frame of the root body.
            start: (B, N) radians.

        Returns:
            (B, N) radians and (B,) bool: within 1 mm and 0.01 rad.
        """
        q = np.clip(start, self.lower + margin, self.upper - margin)
        solved = np.zeros(len(q), dtype=bool)
        active = np.arange(len(q))
        for _ in range(iterations):
            T, J = self.forward(q[active])
            error = pose_error(targets[active], T)
            good = (np.linalg.norm(error[:, :3], axis=1) < 1e-3) & (np.linalg.norm(error[:, 3:], axis=1) < 1e-2)
            solved[active[good]] = True
            active, J, error = active[~good], J[~good], error[~good]
            if not len(active):
                break
            Jt = J.transpose(0, 2, 1)
            step = (Jt @ np.linalg.solve(J @ Jt + 2e-3 * np.eye(6), error[..., None]))[..., 0]
            q[active] = np.clip(q[active] + np.clip(step, -0.3, 0.3), self.lower + margin, self.upper - margin)
        return q, solved


def pose(pos: np.ndarray | tuple[float, ...], quat: np.ndarray | tuple[float, ...]) -> np.ndarray:
    """(4, 4) transform from a position and a wxyz quaternion."""
    T = np.eye(4)
    T[:3, :3] = rotation(quat)
    T[:3, 3] = pos
    return T


def about(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """(B, 4, 4) rotations by ``angle`` (B,) about a unit axis (Rodrigues)."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    T = np.zeros((len(angle), 4, 4))
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    T[:, :3, :3] = np.eye(3) + s * K + (1 - c) * (K @ K)
    T[:, 3, 3] = 1
    return T


def pose_error(target: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """(B, 6) translation and rotation vector that carry ``actual`` to ``target``, in the common frame."""
    R = target[:, :3, :3] @ actual[:, :3, :3].transpose(0, 2, 1)
    skew = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    sine = np.linalg.norm(skew, axis=1) / 2
    angle = np.arctan2(sine, (np.trace(R, axis1=1, axis2=2) - 1) / 2)
    # near pi the skew part vanishes; any axis will do there, since the next step leaves the neighbourhood
    scale = np.where(sine > 1e-6, angle / np.maximum(2 * sine, 1e-12), 0.5)
    return np.concatenate([target[:, :3, 3] - actual[:, :3, 3], skew * scale[:, None]], axis=1)


def free_of_contact(model: mujoco.MjModel, prefix: str, joints: tuple[str, ...], q: np.ndarray) -> np.ndarray:
    """(B,) bool: the arm with ``prefix`` at each row of ``q`` (B, N) touches nothing; the rest stays at qpos0."""
    data = mujoco.MjData(model)
    addresses = [int(model.joint(prefix + joint).qposadr[0]) for joint in joints]
    free = np.zeros(len(q), dtype=bool)
    for i, angles in enumerate(q):
        data.qpos[addresses] = angles
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        free[i] = not np.any(data.contact.dist < 0) if data.ncon else True
    return free
