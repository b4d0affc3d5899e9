"""What walking costs: the controller beside the physics that it commands."""

from __future__ import annotations

import copy

from tests.bench.harness import Samples, benchmark, rates

STEPS = 400  # control steps of a sample: 8 s of walking


@benchmark("humanoid/walking_control_vs_physics", unit="control steps/cpu-s", peer="mj_step, 4 a control step")
def control() -> Samples:
    """The controller alone, on the states of a walk recorded before, and the physics of the same walk."""
    import mujoco
    import numpy as np

    from sim.humanoid.morphology.body import random_humanoid
    from sim.humanoid.walking.adapt import walking_body
    from sim.humanoid.walking.controller import WalkingController
    from sim.humanoid.walking.formula import gains_for
    from sim.humanoid.walking.gait import Command
    from sim.humanoid.walking.state import BodyState

    body = walking_body(random_humanoid(3))
    data, command = mujoco.MjData(body.model), Command((0.2, 0.0), 0.2)
    data.qpos[:] = body.qpos_default
    mujoco.mj_forward(body.model, data)
    controller = WalkingController(body, gains_for(body))
    walk = []
    for _ in range(STEPS):
        walk.append((copy.copy(data), controller.targets(data, command)))
        data.ctrl[:] = walk[-1][1]
        mujoco.mj_step(body.model, data, 4)
        BodyState.refresh(body.model, data)
    assert np.isfinite(data.qpos).all()

    def ours() -> None:
        controller.reset()
        for state, _ in walk:
            controller.targets(state, command)

    def peer() -> None:
        mujoco.mj_resetData(body.model, data)
        data.qpos[:], data.qvel[:] = walk[0][0].qpos, walk[0][0].qvel
        for _, targets in walk:
            data.ctrl[:] = targets
            mujoco.mj_step(body.model, data, 4)

    return rates(ours, peer, STEPS)
