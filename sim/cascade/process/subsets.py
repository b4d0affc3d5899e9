"""Random subsets that depend on the key alone: nodes to seed, nodes to move."""

from __future__ import annotations

import numpy as np

from sim.cascade.compile import kernel
from sim.cascade.process.rng import philox


@kernel
def choose(total, number, k0, k1, index, purpose, lane):
    """A uniformly random subset of ``number`` of the positions 0 .. total-1, ascending (Floyd's method).

    Args:
        total: positions to choose from.
        number: how many; all of them if it is not below ``total``.
        k0, k1: key of the replica.
        index: how many choices the replica has made since its reset; makes each choice a fresh one.
        purpose: SEED or MOVE of `sim.cascade.process.rng`.
        lane: tier, so that tiers choose independently.

    Returns:
        int64 [min(number, total)].
    """
    if number >= total:
        return np.arange(total)
    taken = np.zeros(total, np.bool_)
    for j in range(total - number, total):
        word = philox(j, index, purpose, lane, k0, k1)[0]
        position = np.int64((np.uint64(word) * np.uint64(j + 1)) >> np.uint64(32))
        taken[j if taken[position] else position] = True
    return np.flatnonzero(taken)
