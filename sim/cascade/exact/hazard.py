"""Proportional-hazard control in the exact engine: the hazard of leaving a compartment times a factor.

Every node carries what is left of the unit exponential number that its residence time was drawn from; the factor times
the hazard uses it up. Exits are planned anew at each decision, so a constant factor changes nothing that was planned.
"""

from __future__ import annotations

import numpy as np

from assets.networks.tiers import Tiers
from sim.cascade.exact.state import State
from sim.cascade.process.control import Controls
from sim.cascade.process.models import Model, Step


class HazardForm:
    """What is left to use up, kept in ``state.xi`` [R, N]; made at the first factor other than 1."""

    def __init__(self, model: Model, tiers: Tiers, controls: Controls, state: State) -> None:
        self.model, self.tiers, self.controls = model, tiers, controls
        self.state = state._replace(xi=np.zeros(state.state.shape))
        for step in model.steps:
            where, age, _ = self._nodes(step)
            stay = self.state.nodes["due"][where] - self.state.nodes["since"][where]
            self.state.xi[where] = step.law.cumulative_hazard(stay) - step.law.cumulative_hazard(age)

    def _nodes(self, step: Step) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
        """Replicas and nodes that wait for a step, their ages and the factors in force."""
        where = np.nonzero(self.state.state == step.source)
        tier = self.tiers.index[where[1]]
        age = self.state.clock[where[0], tier, step.source] - self.state.nodes["since"][where]
        return where, np.maximum(age, 0.0), self.controls.hazard[where[0], tier, step.source]

    def plan(self) -> None:
        """Set every exit to where the factor in force puts it."""
        for step in self.model.steps:
            where, age, factor = self._nodes(step)
            moving = factor > 0
            left = np.divide(self.state.xi[where], factor, out=np.full(len(age), np.inf), where=moving)
            stay = np.full(len(age), np.inf)
            used = step.law.cumulative_hazard(age[moving])
            stay[moving] = step.law.inverse_cumulative_hazard(used + left[moving])
            self.state.nodes["due"][where] = self.state.nodes["since"][where] + np.maximum(stay, age)

    def use(self, dt: float) -> None:
        """Take off what the interval of length ``dt`` that has just ended used up."""
        for step in self.model.steps:
            where, age, factor = self._nodes(step)
            speed = self.controls.speed[where[0], self.tiers.index[where[1]], step.source]
            moving = factor > 0  # also keeps an infinite hazard from meeting a factor of 0
            before = step.law.cumulative_hazard(np.maximum(age - speed * dt, 0.0)[moving])
            used = factor[moving] * (step.law.cumulative_hazard(age[moving]) - before)
            places = where[0][moving], where[1][moving]
            self.state.xi[places] = np.maximum(self.state.xi[places] - used, 0.0)
