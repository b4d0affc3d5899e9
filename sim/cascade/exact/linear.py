"""Exact simulation with linear contact: the compiled loop over one control interval of one replica.

Only infections wait in the queue. Whatever a node does by itself after its infection depends on nobody else, so its
whole future within the interval is settled at once, and its contacts are drawn for the time it will be infectious.
"""

from __future__ import annotations

import math

import numpy as np

from sim.cascade.compile import bare_kernel
from sim.cascade.exact.heap import NEVER, drop_first, queue
from sim.cascade.exact.state import ACTIVE, REACHED, Span
from sim.cascade.process.residence_times import draw
from sim.cascade.process.rng import CONTACT, RESIDENCE, philox, uniform

DENSE = 0.1  # expected contacts of an edge from which looking at all neighbours first is quicker
CARRIED, WINDOWS, EVENTS = range(3)  # phases of an interval
BLOCK = 256  # third word of a contact counter: purpose + BLOCK * number of the block


@bare_kernel(forceinline=True)
def enter(node, u, compartment, since, hazard, process, key, xi):
    """Put a node into a compartment at clock time ``since`` and draw how long it stays.

    Returns three random words of this entry that are left over, and how many (3 or 0).
    """
    node.events += 1
    node.since = since
    if process.following[compartment] < 0:
        return np.uint32(0), np.uint32(0), np.uint32(0), 0
    word, w1, w2, w3 = philox(u, node.events, RESIDENCE, 0, key[0], key[1])
    level = uniform(word)
    if len(xi):
        xi[u] = -math.log1p(-level)
    if hazard != 1.0:
        level = -math.expm1(math.log1p(-level) / hazard) if hazard > 0.0 else 1.0
    if level < 1.0:
        c = compartment
        node.due = since + draw(process.kind[c], process.p0[c], process.p1[c], process.table[c], level)
    else:
        node.due = np.inf
    return w1, w2, w3, 3


@bare_kernel
def infectivity(age, process):
    """Shedding at an age, 1 without shedding."""
    last = len(process.shedding) - 1
    if last < 0:
        return 1.0
    x = max(age, 0.0) / process.shed_step
    if x >= last:
        return process.shedding[last]
    j = int(x)
    return process.shedding[j] + (x - j) * (process.shedding[j + 1] - process.shedding[j])


@bare_kernel(forceinline=True)
def contacts(u, start, stop, since, spare, span, net, process, levers, state, work, size):
    """Draw the first contact of ``u`` with each susceptible neighbour from ``start`` to ``stop`` and queue it.

    The neighbours' windows, laid end to end, carry one Poisson process: its points give both neighbour and time, and
    neighbours without a contact cost nothing. Where many points are to be expected, the neighbours that can be infected
    are picked out first. Where rates differ between edges, points are thinned.

    Args:
        start, stop: offsets in the interval.
        since: entry into the infectious compartment, on its clock.
        spare: what `enter` left over, if the node has just entered.

    Returns the new size of the heap.
    """
    net_indices, tiers = net.indices, net.tier
    nodes, states, clock, key = state.nodes, state.state, state.clock, state.key
    first = net.indptr[u]
    degree = net.indptr[u + 1] - first
    k = tiers[u]
    thin, weighted = span.thin, len(net.weights) > 0
    rate = process.beta * levers.contact * levers.outgoing[k] * span.incoming * span.shedding
    if weighted:
        rate *= net.strongest[u]
    width = stop - start
    dose = rate * width
    if not dose > 0.0 or degree == 0:
        return size
    dense = dose > DENSE
    candidates = degree
    if dense:
        candidates = 0
        for j in range(degree):
            work.picked[candidates] = j
            candidates += states[net_indices[first + j]] == 0
    per_rate, per_dose = 1.0 / rate, 1.0 / dose
    speed = levers.speed[k, process.infectious]
    now = clock[k, process.infectious]
    event, interval = nodes[u].events, state.interval
    k0, k1 = key[0], key[1]
    w0, w1, w2, left = spare
    w3 = w2
    if thin:
        left //= 3  # a point then takes two words, the first and the third
    j, place, block = 0, 0.0, 0
    while j < candidates:
        if left == 0:
            w0, w1, w2, w3 = philox(u, event, CONTACT + BLOCK * block, interval, k0, k1)
            block += 1
            left = 2 if thin else 4
        place -= math.log(uniform(w0))  # within the window of neighbour j, or beyond it
        if place >= dose:
            windows = place * per_dose
            if windows >= candidates - j:
                break
            j += int(windows)
            place = max(place - int(windows) * dose, 0.0)
        chance = uniform(w2)
        w0, w1, w2 = w1, w2, w3
        left -= 1
        edge = first + (np.int64(work.picked[j]) if dense else j)
        v = net_indices[edge]
        if states[v] == 0:
            x = start + place * per_rate
            node = nodes[v]
            if process.returns:
                free = node.since - clock[tiers[v], 0]
                if x < free:  # not yet susceptible again: look on from then
                    place = max((free - start) * rate, place)
                    if place >= dose:
                        j, place = j + 1, 0.0
                    continue
            if thin:
                share = levers.incoming[tiers[v]] / span.incoming
                share *= infectivity(now + speed * x - since, process) / span.shedding
                if weighted:
                    share *= net.weights[edge] / net.strongest[u]
                if chance > share:
                    continue
            order = (np.int64(x * span.scale) << span.bits) | np.int64(v)
            if order < node.best:
                node.best = order
                node.parent = u
                size = queue(work.heap, size, order, nodes, span.mask)
        j, place = j + 1, 0.0  # one contact with each is enough
    return size


