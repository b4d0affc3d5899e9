"""Replay memory: one float32 row a transition, optionally in a memory-mapped file that outlives the process."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.common.vec_env import VecNormalize

from twinloom.atomic import storage_error
from twinloom.errors import TwinloomError


class Replay(ReplayBuffer):
    """Ring of transitions, row = observation, next observation, action, reward, terminal flag.

    Unless ``horizon_ends``, a time limit is not terminal: the flag of a truncated episode is 0, and its last
    observation is the next observation. With ``path`` the rows live in a memory-mapped file: a checkpoint then needs
    only the position, and rows written after the last checkpoint are overwritten when training goes on.

    Args:
        buffer_size: capacity in transitions.
        observation_space, action_space, device, n_envs: as Stable-Baselines3 passes them.
        seed: of the minibatches.
        path: file of the rows; in memory if None.
        resumed: whether the file must be there, of exactly the right size; else it is made anew.
        horizon_ends: treat time limits as terminal.

    Raises:
        TwinloomError: the file is missing, damaged or of other settings, or there is no room for it.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Box,
        action_space: spaces.Box,
        device: torch.device | str = "cpu",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
        seed: int = 0,
        path: str | None = None,
        resumed: bool = False,
        horizon_ends: bool = False,
    ) -> None:
        super().__init__(1, observation_space, action_space, device, n_envs)  # its own arrays stay tiny
        self.buffer_size = max(buffer_size, n_envs)
        self.horizon_ends = horizon_ends
        self.generator = np.random.default_rng(np.random.SeedSequence([seed, 0x7265]))
        self._d = int(np.prod(observation_space.shape))
        self._a = int(np.prod(action_space.shape))
        self.rows = _rows(path, (self.buffer_size, 2 * self._d + self._a + 2), resumed)

    def add(
        self,
        obs: np.ndarray,
        next_obs: np.ndarray,
        action: np.ndarray,
        reward: np.ndarray,
        done: np.ndarray,
        infos: list[dict[str, Any]],
    ) -> None:
        """Append one transition of each replica; arrays [R, ...], observations not normalised."""
        d, count = self._d, len(obs)
        where = (self.pos + np.arange(count)) % self.buffer_size
        rows = np.empty((count, self.rows.shape[1]), np.float32)
        rows[:, :d] = obs.reshape(count, d)
        rows[:, d : 2 * d] = next_obs.reshape(count, d)
        rows[:, 2 * d : -2] = action.reshape(count, self._a)
        rows[:, -2] = reward
        rows[:, -1] = done
        for i in np.flatnonzero(done):
            if (last := infos[i].get("raw_terminal_observation")) is not None:
                rows[i, d : 2 * d] = last.reshape(d)  # exact; the normalised copy was clipped
            if infos[i].get("TimeLimit.truncated") and not self.horizon_ends:
                rows[i, -1] = 0.0
        self.rows[where] = rows
        self.full = self.full or self.pos + count >= self.buffer_size
        self.pos = (self.pos + count) % self.buffer_size

    def place(self) -> dict[str, Any]:
        """Where it stands, for a checkpoint; the rows themselves are in their file."""
        return {"position": self.pos, "full": self.full, "minibatches": self.generator.bit_generator.state}

    def restore(self, place: dict[str, Any]) -> None:
        """Inverse of `place`. Raises KeyError, TypeError or ValueError for what cannot have been."""
        position, full = place["position"], place["full"]
        if type(position) is not int or not 0 <= position < self.buffer_size or type(full) is not bool:
            raise ValueError(f"position {position} (full: {full}) in a replay memory of {self.buffer_size} rows")
        self.generator.bit_generator.state = place["minibatches"]
        self.pos, self.full = position, full
        if not np.isfinite(self.rows[: self.size()]).all():
            raise ValueError("the replay memory holds numbers that are not finite")

    def sample(self, batch_size: int, env: VecNormalize | None = None) -> ReplayBufferSamples:
        """A uniform minibatch, normalised by ``env`` as it stands now."""
        return self._get_samples(self.generator.integers(0, self.size(), batch_size), env)

    def _get_samples(self, batch_inds: np.ndarray, env: VecNormalize | None = None) -> ReplayBufferSamples:
        rows, d, count = np.asarray(self.rows[batch_inds]), self._d, len(batch_inds)
        both = self._normalize_obs(rows[:, : 2 * d].reshape(2 * count, d), env)
        both = torch.from_numpy(np.asarray(both, np.float32)).reshape(count, 2, *self.obs_shape).to(self.device)
        rest = torch.from_numpy(rows[:, 2 * d :]).to(self.device)
        reward = torch.from_numpy(self._normalize_reward(rows[:, -2:-1], env)).to(self.device)
        return ReplayBufferSamples(both[:, 0], rest[:, : self._a], both[:, 1], rest[:, -1:], reward)


def _rows(path: str | None, shape: tuple[int, int], resumed: bool) -> np.ndarray:
    """Rows of the memory: new ones, or those in the file of a run that goes on."""
    if path is None:
        return np.zeros(shape, np.float32)
    file = Path(path)
    if resumed:
        _check(file, shape)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = np.lib.format.open_memmap(file, "r+" if resumed else "w+", np.float32, None if resumed else shape)
        _reserve(file)
    except OSError as error:
        if not resumed:
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
        raise storage_error(file, error) from error
    return rows


def _check(file: Path, shape: tuple[int, int]) -> None:
    """Refuse a file that is not whole: NumPy would fill up what is missing with zeros, and learners would learn them.

    Raises:
        TwinloomError: missing, damaged, cut short, or of other settings.
    """
    lost = "without these transitions the run cannot go on: put the file back, or train into a new --out"
    if not file.exists():
        raise TwinloomError(f"the replay memory {file} is missing; {lost}")
    try:
        rows: Any = np.load(file, mmap_mode="r")
        found, size = rows.offset + rows.nbytes, file.stat().st_size
    except (OSError, ValueError, EOFError, AttributeError) as error:
        raise TwinloomError(f"the replay memory {file} is damaged: {error}; {lost}") from error
    if rows.shape != shape or rows.dtype != np.float32:
        raise TwinloomError(f"{file} holds rows {rows.shape}, these settings need {shape}; use another --out")
    if found != size:
        raise TwinloomError(f"the replay memory {file} is damaged: {size} bytes instead of {found}; {lost}")


def _reserve(file: Path) -> None:
    """Claim the disk space of a file now: a write into a mapped hole of a full disk kills the process."""
    with file.open("r+b") as handle:
        os.posix_fallocate(handle.fileno(), 0, file.stat().st_size)
