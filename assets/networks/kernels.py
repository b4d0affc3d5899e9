"""Compiled loops of the generators and graph measures. Randomness comes from a 64-bit seed, so a result depends on it
alone and never on numba's own generator or the number of threads."""

from __future__ import annotations

import numpy as np

from twinloom.errors import require

njit = require("numba", "cascade").njit


@njit(cache=True, inline="always")
def uniform(state):
    """Next float64 in (0, 1) of a SplitMix64 stream; ``state`` is a uint64 array of one element, advanced in place."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 0.5) * 2.0**-53


@njit(cache=True)
def preferential_attachment(n, m, seed):
    """Edges int32 [m * (n - m), 2] of a Barabasi-Albert graph that grows from a star of m + 1 nodes."""
    state = np.array([seed], np.uint64)
    ends = np.empty(2 * m * (n - m), np.int32)  # node i stands here degree(i) times: a uniform pick is preferential
    for leaf in range(1, m + 1):
        ends[2 * leaf - 2] = leaf
        ends[2 * leaf - 1] = 0
    filled = 2 * m
    chosen_by = np.full(n, -1, np.int32)
    for node in range(m + 1, n):
        picked = 0
        while picked < m:
            target = ends[int(uniform(state) * filled)]
            if chosen_by[target] != node:  # m different ones
                chosen_by[target] = node
                ends[filled + 2 * picked] = node
                ends[filled + 2 * picked + 1] = target
                picked += 1
        filled += 2 * m
    return ends.reshape(-1, 2)


@njit(cache=True)
def expected_degrees(weights, seed, edges):
    """Edges of a Chung-Lu graph, P(i, j) = min(1, w_i w_j / sum w), of descending ``weights``. O(N + E): skip ahead
    with the probability of the last candidate, which bounds all later ones (Miller and Hagberg 2011).

    Fills the int32 array ``edges`` [room, 2] and returns their number, or -1 if the room is too small.
    """
    state = np.array([seed], np.uint64)
    n, total = len(weights), weights.sum()
    count = 0
    for i in range(n - 1):
        if weights[i] <= 0.0:
            break
        j = i + 1
        bound = min(1.0, weights[i] * weights[j] / total)
        while j < n and bound > 0.0:
            if bound < 1.0:
                skip = np.log(uniform(state)) / np.log1p(-bound)
                if skip >= n - j:
                    break
                j += int(skip)
            chance = min(1.0, weights[i] * weights[j] / total)
            if uniform(state) * bound < chance:
                if count == len(edges):
                    return -1
                edges[count, 0], edges[count, 1] = i, j
                count += 1
            bound = chance
            j += 1
    return count


@njit(cache=True)
def core_numbers(indptr, indices):
    """int32 [N] core number of every node of an undirected graph, by peeling in order of degree (Batagelj and
    Zaversnik 2003): O(N + E)."""
    n = len(indptr) - 1
    core = np.empty(n, np.int32)
    for node in range(n):
        core[node] = indptr[node + 1] - indptr[node]
    top = core.max()
    start = np.zeros(top + 2, np.int64)  # start[d]: where nodes of remaining degree d begin in ``order``
    for node in range(n):
        start[core[node] + 1] += 1
    start = np.cumsum(start)
    order, place, filled = np.empty(n, np.int32), np.empty(n, np.int32), start.copy()
    for node in range(n):
        place[node] = filled[core[node]]
        order[place[node]] = node
        filled[core[node]] += 1
    for position in range(n):
        node = order[position]
        for other in indices[indptr[node] : indptr[node + 1]]:
            if core[other] > core[node]:  # move it to the front of its group, then shrink the group by one
                front = start[core[other]]
                swapped = order[front]
                order[front], order[place[other]] = other, swapped
                place[swapped], place[other] = place[other], front
                start[core[other]] += 1
                core[other] -= 1
    return core


@njit(cache=True)
def triangles(indptr, indices):
    """int64 [N] triangles through every node of an undirected graph with ascending neighbours."""
    n = len(indptr) - 1
    count = np.zeros(n, np.int64)
    degree = np.diff(indptr)
    later = np.empty(len(indices), np.int32)  # neighbours of higher (degree, id): few even at hubs
    begin = np.zeros(n + 1, np.int64)
    filled = 0
    for node in range(n):
        for other in indices[indptr[node] : indptr[node + 1]]:
            if degree[other] > degree[node] or (degree[other] == degree[node] and other > node):
                later[filled] = other
                filled += 1
        begin[node + 1] = filled
    for node in range(n):
        for k in range(begin[node], begin[node + 1]):
            other = later[k]
            i, j = begin[node], begin[other]
            while i < begin[node + 1] and j < begin[other + 1]:
                if later[i] < later[j]:
                    i += 1
                elif later[i] > later[j]:
                    j += 1
                else:
                    count[node] += 1
                    count[other] += 1
                    count[later[i]] += 1
                    i += 1
                    j += 1
    return count
