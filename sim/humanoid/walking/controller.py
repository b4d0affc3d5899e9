"""The model-based walking controller: DCM foot placement, whole-body inverse dynamics, joint position targets.

It needs no training. It reads the true state of the simulator and knows its own body (masses, lengths, soles, motors);
it does not know the ground, which it takes for flat, nor what pushes it. After Englsberger et al. 2015 (DCM), Khadiv et
al. 2020 (step offsets) and Herzog et al. 2016 (inverse dynamics).
"""

from __future__ import annotations

import mujoco
import numpy as np

from sim.humanoid.walking.body import WalkingBody
from sim.humanoid.walking.contacts import SoleContacts
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.gait import LEFT, RIGHT, Command, GaitClock, Mode
from sim.humanoid.walking.headings import about_z, heading, rotation_vector
from sim.humanoid.walking.inverse_dynamics import Solution, Task, solve
from sim.humanoid.walking.placement import Balance, FootPlacement
from sim.humanoid.walking.state import BodyState
from sim.humanoid.walking.swing import SwingFoot, Waypoint

LATE = 0.3
"""Part of a step until which a foot that should carry it, but has not landed, is waited for."""
FORESIGHT = 0.7
"""Part of the wanted accelerations that servos are told of in advance: 1 follows a foot best, less resists pushes."""
DAMPING = 0.8
"""Damping ratio of every second-order task."""


