"""Priority queue of 64-bit keys: a four-ary heap in a plain array, which has half the depth of a binary one.

A key holds the time of an event above and its node below, so one integer comparison orders two events, and equal times
are ordered by node.
"""

from __future__ import annotations

import numpy as np

from sim.cascade.compile import bare_kernel

NEVER = np.iinfo(np.int64).max


@bare_kernel
def rise(heap, i, key):
    """Put a key at place ``i``, or as far above as it belongs."""
    while i > 0:
        parent = (i - 1) >> 2
        other = heap[parent]
        if other <= key:
            break
        heap[i] = other
        i = parent
    heap[i] = key


@bare_kernel
def push(heap, size, key):
    """Insert a key; the array has room for it. Returns the new size."""
    rise(heap, size, key)
    return size + 1


@bare_kernel
def drop_first(heap, size):
    """Remove the smallest key, which is ``heap[0]``. Returns the new size.

    The gap sinks to the bottom, and the last key, which nearly always belongs there, rises from it: the length of that
    way hardly varies and the smallest of four keys is selected without branches, so the processor predicts all of it.
    """
    size -= 1
    i, child = 0, 1
    while child + 3 < size:
        k0, k1, k2, k3 = heap[child], heap[child + 1], heap[child + 2], heap[child + 3]
        left, right = min(k0, k1), min(k2, k3)
        place_left = child + np.int64(k1 < k0)
        place_right = child + 2 + np.int64(k3 < k2)
        heap[i] = min(left, right)
        i = place_left + (place_right - place_left) * np.int64(right < left)
        child = 4 * i + 1
    if child < size:
        least = child
        for other in range(child + 1, size):
            if heap[other] < heap[least]:
                least = other
        heap[i] = heap[least]
        i = least
    rise(heap, i, heap[size])
    return size


@bare_kernel
def drop_stale(heap, size, nodes, mask):
    """Remove keys that an earlier contact of the same node has replaced: at most one for each node stays.

    Returns the new size.
    """
    kept = 0
    for i in range(size):
        key = heap[i]
        if nodes[key & mask].best == key:
            kept = push(heap, kept, key)
    return kept


@bare_kernel
def queue(heap, size, key, nodes, mask):
    """`push`; a full heap first sheds its stale keys, so room for twice the nodes is enough. Returns the new size."""
    if size == len(heap):
        size = drop_stale(heap, size, nodes, mask)
    return push(heap, size, key)
