"""One model of 32 joints on which every random body is a set of fields: so different bodies step in one GPU batch.

Trees of bodies are equal, and absent joints are locked in place by a huge armature, stiffness and damping, which moves
them by less than a milliradian; a body's trajectory is that of the model whose joints were deleted to 1e-3 over half a
second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import mujoco
import numpy as np

from assets.robots.humanoid.recipe import build_spec
from assets.robots.humanoid.slots import SLOT_INDEX
from sim.humanoid.morphology.body import Body

LOCK_ARMATURE = 1e3  # kg m^2
LOCK_STIFFNESS = 1e5  # N m / rad
LOCK_DAMPING = 2e4  # N m s / rad

FIELDS = (
    *("qpos0", "qpos_spring"),
    *("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia"),
    *("body_subtreemass", "body_invweight0"),
    *("jnt_pos", "jnt_axis", "jnt_range", "jnt_stiffness", "jnt_actfrcrange"),
    *("dof_armature", "dof_damping", "dof_frictionloss", "dof_invweight0", "dof_M0", "dof_length"),
    *("geom_pos", "geom_quat", "geom_size", "geom_rbound", "geom_aabb", "geom_friction"),
    *("actuator_gainprm", "actuator_biasprm", "actuator_forcerange", "actuator_acc0"),
)
"""Fields of MjModel in which bodies differ; the derived ones (subtree masses, inverse weights) come from the compiler.
Beyond them only ``bvh_aabb`` does, which rays need and contacts do not."""


def template_model(body: Body) -> mujoco.MjModel:
    """The 32-joint model of a body; all bodies' models differ in FIELDS only."""
    return template_spec(body).compile()


def template_spec(body: Body) -> mujoco.MjSpec:
    """``template_model`` before it is compiled, to which sensors can be added."""
    links = (replace(link, hinge=link.hinge and replace(link.hinge, name=link.name)) for link in body.full.links)
    tree = replace(body.full, name="humanoid-template", links=tuple(links))  # slots go with the body, names must not
    spec = build_spec(tree, body.humanoid.leg_length, body.recipe)
    for hinge, there in zip(tree.hinges, body.present, strict=True):
        if there:
            continue
        joint, servo = spec.joint(hinge.name), spec.actuator(hinge.name)
        joint.armature, joint.frictionloss = LOCK_ARMATURE, 0.0
        joint.stiffness[:], joint.damping[:] = (LOCK_STIFFNESS, 0.0, 0.0), (LOCK_DAMPING, 0.0, 0.0)
        servo.gainprm, servo.biasprm = np.zeros_like(servo.gainprm), np.zeros_like(servo.biasprm)
    return spec


def fields(body: Body) -> dict[str, np.ndarray]:
    """Name -> array of ``template_model(body)``, a copy, for every name in FIELDS."""
    model = template_model(body)
    return {name: np.array(getattr(model, name)) for name in FIELDS}


def stacked(bodies: Sequence[Body]) -> dict[str, np.ndarray]:
    """Name -> (bodies, ...) arrays, as batched simulators take them."""
    every = [fields(body) for body in bodies]
    return {name: np.stack([one[name] for one in every]) for name in FIELDS}


def template_slots(body: Body) -> np.ndarray:
    """(32,) slot index of each template joint; a body's own order of hip, waist, ankle and head joints is in here."""
    return np.array([SLOT_INDEX[hinge.slot] for hinge in body.full.hinges])


def to_template(body: Body, values: np.ndarray) -> np.ndarray:
    """Joint values (..., joints) of ``body.humanoid`` for the template's joints (..., 32); 0 for absent ones."""
    out = np.zeros((*values.shape[:-1], len(body.present)))
    out[..., body.present] = values
    return out


def from_template(body: Body, values: np.ndarray) -> np.ndarray:
    """Values of the template's joints (..., 32) for the joints (..., joints) that the body has."""
    return values[..., body.present]


def default_qpos(body: Body) -> np.ndarray:
    """(39,) standing state of the template."""
    humanoid = body.humanoid
    return np.concatenate([humanoid.default_qpos[:7], to_template(body, humanoid.default_pose)])
