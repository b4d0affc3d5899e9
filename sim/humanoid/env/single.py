"""One world of `HumanoidVecEnv` as an ordinary Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from sim.humanoid.env.vector import RANDOM, HumanoidVecEnv


class HumanoidEnv(gymnasium.Env):
    """Environment 0 of a batch; arguments are those of the batch, see there."""

    metadata = {"render_modes": []}  # noqa: RUF012 (Gymnasium's convention)

    def __init__(self, robot: str = RANDOM, **options: Any) -> None:
        self._envs = HumanoidVecEnv(robot, 1, **{"threads": 1, **options})
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start an episode."""
        super().reset(seed=seed)
        observation, info = self._envs.reset(seed=seed, options=options)
        return _first(observation), _first(info)

    def step(self, action: np.ndarray):
        """Act for one control step, 0.02 s."""
        observation, reward, terminated, truncated, info = self._envs.step(np.asarray(action)[None])
        return _first(observation), float(reward[0]), bool(terminated[0]), bool(truncated[0]), _first(info)


def _first(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value[0] for name, value in values.items() if not name.startswith("_")}
