"""A humanoid on its feet as a `sim.plant.FloatingPlant`: what ``real`` commands behind the name ``sim:humanoid/g1``."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from assets.robots.humanoid import humanoids, load_humanoid
from sim.engine.base import DivergedError
from sim.plant import Base
from twinloom.errors import TwinloomError, UnknownNameError

SETTLE_S = 0.5
"""In which the robot comes to rest in its standing pose."""
SOLVER = 50
"""Iterations of the constraint solver, which never starts from the last step's forces; see HumanoidPlant."""


class HumanoidPlant:
    """See `sim.plant.FloatingPlant`. A flat floor; the robot stands in its default pose, held by its servos.

    The next state follows from positions, velocities and set points alone: the solver starts anew in every step, and
    set points are rounded to the 32 bits that they have on the wire of a real robot. So a recording of them, begun
    anywhere, is replayed bit for bit.

    Attributes:
        model, data: MuJoCo's, once it was started; body 1 is the base.
    """

    delay_s = 0.0
    success = False
    """A walk is never done."""

    def __init__(
        self,
        task: str,
        robot: str,
        *,
        seed: int = 0,
        episode: int = 0,
        randomize: str = "none",
        split: str = "seen",
        fps: int | None = None,
        record: Mapping[str, Any] | None = None,
        images: bool = False,
    ) -> None:
        if record is not None and record.get("task") != f"humanoid/{task}":
            raise TwinloomError(f"the record is of task {record.get('task')}, not of humanoid/{task}")
        if randomize != "none":
            raise TwinloomError(f'nothing is randomised in {task}: "{randomize}" must be none')
        robot = str(record["robot"]) if record is not None else robot
        if robot not in humanoids():
            raise UnknownNameError("humanoid", robot, humanoids(), "assets list robots")
        self._humanoid = load_humanoid(robot)
        self._task, self._robot, self._start = task, robot, dict((record or {}).get("start", {}))
        self._dt = self._humanoid.model.opt.timestep
        if fps is not None and abs(1 / (fps * self._dt) - round(1 / (fps * self._dt))) > 1e-9:
            raise TwinloomError(f"fps {fps} does not divide the {1 / self._dt:g} steps a second of the physics")
        self.joints = self._humanoid.joints

    def start(self) -> None:
        """Stand, and come to rest; or go to the state of the record."""
        self.model = copy.copy(self._humanoid.model)
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_WARMSTART
        self.model.opt.iterations = self.model.opt.ls_iterations = SOLVER
        self._servo = self.model.actuator_gainprm.copy(), self.model.actuator_biasprm.copy()
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:], self.data.ctrl[:] = self._humanoid.default_qpos, self.home
        if self._start:
            self.data.qpos[:], self.data.qvel[:] = self._start["qpos"], self._start["qvel"]
        else:
            mujoco.mj_step(self.model, self.data, round(SETTLE_S / self._dt))
        self._steps, self._time = 0, 0.0
        mujoco.mj_forward(self.model, self.data)

    @property
    def home(self) -> np.ndarray:
        """The standing pose."""
        return _on_the_wire(self._humanoid.default_pose)

    @property
    def target(self) -> np.ndarray:
        """See Plant."""
        return self.data.ctrl.copy()

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self._time

    @property
    def instruction(self) -> str:
        """See Plant."""
        return "walk as told"

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """See Plant.read."""
        return self.data.qpos[7:].copy(), self.data.qvel[6:].copy()

    def base(self) -> Base:
        """See FloatingPlant.base; the acceleration is that of the last step."""
        data = self.data
        rotation = data.xmat[1].reshape(3, 3)
        linear = rotation.T @ (data.qacc[:3] - self.model.opt.gravity)
        return Base(data.qpos[:3].copy(), data.qpos[3:7].copy(), data.qvel[:3].copy(), data.qvel[3:6].copy(), linear)

    def advance(self, seconds: float, target: np.ndarray) -> None:
        """See Plant.advance; targets are set points that hold from now on."""
        self.data.ctrl[:] = _on_the_wire(target)
        self._pass(seconds)

    def damp(self, seconds: float, damping: float) -> None:
        """See FloatingPlant.damp."""
        model = self.model
        model.actuator_gainprm[:, 0] = 0.0
        model.actuator_biasprm[:, 1], model.actuator_biasprm[:, 2] = 0.0, -damping
        try:
            self._pass(seconds)
        finally:
            model.actuator_gainprm[:], model.actuator_biasprm[:] = self._servo
        self.data.ctrl[:] = _on_the_wire(self.data.qpos[7:])

    def _pass(self, seconds: float) -> None:
        self._time += seconds
        steps = round(self._time / self._dt) - self._steps
        if steps > 0:
            self._steps += steps
            mujoco.mj_step(self.model, self.data, steps)
            if not np.isfinite(self.data.qvel).all() or self.data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
                raise DivergedError(f"{self._robot}: the physics broke down at {self._time:.2f} s")
            mujoco.mj_kinematics(self.model, self.data)

    def snapshot(self) -> np.ndarray:
        """(nq,) positions of everything."""
        return self.data.qpos.copy()

    def images(self, snapshot: np.ndarray, cameras: Sequence[str], size: tuple[int, int]) -> dict[str, np.ndarray]:
        """None: a humanoid has no cameras here."""
        return {}

    def record(self) -> dict[str, Any]:
        """What makes the scene again; a ``start`` of qpos and qvel may be put in, to begin elsewhere."""
        return {
            "task": f"humanoid/{self._task}",
            "robot": self._robot,
            **({"start": self._start} if self._start else {}),
        }

    def close(self) -> None:
        """Nothing is held."""


def _on_the_wire(target: np.ndarray) -> np.ndarray:
    """Rounded to 32 bits."""
    return np.asarray(target, np.float32).astype(float)
