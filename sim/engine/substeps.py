"""One physics step, divided where something falls fast.

At 250 Hz a bottle that drops into a bin moves 16 mm a step, and would be that deep in the floor before any contact is
found. While a free body moves fast the step is divided, and contacts, which are as stiff as the step allows
(see ``sim.bimanual.compile``), stiffen along with it. All other times cost nothing more.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from sim.engine.mujoco import MujocoEngine

WAY = 0.0015  # metres that a thing may go in one division
MOST = 12  # divisions: enough for 4.5 m/s


def dividing_engine(model: mujoco.MjModel) -> MujocoEngine:
    """MuJoCo whose steps are divided where something falls fast."""
    return MujocoEngine(model, Stepper(model))


class Stepper:
    """Steps one model; what is fast follows from the state alone, so that a replay divides the same steps.

    Args:
        model: its free joints are looked at; ``model.opt.timestep`` is changed within a step and put back.

    Attributes:
        watch: called with the data after every division of a step, for measurements.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
        self._model, self._timestep = model, model.opt.timestep
        self.watch: Callable[[mujoco.MjData], None] | None = None
        reach = np.linalg.norm(model.geom_pos, axis=1) + model.geom_rbound  # of each shape from the middle of its body
        felt = np.where((model.geom_contype | model.geom_conaffinity) != 0, reach, 0.0)
        self._reach = np.array([felt[model.geom_bodyid == body].max(initial=0.0) for body in model.jnt_bodyid[free]])
        self._speeds = (model.jnt_dofadr[free, None] + np.arange(6)).ravel()

    def divisions(self, data: mujoco.MjData) -> int:
        """How many parts the next step has; 1 unless something moves faster than 2 WAY a step, 0.75 m/s at 250 Hz."""
        if not len(self._speeds):
            return 1
        motion = np.sqrt((data.qvel[self._speeds].reshape(-1, 2, 3) ** 2).sum(2))
        fastest = float((motion[:, 0] + self._reach * motion[:, 1]).max())
        parts = fastest * self._timestep / WAY
        return 1 if parts < 2.0 else min(MOST, int(np.ceil(parts)))

    def __call__(self, data: mujoco.MjData) -> None:
        """Advance by one physics step."""
        parts = self.divisions(data)
        self._model.opt.timestep = self._timestep / parts
        try:
            for _ in range(parts):
                mujoco.mj_step(self._model, data)
                if self.watch is not None:
                    self.watch(data)
        finally:
            self._model.opt.timestep = self._timestep
