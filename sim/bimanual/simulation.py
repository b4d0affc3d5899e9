"""The one loop through which experts and policies move a scene: control steps of commanded joint targets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter

import mujoco
import numpy as np

from assets.robots.record import load_robot
from sim.bimanual.actor import Actor
from sim.bimanual.arm import Arm
from sim.bimanual.compile import asset_of, compile_scene
from sim.bimanual.rate import substeps
from sim.bimanual.spec import SceneSpec
from twinloom.transforms import pose

_RAN_AWAY = [
    int(w)
    for w in (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)
]


class DivergedError(Exception):
    """The numbers of a simulation ran away, for example because objects were pressed into each other."""


class Simulation:
    """A compiled scene with its state.

    An action is ``[left joints (rad), left gripper, right joints (rad), right gripper]`` with grippers in [0, 1].
    During a control step the targets move linearly from the last action to the new one, so a recorded sequence of
    actions repeats the episode exactly.

    Args:
        spec: the scene.
        fps: control steps per second; must divide 250.
        visuals: see compile_scene.

    Attributes:
        model, data: MuJoCo's.
        arms: {"left": Arm, "right": Arm}.
        actors: name to Actor, bound to the state.
        action: (A,) last commanded action.
        observers: called with the simulation after every control step.
        revision: grows with every step and reset; equal revisions mean an equal state.
        step_seconds: time spent in step so far, observers included.
    """

    def __init__(
        self,
        spec: SceneSpec,
        fps: int = 25,
        visuals: str = "mesh",
    ) -> None:
        self.spec = spec
        self.substeps = substeps(fps)
        self.fps = int(fps)
        self._fractions = np.arange(1, self.substeps + 1)[:, None] / self.substeps
        self.model = compile_scene(spec, visuals)
        self.data = mujoco.MjData(self.model)
        self.record = load_robot(spec.robot)
        self.arms = {side: Arm(self.model, self.record, side) for side in ("left", "right")}
        self.actors = actors_of(spec)
        for actor in self.actors.values():
            actor.bind(self.model, self.data)
        self.observers: list[Callable[[Simulation], None]] = []
        self.revision = 0
        self.step_seconds = 0.0
        self._ctrl_ids = np.concatenate([[*arm.ctrl_ids, arm.gripper_ctrl] for arm in self.arms.values()])
        self._ctrl_scale = np.concatenate([[*np.ones(arm.dof), arm.stroke] for arm in self.arms.values()])
        self.reset()

    @property
    def control_dt(self) -> float:
        """Seconds per control step."""
        return 1.0 / self.fps

    @property
    def time(self) -> float:
        """Simulated seconds since the reset."""
        return float(self.data.time)

    @property
    def diverged(self) -> bool:
        """Whether the state ran away since the reset; MuJoCo then starts anew and says so only in a log file."""
        return bool(self.data.warning.number[_RAN_AWAY].any())

    @property
    def home_action(self) -> np.ndarray:
        """(A,) both arms at home, grippers open."""
        return np.concatenate([[*arm.home, 1.0] for arm in self.arms.values()])

    def reset(self) -> None:
        """Arms at home with open grippers, objects where the spec puts them, clock at zero."""
        mujoco.mj_resetData(self.model, self.data)
        for arm in self.arms.values():
            self.data.qpos[arm.qpos_ids] = arm.home
            self.data.qpos[arm.finger_qpos] = arm.stroke
        for actor in self.actors.values():
            for part in actor.asset.parts:
                if part.joint is not None and actor.mode == "fixed":
                    start = _placement(self.spec, actor.name).joints.get(part.name, part.joint.initial)
                    self.data.joint(f"{actor.name}/{part.name}").qpos[0] = start
        self.action = self.home_action
        self._pending = deque([self.action * self._ctrl_scale] * self.spec.latency)  # commands on their way
        self.data.ctrl[self._ctrl_ids] = self.action * self._ctrl_scale
        mujoco.mj_forward(self.model, self.data)
        self.revision += 1

    def step(self, action: np.ndarray) -> None:
        """Advance by one control step towards ``action``.

        Raises:
            ValueError: wrong shape or a non-finite number; the state is untouched.
            DivergedError: the physics broke down; reset or discard the simulation.
        """
        started = perf_counter()
        action = np.asarray(action, float)
        if action.shape != self.action.shape or not np.isfinite(action).all():
            raise ValueError(f"an action is {self.action.shape} finite numbers, got shape {action.shape}: {action}")
        action = action.astype(np.float32).astype(float)  # what a dataset stores is what is done
        ramp = self.action + (action - self.action) * self._fractions
        self._pending.extend(ramp * self._ctrl_scale)
        for _ in range(self.substeps):
            self.data.ctrl[self._ctrl_ids] = self._pending.popleft()
            mujoco.mj_step(self.model, self.data)
        if self.diverged:
            raise DivergedError("the simulation diverged")
        self.action = action.copy()
        self.revision += 1
        mujoco.mj_kinematics(self.model, self.data)  # poses of the state just reached, not of the one before
        for observe in self.observers:
            observe(self)
        self.step_seconds += perf_counter() - started

    def state(self) -> np.ndarray:
        """(S,) measured joints and gripper openings, in the order of an action."""
        parts = [[*arm.q(self.data), arm.opening(self.data)] for arm in self.arms.values()]
        return np.concatenate(parts)

    def tcp(self, side: str) -> np.ndarray:
        """(4, 4) measured pose of a hand's tool centre point in the world."""
        return self.arms[side].tcp(self.data)


def actors_of(spec: SceneSpec) -> dict[str, Actor]:
    """Fresh, unbound handles to all objects of a scene."""
    return {p.name: Actor(p.name, asset_of(p), p.mode, pose(p.pos, p.quat)) for p in spec.placements}


def _placement(spec: SceneSpec, name: str):
    return next(p for p in spec.placements if p.name == name)