@bare_kernel
def recontact(v, free, span, net, process, levers, state, work, size):
    """Queue the first contact of a node that becomes susceptible again at ``free`` with those infectious by then."""
    nodes, windows, key = state.nodes, state.windows, state.key
    weighted = len(net.back_weights) > 0
    entrance = levers.incoming[net.tier[v]]
    event, interval = nodes[v].events, state.interval
    earliest, source = span.dt, -1
    left, block = 0, 0
    w0 = w1 = w2 = w3 = np.uint32(0)
    for e in range(net.back_indptr[v], net.back_indptr[v + 1]):
        u = net.back_indices[e]
        x = max(free, windows[u].start - span.time)
        stop = min(windows[u].stop - span.time, earliest)
        if x >= stop:
            continue
        k = net.tier[u]
        rate = process.beta * levers.contact * levers.outgoing[k] * entrance * span.shedding
        if weighted:
            rate *= net.back_weights[e]
        if not rate > 0.0:
            continue
        while True:
            if left == 0:
                w0, w1, w2, w3 = philox(v, event, CONTACT + BLOCK * block, interval, key[0], key[1])
                block += 1
                left = 2
            x -= math.log(uniform(w0)) / rate
            chance = uniform(w2)
            w0, w2 = w1, w3
            left -= 1
            if x >= stop:
                break
            age = state.clock[k, process.infectious] + levers.speed[k, process.infectious] * x - windows[u].since
            if chance <= infectivity(age, process) / span.shedding:
                earliest, source = x, u
                break
    if source >= 0:
        order = (np.int64(earliest * span.scale) << span.bits) | np.int64(v)
        nodes[v].best = order
        nodes[v].parent = source
        size = queue(work.heap, size, order, nodes, span.mask)
    return size


