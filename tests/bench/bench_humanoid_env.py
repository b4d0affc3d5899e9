"""What an environment step of humanoids costs: beside the bare physics, and beside Gymnasium's humanoid."""

from __future__ import annotations

import time

from tests.bench.harness import Samples, Skip, benchmark

WORLDS, STEPS, REPEATS, THREADS = 64, 40, 5, 2


def _physics_beside(name: str) -> Samples:
    """Whole control steps, and mujoco.rollout over the same states, models and controls, in turn."""
    import mujoco
    import numpy as np
    from mujoco import rollout

    from sim.humanoid.env.vector import HumanoidVecEnv

    envs = HumanoidVecEnv(name, WORLDS, threads=THREADS)
    rng = np.random.default_rng(0)
    envs.reset(seed=0)
    model, physics = envs.bodies.model, mujoco.mjtState.mjSTATE_FULLPHYSICS
    batch, sent = envs.backend.batch, []
    step = envs.backend.step
    envs.backend.step = lambda control, substeps, ids=None: (sent.append(control), step(control, substeps, ids))
    datas, models = [mujoco.MjData(model) for _ in range(THREADS)], None
    ours, peer = [], []
    with rollout.Rollout(nthread=THREADS) as engine:
        for _ in range(REPEATS):
            sent.clear()
            models = [batch.get_model(i) for i in range(WORLDS)]
            start = np.empty((WORLDS, mujoco.mj_stateSize(model, physics)))
            for i in range(WORLDS):
                mujoco.mj_getState(model, batch.get_data(i), start[i], physics)
            begun = time.perf_counter()
            for action in rng.uniform(-0.25, 0.25, (STEPS, WORLDS, 32)):
                envs.step(action)
            ours.append(STEPS * WORLDS / (time.perf_counter() - begun))
            control = np.repeat(np.stack(sent, axis=1), 4, axis=1)
            begun = time.perf_counter()
            engine.rollout(models, datas, start, control)
            peer.append(STEPS * WORLDS / (time.perf_counter() - begun))
    return Samples(ours, peer)


@benchmark("humanoid/env_g1_vs_rollout", unit="control steps/s", peer="mujoco.rollout of the same models and controls")
def robot() -> Samples:
    """G1: physics, observations, rewards, resets, 64 environments, random actions, 2 threads."""
    from twinloom.errors import TwinloomError

    try:
        return _physics_beside("g1")
    except TwinloomError as error:
        raise Skip(f"{error}") from None


@benchmark(
    "humanoid/env_random_vs_rollout", unit="control steps/s", peer="mujoco.rollout of the same models and controls"
)
def random_bodies() -> Samples:
    """64 different random bodies on the template of 32 joints."""
    return _physics_beside("random")


@benchmark(
    "humanoid/env_overhead_vs_gymnasium",
    unit="physics steps/s, one environment thread",
    peer="Gymnasium's Humanoid-v5, the same number of physics steps",
)
def gymnasium_humanoid() -> Samples:
    """Physics steps a second of whole environments; models differ, so this compares programs and not simulators."""
    import gymnasium
    import numpy as np

    from sim.humanoid.env.vector import HumanoidVecEnv

    count, rng = 16, np.random.default_rng(0)
    envs = HumanoidVecEnv("random", count, bodies=1, threads=1)
    try:
        theirs = gymnasium.make_vec("Humanoid-v5", count, vectorization_mode="sync")
    except gymnasium.error.DependencyNotInstalled as error:
        raise Skip(f"{error}") from None
    frames = theirs.envs[0].unwrapped.frame_skip
    envs.reset(seed=0)
    theirs.reset(seed=0)
    ours, peer = [], []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        for action in rng.uniform(-0.25, 0.25, (STEPS, count, 32)):
            envs.step(action)
        ours.append(STEPS * count * 4 / (time.perf_counter() - begun))
        begun = time.perf_counter()
        for action in rng.uniform(-0.4, 0.4, (STEPS, *theirs.action_space.shape)):
            theirs.step(action.astype(np.float32))
        peer.append(STEPS * count * frames / (time.perf_counter() - begun))
    return Samples(ours, peer)
