"""Small environments with known answers."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv


class Coin(gymnasium.Env):
    """One decision; it pays 1 or 0 with equal chance, whatever is done."""

    observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = spaces.Box(0.0, 1.0, (1,), np.float32)
    render_mode = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        return np.zeros(2, np.float32), {}

    def step(self, action):
        return np.ones(2, np.float32), float(self.np_random.random() < 0.5), True, False, {}


class Clock(gymnasium.Env):
    """Observes how many steps were done; ends by time limit after ``LIMIT``, by itself at ``END`` if that is sooner."""

    LIMIT, END = 5, 99
    observation_space = spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = spaces.Box(np.array([0.0, -2.0], np.float32), np.array([1.0, 6.0], np.float32))
    render_mode = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.steps += 1
        self.action = action
        here = np.full(1, self.steps, np.float32)
        return here, float(action[0]), self.steps >= self.END, self.steps >= self.LIMIT, {}


class Short(Clock):
    """A clock that ends by itself."""

    END = 3


class Broken(Clock):
    """A clock whose third reward is no number."""

    def step(self, action):
        here, reward, *rest = super().step(action)
        return here, float("nan") if self.steps == 3 else reward, *rest


class Unbounded(Clock):
    """A clock whose actions have no bounds."""

    action_space = spaces.Box(-np.inf, np.inf, (1,), np.float32)


def vector(kinds: list[type[gymnasium.Env]]) -> SyncVectorEnv:
    """A vector environment that leaves resets to the learner."""
    return SyncVectorEnv(kinds, autoreset_mode=AutoresetMode.DISABLED)
