"""A walking network on one body: it keeps the history and the last action, and asks the network."""

from __future__ import annotations

import numpy as np
import torch

from policies.humanoid.bodies import Walker
from policies.humanoid.networks import HISTORY, WalkingNetwork
from policies.humanoid.senses import LEGS, Measurement
from sim.humanoid.walking.gait import Command, GaitClock

DT = 0.02
"""Control step, s."""


class Pupil:
    """Acts on measurements alone.

    Attributes:
        clock: its gait; ``observe`` reads it, ``targets`` also drives it.
        frame, task: what it saw last, (FRAME,) and (TASK,).
    """

    frame: np.ndarray
    task: np.ndarray

    def __init__(self, walker: Walker, network: WalkingNetwork | None, clock: GaitClock | None = None) -> None:
        """For a body.

        Args:
            network: None for one that only watches.
            clock: of another controller that is followed; its own by the body's gains if None.
        """
        gains, unit = walker.gains, walker.body.time_unit
        self.clock = clock or GaitClock(unit, gains.step_time, gains.shift_time, DT)
        self._senses, self._network = walker.senses, network
        self._mask = torch.from_numpy(walker.senses.mask).float()[None]
        self._description = torch.from_numpy(walker.description).float()[None]
        self._history: list[torch.Tensor] = []
        self._action = np.zeros(LEGS)

    def observe(self, measured: Measurement) -> None:
        """Take in a control step's measurement; at the beginning it also stands for the past."""
        self.frame = self._senses.frame(measured, self._action)
        self.task = self._senses.task(self.clock, measured.heading)
        now = torch.from_numpy(self.frame).float()
        self._history = [*(self._history or [now] * HISTORY)[1 - HISTORY :], now]

    def answer(self) -> tuple[np.ndarray, np.ndarray]:
        """What the network says to the last observation: action (12,) rad, velocity of the base (3,) √(gL)."""
        assert self._network is not None
        with torch.inference_mode():
            task = torch.from_numpy(self.task).float()[None]
            action, velocity = self._network(torch.stack(self._history)[None], task, self._mask, self._description)
        return action[0].numpy().astype(float), velocity[0].numpy().astype(float)

    def took(self, action: np.ndarray) -> np.ndarray:
        """Remember the action (12,) rad that is sent; returns the joint position targets (nu,) rad."""
        self._action = action
        return self._senses.targets(action)

    def targets(self, measured: Measurement, command: Command) -> np.ndarray:
        """Joint position targets (nu,) rad of the coming control step."""
        if not self._history:
            self.clock.reset(measured.heading)
        self.clock.advance(command)
        self.observe(measured)
        return self.took(self.answer()[0])
