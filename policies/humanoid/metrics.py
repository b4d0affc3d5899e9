"""What is measured of a walk: tracking of the command, energy for the way, slipping feet.

Velocities are averaged over WINDOW seconds before they are compared: a gait sways. Speeds are given for legs of
REFERENCE metres (divided by √(L / REFERENCE)), so that bodies of different size can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from policies.humanoid.pupil import DT
from policies.humanoid.world import World
from sim.humanoid.walking.gait import Command
from sim.humanoid.walking.headings import heading

REFERENCE = 0.69
"""Leg length that speeds are given for, m (that of G1)."""
SETTLE = 4.0
"""Seconds at the beginning that do not count."""
WINDOW = 1.5
"""Seconds at REFERENCE over which velocities and commands are averaged before they are compared: about two strides."""
SPEED_SIGMA, YAW_SIGMA = 0.25, 0.25
"""Errors, m/s and rad/s, at which a tracking score has fallen to exp(-1)."""


@dataclass(frozen=True)
class Metrics:
    """Of one episode after SETTLE seconds; nan where the body fell before.

    Attributes:
        forward_error: root mean square error of the forward velocity, m/s at REFERENCE.
        sideways_error: of the velocity to the left, m/s at REFERENCE.
        yaw_error: of the rate of turning, rad/s.
        score: mean of exp(-(e_v / SPEED_SIGMA)² - (e_yaw / YAW_SIGMA)²), 0 for the time after a fall; 1 is perfect.
        transport_cost: ∫ Σ|τ q̇| dt / (M g · way); nan if the way is shorter than a leg.
        slip: mean horizontal speed of the soles while they carry, m/s.
    """

    forward_error: float
    sideways_error: float
    yaw_error: float
    score: float
    transport_cost: float
    slip: float


class Recorder:
    """Watches a world; ``observe`` after each control step."""

    def __init__(self, world: World) -> None:
        """Nothing seen yet."""
        self._world, self._scale = world, float(np.sqrt(world.body.leg_length / REFERENCE))
        self._soles = [int(world.model.body_geomadr[foot]) for foot in world.body.feet]
        self._rows: list[tuple[float, ...]] = []
        self._slips: list[float] = []
        self._energy = 0.0

    def observe(self, command: Command) -> None:
        """Take in the step that was just made under this command."""
        world, data, body = self._world, self._world.data, self._world.body
        if data.time < SETTLE:
            return
        rotation = data.xmat[body.base].reshape(3, 3)
        wanted = (*command.velocity, command.yaw_rate) if command.walk else (0.0, 0.0, 0.0)
        self._rows.append((*world.velocity[:2], heading(rotation), *wanted, *data.qpos[:2]))
        self._energy += float(np.abs(data.actuator_force * data.qvel[body.dof_index]).sum()) * DT
        touching = set(data.contact.geom[: data.ncon].ravel().tolist())
        for side, geom in enumerate(self._soles):
            if geom in touching:
                self._slips.append(_speed(world, side))

    def metrics(self, seconds: float) -> Metrics:
        """Of an episode that was to last so many seconds."""
        count = round(WINDOW * self._scale / DT)
        if len(self._rows) < count + 1:
            return Metrics(np.nan, np.nan, np.nan, 0.0, np.nan, np.nan)
        rows, body = np.array(self._rows), self._world.body
        rate = np.diff(np.unwrap(rows[:, 2])) / DT
        real = _means(np.column_stack([rows[1:, :2], rate]), count)
        error = (real - _means(rows[1:, 3:6], count)) / (self._scale, self._scale, 1.0)
        score = np.exp(-(error[:, :2] ** 2).sum(1) / SPEED_SIGMA**2 - error[:, 2] ** 2 / YAW_SIGMA**2)
        expected = max(round((seconds - SETTLE) / DT) - count, len(score))
        way = float(np.hypot(*np.diff(rows[:, 6:8], axis=0).T).sum())
        return Metrics(
            *np.sqrt((error**2).mean(0)).tolist(),
            score=float(score.sum() / expected),
            transport_cost=self._energy / (body.weight * way) if way > body.leg_length else float("nan"),
            slip=float(np.mean(self._slips)) if self._slips else float("nan"),
        )


def _means(values: np.ndarray, count: int) -> np.ndarray:
    """Running means of ``count`` rows."""
    sums = np.cumsum(np.vstack([np.zeros(values.shape[1]), values]), axis=0)
    return (sums[count:] - sums[:-count]) / count


def _speed(world: World, side: int) -> float:
    body, data, spatial = world.body, world.data, np.empty(6)
    foot = body.feet[side]
    mujoco.mj_objectVelocity(world.model, data, mujoco.mjtObj.mjOBJ_XBODY, foot, spatial, 0)
    arm = body.sole(data, side)[0] - data.xpos[foot]
    turning, moving = spatial[:3], spatial[3:]
    return float(np.hypot(*(moving + np.cross(turning, arm))[:2]))
