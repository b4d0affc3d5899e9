"""Random numbers of one purpose, narrowed to the curriculum's width."""

from __future__ import annotations

import math

import numpy as np

from twinloom.seeding import stream


class Draw:
    """Draws for one purpose ("length", "inertia", ...) of one body.

    Args:
        seed: of the body.
        purpose: purposes share no draws, so that changing the range of one leaves the others as they were.
        width: in [0, 1]; ranges shrink towards their middle, probabilities towards 0.
    """

    def __init__(self, seed: np.random.SeedSequence, purpose: str, width: float) -> None:
        self._rng = stream(seed, purpose)
        self._width = width

    def uniform(self, low: float, high: float) -> float:
        """A number between low and high."""
        return (low + high) / 2 + self._width * (high - low) * (self._rng.random() - 0.5)

    def log(self, low: float, high: float) -> float:
        """A factor, uniform in its logarithm."""
        return math.exp(self.uniform(math.log(low), math.log(high)))

    def around(self, half: float, size: int = 3) -> np.ndarray:
        """(size,) numbers within +- half."""
        return self._width * half * (2 * self._rng.random(size) - 1)

    def chance(self, probability: float) -> bool:
        """True with this probability (times the width)."""
        return bool(self._rng.random() < probability * self._width)

    def order(self, count: int) -> list[int]:
        """A permutation."""
        return self._rng.permutation(count).tolist()

    def index(self, count: int) -> int:
        """One of ``count``."""
        return int(self._rng.integers(count))
