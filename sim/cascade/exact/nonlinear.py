"""Exact simulation with nonlinear contact: the compiled loop over one control interval of one replica.

A node's rate depends on all its infectious neighbours together and changes when one comes or goes. Each susceptible
node has one exponential number drawn for the interval, which its rate uses up (next-reaction method), so a change of
the rate moves its event without another draw. Every node has at most one valid key in the queue: of its next event.
"""

from __future__ import annotations

import math

import numpy as np

from sim.cascade.compile import bare_kernel
from sim.cascade.exact.heap import NEVER, drop_first, queue
from sim.cascade.exact.linear import enter, span_of
from sim.cascade.exact.state import ACTIVE, REACHED
from sim.cascade.process.contact import rate, threshold_of
from sim.cascade.process.rng import CONTACT, philox, uniform


@bare_kernel
def schedule(u, x, span, state, work, size):
    """Make ``x`` the offset of the next event of a node. Returns the new size of the heap."""
    node = state.nodes[u]
    if not x < span.dt:
        node.best = NEVER
        return size
    node.best = (np.int64(x * span.scale) << span.bits) | np.int64(u)
    return queue(work.heap, size, node.best, state.nodes, span.mask)


@bare_kernel
def reach(u, x, net, process, levers, state, work):
    """Rate of a susceptible node now; books it and returns it."""
    degree = net.back_indptr[u + 1] - net.back_indptr[u]
    theta = threshold_of(u, process.theta_low, process.theta_high, state.key[0], state.key[1])
    found = rate(process.contact, process.beta, work.pressure[u], degree, theta, process.eps, process.power)
    found *= levers.incoming[net.tier[u]] * levers.contact
    work.rate[u] = found
    work.last[u] = x
    return found


@bare_kernel
def watch(u, x, span, net, process, levers, state, work, size):
    """Start to follow a node that is susceptible from ``x`` on. Returns the new size of the heap."""
    word, _, _, _ = philox(u, state.nodes[u].events, CONTACT, state.interval, state.key[0], state.key[1])
    work.left[u] = -math.log(uniform(word))
    found = reach(u, x, net, process, levers, state, work)
    return schedule(u, x + work.left[u] / found if found > 0.0 else np.inf, span, state, work, size)


@bare_kernel
def press(u, e, sign, net, levers, work):
    """Add what infectious node ``u`` puts on the node at the end of edge ``e`` (sign 1), or take it away (-1)."""
    v, strength = net.indices[e], levers.outgoing[net.tier[u]]
    work.sources[v] += sign
    work.pressure[v] += sign * strength * net.weights[e] if len(net.weights) else sign * strength
    if work.sources[v] == 0:  # sums of rounded numbers leave a residue, and a small power makes a rate of it
        work.pressure[v] = 0.0


@bare_kernel
def shift(u, sign, x, span, net, process, levers, state, work, size):
    """An infectious node comes (sign 1) or goes (-1): move the events of its neighbours. Returns the new size."""
    for e in range(net.indptr[u], net.indptr[u + 1]):
        v = net.indices[e]
        press(u, e, sign, net, levers, work)
        if state.state[v] != 0:
            continue
        work.left[v] = max(work.left[v] - work.rate[v] * (x - work.last[v]), 0.0)
        found = reach(v, x, net, process, levers, state, work)
        size = schedule(v, x + work.left[v] / found if found > 0.0 else np.inf, span, state, work, size)
    return size


@bare_kernel
def leaving(u, x, net, process, levers, state):
    """Offset at which a node leaves its compartment by itself, infinite if it does not."""
    k, c = net.tier[u], np.int64(state.state[u])
    if process.following[c] < 0 or not levers.speed[k, c] > 0.0:
        return np.inf
    return max((state.nodes[u].due - state.clock[k, c]) / levers.speed[k, c], x)


@bare_kernel
def advance_nonlinear(net, process, levers, state, active, listed, time, dt, work):
    """As `sim.cascade.exact.linear.advance_linear`."""
    nodes, states = state.nodes, state.state
    span = span_of(time, dt, len(states), net, process, levers)
    step = 1.0 / span.scale
    size = 0
    work.pressure[:] = 0.0
    work.sources[:] = 0
    for i in range(listed):
        u = active[i]
        if states[u] == process.infectious:
            for e in range(net.indptr[u], net.indptr[u + 1]):
                press(u, e, 1, net, levers, work)
    for u in range(len(states)):
        if states[u] == 0:
            size = watch(u, 0.0, span, net, process, levers, state, work, size)
        else:
            size = schedule(u, leaving(u, 0.0, net, process, levers, state), span, state, work, size)
    while size > 0:
        order = work.heap[0]
        size = drop_first(work.heap, size)
        u = np.int64(order & span.mask)
        if nodes[u].best != order:
            continue
        x = float(order >> span.bits) * step
        k, old = net.tier[u], np.int64(states[u])
        new = process.entry if old == 0 else process.following[old]
        if old == 0:
            nodes[u].parent = source_of(u, net, process, levers, state)
        if len(state.ever):
            state.ever[u] |= (REACHED if old == 0 else 0) | (ACTIVE if new == process.infectious else 0)
        state.counts[k, old] -= 1
        state.counts[k, new] += 1
        state.flows[k, old, new] += 1
        states[u] = new
        since = state.clock[k, new] + levers.speed[k, new] * x
        enter(nodes[u], u, new, since, levers.hazard[k, new], process, state.key, state.xi)
        if old == process.infectious:
            size = shift(u, -1, x, span, net, process, levers, state, work, size)
        if new == process.infectious:
            size = shift(u, 1, x, span, net, process, levers, state, work, size)
        if new == 0:
            size = watch(u, x, span, net, process, levers, state, work, size)
        else:
            size = schedule(u, leaving(u, x, net, process, levers, state), span, state, work, size)
    listed = 0
    for u in range(len(states)):
        nodes[u].best = NEVER
        if process.listed[states[u]]:
            active[listed] = u
            listed += 1
    for k in range(state.clock.shape[0]):
        for c in range(state.clock.shape[1]):
            state.clock[k, c] += levers.speed[k, c] * dt
    return listed


@bare_kernel
def source_of(u, net, process, levers, state):
    """An infectious in-neighbour, drawn in proportion to what it adds to the pressure."""
    total = 0.0
    for e in range(net.back_indptr[u], net.back_indptr[u + 1]):
        v = net.back_indices[e]
        if state.state[v] == process.infectious:
            total += levers.outgoing[net.tier[v]] * (net.back_weights[e] if len(net.back_weights) else 1.0)
    _, word, _, _ = philox(u, state.nodes[u].events, CONTACT, state.interval, state.key[0], state.key[1])
    left = uniform(word) * total
    source = -1
    for e in range(net.back_indptr[u], net.back_indptr[u + 1]):
        v = net.back_indices[e]
        if state.state[v] == process.infectious:
            source = v
            left -= levers.outgoing[net.tier[v]] * (net.back_weights[e] if len(net.back_weights) else 1.0)
            if left <= 0.0:
                break
    return source
