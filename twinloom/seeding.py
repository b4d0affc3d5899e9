"""The one place where randomness begins: (run seed, what, index) becomes a NumPy seed sequence."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np


def episode_seed(run_seed: int, name: str, episode: int, attempt: int = 0) -> np.random.SeedSequence:
    """Seed of one attempt at one episode.

    The task *name* enters through its CRC-32, so adding or reordering tasks changes no episode of another task.

    Args:
        run_seed: the ``--seed`` of the run, >= 0.
        name: task name.
        episode: index of the episode within its task, >= 0.
        attempt: 0 for the first try; each retry draws a fresh scene.
    """
    return np.random.SeedSequence([run_seed, zlib.crc32(name.encode()), episode, attempt])


def stream(seed: np.random.SeedSequence, purpose: str) -> np.random.Generator:
    """Independent generator for one purpose ("scene", "light", …) of an episode.

    Purposes do not share draws, so switching one randomisation axis off leaves the others unchanged.
    """
    return np.random.default_rng(np.random.SeedSequence([*words(seed), zlib.crc32(purpose.encode())]))


def words(seed: np.random.SeedSequence) -> list[int]:
    """The integers a seed was made from, for records; ``SeedSequence(words)`` is the same seed."""
    entropy: Any = seed.entropy
    return [int(w) for w in entropy] if isinstance(entropy, (list, tuple)) else [int(entropy)]
