"""Forward kinematics and Jacobians of one serial arm, for many joint vectors at once.

The chain is read off a compiled ``MjModel`` once. The batch is the *last* axis of all intermediate arrays, so one joint
costs one small matrix product and a few vector operations whatever the batch size.
"""

from __future__ import annotations

from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from twinloom.errors import TwinloomError
from twinloom.transforms import Array


class SerialChain:
    """Serial chain from the world to the site ``<prefix>tcp``.

    Every hinge and slide joint on the way belongs to the arm, in order from the base; fingers hang off the chain and do
    not count. All poses are ``T_world_tcp`` in metres, joints in radians (slides in metres).

    Args:
        model: compiled model that holds the arm.
        prefix: ``"left_"`` or ``"right_"``, the prefix with which the arm was attached.
        home: (N,) resting posture, preferred when the arm has freedom left. Default: middle of the limits.

    Attributes:
        joint_names: N names; ``joint_ids``, ``qpos_ids``, ``dof_ids``: (N,) their indices in the model.
        lower, upper: (N,) joint limits; an unlimited hinge gets -2 pi .. 2 pi.
        home: (N,) resting posture.

    Raises:
        TwinloomError: no such site, or the chain has a free or ball joint or an unlimited slide.
    """

    def __init__(self, model: mujoco.MjModel, prefix: str, home: Array | None = None) -> None:
        self.prefix = prefix
        site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, f"{prefix}tcp")
        if site < 0:
            sites = [model.site(i).name for i in range(model.nsite)]
            raise TwinloomError(f'no site "{prefix}tcp" in the model; sites are: {", ".join(sites) or "none"}')
        bodies = [int(model.site_bodyid[site])]
        while bodies[0] != 0:
            bodies.insert(0, int(model.body_parentid[bodies[0]]))
        joints: list[int] = []
        offsets: list[Array] = []  # constant transform before each joint, its frame turned so that the axis is z
        T = np.eye(4)
        for body in bodies[1:]:
            T = T @ _transform(model.body_pos[body], model.body_quat[body])
            first = int(model.body_jntadr[body])
            for joint in range(first, first + int(model.body_jntnum[body])):
                T_body_joint = _joint_frame(model, joint)
                offsets.append(T @ T_body_joint)
                joints.append(joint)
                # undo the frame after the joint and subtract the reference value at which body_quat was taken
                T = _move_z(model, joint, -float(model.qpos0[model.jnt_qposadr[joint]])) @ np.linalg.inv(T_body_joint)
        if not joints:
            raise TwinloomError(f'site "{prefix}tcp" has no joint between it and the world')
        self._tip = T @ _transform(model.site_pos[site], model.site_quat[site])
        self._offsets = np.array(offsets)
        self.joint_ids = np.array(joints)
        self.joint_names = [model.joint(j).name for j in joints]
        self.qpos_ids = model.jnt_qposadr[self.joint_ids].astype(int)
        self.dof_ids = model.jnt_dofadr[self.joint_ids].astype(int)
        self._slides = model.jnt_type[self.joint_ids] == mujoco.mjtJoint.mjJNT_SLIDE
        self.lower, self.upper = _limits(model, self.joint_ids)
        self.site_id, self.body_ids = site, np.array(bodies[1:])
        middle = 0.5 * (self.lower + self.upper)
        self.home = middle if home is None else np.array(home, float)
        if self.home.shape != middle.shape:
            raise TwinloomError(f"home of arm {prefix!r} has shape {self.home.shape}, allowed is {middle.shape}")

    @property
    def size(self) -> int:
        """Number of joints N."""
        return len(self.joint_ids)

    def forward(self, q: Array) -> Array:
        """Pose of the tool centre point.

        Args:
            q: (N,) or (B, N).

        Returns:
            ``T_world_tcp``, (4, 4) or (B, 4, 4).
        """
        columns = self.frames(np.atleast_2d(q).T)[-1]
        T = np.zeros((columns.shape[2], 4, 4))
        T[:, :3, :] = columns.transpose(2, 1, 0)
        T[:, 3, 3] = 1.0
        return T[0] if np.ndim(q) == 1 else T

    def jacobian(self, q: Array) -> Array:
        """Geometric Jacobian of the tool centre point in the world frame, linear rows first.

        Args:
            q: (N,) or (B, N).

        Returns:
            (6, N) or (B, 6, N).
        """
        J = self.jacobian_of(self.frames(np.atleast_2d(q).T)).transpose(2, 0, 1)
        return J[0] if np.ndim(q) == 1 else J

    def frames(self, q: Array) -> Array:
        """Batch-last frames of all joints, for solvers.

        Args:
            q: (N, B).

        Returns:
            (N + 1, 4, 3, B): for each joint (z is its axis, before its own motion) and last the tool centre point:
            the columns x, y, z, position.
        """
        count, batch = q.shape
        cosine, sine = np.cos(q), np.sin(q)
        frames = np.empty((count + 1, 4, 3, batch))
        frames[0] = self._columns[0][:, :3, None]
        moved = np.empty((4, 3, batch))
        for i in range(count):
            frame = frames[i]
            if self._slides[i]:
                moved[:3] = frame[:3]
                np.add(frame[3], frame[2] * q[i], out=moved[3])
            else:
                xy = frame[:2]
                np.multiply(xy, cosine[i], out=moved[:2])
                xy = xy * sine[i]
                moved[0] += xy[1]
                moved[1] -= xy[0]
                moved[2:] = frame[2:]
            np.matmul(self._columns[i + 1], moved.reshape(4, -1), out=frames[i + 1].reshape(4, -1))
        return frames

    def jacobian_of(self, frames: Array) -> Array:
        """Geometric Jacobian (6, N, B) from what :meth:`frames` returned."""
        axes = frames[:-1, 2]
        arms = frames[-1, 3] - frames[:-1, 3]
        J = np.empty((6, *axes.shape[::2]))
        ax, ay, az = axes[:, 0], axes[:, 1], axes[:, 2]
        rx, ry, rz = arms[:, 0], arms[:, 1], arms[:, 2]
        J[0] = ay * rz - az * ry
        J[1] = az * rx - ax * rz
        J[2] = ax * ry - ay * rx
        J[3:] = axes.transpose(1, 0, 2)
        if self._slides.any():
            J[:3, self._slides] = axes[self._slides].transpose(1, 0, 2)
            J[3:, self._slides] = 0.0
        return J

    @cached_property
    def _columns(self) -> Array:
        """(N + 1, 4, 4) transposed constant transforms, so that ``columns(T_next) = A.T @ columns(T)``."""
        return np.ascontiguousarray(np.concatenate([self._offsets, self._tip[None]]).transpose(0, 2, 1))


