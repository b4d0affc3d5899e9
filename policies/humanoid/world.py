"""One body in a world that is not as its model says: friction, motors, sensors, delay, ground and pushes.

Each value is drawn once per episode (pushes and ground again and again) from ranges that grow with the hardship.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields

import mujoco
import numpy as np

from policies.humanoid.senses import Measurement
from sim.humanoid.walking.body import WalkingBody
from sim.humanoid.walking.episode import fallen
from sim.humanoid.walking.headings import heading
from sim.humanoid.walking.state import BodyState


@dataclass(frozen=True)
class HardshipConfig:
    """Half-widths and limits at hardship 1; everything is exact at 0.

    Attributes:
        friction: soles' friction is drawn between 1 - this and 1 + half of it.
        motors: kp, kd and torque limits, relative.
        delay: of the targets, s at most.
        position, velocity: noise of the joint sensors, rad and rad/s.
        gyroscope, gravity: noise of the angular velocity, rad/s, and of the direction of gravity.
        drift: of the heading, rad/s.
        bump: height of the ground under a foot, in leg lengths; slope: its tilt, rad.
        push: change of the base velocity, in √(gL); pushes come every ``interval`` s (low, high).
    """

    friction: float = 0.5
    motors: float = 0.1
    delay: float = 0.01
    position: float = 0.005
    velocity: float = 0.15
    gyroscope: float = 0.1
    gravity: float = 0.02
    drift: float = 0.01
    bump: float = 0.01
    slope: float = 0.03
    push: float = 0.12
    interval: tuple[float, float] = (1.5, 4.0)

    @classmethod
    def pushes_only(cls, push: float) -> HardshipConfig:
        """Everything exact, but pushes of up to ``push`` √(gL) every 2 to 4 s."""
        exact = {field.name: 0.0 for field in fields(cls) if field.name != "interval"}
        return cls(**(exact | {"push": push}), interval=(2.0, 4.0))


class World:
    """One episode of one body.

    Attributes:
        data: the simulator's state: truth, for teachers and judges.
    """

    def __init__(
        self, body: WalkingBody, rng: np.random.Generator, level: float = 1.0, hardship: HardshipConfig | None = None
    ) -> None:
        """The body in its standing pose, a little off, in a world of hardship ``level`` (0 to 1)."""
        self.body, self._rng, self._level = body, rng, level
        self._hardship = hardship or HardshipConfig()
        h = self._hardship
        self.model = copy.copy(body.model)
        self._soles = [int(self.model.body_geomadr[foot]) for foot in body.feet]
        self._flat = [(self.model.geom_pos[geom].copy(), self.model.geom_quat[geom].copy()) for geom in self._soles]
        self.model.geom_friction[:, 0] *= 1.0 + level * rng.uniform(-h.friction, 0.5 * h.friction)
        stiff, damp, strength = 1.0 + level * rng.uniform(-h.motors, h.motors, 3)
        self.model.actuator_gainprm[:, 0] *= stiff
        self.model.actuator_biasprm[:, 1] *= stiff
        self.model.actuator_biasprm[:, 2] *= damp
        self.model.actuator_forcerange[:] *= strength
        self._late = round(rng.uniform(0.0, level * h.delay) / self.model.opt.timestep)
        self._bias = level * rng.uniform(-h.position, h.position, len(body.kp))
        self._drift = level * rng.uniform(-h.drift, h.drift)
        self._lifted = [False, False]
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:] = body.qpos_default
        self.data.qpos[body.qpos_index] += rng.normal(0.0, 0.02, len(body.kp))
        self.data.qpos[2] += 0.004 * body.leg_length
        self.data.ctrl[:] = body.default_targets
        mujoco.mj_forward(self.model, self.data)
        self._next_push = self._push_time()

    def step(self, targets: np.ndarray, dt: float = 0.02) -> None:
        """One control step with these joint position targets (nu,) rad, which arrive late."""
        substeps = round(dt / self.model.opt.timestep)
        late = min(self._late, substeps)
        if late:
            mujoco.mj_step(self.model, self.data, late)
        self.data.ctrl[:] = targets
        if substeps > late:
            mujoco.mj_step(self.model, self.data, substeps - late)
        self._push()
        BodyState.refresh(self.model, self.data)
        self._change_ground()

    def measure(self) -> Measurement:
        """What the robot's sensors say."""
        h, level, rng, body, data = self._hardship, self._level, self._rng, self.body, self.data
        joints = len(body.kp)
        rotation = data.xmat[body.base].reshape(3, 3)
        up = rotation[2] + level * rng.uniform(-h.gravity, h.gravity, 3)
        return Measurement(
            qpos=data.qpos[body.qpos_index] + self._bias + level * rng.uniform(-h.position, h.position, joints),
            qvel=data.qvel[body.dof_index] + level * rng.uniform(-h.velocity, h.velocity, joints),
            angular_velocity=data.qvel[3:6] + level * rng.uniform(-h.gyroscope, h.gyroscope, 3),
            up=up / np.sqrt(up @ up),
            heading=heading(rotation) + self._drift * data.time,
        )

    @property
    def velocity(self) -> np.ndarray:
        """True velocity of the base in its level frame, (3,) m/s: forward, left, up."""
        rotation, v = self.data.xmat[self.body.base].reshape(3, 3), self.data.qvel[:3]
        angle = heading(rotation)
        c, s = np.cos(angle), np.sin(angle)
        return np.array([c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]])

    @property
    def fallen(self) -> bool:
        """Whether the body lies, or something is not a number."""
        return fallen(self.body, self.data)

    def _push_time(self) -> float:
        return self.data.time + self._rng.uniform(*self._hardship.interval)

    def _push(self) -> None:
        if self._level and self.data.time >= self._next_push:
            angle, size = self._rng.uniform(0.0, 2 * np.pi), self._rng.uniform(0.0, self._level * self._hardship.push)
            self.data.qvel[:2] += size * self.body.speed_unit * np.array([np.cos(angle), np.sin(angle)])
            self._next_push = self._push_time()

    def _change_ground(self) -> None:
        """Give a lifted foot new ground: its sole's box moves in the foot, as if the floor under it had moved."""
        h, L = self._hardship, self.body.leg_length
        for side, geom in enumerate(self._soles):
            height = float(self.body.sole(self.data, side)[0][2])
            lifted = height > 0.025 * L
            if self._level and lifted and not self._lifted[side]:
                position, quat = self._flat[side]
                tilt = np.array([*self._rng.uniform(-h.slope, h.slope, 2), 0.0]) * self._level
                turned = quat.copy()
                mujoco.mju_quatIntegrate(turned, tilt, 1.0)
                normal = np.empty(3)
                mujoco.mju_rotVecQuat(normal, np.array([0.0, 0.0, 1.0]), quat)
                rise = self._level * L * self._rng.uniform(-h.bump, h.bump)
                self.model.geom_pos[geom], self.model.geom_quat[geom] = position - rise * normal, turned
            self._lifted[side] = lifted
