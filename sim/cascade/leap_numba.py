"""Leap engine on the CPU: replicas outside, nodes inside, replicas shared among threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from sim.cascade import leap_kernels as kernels
from sim.cascade.leap import Leap


class LeapNumba(Leap):
    """See `Leap`.

    Args:
        threads: worker threads; each handles whole replicas.
    """

    def __init__(self, *arguments: Any, threads: int | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._threads = min(threads or 1, len(self._steps))
        # kernels release the interpreter lock, so plain threads run side by side and need no threading layer
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    def _run(self, clocks: np.ndarray, spans: np.ndarray) -> None:
        arguments = (clocks, spans, self._steps, self.batch, self.rules, self.net, self.levers)
        replicas = len(self._steps)
        if self._pool is None:
            kernels.run(0, replicas, *arguments)
        else:
            # several pieces a thread, since epidemics differ in size
            cuts = np.linspace(0, replicas, min(replicas, 4 * self._threads) + 1).astype(int)
            jobs = [self._pool.submit(kernels.run, a, b, *arguments) for a, b in pairwise(cuts)]
            for job in jobs:
                job.result()

    def _peaks(self) -> np.ndarray:
        peaks = np.zeros(len(self._steps))
        kernels.peak_rates(self.batch, self.rules, self.net, self.levers, peaks)
        return peaks
