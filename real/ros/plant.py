"""The simulated robot behind the sim_robot node: takes positions, lets time pass, measures, as a driver does.

Physics runs at 250 Hz, the rate at which every grasp of the tasks was made, and a control loop usually at 200. Neither
bends: before a tick at time t physics runs up to the first of its own steps at or after t (2, 1, 1, 1 steps per 5 ms
tick), and the state at t lies on the line between the two steps around it. Commands are followed as in
`sim.bimanual.Simulation`: during a tick the targets move linearly from the last command to the new one. As physics may
be up to one step ahead of the commands, they take effect exactly one step (4 ms) later, always.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from real.contract import RobotContract
from sim.bimanual.episode import Prepared, prepare
from sim.bimanual.randomize import parse_axes
from sim.bimanual.rate import TIMESTEP
from sim.bimanual.simulation import DivergedError
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
        order = [f"{side}_{name}" for side in sim.arms for name in (*sim.record.joints, "gripper")]
        if sorted(order) != sorted(contract.names):
            raise TwinloomError(f"robot {contract.name} names joints {contract.names}, its model has {tuple(order)}")
        to_contract = np.array([order.index(name) for name in contract.names])
        arms = list(sim.arms.values())
        scale = np.concatenate([[*np.ones(arm.dof), arm.stroke] for arm in arms])[to_contract]
        self._ctrl = np.concatenate([[*arm.ctrl_ids, arm.gripper_ctrl] for arm in arms])[to_contract]
        fingers = [arm.finger_qpos for arm in arms]
        qpos = [np.array([[a, a] for a in arm.qpos_ids] + [f]) for arm, f in zip(arms, fingers, strict=True)]
        self._qpos = np.concatenate(qpos)[to_contract]  # (J, 2): a gripper is the mean of its fingers
        self._qvel = self.model.jnt_dofadr[[[_joint_at(self.model, a) for a in row] for row in self._qpos]]
        self._scale, self._to_sim = scale, np.argsort(to_contract)
        self.target = sim.home_action[to_contract]
        self._way = deque([(0.0, self.target)])  # (time, target) to which they move linearly
        self._delay = deque([self.target] * sim.spec.latency)
        self._steps_per_judgement = round(1 / (JUDGE_HZ * TIMESTEP))
        self._steps, self.time = 0, 0.0
        self._newer = self._older = self._measure()

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """(J,) positions and velocities at the present time."""
        ahead = (self._steps * TIMESTEP - self.time) / TIMESTEP  # 0: just stepped, towards 1: a step ago
        weight = min(max(ahead, 0.0), 1.0)
        (q1, v1), (q0, v0) = self._newer, self._older
        return q1 + weight * (q0 - q1), v1 + weight * (v0 - v1)

    def advance(self, seconds: float, target: np.ndarray) -> None:
        """Let time pass while the targets move from the last ones to ``target`` (J,).

        Raises:
            DivergedError: the physics broke down.
        """
        end = self.time + seconds
        self._way.append((end, np.array(target, float)))
        while self._steps * TIMESTEP < end - 1e-9:
            self._delay.append(self._target_at(self._steps * TIMESTEP))
            self.data.ctrl[self._ctrl] = self._delay.popleft() * self._scale
            mujoco.mj_step(self.model, self.data)
            self._steps += 1
            self._older, self._newer = self._newer, self._measure()
            if self._steps % self._steps_per_judgement == 0:
                self._judge(target)
        self.target, self.time = self._way[-1][1], end

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

    def _target_at(self, moment: float) -> np.ndarray:
        """The commanded targets at a time that lies within the last of them; those that are over are forgotten."""
        while len(self._way) > 1 and self._way[1][0] <= moment + 1e-9:
            self._way.popleft()
        (t0, before), (t1, after) = self._way[0], self._way[min(1, len(self._way) - 1)]
        return before if t1 <= t0 else before + max(0.0, (moment - t0) / (t1 - t0)) * (after - before)

    def _judge(self, target: np.ndarray) -> None:
        sim = self.prepared.sim
        if sim.diverged:
            raise DivergedError("the simulation diverged")
        sim.action = np.array(target[self._to_sim], float)
        sim.revision += 1
        mujoco.mj_kinematics(self.model, self.data)
        for observe in sim.observers:
            observe(sim)

    def _measure(self) -> tuple[np.ndarray, np.ndarray]:
        return self.data.qpos[self._qpos].mean(1) / self._scale, self.data.qvel[self._qvel].mean(1) / self._scale


def _joint_at(model: mujoco.MjModel, address: int) -> int:
    """The joint whose position is stored at an address."""
    return int(np.flatnonzero(model.jnt_qposadr == address)[0])
