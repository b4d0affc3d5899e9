"""A biped of boxes with twelve joints: small enough to read, human enough to walk."""

from __future__ import annotations

import mujoco
import numpy as np

from sim.humanoid.walking.body import WalkingBody

HALF = (0.10, 0.045)  # m, of a sole
BEND = 0.25  # rad at hip and ankle, twice that at the knee


def _leg(side: str, y: float, thigh: float, shank: float, ankle: float, rolls: bool) -> str:
    roll = f'<joint name="{side}_ankle_roll" axis="1 0 0"/>' if rolls else ""
    return f"""
      <body name="{side}_hip" pos="0 {y} -0.05">
        <inertial pos="0 0 0" mass="1" diaginertia="0.002 0.002 0.002"/>
        <joint name="{side}_hip_yaw" axis="0 0 1"/>
        <joint name="{side}_hip_roll" axis="1 0 0"/>
        <body name="{side}_thigh">
          <inertial pos="0 0 {-0.45 * thigh}" mass="3" diaginertia="0.03 0.03 0.005"/>
          <joint name="{side}_hip_pitch" axis="0 1 0"/>
          <body name="{side}_shank" pos="0 0 {-thigh}">
            <inertial pos="0 0 {-0.4 * shank}" mass="2" diaginertia="0.02 0.02 0.003"/>
            <joint name="{side}_knee" axis="0 1 0"/>
            <body name="{side}_foot" pos="0 0 {-shank}">
              <inertial pos="0.02 0 -0.03" mass="0.6" diaginertia="0.0006 0.0015 0.0015"/>
              <joint name="{side}_ankle_pitch" axis="0 1 0"/>{roll}
              <geom name="{side}_sole" type="box" size="{HALF[0]} {HALF[1]} 0.01" pos="0.02 0 {0.01 - ankle}" mass="0"/>
            </body>
          </body>
        </body>
      </body>"""


def biped(
    thigh: float = 0.32,
    shank: float = 0.3,
    ankle: float = 0.06,
    hips: float = 0.2,
    trunk: float = 18.0,
    rolls: bool = True,
) -> WalkingBody:
    """Its facts; lengths in m, mass of the trunk in kg, ``rolls`` for ankles with a roll joint."""
    legs = "".join(_leg(side, y, thigh, shank, ankle, rolls) for side, y in (("left", hips / 2), ("right", -hips / 2)))
    spec = mujoco.MjSpec.from_string(f"""
<mujoco>
  <option timestep="0.005" integrator="implicitfast" iterations="6" ls_iterations="10"/>
  <default><joint armature="0.005"/><geom condim="3" friction="1 0.01 0.001"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="base">
      <freejoint/>
      <inertial pos="0.0 0 0.2" mass="{trunk}" diaginertia="{0.03 * trunk} {0.03 * trunk} {0.01 * trunk}"/>
      {legs}
    </body>
  </worldbody>
</mujoco>""")
    L = thigh + shank + ankle
    load = (trunk + 13.2) * 9.81 * L
    names = [joint.name for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_HINGE]
    for name in names:
        kp = 2.0 * load * (0.7 if "ankle" in name else 1.0)
        servo = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=kp, kv=0.04 * kp)
        effort = (0.25 if "ankle" in name else 0.6) * load
        servo.forcelimited, servo.forcerange = True, [-effort, effort]
    model = spec.compile()
    joints = model.actuator_trnid[:, 0]
    qpos = model.qpos0.copy()
    for side in ("left", "right"):
        for name, angle in (("hip_pitch", -BEND), ("knee", 2 * BEND), ("ankle_pitch", -BEND)):
            qpos[model.joint(f"{side}_{name}").qposadr[0]] = angle
    qpos[2] = 0.05 + (thigh + shank) * np.cos(BEND) + ankle
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    feet = tuple(model.body(f"{side}_foot").id for side in ("left", "right"))
    effort = model.actuator_forcerange[:, 1].copy()
    return WalkingBody(
        model=model,
        base=model.body("base").id,
        feet=(feet[0], feet[1]),
        sole_offset=np.tile([0.02, 0.0, -ankle], (2, 1)),
        sole_rotation=np.tile(np.eye(3), (2, 1, 1)),
        sole_half=np.array(HALF),
        qpos_default=qpos,
        qpos_index=model.jnt_qposadr[joints],
        dof_index=model.jnt_dofadr[joints],
        kp=model.actuator_gainprm[:, 0].copy(),
        kd=-model.actuator_biasprm[:, 2].copy(),
        effort=effort,
        is_leg=np.ones(len(joints), bool),
        ankle_effort=(effort[4], effort[5] if rolls else 0.0),
        leg_length=L,
        com_height=float(data.subtree_com[1][2]),
        stance_width=hips,
    )
