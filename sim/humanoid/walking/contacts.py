"""The soles on the floor, as the inverse dynamics wants them: what they hold, and the wrench they are to carry."""

from __future__ import annotations

import numpy as np

from sim.humanoid.walking.body import GRAVITY, WalkingBody
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.inverse_dynamics import Contact
from sim.humanoid.walking.state import BodyState, SoleState

LEAST_SHARE = 0.02
"""Of the weight, on each foot while both carry."""


class SoleContacts:
    """Contacts of one body.

    A sole without an ankle roll joint (H1) can neither be held nor loaded about its long axis, so that row is left out.
    """

    def __init__(self, body: WalkingBody, gains: WalkingGains, cop_limit: np.ndarray) -> None:
        """With the range of the centre of pressure in a sole, (2,) m."""
        self._weight, self._cop_limit = body.weight, cop_limit
        self._damping = 2.0 / body.time_unit
        self._righting = (gains.sole_frequency / body.time_unit) ** 2
        self._rows = [row for row in range(6) if row != 3 or body.ankle_effort[1] > 0.0]
        length, width = body.sole_half
        # A wrench of this size in one row, and only there, costs as much as an acceleration of g.
        size = np.array([0.5, 0.5, 0.7, width, length, 0.3 * length]) * body.weight
        relative = np.array([0.05, 0.05, gains.force_weight / gains.moment_weight, 1.0, 1.0, gains.yaw_weight])
        self._weights = (relative * gains.moment_weight * (GRAVITY / size) ** 2)[self._rows]

    def of(self, state: BodyState, sides: tuple[int, ...], cop: np.ndarray) -> list[Contact]:
        """Contacts of the feet that carry, for a centre of pressure (2,) m in the world."""
        soles = [state.soles[side] for side in sides]
        return [self._contact(sole, part, cop) for sole, part in zip(soles, shares(soles, cop), strict=True)]

    def within(self, state: BodyState, sides: tuple[int, ...], cop: np.ndarray) -> np.ndarray:
        """The centre of pressure (2,) m that the feet which carry can give, where ``cop`` is wanted."""
        if len(sides) == 2:
            return cop
        sole = state.soles[sides[0]]
        return sole.position[:2] + sole.rotation[:2, :2] @ self._local(sole, cop)

    def _local(self, sole: SoleState, cop: np.ndarray) -> np.ndarray:
        local = sole.rotation[:2, :2].T @ (cop - sole.position[:2])
        return np.clip(local, -self._cop_limit, self._cop_limit)

    def _contact(self, sole: SoleState, share: float, cop: np.ndarray) -> Contact:
        axes = sole.rotation.T
        local = self._local(sole, cop)
        force = share * self._weight
        jacobian = np.concatenate([axes @ sole.jacobian[:3], axes @ sole.jacobian[3:]])
        drift = sole.bias + self._damping * sole.velocity
        up = sole.rotation[:, 2]
        drift[3:5] += self._righting * np.array([-up[1], up[0]])  # a tipped sole turns back to level
        return Contact(
            jacobian=jacobian[self._rows],
            acceleration=-np.concatenate([axes @ drift[:3], axes @ drift[3:]])[self._rows],
            wrench=np.array([0.0, 0.0, force, local[1] * force, -local[0] * force, 0.0])[self._rows],
            weights=self._weights,
        )


def shares(soles: list[SoleState], cop: np.ndarray) -> list[float]:
    """Parts of the weight on each sole, so that equal centres of pressure at the soles' middles add up to ``cop``."""
    if len(soles) == 1:
        return [1.0]
    apart = (soles[0].position - soles[1].position)[:2]
    first = float((cop - soles[1].position[:2]) @ apart / (apart @ apart))
    first = min(max(first, LEAST_SHARE), 1.0 - LEAST_SHARE)
    return [first, 1.0 - first]
