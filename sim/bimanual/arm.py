"""One arm of the robot inside a compiled scene: indices, measured state, limits."""

from __future__ import annotations

import mujoco
import numpy as np

from assets.robots.record import RobotRecord
from twinloom.transforms import pose


class Arm:
    """Handle to the arm attached with prefix ``<side>_``.

    Attributes:
        side: "left" or "right".
        joint_ids, qpos_ids, dof_ids, ctrl_ids: (N,) ids and indices of the arm joints and their servos.
        gripper_ctrl: index of the gripper servo; finger_joints, finger_qpos: (2,) ids and indices of its joints.
        stroke: metres by which one finger moves from closed to open.
        home: (N,) rad.
        velocity_limits, acceleration_limits: (N,) for planning.
        bodies: ids of all bodies of the arm; finger_bodies: those of the two fingers.
    """

    def __init__(self, model: mujoco.MjModel, record: RobotRecord, side: str) -> None:
        self.side = side
        self.prefix = f"{side}_"
        joints = [model.joint(self.prefix + j) for j in record.joints]
        self.joint_ids = np.array([j.id for j in joints])
        self.qpos_ids = np.array([j.qposadr[0] for j in joints])
        self.dof_ids = np.array([j.dofadr[0] for j in joints])
        self.ctrl_ids = np.array([model.actuator(self.prefix + j).id for j in record.joints])
        self.gripper_ctrl = model.actuator(self.prefix + "gripper").id
        fingers = [model.joint(self.prefix + f"finger{i}") for i in (1, 2)]
        self.finger_joints = np.array([f.id for f in fingers])
        self.finger_qpos = np.array([f.qposadr[0] for f in fingers])
        self.finger_bodies = [int(f.bodyid[0]) for f in fingers]
        self.stroke = record.gripper.max_opening / 2
        self.home = np.asarray(record.home[side], float)  # type: ignore[index]
        self.velocity_limits = np.asarray(record.limits.velocity)
        self.acceleration_limits = np.asarray(record.limits.acceleration)
        self.tcp_site = model.site(self.prefix + "tcp").id
        base = model.body(self.prefix + "base").id
        self.bodies = [b for b in range(model.nbody) if _descends(model, b, base)]

    @property
    def dof(self) -> int:
        """Number of joints N, without the gripper."""
        return len(self.qpos_ids)

    def q(self, data: mujoco.MjData) -> np.ndarray:
        """(N,) measured joint positions."""
        return data.qpos[self.qpos_ids].copy()

    def opening(self, data: mujoco.MjData) -> float:
        """Measured gripper opening: 0 closed, 1 open (may overshoot a little)."""
        one, two = data.qpos[self.finger_qpos]
        return float(one + two) / (2 * self.stroke)

    def tcp(self, data: mujoco.MjData) -> np.ndarray:
        """(4, 4) measured pose of the tool centre point in the world."""
        return pose(data.site_xpos[self.tcp_site], data.site_xmat[self.tcp_site].reshape(3, 3))


def _descends(model: mujoco.MjModel, body: int, root: int) -> bool:
    while body not in (0, root):
        body = int(model.body_parentid[body])
    return body == root
