"""The standing test, three seconds on the servos alone: a gate for bodies, and the first thing to try on a robot."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from assets.robots.humanoid.humanoid import Humanoid

SECONDS = 3.0
UPRIGHT = 0.95  # least z component of the base's up axis
SAG = 0.05  # largest loss of height, as a fraction of the base's height


@dataclass(frozen=True)
class Standing:
    """Outcome.

    Attributes:
        upright: z component of the base's up axis at the end; 1 is vertical.
        height: of the base at the end, as a fraction of the default's.
        stands: whether both are good and nothing became infinite.
    """

    upright: float
    height: float
    stands: bool


def stand(humanoid: Humanoid, seconds: float = SECONDS) -> Standing:
    """Hold the default pose and see whether the body stays up."""
    model, data = humanoid.model, mujoco.MjData(humanoid.model)
    data.qpos[:] = humanoid.default_qpos
    data.ctrl[:] = humanoid.default_pose
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
    upright, height = float(data.xmat[1, 8]), float(data.qpos[2]) / humanoid.base_height
    good = bool(np.isfinite(data.qpos).all()) and upright > UPRIGHT and abs(height - 1) < SAG
    return Standing(upright, height, good)
