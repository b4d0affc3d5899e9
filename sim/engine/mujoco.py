"""MuJoCo on the CPU: the default engine, and the one that all others are compared with."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from sim.engine.base import Contacts, DivergedError

_RAN_AWAY = [
    int(w)
    for w in (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)
]


class MujocoEngine:
    """See sim.engine.base.Engine.

    Args:
        advance: makes one physics step of the data; ``mj_step`` if omitted.
    """

    def __init__(self, model: mujoco.MjModel, advance: Callable[[mujoco.MjData], None] | None = None) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        self.advance = advance or (lambda data: mujoco.mj_step(model, data))

    def reset(self, qpos: np.ndarray, ctrl: np.ndarray) -> None:
        """See Engine.reset."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = qpos
        self.data.ctrl[:] = ctrl
        mujoco.mj_forward(self.model, self.data)

    def start_clock(self) -> None:
        """See Engine.start_clock."""
        self.data.time = 0.0
        mujoco.mj_forward(self.model, self.data)

    def step(self, ctrl: np.ndarray) -> None:
        """See Engine.step. MuJoCo itself starts anew where numbers run away, and says so only in a log file."""
        for row in ctrl:
            self.data.ctrl[:] = row
            self.advance(self.data)
        if self.data.warning.number[_RAN_AWAY].any():
            raise DivergedError("the simulation diverged")
        mujoco.mj_kinematics(self.model, self.data)  # poses of the state just reached, not of the one before

    def contacts(self) -> Contacts:
        """See Engine.contacts."""
        found = self.data.contact
        bodies = self.model.geom_bodyid[found.geom].reshape(-1, 2)
        return Contacts(bodies, found.pos.copy(), found.frame[:, :3].copy(), found.dist.copy())

    def contact_forces(self) -> np.ndarray:
        """See Engine.contact_forces."""
        forces, wrench = np.zeros(self.data.ncon), np.zeros(6)
        for i in range(self.data.ncon):
            mujoco.mj_contactForce(self.model, self.data, i, wrench)
            forces[i] = wrench[0]
        return forces
