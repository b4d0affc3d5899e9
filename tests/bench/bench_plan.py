"""Planning beside other solvers."""

from __future__ import annotations

from functools import cache

import numpy as np

from tests.bench.harness import Samples, benchmark, rates

TARGETS = 64


@cache
def problem():
    """The left arm of the default robot, TARGETS reachable hand poses, and a model for the peer."""
    from assets.robots import load_robot
    from sim.bimanual.plan import ArmKinematics
    from sim.bimanual.simulation import Simulation
    from sim.bimanual.spec import SceneSpec

    record = load_robot()
    model = Simulation(SceneSpec(record.name), visuals="simple").model
    arm = ArmKinematics(model, "left_", np.array(record.home["left"]))
    middle, half = 0.5 * (arm.lower + arm.upper), 0.45 * (arm.upper - arm.lower)
    poses = arm.forward(middle + half * np.random.default_rng(0).uniform(-1, 1, (TARGETS, arm.size)))
    return model, arm, poses


@benchmark(
    "plan/ik_batched_vs_mink", unit="solved/cpu-s", peer="mink, one target after the other, from home", needs=("mink",)
)
def inverse_kinematics() -> Samples:
    """Hand poses solved to 0.5 mm and 5 mrad; poses that a side does not reach do not count for it."""
    import mink
    import mujoco

    model, arm, poses = problem()
    site = next(model.site(i).name for i in range(model.nsite) if model.site(i).name.startswith("left_"))
    solved = {"ours": 0, "peer": 0}

    def ours() -> None:
        solved["ours"] = int(arm.solve(poses).ok.sum())

    def peer() -> None:
        configuration = mink.Configuration(model)
        task = mink.FrameTask(site, "site", position_cost=1.0, orientation_cost=0.25, lm_damping=1e-6)
        start = mujoco.MjData(model).qpos.copy()
        start[arm.qpos_ids] = arm.home
        solved["peer"] = 0
        for pose in poses:
            configuration.update(start)
            task.set_target(mink.SE3.from_matrix(pose))
            for _ in range(100):
                error = task.compute_error(configuration)
                if np.linalg.norm(error[:3]) <= arm.tolerance.position and np.linalg.norm(error[3:]) <= 5e-3:
                    solved["peer"] += 1
                    break
                velocity = mink.solve_ik(configuration, [task], 1.0, "daqp", limits=[mink.ConfigurationLimit(model)])
                configuration.integrate_inplace(velocity, 1.0)

    samples = rates(ours, peer, TARGETS, repetitions=5)
    share = {side: count / TARGETS for side, count in solved.items()}
    return Samples([s * share["ours"] for s in samples.ours], [s * share["peer"] for s in samples.peer])
