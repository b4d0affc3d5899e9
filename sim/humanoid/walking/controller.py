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
from sim.humanoid.walking.swing import SwingFoot

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
        self._heading, self._started = 0.0, False

    def reset(self) -> None:
        """Stand; a new episode begins."""
        self.clock.reset()
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
            self._heading, self._started = heading(state.base_rotation), True
        if clock.advance(command) and clock.mode is Mode.STAND:
            self._face_along_the_feet()
        self._heading += clock.yaw_rate * clock.dt
        balance = self._balance()
        carrying = self._carrying()
        tasks = [self._centre_of_mass(balance), self._base()]
        if clock.mode is Mode.STEP:
            tasks += self._swing_foot(balance, lifted=len(carrying) == 1)
        contacts = self._contacts.of(state, carrying, balance.cop)
        self.solution = solve(state, tasks, contacts, self._posture())
        return self._position_targets(self.solution)

    def _face_along_the_feet(self) -> None:
        """Standing takes its heading from where the feet came to rest."""
        self._heading = heading(self._state.soles[0].rotation + self._state.soles[1].rotation)

    def _balance(self) -> Balance:
        placement, clock, state = self._placement, self.clock, self._state
        if clock.mode is Mode.STEP:
            return placement.stepping(state, clock, self._heading)
        shift = placement.shifted(state, clock, self._heading) if clock.mode is Mode.SHIFT else 0.0
        return placement.standing(state, self._heading, shift)

    def _carrying(self) -> tuple[int, ...]:
        """The feet that carry: both while standing and as a step begins, but for the first, which was prepared."""
        clock = self.clock
        both = clock.time <= self.gains.double_support * clock.period and clock.steps > 0
        return (clock.stance,) if clock.mode is Mode.STEP and not both else (LEFT, RIGHT)

    def _centre_of_mass(self, balance: Balance) -> Task:
        state, gains, body = self._state, self.gains, self.body
        rate = gains.height_frequency / body.time_unit
        error = gains.height * body.com_height - state.com[2]
        vertical = rate * rate * error - 2.0 * rate * state.com_velocity[2]
        acceleration = np.append(balance.acceleration, vertical) - state.com_bias
        return Task(state.com_jacobian, acceleration, gains.com_weight)

    def _base(self) -> Task:
        """The base upright, facing along the heading."""
        state, gains, body = self._state, self.gains, self.body
        rate = gains.pelvis_frequency / body.time_unit
        error = rotation_vector(about_z(self._heading) @ state.base_rotation.T)
        acceleration = rate * rate * error - 2.0 * DAMPING * rate * state.base_rate
        return Task(state.base_jacobian, acceleration, 0.1 * gains.pelvis_weight * body.leg_length**2)

    def _swing_foot(self, balance: Balance, lifted: bool) -> list[Task]:
        state, gains, body, clock = self._state, self.gains, self.body, self.clock
        assert balance.foothold is not None
        sole = state.soles[1 - clock.stance]
        if clock.time <= clock.dt or not lifted:
            self._swing.restart(sole.position)
        way = self._swing.follow(balance.foothold, clock)
        rate = gains.swing_frequency / body.time_unit
        stiffness, damping = rate * rate, 2.0 * DAMPING * rate
        landing = about_z(self._heading + 0.5 * clock.yaw_rate * clock.remaining)
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
        """Targets whose servo gives the wanted torques now: q + q̇·dt/2 + (τ + kd·q̇)/kp."""
        state, body = self._state, self.body
        torque = np.clip(solution.force[body.dof_index], -body.effort, body.effort)
        return state.qpos + 0.5 * self.clock.dt * state.qvel + (torque + body.kd * state.qvel) / body.kp
