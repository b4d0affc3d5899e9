"""What every arm model must keep, whatever the robot: names, frames, servos, gripper, clearance. ``assets check``."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from assets.robots.build import COLLISION_GROUP, VISUAL_GROUP, arm_spec
from assets.robots.record import SIDES, RobotRecord, Side, Visuals
from assets.robots.show import at_home, table_scene

TRIANGLES = 20_000  # of both arms; more slows software rendering down noticeably


def violations(record: RobotRecord, visuals: Visuals = "mesh") -> list[str]:
    """Everything in which a robot breaks the contract, one sentence each; empty if it keeps it.

    Raises:
        MissingAssetError: ``visuals="mesh"`` and the meshes were not pulled.
    """
    try:
        arm = arm_spec(record, "left", visuals).compile()
        scene = table_scene(record, visuals, props=False).compile()
    except ValueError as error:
        return [f"the model does not compile: {error}"]
    missing = _missing(record, arm)
    if missing:
        return missing
    return [*_joints(record, arm), *_bodies(arm), *_gripper(record, arm), *_frames(arm), *_home(record, scene)]


def _missing(record: RobotRecord, arm: mujoco.MjModel) -> list[str]:
    needed = [(mujoco.mjtObj.mjOBJ_BODY, "body", "base"), (mujoco.mjtObj.mjOBJ_SITE, "site", "tcp")]
    needed.append((mujoco.mjtObj.mjOBJ_CAMERA, "camera", "wrist"))
    needed += [(mujoco.mjtObj.mjOBJ_JOINT, "joint", name) for name in (*record.joints, "finger1", "finger2")]
    needed += [(mujoco.mjtObj.mjOBJ_ACTUATOR, "actuator", name) for name in (*record.joints, "gripper")]
    needed += [(mujoco.mjtObj.mjOBJ_GEOM, "geom", name) for name in ("pad1", "pad2")]
    return [f"{what} {name} is missing" for kind, what, name in needed if mujoco.mj_name2id(arm, kind, name) < 0]


def _joints(record: RobotRecord, arm: mujoco.MjModel) -> list[str]:
    problems = []
    for k, name in enumerate(record.joints):
        joint, servo = arm.joint(name), arm.actuator(name)
        dof = int(joint.dofadr[0])
        if not (joint.range[0] < joint.range[1] and np.allclose(servo.ctrlrange, joint.range, atol=1e-4)):
            problems.append(f"{name}: the servo's range is not the joint's")
        if not math.isclose(servo.forcerange[1], record.limits.effort[k]):
            problems.append(
                f"{name}: force range {servo.forcerange[1]:g} is not the effort {record.limits.effort[k]:g}"
            )
        if not (arm.dof_armature[dof] > 0 and arm.dof_damping[dof] > 0):
            problems.append(f"{name}: armature and damping must be positive")
        outside: list[Side] = [side for side in SIDES if not joint.range[0] < record.home[side][k] < joint.range[1]]
        problems += [f"{name}: home {record.home[side][k]:g} on the {side} is outside its limits" for side in outside]
    return problems


def _bodies(arm: mujoco.MjModel) -> list[str]:
    problems = []
    for body in range(arm.body("base").id, arm.nbody):
        name, inertia = arm.body(body).name, np.sort(arm.body_inertia[body])
        if arm.body_gravcomp[body] != 1:
            problems.append(f"body {name} is not gravity compensated")
        # slack: published inertias are rounded
        if arm.body_mass[body] <= 0 or inertia[0] <= 0 or inertia[2] > 1.01 * (inertia[0] + inertia[1]):
            problems.append(f"body {name} has an impossible inertia")
    felt = arm.geom_contype != 0
    kinds = (int(mujoco.mjtGeom.mjGEOM_BOX), int(mujoco.mjtGeom.mjGEOM_CAPSULE))
    if not np.isin(arm.geom_type[felt], kinds).all():
        problems.append("collision shapes must be boxes and capsules")
    if not np.isin(arm.geom_group[felt], (COLLISION_GROUP, VISUAL_GROUP)).all():
        problems.append(f"collision shapes must be in group {COLLISION_GROUP}")
    triangles = 2 * int(arm.mesh_facenum.sum())
    if triangles > TRIANGLES:
        problems.append(f"both arms have {triangles} triangles, more than {TRIANGLES}")
    return problems


def _gripper(record: RobotRecord, arm: mujoco.MjModel) -> list[str]:
    problems: list[str] = []
    half = record.gripper.max_opening / 2
    servo = arm.actuator("gripper")
    wrong = [name for name in ("finger1", "finger2") if not np.allclose(arm.joint(name).range, (0, half), atol=1e-6)]
    problems += [f"{name} must move from 0 to {half:g} m, half of max_opening" for name in wrong]
    if not np.allclose(servo.ctrlrange, (0, half), atol=1e-6):
        problems.append(f"the gripper's command must range from 0 to {half:g} m")
    if not math.isclose(servo.forcerange[1], 2 * record.gripper.force):
        problems.append(f"the gripper's force range must be {2 * record.gripper.force:g} N, two fingers' force")
    data = mujoco.MjData(arm)
    for opening in (0.0, half):
        for name in ("finger1", "finger2"):
            data.joint(name).qpos = opening
        mujoco.mj_kinematics(arm, data)
        gap = _pad_gap(arm, data)
        if abs(gap - 2 * opening) > 5e-4:
            problems.append(f"the pads are {gap * 1000:.1f} mm apart at a finger position of {opening * 1000:.1f} mm")
    return problems


def _pad_gap(arm: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Distance between the pads' inner faces along the hand's y axis, metres."""
    y = data.site("tcp").xmat.reshape(3, 3)[:, 1]
    faces = []
    for name, inner in (("pad1", -1), ("pad2", 1)):
        extent = np.abs(data.geom(name).xmat.reshape(3, 3).T @ y) @ arm.geom(name).size
        faces.append(float(data.geom(name).xpos @ y) + inner * extent)
    return faces[0] - faces[1]


