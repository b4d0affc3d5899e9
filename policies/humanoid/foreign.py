"""Policies of other simulators (legged_gym, unitree_rl_gym): TorchScript, and a YAML that says its layout.

    layout: unitree-g1      # one that is known (policies/humanoid/layouts); keys beside it win over its own
    network: motion.pt      # beside this file

Such a network was trained with explicit PD torques, tau = kp (q* - q) - kd q', computed anew in every physics step and
cut to the effort, where q* = default + action_scale * action. So it is run: Euler steps, which treat no force as
implicit. Joints are matched by name. docs/humanoid/foreign.md tells of every key.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import torch

from policies.humanoid.bodies import Walker, real_walker
from policies.humanoid.observation import FOREIGN, ForeignLayout, read_layout
from policies.humanoid.senses import Measurement
from sim.humanoid.walking.body import WalkingBody
from sim.humanoid.walking.gait import Command
from twinloom.errors import TwinloomError

if TYPE_CHECKING:
    from policies.humanoid.world import World


def is_foreign(policy: Path | str) -> bool:
    """Whether a policy is named by the YAML of a foreign one."""
    return Path(policy).suffix in FOREIGN


@dataclass(frozen=True, eq=False)
class Foreign:
    """A policy with its layout.

    Attributes:
        layout: what the YAML says.
        network: the TorchScript module, never run itself: pilots run copies, which have a hidden state of their own.
    """

    layout: ForeignLayout
    network: Any

    @cached_property
    def walker(self) -> Walker:
        """The robot as the policy knows it: its gains, its default pose, its physics."""
        walker = real_walker(self.layout.robot)
        return replace(walker, body=foreign_body(walker.body, self.layout))

    def walker_of(self, robot: str) -> Walker:
        """The walker, if this is the policy's robot. Raises TwinloomError."""
        if robot != self.layout.robot:
            mine = self.layout.robot
            raise TwinloomError(f"{self.layout.file} is for {mine}, not for {robot}: --robots {mine}")
        return self.walker

    @property
    def kp(self) -> np.ndarray:
        """(nu,) N m/rad, in the order of the robot's joints."""
        return self.walker.body.kp

    @property
    def kd(self) -> np.ndarray:
        """(nu,) N m s/rad."""
        return self.walker.body.kd

    def pilot(self) -> ForeignPilot:
        """For a new episode."""
        return ForeignPilot(self)


class ForeignPilot:
    """Runs a foreign policy through one episode."""

    def __init__(self, foreign: Foreign) -> None:
        """Standing, with an empty hidden state and the clock at zero."""
        layout, body = foreign.layout, foreign.walker.body
        self._layout, self._network = layout, copy.deepcopy(foreign.network)
        if layout.reset:
            getattr(self._network, layout.reset)()
        self._where, self._rest = indices(body, layout), body.default_targets
        self._action, self._steps = np.zeros(len(layout.joints)), 0
        self._frames: list[np.ndarray] = []

    def targets(self, measured: Measurement, command: Command) -> np.ndarray:
        """Joint position targets (nu,) rad of the coming control step."""
        layout, where = self._layout, self._where
        velocity = (*command.velocity, command.yaw_rate) if command.walk else (0.0, 0.0, 0.0)
        frame = layout.frame(
            angular_velocity=measured.angular_velocity,
            gravity=-measured.up,
            command=np.array(velocity),
            positions=measured.qpos[where] - layout.default_array,
            velocities=measured.qvel[where],
            action=self._action,
            time=self._steps * layout.dt,
        )
        self._frames = [*(self._frames or [frame] * layout.history)[1 - layout.history :], frame][-layout.history :]
        self._action = run_network(self._network, layout.input(self._frames))
        if not np.isfinite(self._action).all():
            raise TwinloomError(f"{layout.file}: its network gave an action that is not finite")
        self._action = np.clip(self._action, -layout.clip, layout.clip)
        self._steps += 1
        targets = self._rest.copy()
        targets[where] = layout.default_array + layout.action_scale * self._action
        return targets


class ForeignWorldPilot:
    """See `policies.humanoid.pilots.Pilot`."""

    def __init__(self, foreign: Foreign) -> None:
        """For an episode."""
        self._pilot = foreign.pilot()

    def targets(self, world: World, command: Command) -> np.ndarray:
        """See Pilot."""
        return self._pilot.targets(world.measure(), command)


def load_foreign(file: Path | str) -> Foreign:
    """Read the YAML and the network, and try the network once.

    Raises:
        TwinloomError: the file is malformed (all its problems at once), the network is missing or no TorchScript, or it
            does not take this observation.
    """
    layout = read_layout(Path(file))
    path = layout.file.parent / layout.network
    if not path.is_file():
        raise TwinloomError(f"{layout.file}: there is no network {path}")
    try:
        network = torch.jit.load(str(path), map_location="cpu").eval()
    except (RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise TwinloomError(f"{path} is no TorchScript file (torch.jit.save): {reason}") from error
    _try(layout, network)
    return Foreign(layout, network)


def run_network(network: Any, observation: np.ndarray) -> np.ndarray:
    """(N,) to (A,), both float."""
    with torch.inference_mode():
        return network(torch.from_numpy(observation).float()[None]).numpy().reshape(-1).astype(float)


def indices(body: WalkingBody, layout: ForeignLayout) -> np.ndarray:
    """Where the policy's joints are among the robot's. Raises TwinloomError for one that it does not have."""
    names = [body.model.actuator(k).name for k in range(body.model.nu)]
    if lacking := [name for name in layout.joints if name not in names]:
        raise TwinloomError(f"{layout.file}: {layout.robot} has no joint {', '.join(lacking)}; it has {names}")
    return np.array([names.index(name) for name in layout.joints])


def foreign_body(body: WalkingBody, layout: ForeignLayout) -> WalkingBody:
    """The body with the policy's gains at its joints; the others hold their pose with ours."""
    where = indices(body, layout)
    kp, kd, qpos = body.kp.copy(), body.kd.copy(), body.qpos_default.copy()
    kp[where], kd[where] = layout.kp, layout.kd
    qpos[body.qpos_index[where]] = layout.default
    model = copy.copy(body.model)
    model.opt.timestep, model.opt.integrator = layout.physics_dt, mujoco.mjtIntegrator.mjINT_EULER
    model.actuator_gainprm[:, 0], model.actuator_biasprm[:, 1], model.actuator_biasprm[:, 2] = kp, -kp, -kd
    lowered = replace(body, model=model, qpos_default=qpos, kp=kp, kd=kd)
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    qpos[2] -= min(lowered.sole(data, side)[0][2] for side in (0, 1))
    return lowered


def _try(layout: ForeignLayout, network: Any) -> None:
    parts = ", ".join(f"{part.what} {part.size(len(layout.joints))}" for part in layout.observation)
    said = f"{layout.size} numbers ({parts}{f'; {layout.history} frames' if layout.history > 1 else ''})"
    if layout.reset and not hasattr(network, layout.reset):
        raise TwinloomError(f"{layout.file}: its network has no method {layout.reset} that resets the hidden state")
    try:
        action = run_network(copy.deepcopy(network), np.zeros(layout.size))
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise TwinloomError(f"{layout.file}: the network does not take an observation of {said}: {reason}") from error
    if action.shape != (len(layout.joints),):
        raise TwinloomError(f"{layout.file}: the network gives {action.size} numbers for {len(layout.joints)} joints")