@bare_kernel(forceinline=True)
def settle(u, start, phase, span, net, process, levers, state, work, size):
    """Follow a node to the end of the interval; what it does depends on nobody else from now on.

    Args:
        start: offset in the interval from which the node is followed; in phase EVENTS it is infected then.
        phase: see `advance_linear`.

    Returns the new size of the heap.
    """
    node, states, clock = state.nodes[u], state.state, state.clock
    counts, flows = state.counts, state.flows
    k = net.tier[u]
    c = np.int64(states[u])
    infected = phase == EVENTS
    spare = np.uint32(0), np.uint32(0), np.uint32(0), 0
    while True:
        leave, following, since = start, process.entry, node.since
        if not infected:
            leave, following = np.inf, process.following[c]
            left = node.due - clock[k, c]
            if following >= 0 and levers.speed[k, c] > 0.0 and left < levers.speed[k, c] * span.dt:
                leave = max(left / levers.speed[k, c], start)
        if phase == WINDOWS:
            leave, since = state.windows[u].stop - span.time, state.windows[u].since
        if (c == process.infectious and not infected) or phase == WINDOWS:
            stop = min(leave, span.dt)
            if process.returns and phase != WINDOWS:
                window = state.windows[u]
                window.start, window.stop, window.since = span.time + start, span.time + stop, since
            if not (process.returns and phase == CARRIED):
                size = contacts(u, start, stop, since, spare, span, net, process, levers, state, work, size)
        if leave >= span.dt or phase == WINDOWS:
            break
        counts[k, c] -= 1
        counts[k, following] += 1
        flows[k, c, following] += 1
        if len(state.ever):
            state.ever[u] |= (REACHED if infected else 0) | (ACTIVE if following == process.infectious else 0)
        c, start = following, leave
        infected = False
        states[u] = c
        entry = clock[k, c] + levers.speed[k, c] * start
        spare = enter(node, u, c, entry, levers.hazard[k, c], process, state.key, state.xi)
        if c == 0:
            if phase == EVENTS:
                size = recontact(u, start, span, net, process, levers, state, work, size)
            break
    return size


@bare_kernel
def span_of(time, dt, n, net, process, levers):
    """The interval, with the finest times that fit beside a node number into 62 bits."""
    bits = 1
    while (1 << bits) < n:
        bits += 1
    most = least = levers.incoming[0]
    for factor in levers.incoming:
        most, least = max(most, factor), min(least, factor)
    shedding = 0.0 if len(process.shedding) else 1.0
    for level in process.shedding:
        shedding = max(shedding, level)
    thin = least < most or len(net.weights) > 0 or len(process.shedding) > 0
    mask = (np.int64(1) << bits) - 1
    return Span(time, dt, float(np.int64(1) << (61 - bits)) / dt, bits, mask, most, shedding, thin)


@bare_kernel
def advance_linear(net, process, levers, state, active, listed, time, dt, work):
    """Advance one replica by ``dt``. ``state`` and ``levers`` hold its rows, ``active[:listed]`` the nodes to follow.

    Phase CARRIED settles the nodes infected earlier; WINDOWS draws their contacts, where nodes return (then it must be
    known of all when they are susceptible; else it is done at once); EVENTS takes one infection after the other.

    Returns the new number of listed nodes.
    """
    nodes, states = state.nodes, state.state
    span = span_of(time, dt, len(states), net, process, levers)
    step = 1.0 / span.scale
    size = kept = i = 0
    phase = CARRIED
    while True:
        start = 0.0
        if phase == EVENTS:
            if size == 0:
                break
            order = work.heap[0]
            size = drop_first(work.heap, size)
            u = np.int64(order & span.mask)
            if nodes[u].best != order:
                continue  # an earlier contact came first
            nodes[u].best = NEVER
            start = float(order >> span.bits) * step
        elif i == listed:
            i = 0
            phase = WINDOWS if process.returns and phase == CARRIED else EVENTS
            if phase == EVENTS:
                for i in range(listed):
                    if process.listed[states[active[i]]]:
                        active[kept] = active[i]
                        kept += 1
            continue
        else:
            u = np.int64(active[i])
            i += 1
            if phase == WINDOWS:
                if not state.windows[u].stop > time:  # of an earlier interval
                    continue
                start = state.windows[u].start - time
        size = settle(u, start, phase, span, net, process, levers, state, work, size)
        if phase == EVENTS and process.listed[states[u]]:
            active[kept] = u
            kept += 1
    for k in range(state.clock.shape[0]):
        for c in range(state.clock.shape[1]):
            state.clock[k, c] += levers.speed[k, c] * dt
    return kept
