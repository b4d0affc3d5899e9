"""The queue of the exact engine, beside the one of the standard library."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from sim.cascade.exact.heap import drop_first, push


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 20, 21, 22, 86, 341, 1000])
def test_keys_come_out_in_order(size):
    keys = np.random.default_rng(size).integers(0, size, size)  # some of them equal
    heap, filled = np.zeros(size, np.int64), 0
    for key in keys:
        filled = push(heap, filled, key)
    out = []
    while filled:
        out.append(int(heap[0]))
        filled = drop_first(heap, filled)
    assert out == sorted(keys.tolist())


@pytest.mark.parametrize("seed", range(5))
def test_mixed_with_insertions(seed):
    rng = np.random.default_rng(seed)
    heap, filled, other = np.zeros(4000, np.int64), 0, []
    for _ in range(4000):
        if filled and rng.random() < 0.45:
            assert heap[0] == heapq.heappop(other)
            filled = drop_first(heap, filled)
        else:
            key = int(rng.integers(0, 2**62))
            heapq.heappush(other, key)
            filled = push(heap, filled, key)
        assert filled == len(other)
