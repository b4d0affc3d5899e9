"""Compiled loops of the exact engine beside the clockwork: reset, moves of random nodes, pressures and ages."""

from __future__ import annotations

import numpy as np

from sim.cascade.compile import kernel
from sim.cascade.exact.heap import NEVER
from sim.cascade.exact.linear import enter, infectivity
from sim.cascade.exact.state import ACTIVE, NOBODY, SEEDED
from sim.cascade.process.rng import MOVE
from sim.cascade.process.subsets import choose


@kernel
def place(u, compartment, net, process, levers, state):
    """Put a node into a compartment at the present time, books included; the caller keeps the list of active nodes."""
    k, old = net.tier[u], np.int64(state.state[u])
    state.counts[k, old] -= 1
    state.counts[k, compartment] += 1
    state.state[u] = compartment
    if old == 0:
        state.nodes[u].parent = SEEDED
    if len(state.ever) and compartment == process.infectious:
        state.ever[u] |= ACTIVE
    enter(
        state.nodes[u],
        u,
        compartment,
        state.clock[k, compartment],
        levers.hazard[k, compartment],
        process,
        state.key,
        state.xi,
    )


@kernel
def clear(net, state):
    """Everybody susceptible, all books and clocks at zero."""
    nodes = state.nodes
    for u in range(len(nodes)):
        node = nodes[u]
        node.best = NEVER
        node.due = np.inf
        node.since = 0.0
        node.events = 0
        node.parent = NOBODY
    state.state[:] = 0
    state.ever[:] = 0
    state.counts[:] = 0
    state.flows[:] = 0
    state.clock[:] = 0.0
    for u in range(len(state.windows)):
        state.windows[u].stop = -1.0
    state.counts[:, 0] = net.sizes


@kernel
def seed_nodes(seeds, into, net, process, levers, state, active):
    """Seed the given nodes; returns the number of listed nodes."""
    listed = 0
    for u in seeds:
        place(u, into, net, process, levers, state)
        if process.listed[into]:
            active[listed] = u
            listed += 1
    return listed


@kernel
def move_in_tier(source, target, number, serial, members, eligible, net, process, levers, state, active, listed):
    """Move up to ``number`` random nodes of one tier (its ``members``), of which ``eligible`` are in ``source``.

    Returns the number moved and the number of listed nodes.
    """
    key, k = state.key, net.tier[members[0]]
    pool = np.empty(eligible, members.dtype)
    filled = 0
    for u in members:
        if state.state[u] == source:
            pool[filled] = u
            filled += 1
    chosen = choose(eligible, number, key[0], key[1], serial, MOVE, k)
    for i in chosen:
        u = pool[i]
        place(u, target, net, process, levers, state)
        if process.listed[target] and not process.listed[source]:
            active[listed] = u
            listed += 1
    state.flows[k, source, target] += len(chosen)
    if process.listed[source] and not process.listed[target]:
        kept = 0
        for i in range(listed):
            if process.listed[state.state[active[i]]]:
                active[kept] = active[i]
                kept += 1
        listed = kept
    return len(chosen), listed


@kernel
def pressure_of(net, process, levers, state, active, listed, total):
    """Add up, for each tier, the infectious weight (shedding included) that reaches its susceptible nodes."""
    states = state.state
    total[:] = 0.0
    for i in range(listed):
        u = active[i]
        if states[u] != process.infectious:
            continue
        level = infectivity(state.clock[net.tier[u], process.infectious] - state.nodes[u].since, process)
        for e in range(net.indptr[u], net.indptr[u + 1]):
            v = net.indices[e]
            if states[v] == 0:
                total[net.tier[v]] += level * net.weights[e] if len(net.weights) else level


@kernel
def ages_of(net, state, medians, mean, older):
    """Sums of the ages of the nodes of each tier and compartment, and the number past the median of the law."""
    mean[:] = 0.0
    older[:] = 0.0
    for u in range(len(state.state)):
        k, c = net.tier[u], state.state[u]
        age = state.clock[k, c] - state.nodes[u].since
        mean[k, c] += age
        older[k, c] += age > medians[c]
