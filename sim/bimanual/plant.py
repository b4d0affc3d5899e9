"""A dual-arm scene as a `sim.plant.Plant`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.bimanual.episode import Prepared, prepare, restore
from sim.bimanual.randomize import parse_axes
from sim.bimanual.rate import TIMESTEP, substeps
from sim.bimanual.simulation import joint_names
from sim.engine.render import StateRenderer
from twinloom.errors import TwinloomError
from twinloom.seeding import episode_seed

JUDGE_HZ = 50  # how often the task's success check is asked where there are no control steps


class BimanualPlant:
    """See `sim.plant.Plant`.

    Attributes:
        prepared: the scene, once it was started; model, data: MuJoCo's.
    """

    delay_s = TIMESTEP

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
        record: dict[str, Any] | None = None,
        images: bool = False,
    ) -> None:
        if record is not None and record.get("task") != task:
            raise TwinloomError(f"the record is of task {record.get('task')}, not of {task}")
        self._steps, self._rate, self._visuals = fps is not None, fps or JUDGE_HZ, "mesh" if images else "simple"
        substeps(self._rate)
        self._what = (task, robot, episode_seed(seed, task, episode), parse_axes(randomize), self._rate, split)
        self._record = record
        self._renderer: StateRenderer | None = None
        self.joints = joint_names(robot)

    def start(self) -> None:
        """See Plant.start."""
        if self._record is not None:
            self.prepared: Prepared = restore({**self._record, "fps": self._rate}, self._visuals)
        else:
            self.prepared = prepare(*self._what, self._visuals)
        self._sim = self.prepared.sim
        self.model, self.data = self._sim.model, self._sim.data

    @property
    def home(self) -> np.ndarray:
        """See Plant."""
        return self._sim.home_action

    @property
    def target(self) -> np.ndarray:
        """See Plant."""
        return self._sim.action

    @property
    def time(self) -> float:
        """Seconds since the scene came to rest."""
        return self._sim.clock

    @property
    def success(self) -> bool:
        """Whether the task's check has held for its dwell time."""
        return self.prepared.monitor.success

    @property
    def instruction(self) -> str:
        """See Plant."""
        return self.prepared.instructions()[self.prepared.split][0]

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """See Plant.read; velocities in rad/s, openings per second."""
        q, v = self._sim.joints()
        return (self._sim.state() if self._steps else q), v

    def advance(self, seconds: float, target: np.ndarray) -> None:
        """See Plant.advance, Simulation.step and Simulation.advance."""
        if self._steps:
            self._sim.step(target)
        else:
            self._sim.advance(seconds, target)

    def snapshot(self) -> np.ndarray:
        """(nq,) positions of everything."""
        return self.data.qpos.copy()

    def images(self, snapshot: np.ndarray, cameras: Sequence[str], size: tuple[int, int]) -> dict[str, np.ndarray]:
        """Camera name to (H, W, 3) uint8."""
        if self._renderer is None:
            self._renderer = StateRenderer(self.model, size)
        return self._renderer.images(snapshot, cameras)

    def record(self) -> dict[str, Any]:
        """See Plant.record."""
        return self.prepared.record()

    def close(self) -> None:
        """Free the OpenGL context."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
