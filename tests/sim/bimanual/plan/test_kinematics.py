"""Chains read off a model: MuJoCo itself is the oracle."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim.bimanual.plan import ArmKinematics
from tests.sim.bimanual.plan.scenes import PANDA, X5, two_arms
from twinloom.errors import TwinloomError

ARMS = {"panda": PANDA, "x5": X5}


@pytest.mark.parametrize("prefix", ["left_", "right_"])
@pytest.mark.parametrize("name", ARMS)
def test_pose_and_jacobian_agree_with_mujoco(name: str, prefix: str) -> None:
    model = two_arms(ARMS[name])
    data = mujoco.MjData(model)
    arm = ArmKinematics(model, prefix)
    q = np.random.default_rng(0).uniform(arm.lower, arm.upper, (40, arm.size))
    poses, jacobians = arm.forward(q), arm.jacobian(q)
    for b in range(len(q)):
        data.qpos[arm.qpos_ids] = q[b]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, linear, angular, arm.site_id)
        np.testing.assert_allclose(poses[b, :3, 3], data.site_xpos[arm.site_id], atol=1e-12)
        np.testing.assert_allclose(poses[b, :3, :3].ravel(), data.site_xmat[arm.site_id], atol=1e-12)
        np.testing.assert_allclose(jacobians[b], np.vstack([linear, angular])[:, arm.dof_ids], atol=1e-12)


def test_reference_values_anchors_and_slides_are_respected() -> None:
    model = mujoco.MjModel.from_xml_string("""<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
      <body name="a" pos="1 2 3" quat=".8 .1 .5 .2">
        <joint name="left_j1" axis="1 2 3" pos=".1 .2 .3" ref=".4" range="-2 2"/>
        <joint name="left_j2" type="slide" axis="0 1 1" ref=".05" range="-.2 .3"/><geom size=".1"/>
        <body name="b" pos=".3 0 .1"><joint name="left_j3" axis="0 0 -1" pos="0 .1 0"/><geom size=".1"/>
          <site name="left_tcp" pos="0 .2 .1" euler=".1 .2 .3"/></body></body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    arm = ArmKinematics(model, "left_")
    assert arm.joint_names == ["left_j1", "left_j2", "left_j3"]
    assert (arm.lower[2], arm.upper[2]) == (-2 * np.pi, 2 * np.pi)
    q = np.array([0.7, -0.1, 1.3])
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    linear, angular = np.zeros((3, 3)), np.zeros((3, 3))
    mujoco.mj_jacSite(model, data, linear, angular, arm.site_id)
    T = arm.forward(q)
    np.testing.assert_allclose(T[:3, 3], data.site_xpos[0], atol=1e-12)
    np.testing.assert_allclose(T[:3, :3].ravel(), data.site_xmat[0], atol=1e-12)
    np.testing.assert_allclose(arm.jacobian(q), np.vstack([linear, angular]), atol=1e-12)


def test_batch_equals_single() -> None:
    arm = ArmKinematics(two_arms(), "left_")
    q = np.random.default_rng(1).uniform(arm.lower, arm.upper, (7, arm.size))
    np.testing.assert_allclose(arm.forward(q), [arm.forward(x) for x in q], atol=1e-13)
    np.testing.assert_allclose(arm.jacobian(q), [arm.jacobian(x) for x in q], atol=1e-13)


def test_errors_name_what_is_there() -> None:
    with pytest.raises(TwinloomError, match=r'no site "middle_tcp".*left_tcp, right_tcp'):
        ArmKinematics(two_arms(), "middle_")
    ball = """<mujoco><worldbody><body><joint type="ball" name="b"/><geom size="1"/>
      <site name="left_tcp"/></body></worldbody></mujoco>"""
    with pytest.raises(TwinloomError, match='joint "b" of an arm is free or ball'):
        ArmKinematics(mujoco.MjModel.from_xml_string(ball), "left_")
    with pytest.raises(TwinloomError, match=r"shape \(3,\), allowed is \(7,\)"):
        ArmKinematics(two_arms(), "left_", home=np.zeros(3))
