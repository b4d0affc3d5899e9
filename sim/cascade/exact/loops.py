"""Compiled loops of the exact engine over replicas."""

from __future__ import annotations

import numpy as np

from sim.cascade.compile import kernel
from sim.cascade.exact.linear import advance_linear
from sim.cascade.exact.moves import ages_of, clear, move_in_tier, pressure_of, seed_nodes
from sim.cascade.exact.nonlinear import advance_nonlinear
from sim.cascade.exact.state import ACTIVE, REACHED, Levers, State, Work


@kernel
def row_of(state, levers, r):
    """State and controls of one replica."""
    return (
        State(
            state.nodes[r],
            state.state[r],
            state.ever[r],
            state.windows[r],
            state.xi[r],
            state.active[r],
            state.size[r],
            state.counts[r],
            state.flows[r],
            state.clock[r],
            state.key[r],
            state.interval[r],
        ),
        Levers(levers.incoming[r], levers.outgoing[r], levers.contact[r], levers.speed[r], levers.hazard[r]),
    )


@kernel
def scratch_of(work, thread):
    """Scratch memory of one thread."""
    return Work(
        work.heap[thread],
        work.picked[thread],
        work.sources[thread],
        work.pressure[thread],
        work.rate[thread],
        work.left[thread],
        work.last[thread],
    )


@kernel
def linear(net, process, levers, state, time, dt, work, thread, threads):
    """Advance every ``threads``-th replica, from number ``thread`` on."""
    scratch = scratch_of(work, thread)
    for r in range(thread, len(time), threads):
        row, lever = row_of(state, levers, r)
        state.size[r] = advance_linear(net, process, lever, row, row.active, row.size, time[r], dt, scratch)
        state.interval[r] += 1


@kernel
def nonlinear(net, process, levers, state, time, dt, work, thread, threads):
    """As `linear`."""
    scratch = scratch_of(work, thread)
    for r in range(thread, len(time), threads):
        row, lever = row_of(state, levers, r)
        state.size[r] = advance_nonlinear(net, process, lever, row, row.active, row.size, time[r], dt, scratch)
        state.interval[r] += 1


@kernel
def reset(net, process, levers, state, rows, bounds, seeds, into):
    for i in range(len(rows)):
        r = rows[i]
        row, lever = row_of(state, levers, r)
        clear(net, row)
        state.interval[r] = 0
        chosen = seeds[bounds[i] : bounds[i + 1]]
        state.size[r] = seed_nodes(chosen, into, net, process, lever, row, state.active[r])


@kernel
def move(net, process, levers, state, members, bounds, source, target, numbers, moves):
    done = np.zeros_like(numbers)
    for r in range(numbers.shape[0]):
        row, lever = row_of(state, levers, r)
        for k in range(numbers.shape[1]):
            eligible = state.counts[r, k, source]
            if numbers[r, k] > 0 and eligible > 0:
                tier = members[bounds[k] : bounds[k + 1]]
                done[r, k], state.size[r] = move_in_tier(
                    source,
                    target,
                    numbers[r, k],
                    moves[r],
                    tier,
                    eligible,
                    net,
                    process,
                    lever,
                    row,
                    state.active[r],
                    state.size[r],
                )
        moves[r] += 1
    return done


@kernel
def pressure(net, process, levers, state, total):
    for r in range(total.shape[0]):
        row, lever = row_of(state, levers, r)
        pressure_of(net, process, lever, row, state.active[r], state.size[r], total[r])


@kernel
def ages(net, levers, state, medians, mean, older):
    for r in range(mean.shape[0]):
        row, _ = row_of(state, levers, r)
        ages_of(net, row, medians, mean[r], older[r])


@kernel
def ever(net, state, active, reached):
    """Count the nodes of each tier that were ever infectious, and ever reached by contact, into [R, K]."""
    for r in range(active.shape[0]):
        for u in range(state.ever.shape[1]):
            k = net.tier[u]
            active[r, k] += (state.ever[r, u] & ACTIVE) > 0
            reached[r, k] += (state.ever[r, u] & REACHED) > 0
