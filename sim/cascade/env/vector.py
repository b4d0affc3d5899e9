"""Many cascades in one simulator call, as a Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from sim.cascade.checks import FLAG, wrong
from sim.cascade.env.episodes import Episodes
from sim.cascade.env.options import parse
from sim.cascade.problems import Problem
from twinloom.errors import TwinloomError, require


class CascadeVecEnv(VectorEnv):
    """R cascades of one problem; replica r of seed s is `CascadeEnv` of seed s + r, bit for bit.

    Autoreset is next-step: the call after an episode's last one ignores that replica's action, returns the first
    observation of its next episode, reward 0, and neither terminated nor truncated. ``info`` holds arrays [R, ...].

    Args:
        problem: a name (sim list tasks cascade) or a Problem.
        num_envs: R.
        tensors: whether observations, rewards and flags are torch tensors; actions may be tensors either way.
        options: see `sim.cascade.env.options.EnvConfig`. With a GraphRange all replicas draw the same scenarios, a new
            one every ``every // R`` episodes of a replica (at least 1).

    Raises:
        TwinloomError: unknown problem, option or value; torch is not installed.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 (Gymnasium's convention)

    def __init__(self, problem: str | Problem, num_envs: int = 1, tensors: bool = False, **options: Any) -> None:
        self.problem, self.options = parse(problem, options)
        if problems := wrong({"tensors": tensors}, {"tensors": FLAG}):
            raise TwinloomError(problems[0])
        self.torch = require("torch", "rl") if tensors else None
        self.episodes = Episodes(self.problem, self.options, num_envs)
        self.num_envs = num_envs
        self.action_names = self.episodes.actions.names
        self.observation_names = self.episodes.observer.names()
        self.rest = self.episodes.actions.rest.astype(np.float32)
        self.single_observation_space: spaces.Space = self.episodes.observer.space
        self.single_action_space = spaces.Box(0.0, 1.0, (len(self.action_names),), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        masks = ("counts", "spend", "profit", "hub_retention", "is_success", "action_applied")
        self._masks = {f"_{key}": np.ones(num_envs, bool) for key in masks}
        self._ended = np.ones(num_envs, bool)
        self._every = np.ones(num_envs, bool)
        self._running = False

    def reset(self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None):
        """Start an episode in every replica.

        Args:
            seed: s for seeds s, s + 1, …, or one for each replica; None: the next episodes.
            options: see `CascadeEnv.reset`.

        Raises:
            TwinloomError: as `CascadeEnv.reset`.
        """
        self.episodes.begin(seed, options)
        super().reset(seed=int(seed) if isinstance(seed, (int, np.integer)) else None)
        self.episodes.restart(self._every)
        self._ended[:] = False
        self._running = True
        return self._out(self.episodes.observe()), self._with_masks(self.episodes.info())

    def step(self, actions):
        """Apply actions [R, A] for ``delta``; replicas whose episode has ended start a new one instead."""
        if not self._running:
            raise TwinloomError("call reset() before step()")
        if self.torch is not None and isinstance(actions, self.torch.Tensor):
            actions = actions.detach().cpu().numpy()
        ended = self._ended
        if not ended.any():
            outcome = self.episodes.step(actions)
            reward, terminated, truncated, info = outcome.reward, outcome.terminated, outcome.truncated, outcome.info
        else:
            reward, terminated, truncated, info = self._step_and_restart(actions, ended.copy())
        self._ended = terminated | truncated
        observation = self._out(self.episodes.observe())
        return observation, self._out(reward), self._out(terminated), self._out(truncated), self._with_masks(info)

    def _step_and_restart(self, actions: Any, ended: np.ndarray):
        """Step the running replicas, then restart the others: their place in the simulator runs on meanwhile."""
        live = ~ended
        outcome = self.episodes.step(actions, live) if live.any() else None
        self.episodes.restart(ended)
        info = self.episodes.info()
        applied = np.tile(self.rest, (self.num_envs, 1))
        if outcome is None:
            none = np.zeros(self.num_envs, bool)
            return np.zeros(self.num_envs), none, none.copy(), info | {"action_applied": applied}
        for key, values in info.items():
            outcome.info[key][ended] = values[ended]
        outcome.info["action_applied"][ended] = applied[ended]
        return outcome.reward * live, outcome.terminated & live, outcome.truncated & live, outcome.info

    def _out(self, values: Any) -> Any:
        if self.torch is None:
            return values
        if isinstance(values, dict):
            return {key: self._out(value) for key, value in values.items()}
        device = self.options.device or "cpu"
        return self.torch.from_numpy(np.ascontiguousarray(values)).to(device)

    def _with_masks(self, info: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Gymnasium's vector wrappers ask of every key which replicas have it."""
        info.update(self._masks)
        return info
