"""Collection and simulation of the dual-arm scenes beside MuJoCo alone."""

from __future__ import annotations

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.harness import Samples, Skip, benchmark, cpu_seconds, rates, wall_seconds

TASK, ROBOT = "stack_blocks_two", "franka-panda"
CAMERAS, SIZE, FPS = ("head", "left_wrist", "right_wrist"), (320, 240), 25
LOOP = "mj_step + render, same model and cameras"


class Collection:
    """One randomised episode: as datagen makes it, and as a bare loop over the same compiled model would."""

    def __init__(self) -> None:
        from datagen.settings import CollectConfig
        from sim.bimanual.randomize import AXES
        from sim.bimanual.source import Bimanual
        from sim.engine.gl import render_mode

        self.source = Bimanual()
        self.axes = frozenset(AXES)
        self.mode = render_mode()
        self.settings = CollectConfig(
            tasks=(TASK,),
            robot=ROBOT,
            seed=0,
            cameras=CAMERAS,
            size=SIZE,
            fps=FPS,
            randomize=tuple(sorted(AXES)),
            attempts=1,
            codec="h264",
            render=self.mode.name,
            source=self.source.name,
            engine=self.source.engine(),
        )
        self.rollout = self._rollout()

    def _rollout(self) -> Any:
        """The first episode whose first attempt succeeds, so that both sides always do the same work."""
        from sim.source import Attempt
        from twinloom.seeding import episode_seed

        for episode in range(getattr(self, "episode", 0), 20):
            self.episode, self.seed = episode, episode_seed(0, TASK, episode)
            rollout = next(self.source.rollouts([Attempt(TASK, self.seed)], ROBOT, self.axes, FPS))
            if rollout.success:
                return rollout
        raise Skip(f"no first attempt at {TASK} succeeds in 20 episodes")

    def ours(self) -> None:
        """Draw, compile, plan, simulate, render, encode and stage the episode."""
        from datagen.lerobot.codec import codecs
        from datagen.staging import stage_episode
        from datagen.worker import compose

        episode, spec = compose(TASK, self._rollout(), self.seed, self.source, self.settings)
        with tempfile.TemporaryDirectory() as folder:
            stage_episode(Path(folder), 0, episode, spec, codecs["h264"], 1)

    def bare(self) -> None:
        """The same number of physics steps and images of the same model; nothing planned, encoded or written."""
        import mujoco

        from sim.engine.gl import open_renderer

        model = self.rollout.model
        data = mujoco.MjData(model)
        data.qpos[:] = self.rollout.qpos[0]
        substeps = round(1 / FPS / model.opt.timestep)
        with open_renderer(model, SIZE[1], SIZE[0]) as renderer:
            flags = renderer.scene.flags
            flags[mujoco.mjtRndFlag.mjRND_SHADOW] = bool(self.mode.shadowsize)
            flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = False
            for qpos in self.rollout.qpos:
                mujoco.mj_step(model, data, substeps)
                data.qpos[:], data.qvel[:] = qpos, 0  # the images must show the same motion
                mujoco.mj_forward(model, data)
                for camera in CAMERAS:
                    renderer.update_scene(data, camera)
                    renderer.render().copy()


@cache
def collection() -> Collection:
    """Prepared once for both clocks."""
    return Collection()


@benchmark("bimanual/collect_vs_bare_loop", unit="frames/s", peer=LOOP)
def collect() -> Samples:
    """Wall clock of one worker: encoding may use a second core, as it does in a run."""
    c = collection()
    return rates(c.ours, c.bare, c.rollout.length, repetitions=5, clock=wall_seconds)


@benchmark("bimanual/collect_cpu_vs_bare_loop", unit="frames/cpu-s", peer=LOOP)
def collect_cpu() -> Samples:
    """Processor time of everything, encoding included."""
    c = collection()
    return rates(c.ours, c.bare, c.rollout.length, repetitions=5, clock=cpu_seconds)


@benchmark(
    "bimanual/collect_cpu_vs_robosuite", unit="frames/cpu-s", peer="robosuite TwoArmLift, 3 cameras, no planning"
)
def collect_vs_robosuite() -> Samples:
    """All of our collection beside stepping and rendering robosuite's two-arm environment at its default quality."""
    interpreter = os.environ.get("ROBOSUITE_PYTHON")
    if not interpreter:
        raise Skip("ROBOSUITE_PYTHON must name an interpreter with robosuite 1.5 (and MuJoCo 3.3, which it needs)")
    c, program = collection(), Path(__file__).with_name("robosuite_loop.py")
    command = [interpreter, str(program), "60", *map(str, SIZE), str(FPS)]
    c.ours()
    ours, peer = [], []
    for _ in range(3):
        ours.append(c.rollout.length / cpu_seconds(c.ours))
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peer.append(float(done.stdout.splitlines()[-1]))
    return Samples(ours, peer)


@benchmark("bimanual/simulation_step_vs_mj_step", unit="steps/cpu-s", peer="mj_step, same model and targets")
def simulation_step() -> Samples:
    """A control step of Simulation beside the physics steps it consists of."""
    import mujoco

    from sim.bimanual.simulation import Simulation
    from sim.bimanual.spec import SceneSpec

    sim = Simulation(SceneSpec(ROBOT), FPS, "simple")
    actions = sim.home_action + 0.2 * np.sin(np.linspace(0, 6, 200))[:, None] * (
        np.arange(len(sim.home_action)) % 8 < 7
    )
    targets = []
    sim.observers.append(lambda s: targets.append(s.data.ctrl.copy()))

    def ours() -> None:
        targets.clear()
        sim.reset()
        for action in actions:
            sim.step(action)

    ours()
    controls = np.array(targets)
    data = mujoco.MjData(sim.model)

    def bare() -> None:
        mujoco.mj_resetData(sim.model, data)
        for arm in sim.arms.values():
            data.qpos[arm.qpos_ids], data.qpos[arm.finger_qpos] = arm.home, arm.stroke
        for control in controls:
            data.ctrl[:] = control
            mujoco.mj_step(sim.model, data, sim.substeps)

    return rates(ours, bare, len(actions))
