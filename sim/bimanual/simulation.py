"""The one loop through which experts and policies move a scene: control steps of commanded joint targets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter

import mujoco
import numpy as np

from assets.robots.load import load_robot
from assets.robots.record import SIDES
from sim.bimanual.actor import Actor
from sim.bimanual.arm import Arm
from sim.bimanual.compile import asset_of, compile_scene
from sim.bimanual.interpolation import LinearInterpolation
from sim.bimanual.rate import TIMESTEP, substeps
from sim.bimanual.spec import SceneSpec
from sim.engine.base import Engine
from sim.engine.substeps import dividing_engine
from twinloom.features import STATE, TIMESTAMP
from twinloom.transforms import pose

EngineFactory = Callable[[mujoco.MjModel], Engine]


class Simulation:
    """A compiled scene with its state.

    An action is ``[left joints (rad), left gripper, right joints (rad), right gripper]`` with grippers in [0, 1].
    During a control step the targets move linearly from the last action to the new one, so a recorded sequence of
    actions repeats the episode exactly.

    Args:
        spec: the scene.
        fps: control steps per second; must divide 250.
        visuals: see compile_scene.
        engine: makes the engine of a compiled scene.

    Attributes:
        engine: what moves the scene; model, data: its own.
        arms: {"left": Arm, "right": Arm}.
        actors: name to Actor, bound to the state.
        action: (A,) last commanded action.
        observers: called with the simulation after every control step.
        revision: grows with every control step and reset; equal revisions mean an equal state.
        step_seconds: time spent in step so far, observers included.
    """

    def __init__(
        self, spec: SceneSpec, fps: int = 25, visuals: str = "mesh", engine: EngineFactory = dividing_engine
    ) -> None:
        self.spec = spec
        self.substeps = substeps(fps)
        self.fps = int(fps)
        self._fractions = np.arange(1, self.substeps + 1)[:, None] / self.substeps
        self.engine = engine(compile_scene(spec, visuals))
        self.model, self.data = self.engine.model, self.engine.data
        self.record = load_robot(spec.robot)
        self.arms = {side: Arm(self.model, self.record, side) for side in ("left", "right")}
        self.actors = actors_of(spec)
        for actor in self.actors.values():
            actor.bind(self.model, self.data)
        self.observers: list[Callable[[Simulation], None]] = []
        self.revision = 0
        self.step_seconds = 0.0
        arms = self.arms.values()
        self._servos = np.concatenate([[*arm.ctrl_ids, arm.gripper_ctrl] for arm in arms])
        self._scale = np.concatenate([[*np.ones(arm.dof), arm.stroke] for arm in arms])
        # an arm joint twice and the two fingers: what is measured is the mean of both
        joints = np.concatenate([[*([j, j] for j in arm.joint_ids), arm.finger_joints] for arm in arms])
        self._qpos_ids, self._dof_ids = self.model.jnt_qposadr[joints], self.model.jnt_dofadr[joints]
        self.reset()

    @property
    def control_dt(self) -> float:
        """Seconds per control step."""
        return 1.0 / self.fps

    @property
    def time(self) -> float:
        """Simulated seconds since the reset, of the physics."""
        return float(self.data.time)

    @property
    def clock(self) -> float:
        """Seconds since the reset that commands know of; physics is less than one of its steps ahead."""
        return self._clock

    @property
    def home_action(self) -> np.ndarray:
        """(A,) both arms at home, grippers open."""
        return np.concatenate([[*arm.home, 1.0] for arm in self.arms.values()])

    def reset(self) -> None:
        """Arms at home with open grippers, objects where the spec puts them, clock at zero."""
        qpos = self.model.qpos0.copy()
        for arm in self.arms.values():
            qpos[arm.qpos_ids] = arm.home
            qpos[arm.finger_qpos] = arm.stroke
        for actor in self.actors.values():
            for part in actor.asset.parts:
                if part.joint is not None and actor.mode == "fixed":
                    start = _placement(self.spec, actor.name).joints.get(part.name, part.joint.initial)
                    qpos[actor.joint_address(part.name)] = start
        self.action = self.home_action
        row = self.action * self._scale
        self._pending = deque([row] * self.spec.latency)  # commands on their way
        self.engine.reset(qpos, self._ctrl(row[None])[0])
        self._start_clock()

    def settle(self, seconds: float) -> None:
        """Let everything come to rest while the arms hold still, then call that moment zero.

        Raises:
            DivergedError: the scene broke down.
        """
        row = self.action * self._scale
        self.engine.step(self._ctrl(np.tile(row, (round(seconds / TIMESTEP), 1))))
        self.engine.start_clock()
        self._start_clock()

    def step(self, action: np.ndarray) -> None:
        """Advance by one control step towards ``action``.

        Raises:
            ValueError: wrong shape or a non-finite number; the state is untouched.
            DivergedError: the physics broke down; reset or discard the simulation.
        """
        started = perf_counter()
        action = self._checked(action).astype(np.float32).astype(float)  # what a dataset stores is what is done
        self._physics(self.action + (action - self.action) * self._fractions)
        self._clock, self._targets = self._ticks * TIMESTEP, None
        self._finish(action)
        self.step_seconds += perf_counter() - started

    def advance(self, seconds: float, target: np.ndarray) -> None:
        """Let any time pass while the targets move linearly from the last ones to ``target`` (A,).

        For drivers whose rate is not that of physics. Neither bends: physics runs up to the first of its own steps at
        or after the present :attr:`clock` (2, 1, 1, 1 steps per tick of 5 ms), and :meth:`joints` gives the state at
        the clock, on the line between the two steps around it. As physics may be up to one step ahead of the commands,
        they take effect exactly one step (4 ms) later, always. Observers are called at the rate ``fps``.

        Raises:
            ValueError: wrong shape or a non-finite number; the state is untouched.
            DivergedError: the physics broke down; reset or discard the simulation.
        """
        target = self._checked(target).copy()
        if self._targets is None:
            self._targets = LinearInterpolation(self._clock, self.action)
        end = self._clock + seconds
        self._targets.add(end, target)
        while self._ticks * TIMESTEP < end - 1e-9:
            self._before = self.data.qpos.copy(), self.data.qvel.copy()
            self._physics(self._targets.at(self._ticks * TIMESTEP)[None])
            if self._ticks % self.substeps == 0:
                self._finish(target)
        self._clock, self.action = end, target

    def state(self) -> np.ndarray:
        """(S,) measured joints and gripper openings, in the order of an action."""
        parts = [[*arm.q(self.data), arm.opening(self.data)] for arm in self.arms.values()]
        return np.concatenate(parts)

    def joints(self) -> tuple[np.ndarray, np.ndarray]:
        """(S,) positions and (S,) velocities (rad/s; openings per second) at the :attr:`clock`."""
        ahead = min(max((self._ticks * TIMESTEP - self._clock) / TIMESTEP, 0.0), 1.0)
        q, v = self._measured(self.data.qpos, self.data.qvel)
        if ahead and self._before is not None:
            q0, v0 = self._measured(*self._before)
            q, v = q + ahead * (q0 - q), v + ahead * (v0 - v)
        return q, v

    def tcp(self, side: str) -> np.ndarray:
        """(4, 4) measured pose of a hand's tool centre point in the world."""
        return self.arms[side].tcp(self.data)

    # -------------------------------------------------- an environment of sim.loop

    def observe(self) -> dict[str, np.ndarray]:
        """Measured joints and the time, named as in datasets."""
        return {STATE: self.state(), TIMESTAMP: np.array(self.time)}

    def apply(self, action: np.ndarray) -> None:
        """As :meth:`step`."""
        self.step(action)

    @property
    def over(self) -> bool:
        """Never: a scene without a task goes on as long as somebody acts."""
        return False

    # -------------------------------------------------------------- helpers

    def _start_clock(self) -> None:
        self._clock, self._ticks = 0.0, 0
        self._targets: LinearInterpolation | None = None
        self._before: tuple[np.ndarray, np.ndarray] | None = None
        self.revision += 1

    def _checked(self, action: np.ndarray) -> np.ndarray:
        action = np.asarray(action, float)
        if action.shape != self.action.shape or not np.isfinite(action).all():
            raise ValueError(f"an action is {self.action.shape} finite numbers, got shape {action.shape}: {action}")
        return action

    def _physics(self, targets: np.ndarray) -> None:
        """(k, A) targets, one for each step of physics; latency delays them."""
        self._pending.extend(targets * self._scale)
        self.engine.step(self._ctrl(np.array([self._pending.popleft() for _ in targets])))
        self._ticks += len(targets)

    def _ctrl(self, rows: np.ndarray) -> np.ndarray:
        """(k, A) scaled targets as (k, nu) in the order of the servos."""
        ctrl = np.zeros((len(rows), self.model.nu))
        ctrl[:, self._servos] = rows
        return ctrl

    def _finish(self, action: np.ndarray) -> None:
        """A control step has been made: tell the observers."""
        self.action = action
        self.revision += 1
        for observe in self.observers:
            observe(self)

    def _measured(self, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return qpos[self._qpos_ids].mean(1) / self._scale, qvel[self._dof_ids].mean(1) / self._scale


def joint_names(robot: str) -> tuple[str, ...]:
    """Names of the numbers of a state, and of an action, in order. Raises UnknownNameError for an unknown robot."""
    return tuple(f"{side}_{name}" for side in SIDES for name in (*load_robot(robot).joints, "gripper"))


def actors_of(spec: SceneSpec) -> dict[str, Actor]:
    """Fresh, unbound handles to all objects of a scene."""
    return {p.name: Actor(p.name, asset_of(p), p.mode, pose(p.pos, p.quat)) for p in spec.placements}


def _placement(spec: SceneSpec, name: str):
    return next(p for p in spec.placements if p.name == name)