class WalkingController:
    """Walks one body. Call it once per control step.

    Attributes:
        body: what it knows.
        gains: what it is tuned with.
        clock: its gait.
        solution: of the last control step: accelerations, contact wrenches and joint forces.
    """

    solution: Solution

    def __init__(self, body: WalkingBody, gains: WalkingGains, dt: float = 0.02) -> None:
        """A controller for this body with control steps of ``dt`` s."""
        self.body, self.gains = body, gains
        self.clock = GaitClock(body.time_unit, gains.step_time, gains.shift_time, dt)
        self._state = BodyState(body)
        self._placement = FootPlacement(body, gains)
        self._contacts = SoleContacts(body, gains, self._placement.cop_limit)
        self._swing = SwingFoot(body, gains)
        self._started = False

    def reset(self) -> None:
        """Stand; a new episode begins."""
        self._started = False

    def targets(self, data: mujoco.MjData, command: Command) -> np.ndarray:
        """Joint position targets of the coming control step, (nu,) rad in actuator order.

        Args:
            data: the state, with kinematics up to date (``BodyState.refresh`` or ``mj_forward``).
            command: what to do.
        """
        state, clock = self._state, self.clock
        state.read(data)
        if not self._started:
            clock.reset(heading(state.base_rotation))
            self._started = True
        clock.advance(command)
        balance, support = self._balance(), self._support()
        cop = self._contacts.within(state, support, balance.cop)
        tasks = [self._centre_of_mass(cop), self._base()]
        if clock.mode is Mode.STEP:
            tasks += self._free_foot(balance, support)
        contacts = self._contacts.of(state, support, cop)
        self.solution = solve(state, tasks, contacts, self._posture())
        return self._position_targets(self.solution)

    def _balance(self) -> Balance:
        placement, clock, state = self._placement, self.clock, self._state
        if clock.mode is Mode.STEP:
            return placement.stepping(state, clock)
        shift = placement.shifted(state, clock) if clock.mode is Mode.SHIFT else 0.0
        return placement.standing(state, clock.heading, shift)

    def _support(self) -> tuple[int, ...]:
        """The feet that carry: both while standing and as a step begins, but for the first, which was prepared.

        The clock goes its way whatever the feet do: while a foot is late, the other carries its step.
        """
        clock, soles = self.clock, self._state.soles
        if clock.mode is not Mode.STEP:
            return (LEFT, RIGHT)
        stance, swing = clock.stance, 1 - clock.stance
        late = clock.steps > 0 and clock.time < LATE * clock.period
        if late and soles[swing].touching and not soles[stance].touching:
            return (swing,)
        both = clock.steps > 0 and clock.time <= self.gains.double_support * clock.period
        return (LEFT, RIGHT) if both else (stance,)

    def _centre_of_mass(self, cop: np.ndarray) -> Task:
        state, gains, body = self._state, self.gains, self.body
        plane = self._placement.omega**2 * (state.com[:2] - cop)
        rate = gains.height_frequency / body.time_unit
        error = gains.height * body.com_height - state.com[2]
        vertical = rate * rate * error - 2.0 * rate * state.com_velocity[2]
        acceleration = np.append(plane, vertical) - state.com_bias
        return Task(state.com_jacobian, acceleration, gains.com_weight)

    def _base(self) -> Task:
        """The base upright, facing along the heading."""
        state, gains, body = self._state, self.gains, self.body
        rate = gains.pelvis_frequency / body.time_unit
        error = rotation_vector(about_z(self.clock.heading) @ state.base_rotation.T)
        acceleration = rate * rate * error - 2.0 * DAMPING * rate * state.base_rate
        return Task(state.base_jacobian, acceleration, 0.1 * gains.pelvis_weight * body.leg_length**2)

    def _free_foot(self, balance: Balance, support: tuple[int, ...]) -> list[Task]:
        """The foot in the air on its way to the foothold, or, if it is late, straight down."""
        state, clock = self._state, self.clock
        assert balance.foothold is not None
        swing = 1 - clock.stance
        if swing in support or clock.time <= 0.0:
            self._swing.restart(state.soles[swing].position, clock.time)
        if support == (swing,):
            return self._foot(clock.stance, self._swing.down(state.soles[clock.stance], clock))
        return [] if swing in support else self._foot(swing, self._swing.follow(balance.foothold, clock))

    def _foot(self, side: int, way: Waypoint) -> list[Task]:
        """A foot along its way, flat and turned to where the heading will be when it lands."""
        state, gains, body, clock = self._state, self.gains, self.body, self.clock
        sole = state.soles[side]
        rate = gains.swing_frequency / body.time_unit
        stiffness, damping = rate * rate, 2.0 * DAMPING * rate
        landing = about_z(clock.heading + 0.5 * clock.yaw_rate * clock.remaining)
        linear = (
            way.acceleration + stiffness * (way.position - sole.position) + damping * (way.velocity - sole.velocity[:3])
        )
        angular = stiffness * rotation_vector(landing @ sole.rotation.T) - damping * sole.velocity[3:]
        weight = gains.swing_weight
        return [
            Task(sole.jacobian[:3], linear - sole.bias[:3], 0.2 * weight),
            Task(sole.jacobian[3:], angular - sole.bias[3:], 0.02 * weight * body.leg_length**2),
        ]

    def _posture(self) -> tuple[np.ndarray, np.ndarray]:
        """All joints towards the standing pose, the legs a tenth as much: they have other things to do."""
        state, gains, body = self._state, self.gains, self.body
        rate = gains.posture_frequency / body.time_unit
        weights = np.where(body.is_leg, 0.1, 1.0) * (gains.posture_weight * body.leg_length**2)
        return weights, rate * rate * (body.default_targets - state.qpos) - 2.0 * DAMPING * rate * state.qvel

    def _position_targets(self, solution: Solution) -> np.ndarray:
        """Targets whose servos give the wanted torques in the mean of the control step; the upper body keeps its pose.

        With q(t) ≈ q + q̇t + q̈t²/2 the mean of kp(c − q(t)) − kd·q̇(t) over dt is τ for
        c = q + q̇·dt/2 + q̈·dt²/6 + (τ + kd(q̇ + q̈·dt/2))/kp. Without the terms in q̈ the servos' own damping brakes every
        swing: feet land late, by 2 to 3 % of the leg's length. Arms, waist and head are thus free for other work, and
        walking is steadier without what they would do for it.
        """
        state, body = self._state, self.body
        torque = np.clip(solution.force[body.dof_index], -body.effort, body.effort)
        dt, coming = self.clock.dt, FORESIGHT * solution.acceleration[body.dof_index]
        position = state.qpos + dt / 2 * state.qvel + dt * dt / 6 * coming
        legs = position + (torque + body.kd * (state.qvel + dt / 2 * coming)) / body.kp
        return np.where(body.is_leg, legs, body.default_targets)
