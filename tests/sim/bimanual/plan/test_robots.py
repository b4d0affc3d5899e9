"""The planner on every robot that ships: what holds for the test arms must hold for the real ones."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from assets.robots import SIDES, load_robot, robots
from assets.robots.build import add_robot
from sim.bimanual.plan import ArmKinematics, CollisionWorld


@pytest.mark.parametrize("name", robots())
def test_kinematics_solver_and_home_of_every_robot(name: str) -> None:
    record = load_robot(name)
    scene = mujoco.MjSpec()
    add_robot(scene, record, "simple")
    model = scene.compile()
    data = mujoco.MjData(model)
    home = {side: np.array(record.home[side]) for side in SIDES}
    world = CollisionWorld(model)
    for opening in (0.0, 0.5, 1.0):
        assert world.first_contact(home, dict.fromkeys(SIDES, opening)) is None
    for side in SIDES:
        arm = ArmKinematics(model, f"{side}_", home[side])
        assert arm.joint_names == [f"{side}_{joint}" for joint in record.joints]
        middle, half = 0.5 * (arm.lower + arm.upper), 0.45 * (arm.upper - arm.lower)
        q = middle + half * np.random.default_rng(1).uniform(-1, 1, (300, arm.size))
        targets = arm.forward(q)
        data.qpos[arm.qpos_ids] = q[0]
        mujoco.mj_kinematics(model, data)
        np.testing.assert_allclose(targets[0, :3, 3], data.site_xpos[arm.site_id], atol=1e-12)
        solution = arm.solve(targets)
        assert solution.ok.mean() >= 0.99
        reached = arm.forward(solution.q[solution.ok])[:, :3, 3]
        assert np.linalg.norm(reached - targets[solution.ok, :3, 3], axis=1).max() <= 5e-4
        up = arm.forward(home[side])
        up[2, 3] += 0.05
        line = arm.linear_path(home[side], up)
        assert np.linalg.norm(arm.forward(line[-1])[:3, 3] - up[:3, 3]) <= 5e-4
