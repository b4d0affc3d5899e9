"""One body walking under the controller: the trial that gains are tuned with and that bodies are judged by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from sim.humanoid.walking.body import WalkingBody
from sim.humanoid.walking.controller import WalkingController
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.gait import Command
from sim.humanoid.walking.headings import heading
from sim.humanoid.walking.state import BodyState

FALLEN_HEIGHT, FALLEN_TILT = 0.6, 0.6
"""A body has fallen when its base is lower than this part of its height, or its up axis lower than this cosine."""
SETTLE = 4.0
"""Seconds at the beginning that do not count for the tracking of the command."""


@dataclass(frozen=True)
class Trial:
    """What a body is asked to do for a while.

    Attributes:
        velocity: forward, in m/s of a body of 1 m legs: the real one is scaled by √L.
        yaw_rate: to the left, rad/s.
        walk: False to stand.
        duration: s.
        push: change of the base velocity every two seconds in a random direction, scaled as ``velocity``.
        seed: of the joint noise at the beginning and of the pushes.
    """

    velocity: float = 0.0
    yaw_rate: float = 0.0
    walk: bool = True
    duration: float = 20.0
    push: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """What came of it.

    Attributes:
        survived: s until the fall, at most the duration.
        commanded: velocity that was asked for, m/s.
        velocity: mean forward velocity after settling, m/s; nan if it fell before.
        yaw_rate: mean rate of turning after settling, rad/s; nan likewise.
        upright: least cosine of the tilt.
    """

    survived: float
    commanded: float
    velocity: float
    yaw_rate: float
    upright: float


def walk(
    body: WalkingBody,
    gains: WalkingGains,
    trial: Trial,
    watch: Callable[[mujoco.MjData], None] | None = None,
) -> Outcome:
    """Run one trial on a flat floor with the true state.

    Args:
        watch: called after every control step.
    """
    model, rng = body.model, np.random.default_rng(trial.seed)
    data = mujoco.MjData(model)
    data.qpos[:] = body.qpos_default
    data.qpos[body.qpos_index] += rng.normal(0.0, 0.02, len(body.qpos_index))
    data.qpos[2] += 0.004 * body.leg_length
    mujoco.mj_forward(model, data)
    controller = WalkingController(body, gains)
    dt, scale = controller.clock.dt, float(np.sqrt(body.leg_length))
    substeps = round(dt / model.opt.timestep)
    command = Command((trial.velocity * scale, 0.0), trial.yaw_rate, trial.walk)
    standing, speeds, turned, upright, last = Command(walk=False), [], 0.0, 1.0, None
    steps = round(trial.duration / dt)
    for step in range(steps):
        data.ctrl[:] = controller.targets(data, command if step * dt > 0.4 else standing)
        for _ in range(substeps):
            mujoco.mj_step(model, data)
        if trial.push and step % 100 == 99:
            angle = rng.uniform(0.0, 2 * np.pi)
            data.qvel[:2] += trial.push * scale * np.array([np.cos(angle), np.sin(angle)])
        BodyState.refresh(model, data)
        if watch is not None:
            watch(data)
        rotation = data.xmat[body.base].reshape(3, 3)
        upright = min(upright, float(rotation[2, 2]))
        if fallen(body, data):
            return _outcome((step + 1) * dt, command.velocity[0], speeds, turned, upright, dt)
        if step * dt >= SETTLE:
            speeds.append(float(rotation[:, 0] @ data.qvel[:3]))
            now = heading(rotation)
            turned += 0.0 if last is None else (now - last + np.pi) % (2 * np.pi) - np.pi
            last = now
    return _outcome(trial.duration, command.velocity[0], speeds, turned, upright, dt)


def fallen(body: WalkingBody, data: mujoco.MjData) -> bool:
    """Whether the base is low, tilted or not a number."""
    height, up = data.qpos[2], data.xmat[body.base, 8]
    return not (height > FALLEN_HEIGHT * body.qpos_default[2] and up > FALLEN_TILT)


def _outcome(
    survived: float, commanded: float, speeds: list[float], turned: float, upright: float, dt: float
) -> Outcome:
    mean = float(np.mean(speeds)) if speeds else np.nan
    rate = turned / (len(speeds) * dt) if speeds else np.nan
    return Outcome(survived, commanded, mean, rate, upright)
