"""Random numbers that depend on seed, episode, step and purpose alone, for many environments in one call.

So an environment draws the same whatever runs beside it. A counter is mixed by the finaliser of SplitMix64 (Steele,
Lea and Flood 2014).
"""

from __future__ import annotations

import zlib

import numpy as np

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mix(x: np.ndarray) -> np.ndarray:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def keys(seed: np.ndarray, episode: np.ndarray) -> np.ndarray:
    """(N,) uint64 key of each environment's episode, from (N,) seeds and (N,) numbers of episodes."""
    return _mix(_mix(seed.astype(np.uint64) + _GOLDEN) + (episode.astype(np.uint64) + np.uint64(1)) * _GOLDEN)


def uniform(key: np.ndarray, purpose: str, step: np.ndarray | int, count: int) -> np.ndarray:
    """(N, count) numbers in [0, 1) of one purpose in one control step; ``step`` is (N,) or one for all."""
    word = np.uint64(zlib.crc32(purpose.encode()))
    start = _mix(key ^ _mix(np.atleast_1d(step).astype(np.uint64) * _GOLDEN + word))
    columns = np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN
    return (_mix(start[:, None] + columns) >> np.uint64(11)) * 2.0**-53


def between(key: np.ndarray, purpose: str, step: np.ndarray | int, low: float, high: float, count: int) -> np.ndarray:
    """(N, count) numbers in [low, high)."""
    return low + (high - low) * uniform(key, purpose, step, count)
