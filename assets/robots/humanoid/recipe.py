"""One recipe for every body: gains, contact, stance. Real and sampled robots get theirs here and nowhere else.

Gains grow with the body: the torque that holds a leg of length L under a mass M is of the order M g L.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from assets.robots.humanoid.feet import box_pose
from assets.robots.humanoid.inertia import mass_com_inertia
from assets.robots.humanoid.slots import LEG, WAIST, role
from assets.robots.humanoid.tree import LinkTree

GRAVITY = 9.81


@dataclass(frozen=True)
class RecipeConfig:
    """How a LinkTree becomes a model.

    Attributes:
        stiffness: kp = stiffness * M g L for hips, knees and waist.
        ankle, arm: factors on it for ankles; for arms, wrists and head.
        damping: kd = damping * kp, s.
        action_scale: rad a unit action moves the target at most; also at most this fraction of effort / kp.
        armature: least armature, kg m^2, of a body of 30 kg whose L^2 is 0.5 m^2; grows with M L^2. It is what the G1's
            motors have; files that name none mean unknown, and a servo on a bare foot is unstable at 200 Hz.
        frictionloss: most dry friction of a joint, as a fraction of M g L.
        timestep: of the physics, s; decimation: physics steps in one control step.
        iterations, ls_iterations: of the constraint solver.
        friction: of soles and floor.
        sole: half thickness of the collision box, m.
    """

    stiffness: float = 2.0
    ankle: float = 0.7
    arm: float = 0.15
    damping: float = 0.04
    action_scale: float = 0.25
    armature: float = 0.01
    frictionloss: float = 0.002
    timestep: float = 0.005
    decimation: int = 4
    iterations: int = 6
    ls_iterations: int = 10
    friction: float = 1.0
    sole: float = 0.01


RECIPE = RecipeConfig()


def stiffness_factor(slot: str, recipe: RecipeConfig = RECIPE) -> float:
    """Share of the stiffness that the joint in a slot gets."""
    name = role(slot)
    if name in LEG:
        return recipe.ankle if name.startswith("ankle") else 1.0
    return 1.0 if name in WAIST else recipe.arm


def gains(tree: LinkTree, leg_length: float, recipe: RecipeConfig = RECIPE) -> tuple[np.ndarray, np.ndarray]:
    """(joints,) kp in N m / rad and kd in N m s / rad."""
    weight = tree.mass() * GRAVITY * leg_length
    kp = recipe.stiffness * weight * np.array([stiffness_factor(hinge.slot, recipe) for hinge in tree.hinges])
    return kp, recipe.damping * kp


def armatures(tree: LinkTree, leg_length: float, recipe: RecipeConfig = RECIPE) -> np.ndarray:
    """(joints,) armature, kg m^2: the source's, or what a body of this size needs for a stable servo."""
    least = recipe.armature * tree.mass() / 30 * leg_length**2 / 0.5
    return np.array([max(hinge.armature, least) for hinge in tree.hinges])


def build_spec(tree: LinkTree, leg_length: float, recipe: RecipeConfig = RECIPE) -> mujoco.MjSpec:
    """The model: a floating base ("root"), hinges, position servos, a floor and two soles ("left_sole", "right_sole").

    Bodies, joints and actuators keep the source's names and order; there are no other contacts.
    """
    spec = mujoco.MjSpec()
    spec.modelname = tree.name
    spec.compiler.degree = False
    spec.option.timestep = recipe.timestep
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.iterations, spec.option.ls_iterations = recipe.iterations, recipe.ls_iterations
    friction = [recipe.friction, 0.01, 0.001]
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(name="floor", type=plane, size=[0, 0, 1], friction=friction, condim=3)
    kp, kd = gains(tree, leg_length, recipe)
    armature = armatures(tree, leg_length, recipe)
    dry = recipe.frictionloss * tree.mass() * GRAVITY * leg_length
    bodies: list = []
    for link in tree.links:
        body = (spec.worldbody if link.parent < 0 else bodies[link.parent]).add_body(name=link.name)
        body.pos[:], body.quat[:] = link.pos, link.quat
        _set_inertia(body, link.inertia)
        bodies.append(body)
        if link.hinge is None:
            body.add_freejoint(name="root")
            continue
        hinge, j = link.hinge, len(bodies) - 2
        body.add_joint(
            name=hinge.name,
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=hinge.axis,
            range=hinge.range,
            limited=mujoco.mjtLimited.mjLIMITED_TRUE,
            armature=armature[j],
            frictionloss=min(hinge.frictionloss, dry),
        )
        servo = spec.add_actuator(name=hinge.name, target=hinge.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=kp[j], kv=kd[j])
        servo.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
        servo.forcerange[:] = -hinge.effort, hinge.effort
    names = [link.name for link in tree.links]
    for side, box in zip(("left", "right"), tree.feet, strict=True):
        pos, quat = box_pose(box, recipe.sole)
        bodies[names.index(box.link)].add_geom(
            name=f"{side}_sole",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[*box.half, recipe.sole],
            pos=pos,
            quat=quat,
            mass=0,
            condim=3,
            friction=friction,
            rgba=[0.25, 0.27, 0.3, 1],
        )
    return spec


def _set_inertia(body, J: np.ndarray) -> None:
    """Write a pseudo-inertia into a body: mass, centre, principal moments and their axes."""
    mass, com, inertia = mass_com_inertia(J)
    body.explicitinertial = True
    body.mass, body.ipos = float(mass), com
    xx, yy, zz = np.diag(inertia)
    body.fullinertia = [xx, yy, zz, inertia[0, 1], inertia[0, 2], inertia[1, 2]]
