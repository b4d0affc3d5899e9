"""Policies that need no learning and no scene, to try a robot with: "hold" stays, "wave" moves every joint a little."""

from __future__ import annotations

import numpy as np

from policies.base import Observation, PolicySpec
from real.contract import RobotContract
from twinloom.features import STATE, TIMESTAMP, Feature

MOTIONS = ("hold", "wave")
AMPLITUDE, PERIOD_S = 0.08, 4.0  # rad (or opening) and seconds: far below the limits of any arm


class Motion:
    """Targets around the pose at the first observation; ``amplitude`` 0 holds it.

    Args:
        contract: the robot; its joints are what is observed and commanded.
        name: "hold" or "wave".
    """

    def __init__(self, contract: RobotContract, name: str) -> None:
        joints = Feature("float32", (len(contract.names),), contract.names, "rad; gripper opening in [0, 1]")
        self.spec = PolicySpec(
            kind=name,
            observation={STATE: joints},
            action=joints,
            fps=contract.command_hz,
            horizon=int(contract.command_hz),
            robot=contract.model,
        )
        self._amplitude = AMPLITUDE if name == "wave" else 0.0
        self._lower, self._upper = contract.soft_limits
        self.reset()

    def reset(self) -> None:
        """Forget the pose."""
        self._centre: np.ndarray | None = None

    def act(self, observation: Observation) -> np.ndarray:
        """(horizon, J) targets; those near a limit move away from it."""
        now = float(np.asarray(observation[TIMESTAMP]).reshape(()))
        if self._centre is None:
            self._centre, self._began = np.asarray(observation[STATE], float).copy(), now
        due = now - self._began + (1 + np.arange(self.spec.horizon)) / self.spec.fps
        side = np.where(self._centre + 2 * self._amplitude > self._upper, -1.0, 1.0)
        swing = self._amplitude * (1 - np.cos(2 * np.pi * due / PERIOD_S))  # begins at rest
        return np.clip(self._centre + side * swing[:, None], self._lower, self._upper)
