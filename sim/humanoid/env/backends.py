"""Engines that step many worlds of one model at once. Worlds may differ in fields of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import mujoco
import numpy as np
from mujoco.batch import Batch


class Backend(Protocol):
    """E worlds. Arrays are read as of the last call; who wants to keep them copies.

    Attributes:
        qpos, qvel: (E, nq), (E, nv).
        sensordata: (E, nsensordata), of the present state, forces of the last substep.
        actuator_force: (E, nu) of the last substep, N m.
    """

    qpos: np.ndarray
    qvel: np.ndarray
    sensordata: np.ndarray
    actuator_force: np.ndarray

    def step(self, control: np.ndarray, substeps: int, ids: np.ndarray | None = None) -> None:
        """Hold controls (E, nu) for some physics steps, in all worlds or those of ``ids``."""
        ...

    def place(self, ids: np.ndarray, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Put worlds into a state, (len(ids), nq) and (len(ids), nv), at time 0."""
        ...

    def push(self, qvel: np.ndarray) -> None:
        """Set the velocities of all worlds, (E, nv)."""
        ...

    def change(self, ids: np.ndarray, fields: Mapping[str, np.ndarray]) -> None:
        """Set fields of the model, name -> (len(ids), ...), and what derives from them."""
        ...


class MujocoBackend:
    """MuJoCo on threads of the CPU.

    Attributes:
        batch: the worlds, for who wants one world's model or data.
    """

    def __init__(self, model: mujoco.MjModel, worlds: int, fields: Mapping[str, np.ndarray], threads: int) -> None:
        """Worlds of a model.

        Args:
            fields: name -> (worlds, ...) of the fields that differ.
            threads: 0 for all CPUs.
        """
        self.batch = Batch(model, worlds, threads, persistent=True)
        for name, values in fields.items():
            self.batch.expand(name)[...] = values
        self._stage = mujoco.mjtStage.mjSTAGE_VEL  # the next step goes on from there: no second pass of the physics
        self.qpos, self.qvel = self.batch.bind("qpos"), self.batch.bind("qvel")
        self.sensordata, self.actuator_force = self.batch.bind("sensordata"), self.batch.bind("actuator_force")
        self._ctrl, self._time = self.batch.bind("ctrl"), self.batch.bind("time")

    def step(self, control: np.ndarray, substeps: int, ids: np.ndarray | None = None) -> None:
        """See Backend."""
        self._ctrl[...] = control
        self.batch.step(ids, nstep=substeps, stage=int(self._stage))

    def place(self, ids: np.ndarray, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """See Backend."""
        self.batch.reset(ids, stage=int(mujoco.mjtStage.mjSTAGE_NONE))
        self.qpos[ids], self.qvel[ids] = qpos, qvel
        self.batch.forward(ids, stage=int(self._stage))

    def push(self, qvel: np.ndarray) -> None:
        """See Backend."""
        self.qvel[...] = qvel

    def change(self, ids: np.ndarray, fields: Mapping[str, np.ndarray]) -> None:
        """See Backend."""
        for name, values in fields.items():
            self.batch.expand(name)[ids] = values
        self.batch.set_const(ids)
