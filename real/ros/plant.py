"""The simulated robot behind the sim_robot node: takes positions, lets time pass, measures, as a driver does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from real.contract import RobotContract
from sim.bimanual.episode import Prepared, prepare
from sim.bimanual.randomize import parse_axes
from sim.bimanual.rate import TIMESTEP
from sim.bimanual.simulation import joint_names
from twinloom.errors import TwinloomError
from twinloom.seeding import episode_seed

DELAY_S = TIMESTEP  # from a command to its effect
JUDGE_HZ = 50  # how often the task's success check is asked


class SimPlant:
    """A task's scene with its robot, in simulated time.

    Args:
        contract: robot file with a model; its joint names are those of the simulator.
        task, seed, episode, axes: which scene, as for ``datagen``.
        visuals: "mesh" where cameras look, else "simple".

    Raises:
        TwinloomError: the robot has no model, or its joints are not those of the model.
    """

    def __init__(
        self,
        contract: RobotContract,
        task: str,
        seed: int = 0,
        episode: int = 0,
        axes: str = "none",
        visuals: str = "mesh",
    ) -> None:
        if contract.model is None:
            raise TwinloomError(f"robot {contract.name} has no model, so it cannot be simulated")
        drawn = episode_seed(seed, task, episode)
        self.prepared: Prepared = prepare(task, contract.model, drawn, parse_axes(axes), JUDGE_HZ, visuals=visuals)
        sim = self.prepared.sim
        self.model, self.data = sim.model, sim.data
        joints = joint_names(contract.model)
        if sorted(joints) != sorted(contract.names):
            raise TwinloomError(f"robot {contract.name} names joints {contract.names}, its model has {joints}")
        self._to_contract = np.array([joints.index(name) for name in contract.names])
        self._to_sim = np.argsort(self._to_contract)

    @property
    def time(self) -> float:
        """Seconds since the scene came to rest."""
        return self.prepared.sim.clock

    @property
    def target(self) -> np.ndarray:
        """(J,) the last commanded positions."""
        return self.prepared.sim.action[self._to_contract]

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """(J,) positions and velocities at the present time."""
        q, v = self.prepared.sim.joints()
        return q[self._to_contract], v[self._to_contract]

    def advance(self, seconds: float, target: np.ndarray) -> None:
        """Let time pass while the targets move from the last ones to ``target`` (J,); see Simulation.advance.

        Raises:
            DivergedError: the physics broke down.
        """
        self.prepared.sim.advance(seconds, np.asarray(target)[self._to_sim])

    @property
    def success(self) -> bool:
        """Whether the task's check has held for its dwell time."""
        return self.prepared.monitor.success

    def record(self) -> dict[str, Any]:
        """Randomisation record: enough to rebuild the scene."""
        return self.prepared.record()

    def instruction(self) -> str:
        """The sentence of this episode."""
        return self.prepared.instructions()[self.prepared.split][0]

    def save_model(self, path: Path) -> None:
        """Write the compiled scene, for a process that draws it."""
        mujoco.mj_saveModel(self.model, str(path), None)
