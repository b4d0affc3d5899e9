"""Where the centre of pressure and the next foot go, from the DCM: the balance of the walk, in the plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.humanoid.walking.body import WalkingBody
from sim.humanoid.walking.dcm import after, divergent_component, natural_frequency, step_offset
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.gait import RIGHT, GaitClock
from sim.humanoid.walking.headings import planar
from sim.humanoid.walking.state import BodyState

LEAST_WIDTH, MOST_WIDTH = 0.2, 0.5
"""Lateral distance of the feet that is walked with, in leg lengths, whatever the body stands with."""
ANKLE_SHARE = 0.8
"""Part of the ankle's torque that balancing may use."""
REACH = 0.65
"""Longest step, in leg lengths."""


@dataclass(frozen=True)
class Balance:
    """What one control step is to do with the weight.

    Attributes:
        cop: wanted centre of pressure, (2,) m, world.
        foothold: where the swing foot is to land, (2,) m, world; None while both feet carry.
    """

    cop: np.ndarray
    foothold: np.ndarray | None


class FootPlacement:
    """The balance of one body.

    Attributes:
        omega: of its pendulum, 1/s.
        width: lateral distance of the feet that it walks with, m.
        cop_limit: how far the centre of pressure may leave the middle of a sole, (2,) m.
    """

    def __init__(self, body: WalkingBody, gains: WalkingGains) -> None:
        """For this body; the ankles' torques bound the centre of pressure where the sole does not."""
        self._body, self._gains = body, gains
        self.omega = natural_frequency(body.com_height)
        self.width = min(max(body.stance_width, LEAST_WIDTH * body.leg_length), MOST_WIDTH * body.leg_length)
        ankle = ANKLE_SHARE * np.array(body.ankle_effort) / body.weight
        self.cop_limit = np.minimum(gains.cop_range * body.sole_half, ankle)

    def stepping(self, state: BodyState, clock: GaitClock) -> Balance:
        """While one foot carries: hold the DCM on its way as far as the sole can, and step where it will be."""
        gains, turn = self._gains, planar(clock.heading)
        stance = state.soles[clock.stance].position[:2]
        side = 1.0 if clock.stance == RIGHT else -1.0  # of the swing foot
        com = turn.T @ (state.com[:2] - stance)
        xi = divergent_component(com, turn.T @ state.com_velocity[:2], self.omega)
        width = gains.width_factor * self.width
        now = step_offset(clock.velocity, width, side, self.omega, clock.period)
        then = step_offset(clock.velocity, width, -side, self.omega, clock.period)
        wanted = after(now, np.zeros(2), self.omega, clock.time)
        cop = np.clip(gains.cop_gain * (xi - wanted), -self.cop_limit, self.cop_limit)
        landing = after(xi, gains.lookahead * cop, self.omega, clock.remaining) - then
        return Balance(
            cop=stance + turn @ cop,
            foothold=stance + turn @ self._reachable(landing, side),
        )

    def standing(self, state: BodyState, heading: float, sideways: float) -> Balance:
        """While both feet carry: hold the DCM ``sideways`` (m, left positive) of the middle of the feet."""
        turn = planar(heading)
        middle = 0.5 * (state.soles[0].position[:2] + state.soles[1].position[:2])
        com = turn.T @ (state.com[:2] - middle)
        xi = divergent_component(com, turn.T @ state.com_velocity[:2], self.omega)
        goal = np.array([0.0, sideways])
        limit = self.cop_limit + np.array([0.0, 0.48 * self._body.stance_width])
        cop = np.clip(goal + self._gains.stand_gain * (xi - goal), -limit, limit)
        return Balance(middle + turn @ cop, None)

    def shifted(self, state: BodyState, clock: GaitClock) -> float:
        """Where the DCM is to be, sideways from the middle of the feet, when the first step begins, m."""
        feet = state.soles[0].position[:2] - state.soles[1].position[:2]
        half = 0.5 * float(planar(clock.heading)[:, 1] @ feet)
        side = 1.0 if clock.stance == RIGHT else -1.0
        return -side * half + float(step_offset(np.zeros(2), self.width, side, self.omega, clock.period)[1])

    def _reachable(self, landing: np.ndarray, side: float) -> np.ndarray:
        """The foothold from the stance foot, (2,) m, moved to where a leg can go without meeting the other."""
        body, reach = self._body, REACH * self._body.leg_length
        least = self._gains.least_width * min(self.width, body.stance_width)
        most = 0.6 * body.leg_length + 0.3 * body.stance_width
        return np.array([min(max(landing[0], -reach), reach), side * min(max(side * landing[1], least), most)])
