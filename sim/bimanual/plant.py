"""A dual-arm scene as a `sim.plant.Plant`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.bimanual.episode import Prepared, prepare, restore
from sim.bimanual.randomize import parse_axes
from sim.bimanual.rate import TIMESTEP
from sim.bimanual.simulation import joint_names
from sim.engine.render import StateRenderer
from twinloom.errors import TwinloomError
from twinloom.seeding import episode_seed

JUDGE_HZ = 50  # how often the task's success check is asked where there are no control steps


class BimanualPlant:
    """See `sim.plant.Plant`.

    Attributes:
        prepared: the scene; model, data: MuJoCo's.
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
        self._steps, rate, visuals = fps is not None, fps or JUDGE_HZ, "mesh" if images else "simple"
        if record is not None:
            if record.get("task") != task:
                raise TwinloomError(f"the record is of task {record.get('task')}, not of {task}")
            self.prepared: Prepared = restore({**record, "fps": rate}, visuals)
        else:
            drawn = episode_seed(seed, task, episode)
            self.prepared = prepare(task, robot, drawn, parse_axes(randomize), rate, split, visuals)
        self._sim = self.prepared.sim
        self.model, self.data = self._sim.model, self._sim.data
        self.joints = joint_names(self._sim)
        self._renderer: StateRenderer | None = None

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
