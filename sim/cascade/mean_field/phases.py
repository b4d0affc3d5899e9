"""Residence times as a few exponential stages, of the same mean and coefficient of variation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.cascade.process.laws import Law

MOST = 32  # stages of the narrowest law


@dataclass(frozen=True, eq=False)
class Phases:
    """Stages of one compartment.

    Attributes:
        start: float [P] share that begins in each stage.
        rate: float [P] rate of leaving it.
        serial: whether a stage leads to the next one (the last one out of the compartment), or each leads out.
    """

    start: np.ndarray
    rate: np.ndarray
    serial: bool

    @staticmethod
    def of(law: Law | None) -> Phases:
        """Stages for a law (Tijms 1994); None: nobody leaves.

        CV below 1: a mixture of Erlang laws of n - 1 and n stages. CV above 1: two parallel stages of equal weight in
        the mean. CV below MOST**-0.5 becomes that.
        """
        if law is None:
            return Phases(np.ones(1), np.zeros(1), True)
        mean, square = law.mean, max(law.cv**2, 1 / MOST)
        if square > 1 + 1e-12:
            first = 0.5 * (1 + math.sqrt((square - 1) / (square + 1)))
            share = np.array([first, 1 - first])
            return Phases(share, 2 * share / mean, False)
        stages = math.ceil(1 / square - 1e-9)
        start = np.zeros(stages)
        short = 0.0  # share that passes one stage less
        if stages > 1:
            root = math.sqrt(max(0.0, stages * (1 + square) - stages**2 * square))
            short = (stages * square - root) / (1 + square)
            start[1] = short
        start[0] = 1 - short
        return Phases(start, np.full(stages, (stages - short) / mean), True)
