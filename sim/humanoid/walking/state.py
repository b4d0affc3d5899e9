"""What the controller reads from the simulator in one control step: motion, Jacobians and the equation of motion."""

from __future__ import annotations

import mujoco
import numpy as np

from sim.humanoid.walking.body import GRAVITY, WalkingBody


class SoleState:
    """One sole: pose, velocity, Jacobian and the acceleration that it has without joint accelerations.

    Attributes:
        position: centre, (3,) m, world.
        rotation: (3, 3), identity when flat and facing along x.
        jacobian: (6, nv), linear over angular, world axes.
        velocity: J·q̇, (6,).
        bias: J̇·q̇, (6,).
        touching: whether the foot touches anything.
    """

    position: np.ndarray
    rotation: np.ndarray
    touching: bool

    def __init__(self, dofs: int) -> None:
        """Room for a body with ``dofs`` velocities."""
        self.jacobian, self._derivative = np.zeros((6, dofs)), np.zeros((6, dofs))
        self.velocity, self.bias = np.zeros(6), np.zeros(6)

    def read(self, body: WalkingBody, data: mujoco.MjData, side: int) -> None:
        """Fill from the simulator's state."""
        model, foot = body.model, body.feet[side]
        self.position, self.rotation = body.sole(data, side)
        J, Jdot = self.jacobian, self._derivative
        mujoco.mj_jac(model, data, J[:3], J[3:], self.position, foot)
        mujoco.mj_jacDot(model, data, Jdot[:3], Jdot[3:], self.position, foot)
        self.velocity, self.bias = J @ data.qvel, Jdot @ data.qvel


class BodyState:
    """The whole body. The state's kinematics must be up to date (``mj_forward``, or ``refresh`` after ``mj_step``).

    Attributes:
        mass_matrix: M, (nv, nv).
        bias: h(q, q̇) = Coriolis + gravity - passive forces, (nv,): M·q̈ + h = Sᵀτ + Jᵀf.
        soles: left, right.
        com, com_velocity: centre of mass, (3,) m and m/s.
        com_jacobian, com_bias: its acceleration is com_jacobian·q̈ + com_bias.
        base_rotation, base_rate: of the base, (3, 3) and (3,) rad/s, world.
        base_jacobian: (3, nv) of base_rate.
    """

    base_rotation: np.ndarray

    def __init__(self, body: WalkingBody) -> None:
        """Room for this body."""
        dofs = body.model.nv
        self.body = body
        self.mass_matrix = np.zeros((dofs, dofs))
        self.base_jacobian = np.zeros((3, dofs))
        self.soles = (SoleState(dofs), SoleState(dofs))

    def read(self, data: mujoco.MjData) -> None:
        """Fill from the simulator's state."""
        body = self.body
        mujoco.mj_fullM(body.model, data, self.mass_matrix)
        self.bias = data.qfrc_bias - data.qfrc_passive
        self.qpos, self.qvel = data.qpos[body.qpos_index], data.qvel[body.dof_index]
        # The rows of the free joint's translation are Newton's law for the whole body: M₀q̈ + h₀ = m(ẍ + g).
        self.com_jacobian = self.mass_matrix[:3] / body.mass
        self.com_bias = data.qfrc_bias[:3] / body.mass - np.array([0.0, 0.0, GRAVITY])
        self.com, self.com_velocity = data.subtree_com[body.base].copy(), self.com_jacobian @ data.qvel
        mujoco.mj_jacBody(body.model, data, None, self.base_jacobian, body.base)
        self.base_rotation = data.xmat[body.base].reshape(3, 3)
        self.base_rate = self.base_jacobian @ data.qvel
        touched = body.model.geom_bodyid[data.contact.geom] if data.ncon else ()
        for side, sole in enumerate(self.soles):
            sole.read(body, data, side)
            sole.touching = body.feet[side] in touched

    @staticmethod
    def refresh(model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Bring everything that ``read`` needs up to date with qpos and qvel; cheaper than ``mj_forward``."""
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
