"""What a robot itself measures and knows: the inputs of a walking network. No truth of the simulator enters.

Measured: joint positions and velocities, angular velocity, direction of gravity, heading (the gyroscope's integral).
Known: its own model, so also where its soles are under the base and how fast they move against it; the clock of its
gait. All values are dimensionless (lengths in L, times in √(L/g)) and lie in the canonical joint space.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import mujoco
import numpy as np

from sim.humanoid.walking.body import WalkingBody
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.gait import GaitClock

LEGS = 12
"""Slots 0 to 11: the joints that the network drives."""
FRAME = 3 + 3 + 3 * LEGS + 12 + 3
"""Numbers in one step of history."""
TASK = 7 + 3 + 1
"""Clock, command, heading error."""


@dataclass(frozen=True)
class Measurement:
    """What the sensors say in one control step.

    Attributes:
        qpos, qvel: joint positions and velocities in actuator order, (nu,) rad and rad/s.
        angular_velocity: of the base, in its frame, (3,) rad/s.
        up: direction against gravity in the frame of the base, (3,), of length 1.
        heading: of the base since an arbitrary start, rad.
    """

    qpos: np.ndarray
    qvel: np.ndarray
    angular_velocity: np.ndarray
    up: np.ndarray
    heading: float


class Senses:
    """One robot's view of itself."""

    def __init__(self, body: WalkingBody, slot: np.ndarray, sign: np.ndarray) -> None:
        """For this body.

        Args:
            slot: index of each actuated joint's slot, (nu,).
            sign: +1 or -1 of each actuated joint against its slot, (nu,).
        """
        self.body = body
        legs = np.flatnonzero(slot < LEGS)
        self._joints, self._slots, self._signs = legs, slot[legs], sign[legs].astype(float)
        self.mask = np.zeros(LEGS)
        self.mask[self._slots] = 1.0
        self._data = mujoco.MjData(body.model)
        self._qpos, self._qvel = body.qpos_default.copy(), np.zeros(body.model.nv)
        still = Measurement(body.default_targets, np.zeros(len(slot)), np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.0)
        self._rest = np.zeros(15)
        self._rest = self._kinematics(still)

    def slots(self, values: np.ndarray) -> np.ndarray:
        """Differences or velocities (nu,) of the joints as those of the leg slots, (12,)."""
        out = np.zeros(LEGS)
        out[self._slots] = self._signs * values[self._joints]
        return out

    def targets(self, action: np.ndarray) -> np.ndarray:
        """Joint position targets (nu,) rad of an action (12,): rad from the standing pose in the leg slots."""
        out = self.body.default_targets.copy()
        out[self._joints] += self._signs * action[self._slots]
        return out

    def action(self, targets: np.ndarray) -> np.ndarray:
        """Inverse of ``targets`` for the joints of the legs, (12,) rad."""
        return self.slots(targets - self.body.default_targets)

    def frame(self, measured: Measurement, action: np.ndarray) -> np.ndarray:
        """One step of history, (FRAME,): gyroscope, gravity, joints, last action, soles, centre of mass."""
        unit = self.body.time_unit
        return np.concatenate(
            [
                measured.angular_velocity * unit,
                measured.up,
                self.slots(measured.qpos - self.body.default_targets),
                self.slots(measured.qvel) * unit,
                action,
                self._kinematics(measured) - self._rest,
            ]
        )

    def task(self, clock: GaitClock, heading: float) -> np.ndarray:
        """Clock, command and the heading error, (TASK,)."""
        speed = clock.velocity / self.body.speed_unit
        error = (clock.heading - heading + np.pi) % (2 * np.pi) - np.pi
        return np.array([*clock.features(), *speed, clock.yaw_rate * self.body.time_unit, error])

    def description(self, gains: WalkingGains) -> np.ndarray:
        """What does not change, (DESCRIPTION,): sizes, masses, motors, axes of the left leg, and its gait."""
        body, model, data, L = self.body, self.body.model, self._data, self.body.leg_length
        data.qpos[:] = body.qpos_default
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        effort, angle = np.zeros(LEGS), self.slots(body.default_targets)
        effort[self._slots] = body.effort[self._joints] / (body.weight * L)
        axes, anchors = np.zeros((6, 3)), np.zeros((6, 3))
        sole, _ = body.sole(data, 0)
        for joint, slot, sign in zip(self._joints, self._slots, self._signs, strict=True):
            if slot < 6:
                index = model.actuator_trnid[joint, 0]
                axes[slot], anchors[slot] = sign * data.xaxis[index], (data.xanchor[index] - sole) / L
        moving = np.zeros(model.nbody)
        for foot in body.feet:
            parent = foot
            while parent != body.base:
                moving[parent], parent = model.body_mass[parent], int(model.body_parentid[parent])
        sizes = [log(L), log(body.mass), body.com_height / L, body.stance_width / L, *(body.sole_half / L)]
        steps = [gains.step_time, gains.swing_height, gains.width_factor]
        balance = [gains.cop_gain, gains.cop_range, gains.lookahead]
        rest = [self._rest[i] for i in (0, 1, 2, 12, 13, 14)]
        return np.array(
            [
                *sizes,
                moving.sum() / body.mass,
                *effort[:6],
                *angle[:6],
                *axes.ravel(),
                *anchors.ravel(),
                *rest,
                *steps,
                *balance,
            ]
        )

    def _kinematics(self, measured: Measurement) -> np.ndarray:
        """Soles and centre of mass against the base, (15,): positions (2 x 3), velocities (2 x 3), centre of mass (3).

        In the level frame of the base: x forward, z against gravity.
        """
        body, model, data = self.body, self.body.model, self._data
        level = level_axes(measured.up)
        mujoco.mju_mat2Quat(self._qpos[3:7], level.ravel())
        self._qpos[body.qpos_index], self._qvel[body.dof_index] = measured.qpos, measured.qvel
        self._qvel[3:6] = measured.angular_velocity
        data.qpos[:], data.qvel[:] = self._qpos, self._qvel
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        origin, out = data.xpos[body.base], np.empty(15)
        spatial = np.empty(6)
        for side in (0, 1):
            foot = body.feet[side]
            sole, _ = body.sole(data, side)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, foot, spatial, 0)
            out[3 * side : 3 * side + 3] = (sole - origin) / body.leg_length
            velocity = spatial[3:] + np.cross(spatial[:3], sole - data.xpos[foot])
            out[6 + 3 * side : 9 + 3 * side] = velocity / body.speed_unit
        out[12:] = (data.subtree_com[body.base] - origin) / body.leg_length
        return out


DESCRIPTION = 6 + 1 + 6 + 6 + 18 + 18 + 6 + 6
"""Numbers in a description."""


def level_axes(up: np.ndarray) -> np.ndarray:
    """(3, 3) rotation from the base to its level frame: z along ``up``, x in the plane of the base's x and ``up``."""
    x = np.array([1.0, 0.0, 0.0]) - up[0] * up
    x /= np.sqrt(x @ x)
    return np.array([x, np.cross(up, x), up])
