"""Where episodes stand, and what a decision led to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


class Ledger:
    """Where each of R episodes stands. Arrays [R]; money since the start of the episode."""

    def __init__(self, replicas: int, entries: int) -> None:
        self.seed = np.zeros(replicas, np.uint64)
        self.episode = np.full(replicas, -1, np.int64)
        self.step = np.zeros(replicas, np.int64)
        self.spend = np.zeros(replicas)
        self.profit = np.zeros(replicas)
        self.seeds = np.zeros(replicas)
        self.reached = np.zeros(replicas)  # nodes reached by contact, however often; NaN if a world does not know
        self.calm = np.ones(replicas, bool)  # never above capacity
        self.committed = np.zeros((replicas, entries))
        self.draws: list[np.random.Generator] = [np.random.default_rng(0)] * replicas

    def restart(self, rows: np.ndarray) -> None:
        """The next episode of those replicas that ``rows`` [R] marks."""
        self.episode[rows] += 1
        self.step[rows] = 0
        for values in (self.spend, self.profit, self.seeds, self.reached, self.committed):
            values[rows] = 0.0
        self.calm[rows] = True


@dataclass(slots=True)
class Outcome:
    """What a decision led to: arrays [R] and, in ``info``, [R, ...]."""

    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    info: dict[str, np.ndarray]
