"""A Gymnasium vector environment as Stable-Baselines3 wants it: same-step resets, actions in [-1, 1]."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from twinloom.atomic import atomic_file
from twinloom.errors import TwinloomError

STD_FLOOR = 0.02  # features that barely vary in training must not explode on another graph
CLIP = 5.0


class GymnasiumVecEnv(VecEnv):
    """Adapter. Episodes that end are started again at once, so no transition is spent on a reset.

    The action box is shown as [-1, 1] and mapped to the bounds of the environment: the same for squashed and for
    clipped Gaussian actors.

    Args:
        env: vector environment with ``metadata["autoreset_mode"]`` DISABLED, flat observations and bounded actions.
        seed: of the first reset.
        dump: NPZ file that is written when a reward or an observation is not finite.

    Raises:
        TwinloomError: the environment resets by itself, or its actions have no bounds; in a step: see `dump`.
    """

    def __init__(self, env: VectorEnv, seed: int | None = None, dump: Path | None = None) -> None:
        if env.metadata.get("autoreset_mode") != AutoresetMode.DISABLED:
            raise TwinloomError("the learner resets episodes itself: make the environment with AutoresetMode.DISABLED")
        action, observation = env.single_action_space, env.single_observation_space
        if not isinstance(action, spaces.Box) or not action.is_bounded() or not isinstance(observation, spaces.Box):
            raise TwinloomError(f"learners need bounded Box actions and Box observations, not {action}, {observation}")
        self.env = env  # before the base class, which asks it for its render mode
        super().__init__(env.num_envs, observation, spaces.Box(-1.0, 1.0, action.shape, np.float32))
        self.low, self.high = action.low, action.high
        self._next_seed, self._dump = seed, dump
        self._before = np.zeros(0, np.float32)
        self._actions = np.zeros((env.num_envs, *action.shape), np.float32)
        self._returns = np.zeros(env.num_envs)
        self._lengths = np.zeros(env.num_envs, np.int64)

    def seed_next(self, seed: int) -> None:
        """Use this seed in the next full reset."""
        self._next_seed = seed

    def reset(self) -> np.ndarray:
        """First observations, float32 [R, D]."""
        observation, _ = self.env.reset(seed=self._next_seed)
        self._next_seed = None
        self._returns[:], self._lengths[:] = 0.0, 0
        self._before = np.asarray(observation, np.float32)
        return self._before

    def step_async(self, actions: np.ndarray) -> None:
        """Keep actions [R, A] in [-1, 1] for `step_wait`."""
        unit = (np.clip(actions, -1.0, 1.0) + 1.0) / 2.0
        self._actions = (self.low + unit * (self.high - self.low)).astype(np.float32)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """One step of all replicas.

        Infos of finished ones hold "terminal_observation", "TimeLimit.truncated" and "episode" (return and length).
        """
        observation, reward, terminated, truncated, _ = self.env.step(self._actions)
        reward, observation = np.array(reward, np.float64), np.array(observation, np.float32)
        self._refuse_not_finite(observation, reward)
        done = np.asarray(terminated) | np.asarray(truncated)
        self._returns += reward
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if done.any():
            for i in np.flatnonzero(done):
                infos[i] = {
                    "terminal_observation": observation[i].copy(),
                    "raw_terminal_observation": observation[i].copy(),  # the other one gets normalised on the way
                    "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                    "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i])},
                }
            observation = np.array(self.env.reset(options={"reset_mask": done})[0], np.float32)
            self._returns[done], self._lengths[done] = 0.0, 0
        self._before = observation
        return observation, reward.astype(np.float32), done, infos

    def _refuse_not_finite(self, observation: np.ndarray, reward: np.ndarray) -> None:
        """Stop before a learner learns from it; what led there is kept in the dump."""
        fine = np.isfinite(observation).reshape(self.num_envs, -1).all(axis=1) & np.isfinite(reward)
        if fine.all():
            return
        first = int(np.flatnonzero(~fine)[0])
        what = f"the reward {reward[first]}" if not np.isfinite(reward[first]) else "an observation that is not finite"
        text = f"environment {first} returned {what} at step {self._lengths[first] + 1} of its episode"
        if self._dump is not None:
            step = {"before": self._before, "action": self._actions, "after": observation, "reward": reward}
            with atomic_file(self._dump) as temporary, temporary.open("wb") as file:
                np.savez_compressed(file, **step)  # type: ignore[arg-type]
            text += f"; observations, actions and rewards of that step are in {self._dump}"
        raise TwinloomError(text)

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The same attribute for every replica: there is one environment object."""
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the one environment object."""
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method of the one environment object."""
        return [getattr(self.env, method_name)(*args, **kwargs)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Never: wrappers of scalar environments do not apply."""
        return [False] * len(list(self._get_indices(indices)))


class Normalise(VecNormalize):
    """Observations to zero mean and unit variance; rewards divided by the running std of the discounted return.

    No mean is subtracted from rewards, so doing nothing keeps the return 0. Small deviations are floored (`STD_FLOOR`),
    results are clipped to +-`CLIP`, and observations outside of all that training has seen are moved to the edge of it:
    networks extrapolate badly, and a graph a thousand times as large is then taken for the largest one known.
    """

    def __init__(self, venv: VecEnv, gamma: float, observations: bool = True, rewards: bool = True) -> None:
        super().__init__(
            venv, norm_obs=observations, norm_reward=rewards, clip_obs=CLIP, clip_reward=np.inf, gamma=gamma
        )
        shape = venv.observation_space.shape or ()
        self.low, self.high = np.full(shape, np.inf), np.full(shape, -np.inf)

    def reset(self) -> Any:
        """First observations, normalised."""
        first = super().reset()
        self._widen(self.old_obs)
        return self.normalize_obs(self.old_obs) if self.norm_obs else first

    def step_wait(self) -> Any:
        """One step, normalised."""
        observation, reward, done, infos = super().step_wait()
        self._widen(self.old_obs)
        return observation, reward, done, infos

    def _widen(self, raw: Any) -> None:
        if self.training:
            self.low, self.high = np.minimum(self.low, raw.min(axis=0)), np.maximum(self.high, raw.max(axis=0))

    def _normalize_obs(self, obs: np.ndarray, obs_rms: Any) -> np.ndarray:
        if np.isfinite(self.low).all():
            obs = np.clip(obs, self.low, self.high)
        return np.clip((obs - obs_rms.mean) / self.scale(obs_rms), -self.clip_obs, self.clip_obs)

    def _unnormalize_obs(self, obs: np.ndarray, obs_rms: Any) -> np.ndarray:
        return obs * self.scale(obs_rms) + obs_rms.mean

    @staticmethod
    def scale(obs_rms: Any) -> np.ndarray:
        """Divisor of the observations [D]."""
        return np.maximum(np.sqrt(obs_rms.var), STD_FLOOR)

    @property
    def return_std(self) -> float:
        """Divisor of the rewards: what one unit of a learned value is worth."""
        return float(np.sqrt(self.ret_rms.var + self.epsilon)) if self.norm_reward else 1.0

    def statistics(self) -> dict[str, Any]:
        """Running statistics, for a checkpoint."""
        names = ("obs_rms", "ret_rms") if self.norm_obs else ("ret_rms",)
        found = {n: {k: np.asarray(getattr(getattr(self, n), k)) for k in ("mean", "var", "count")} for n in names}
        return found | {"seen": {"low": self.low, "high": self.high}}

    def restore(self, statistics: dict[str, Any]) -> None:
        """Inverse of `statistics`. Raises KeyError, TypeError or ValueError for what they cannot have been."""
        for name, parts in self.statistics().items():
            for key, now in parts.items():
                value = np.array(statistics[name][key], np.float64)
                if value.shape != now.shape or not np.isfinite(value).all():
                    raise ValueError(f"statistics {name}.{key} are not {now.shape or 'one'} finite numbers")
                if key in ("var", "count") and (value < 0).any():
                    raise ValueError(f"statistics {name}.{key} are negative")
                setattr(self if name == "seen" else getattr(self, name), key, value if value.ndim else float(value))
