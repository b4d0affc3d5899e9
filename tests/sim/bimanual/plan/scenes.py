"""Two-arm scenes of capsules for the tests of the planner: no assets needed."""

from __future__ import annotations

import mujoco
import numpy as np

PANDA_HOME = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785])
X5_HOME = np.array([0.0, 1.2, 1.1, -0.6, 0.0, 0.0])

_FINGERS = """
  <geom type="box" size=".02 .09 .03" pos="0 0 .035"/>
  <body name="finger1" pos="0 0 .0584"><joint name="finger1" type="slide" axis="0 1 0" range="0 .04"/>
    <geom type="box" size=".008 .006 .025" pos="0 .006 .03"/></body>
  <body name="finger2" pos="0 0 .0584"><joint name="finger2" type="slide" axis="0 -1 0" range="0 .04"/>
    <geom type="box" size=".008 .006 .025" pos="0 -.006 .03"/></body>
"""
PANDA = f"""<mujoco model="panda"><compiler angle="radian" autolimits="true"/>
<default><joint range="-2.8973 2.8973"/></default>
<worldbody><body name="link0"><geom type="cylinder" size=".09 .07" pos="-.02 0 .07"/>
<body name="link1" pos="0 0 .333"><joint name="joint1"/><geom type="capsule" size=".06" fromto="0 0 -.12 0 0 0"/>
<body name="link2" quat="1 -1 0 0"><joint name="joint2" range="-1.7628 1.7628"/>
  <geom type="capsule" size=".06" fromto="0 -.06 0 0 -.2 0"/>
<body name="link3" pos="0 -.316 0" quat="1 1 0 0"><joint name="joint3"/>
  <geom type="capsule" size=".055" fromto="0 0 -.07 .05 0 0"/>
<body name="link4" pos=".0825 0 0" quat="1 1 0 0"><joint name="joint4" range="-3.0718 -0.0698"/>
  <geom type="capsule" size=".055" fromto="0 .02 0 -.08 .1 0"/>
<body name="link5" pos="-.0825 .384 0" quat="1 -1 0 0"><joint name="joint5"/>
  <geom type="capsule" size=".05" fromto="0 0 -.25 0 .05 -.1"/>
<body name="link6" quat="1 1 0 0"><joint name="joint6" range="-0.0175 3.7525"/>
  <geom type="capsule" size=".05" fromto="0 0 0 .05 0 0"/>
<body name="link7" pos=".088 0 0" quat="1 1 0 0"><joint name="joint7"/>
  <geom type="capsule" size=".04" fromto="0 0 .03 0 0 .07"/>
<body name="hand" pos="0 0 .107" quat=".9238795 0 0 -.3826834">
  <site name="tcp" pos="0 0 .1034" quat=".70710678 0 -.70710678 0"/>{_FINGERS}
</body></body></body></body></body></body></body></body></body></worldbody>
<contact><exclude body1="link0" body2="link1"/></contact></mujoco>"""

# axes along y, z and x, turned frames and a mid-range far from zero: what a 7-axis z-only chain does not exercise
X5 = f"""<mujoco model="x5"><compiler angle="radian" autolimits="true" eulerseq="XYZ"/>
<worldbody><body name="base"><geom type="cylinder" size=".04 .03" pos="0 0 .03"/>
<body name="link1" pos="0 0 .0603"><joint name="joint1" axis="0 0 1" range="-3.14 2.09"/>
  <geom type="sphere" size=".03"/>
<body name="link2" pos=".02 0 .0402"><joint name="joint2" axis="0 1 0" range="0 3.14"/>
  <geom type="capsule" size=".03" fromto="-.04 0 0 -.22 0 0"/>
<body name="link3" pos="-.264 0 0" euler="-3.14159265 0 0"><joint name="joint3" axis="0 1 0" range="0 3.14"/>
  <geom type="capsule" size=".03" fromto=".04 0 -.05 .2 0 -.056"/>
<body name="link4" pos=".245 0 -.056"><joint name="joint4" axis="0 1 0" range="-1.57 1.57"/>
  <geom type="capsule" size=".025" fromto="0 0 -.03 .06 0 -.08"/>
<body name="link5" pos=".06575 -.001 -.0825"><joint name="joint5" axis="0 0 1" range="-1.67 1.67"/>
  <geom type="sphere" size=".02" pos="0 0 .08"/>
<body name="link6" pos=".02845 0 .0825" euler="-3.14159265 0 0"><joint name="joint6" axis="1 0 0" range="-1.57 1.57"/>
  <geom type="capsule" size=".025" fromto="0 0 0 .03 0 0"/>
<body name="hand" quat=".70710678 0 .70710678 0">
  <site name="tcp" pos="0 0 .145" quat=".70710678 0 -.70710678 0"/>{_FINGERS}
</body></body></body></body></body></body></body></body></worldbody>
<contact><exclude body1="base" body2="link1"/></contact></mujoco>"""

TABLE_TOP = 0.74
TABLE = '<geom name="table" type="box" size=".6 .35 .02" pos="0 0 .72"/>'
CUBE = '<body name="cube" pos="{x} {y} .765"><freejoint/><geom type="box" size=".02 .02 .025"/></body>'


def two_arms(arm: str = PANDA, extra: str = "", base: tuple[float, float, float] = (0.3, -0.6, 0.72)) -> mujoco.MjModel:
    """Two copies of an arm facing +y at x = -base[0] and x = base[0], a table, and ``extra`` bodies."""
    scene = mujoco.MjSpec.from_string(f"<mujoco><worldbody>{TABLE}{extra}</worldbody></mujoco>")
    for side, sign in (("left_", -1.0), ("right_", 1.0)):
        child = mujoco.MjSpec.from_string(arm)
        frame = scene.worldbody.add_frame(pos=[sign * base[0], base[1], base[2]], quat=[0.5**0.5, 0, 0, 0.5**0.5])
        frame.attach_body(child.worldbody.first_body(), side, "")
    return scene.compile()