def _transform(position: Array, quaternion: Array) -> Array:
    T = np.eye(4)
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, quaternion)
    T[:3, :3], T[:3, 3] = rotation.reshape(3, 3), position
    return T


def _joint_frame(model: mujoco.MjModel, joint: int) -> Array:
    quaternion = np.empty(4)
    mujoco.mju_quatZ2Vec(quaternion, model.jnt_axis[joint])
    return _transform(model.jnt_pos[joint], quaternion)


def _move_z(model: mujoco.MjModel, joint: int, value: float) -> Array:
    kind = model.jnt_type[joint]
    T = np.eye(4)
    if kind == mujoco.mjtJoint.mjJNT_SLIDE:
        T[2, 3] = value
    elif kind == mujoco.mjtJoint.mjJNT_HINGE:
        c, s = np.cos(value), np.sin(value)
        T[:2, :2] = [[c, -s], [s, c]]
    else:
        raise TwinloomError(f'joint "{model.joint(joint).name}" of an arm is free or ball; allowed: hinge, slide')
    return T


def _limits(model: mujoco.MjModel, joints: NDArray[np.integer]) -> tuple[Array, Array]:
    limited = model.jnt_limited[joints].astype(bool)
    if np.any(~limited & (model.jnt_type[joints] == mujoco.mjtJoint.mjJNT_SLIDE)):
        raise TwinloomError("an arm has a slide joint without limits; give it a range in its MJCF")
    full = 2.0 * np.pi
    return (
        np.where(limited, model.jnt_range[joints, 0], -full),
        np.where(limited, model.jnt_range[joints, 1], full),
    )
