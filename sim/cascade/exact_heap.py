"""Priority queue of 64-bit keys: a four-ary heap in a plain array, which has half the depth of a binary one.

A key holds the time of an event above and its node below, so one integer comparison orders two events, and equal times
are ordered by node.
"""

from __future__ import annotations

import numpy as np

from sim.cascade.compile import bare_kernel

NEVER = np.iinfo(np.int64).max


@bare_kernel
def push(heap, size, key):
    """Insert a key; the array has room for it. Returns the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 2
        other = heap[parent]
        if other <= key:
            break
        heap[i] = other
        i = parent
    heap[i] = key
    return size + 1


@bare_kernel
def drop_first(heap, size):
    """Remove the smallest key, which is ``heap[0]``. Returns the new size."""
    size -= 1
    last = heap[size]
    i = 0
    while True:
        child = 4 * i + 1
        if child >= size:
            break
        least, best = child, heap[child]
        for other in range(child + 1, min(child + 4, size)):
            if heap[other] < best:
                least, best = other, heap[other]
        if best >= last:
            break
        heap[i] = best
        i = least
    heap[i] = last
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
