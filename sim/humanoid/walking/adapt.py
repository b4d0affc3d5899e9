"""The walking facts of a humanoid of the registry, or of a sampled one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from sim.humanoid.walking.body import WalkingBody
from twinloom.transforms import quat_to_matrix

if TYPE_CHECKING:
    from assets.robots.humanoid.humanoid import Humanoid

LEGS = 12
"""Slots 0 to 11 are the legs."""
ANKLE_PITCH, ANKLE_ROLL = 4, 5
"""Slots of the left ankle."""


def walking_body(humanoid: Humanoid) -> WalkingBody:
    """What the walking controller knows of a humanoid."""
    model = humanoid.model
    data = mujoco.MjData(model)
    data.qpos[:] = humanoid.default_qpos
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    left, right = humanoid.feet
    effort = dict(zip(humanoid.slot.tolist(), humanoid.effort.tolist(), strict=True))
    joints = np.arange(humanoid.num_joints)
    return WalkingBody(
        model=model,
        base=1,
        feet=(model.body(left.link).id, model.body(right.link).id),
        sole_offset=np.array([left.pos, right.pos]),
        sole_rotation=np.array([quat_to_matrix(left.quat), quat_to_matrix(right.quat)]),
        sole_half=np.array(left.half),
        qpos_default=humanoid.default_qpos,
        qpos_index=7 + joints,
        dof_index=6 + joints,
        kp=humanoid.kp,
        kd=humanoid.kd,
        effort=humanoid.effort,
        is_leg=humanoid.slot < LEGS,
        ankle_effort=(effort[ANKLE_PITCH], effort.get(ANKLE_ROLL, 0.0)),
        leg_length=humanoid.leg_length,
        com_height=float(data.subtree_com[1][2]),
        stance_width=humanoid.foot_spacing,
    )
