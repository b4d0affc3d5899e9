"""Leap engine on the CPU: replicas outside, nodes inside, replicas shared among threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from sim.cascade.leap import kernels
from sim.cascade.leap.engine import Leap

PIECES = 4  # a thread: epidemics differ in size, so small pieces even the work out


class LeapNumba(Leap):
    """See `Leap`.

    Args:
        threads: worker threads; each handles whole replicas.
    """

    def __init__(self, *arguments: Any, threads: int = 1, **options: Any) -> None:
        super().__init__(*arguments, **options)
        replicas = len(self._steps)
        threads = min(threads, replicas)
        # kernels release the interpreter lock, so plain threads run side by side and need no threading layer
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        pieces = min(replicas, PIECES * threads) if self._pool else 1
        self._cuts = np.linspace(0, replicas, pieces + 1).astype(int)

    def _run(self, clocks: np.ndarray, spans: np.ndarray) -> None:
        def piece(cut: tuple[int, int]) -> None:
            scratch = np.empty((5, self.batch.cell.shape[1]), np.int32)
            kernels.run(*cut, clocks, spans, self._steps, self.batch, self.rules, self.net, self.levers, scratch)

        list((self._pool.map if self._pool else map)(piece, pairwise(self._cuts)))

    def _peaks(self) -> np.ndarray:
        peaks = np.zeros(len(self._steps))
        kernels.peak_rates(self.batch, self.rules, self.net, self.levers, peaks)
        return peaks
