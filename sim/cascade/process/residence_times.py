"""Residence times in compiled loops: one uniform number in, one time out.

The exponential, Weibull and deterministic laws have closed forms. The gamma and log-normal laws are read from a table
of log Q against log h, where h = -log(1 - u): both ends are straight lines there, so cubic Hermite interpolation over
512 cells is precise. `lookup` reads any law that way; devices without special functions need nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from sim.cascade.compile import kernel
from sim.cascade.process.laws import DETERMINISTIC, EMPIRICAL, EXPONENTIAL, GAMMA, LEVELS, LOGNORMAL, WEIBULL, Law

CELLS = 512
LOW, HIGH = -23.0, 3.25  # log h of the smallest and of the largest 32-bit uniform, with a margin
STEP = (HIGH - LOW) / CELLS
WIDTH = 2 * CELLS + 2  # values and slopes in turn; an empirical law holds its LEVELS quantiles instead

HERMITE, LINEAR = 0, 1  # how a table is read


@kernel
def lookup(mode, table, u):
    """Residence time of level ``u`` from a row of `tables`."""
    if mode == LINEAR:
        x = u * (LEVELS - 1)
        j = min(int(x), LEVELS - 2)
        return table[j] + (x - j) * (table[j + 1] - table[j])
    y = (math.log(-math.log1p(-u)) - LOW) / STEP
    j = min(max(int(y), 0), CELLS - 1)
    t = y - j
    v0, d0, v1, d1 = table[2 * j], table[2 * j + 1], table[2 * j + 2], table[2 * j + 3]
    rise = v1 - v0
    return math.exp(v0 + t * (d0 + t * (3 * rise - 2 * d0 - d1 + t * (d0 + d1 - 2 * rise))))


@kernel
def draw(kind, p0, p1, table, u):
    """Residence time of level ``u`` in (0, 1); arguments as packed by `pack`."""
    if kind == EXPONENTIAL:
        return -p0 * math.log1p(-u)
    if kind == WEIBULL:
        return p1 * (-math.log1p(-u)) ** (1.0 / p0)
    if kind == DETERMINISTIC:
        return p0
    return lookup(LINEAR if kind == EMPIRICAL else HERMITE, table, u)


@lru_cache(maxsize=256)
def table_of(law: Law) -> tuple[int, np.ndarray]:
    """Mode and row (float64 [WIDTH], read-only) for `lookup`."""
    row = np.zeros(WIDTH)
    mode = LINEAR
    if law.kind == EMPIRICAL:
        row[:LEVELS] = law.table
    elif law.kind == DETERMINISTIC:
        row[:LEVELS] = law.p0
    else:
        mode = HERMITE
        h = np.exp(LOW + STEP * np.arange(CELLS + 1))
        q = law.inverse_cumulative_hazard(h)
        row[0::2] = np.log(q)
        row[1::2] = STEP * h / (q * law.hazard(q))
    row.flags.writeable = False
    return mode, row


def pack(laws: Sequence[Law]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Laws as arrays for `draw`: kind int64 [L], p0 float64 [L], p1 float64 [L], table float64 [L, WIDTH]."""
    table = np.zeros((len(laws), WIDTH))
    for row, law in zip(table, laws, strict=True):
        if law.kind in (GAMMA, LOGNORMAL, EMPIRICAL):
            row[:] = table_of(law)[1]
    kinds = np.array([law.kind for law in laws], np.int64)
    return kinds, np.array([law.p0 for law in laws], float), np.array([law.p1 for law in laws], float), table


def tables(laws: Sequence[Law]) -> tuple[np.ndarray, np.ndarray]:
    """Laws as arrays for `lookup`: mode int64 [L], table float64 [L, WIDTH]."""
    found = [table_of(law) for law in laws]
    return np.array([mode for mode, _ in found], np.int64), np.array([row for _, row in found]).reshape(-1, WIDTH)