def _frames(arm: mujoco.MjModel) -> list[str]:
    """The hand's axes: x from palm to fingertips, y towards finger1; the camera sits on the z side and sees the tip."""
    data = mujoco.MjData(arm)
    for name in ("finger1", "finger2"):
        data.joint(name).qpos = arm.joint(name).range[1]
    mujoco.mj_forward(arm, data)
    R, tip = data.site("tcp").xmat.reshape(3, 3), data.site("tcp").xpos
    pads = [R.T @ (data.geom(name).xpos - tip) for name in ("pad1", "pad2")]
    problems = []
    if not (pads[0][1] > 0 > pads[1][1] and abs(pads[0][1] + pads[1][1]) < 1e-3):
        problems.append("finger1 must lie on the +y side of the tool centre point, finger2 as far on the other")
    if max(abs(pads[0][0]), abs(pads[0][2])) > 2e-3:
        problems.append("the tool centre point must lie midway between the pads")
    palm = R.T @ (data.xpos[arm.body_parentid[arm.geom("pad1").bodyid[0]]] - tip)
    if not palm[0] < -0.05:
        problems.append("x must point from the palm to the fingertips")
    camera = data.cam_xmat[arm.camera("wrist").id].reshape(3, 3)
    seen = camera.T @ (tip - data.cam_xpos[arm.camera("wrist").id])
    if not (R.T @ (data.cam_xpos[arm.camera("wrist").id] - tip))[2] > 0:
        problems.append("the wrist camera must sit on the +z side of the hand")
    half_angle = math.radians(float(arm.cam_fovy[arm.camera("wrist").id]) / 2)
    if not (seen[2] < 0 and abs(math.atan2(seen[1], -seen[2])) < half_angle):
        problems.append("the wrist camera does not see the fingertips")
    return problems


def _home(record: RobotRecord, scene: mujoco.MjModel) -> list[str]:
    problems = []
    for opening in (0.0, 1.0):
        data = at_home(scene, record, opening)
        for contact in data.contact[: data.ncon]:
            names = [scene.body(scene.geom_bodyid[geom]).name for geom in contact.geom]
            if contact.dist < 0 and any(name.startswith(("left_", "right_")) for name in names):
                problems.append(f"at home {names[0]} touches {names[1]}")
    for side in SIDES:
        approach = data.site(f"{side}_tcp").xmat.reshape(3, 3)[:, 0]
        if not (approach[1] > 0 > approach[2]):
            problems.append(f"at home the {side} hand does not point forward and down")
    if not data.site("left_tcp").xpos[0] < 0 < data.site("right_tcp").xpos[0]:
        problems.append("the left hand must be at negative x at home, the right at positive x")
    return problems
