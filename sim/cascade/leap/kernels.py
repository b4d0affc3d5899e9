"""Compiled loops of the leap engine: one step, seeding and moving, statistics.

A step decides every node on the state at its beginning and applies all changes together, so the order of nodes has no
influence, and every backend that follows these rules finds the same epidemic.
"""

from __future__ import annotations

import math

import numpy as np

from sim.cascade.compile import bare_kernel, kernel
from sim.cascade.leap.state import ALWAYS, LONGEST, NEVER, NOBODY, QUIET, SEEDED
from sim.cascade.process.residence_times import lookup
from sim.cascade.process.rng import LEAP, MOVE, RESIDENCE, TRAIT, philox, uniform
from sim.cascade.process.subsets import choose

LINEAR, THRESHOLD, POWER = 0, 1, 2
ABSENT = np.int64(-3)  # no parent is to be written


@bare_kernel
def contact_rate(r, i, batch, rules, net, levers):
    """Rate at which susceptible node ``i`` takes the contact step, controls included."""
    j = 0.0
    for k in range(batch.exposure.shape[2]):
        j += levers.outgoing[r, k] * batch.exposure[r, i, k]
    j *= rules.unit
    rate = rules.beta * j
    if rules.contact == THRESHOLD:
        u = uniform(philox(i, 0, TRAIT, 0, batch.key[r, 0], batch.key[r, 1])[0])
        theta = rules.theta + rules.theta_span * u
        rate /= 1.0 + math.exp((theta - j / net.strength[i]) / rules.eps)
    elif rules.contact == POWER:
        rate = rules.beta * j**rules.power
    return rate * levers.incoming[r, net.tier[i]] * levers.contact[r]


@bare_kernel
def lifetime(rules, compartment, word):
    """Residence time in ticks."""
    time = lookup(rules.mode[compartment], rules.table[compartment], uniform(word))
    return np.int64(min(time * rules.ticks + 0.5, LONGEST))


@bare_kernel
def exposed(exposure):
    """Whether a node has an infectious in-neighbour."""
    total = np.int64(0)
    for k in range(len(exposure)):
        total += exposure[k]
    return total > 0


@bare_kernel
def enter(r, i, new, entered, due, parent, batch, rules, net):
    """Put node ``i`` into compartment ``new`` and tell its neighbours, the counters and the tree."""
    m = rules.compartments
    tier = np.int64(net.tier[i])
    old = batch.cell[r, i] - tier * m
    batch.cell[r, i] = tier * m + new
    batch.entered[r, i] = entered
    batch.due[r, i] = due if new != 0 else (ALWAYS if exposed(batch.exposure[r, i]) else QUIET)
    batch.counts[r, tier, old] -= 1
    batch.counts[r, tier, new] += 1
    batch.flows[r, tier, old, new] += 1
    if parent != ABSENT:
        batch.parent[r, i] = parent
    if new == rules.infectious and batch.ever[r, i] == 0:
        batch.ever[r, i] = 1
        batch.reached[r, tier] += 1
    sign = np.int64(new == rules.infectious) - np.int64(old == rules.infectious)
    if sign == 0:
        return
    dues, exposure = batch.due[r], batch.exposure[r]
    weighted = len(net.weights) > 0
    for e in range(net.indptr[i], net.indptr[i + 1]):
        v = net.indices[e]
        exposure[v, tier] += sign * (net.weights[e] if weighted else 1)
        if sign > 0:
            if dues[v] == QUIET:
                dues[v] = ALWAYS
        elif dues[v] == ALWAYS and not exposed(exposure[v]):
            dues[v] = QUIET


@bare_kernel
def infector(r, i, word, batch, rules, net, levers):
    """The in-neighbour that infected ``i``, chosen in proportion to what each contributed."""
    total = 0.0
    for k in range(batch.exposure.shape[2]):
        total += levers.outgoing[r, k] * batch.exposure[r, i, k]
    left = uniform(word) * total
    last = np.int64(NOBODY)
    weighted = len(net.back_weights) > 0
    for e in range(net.back_indptr[i], net.back_indptr[i + 1]):
        u = net.back_indices[e]
        k = np.int64(net.tier[u])
        if batch.cell[r, u] - k * rules.compartments == rules.infectious and levers.outgoing[r, k] > 0:
            last = np.int64(u)
            left -= levers.outgoing[r, k] * (net.back_weights[e] if weighted else 1)
            if left < 0:
                break
    return last


@bare_kernel
def silent(r, batch, rules):
    """Whether nothing can happen: nobody waits for a nodal step, and contacts lack one of their sides."""
    infectious = susceptible = 0
    for k in range(batch.counts.shape[1]):
        susceptible += batch.counts[r, k, 0]
        infectious += batch.counts[r, k, rules.infectious]
        for m in range(rules.compartments):
            if rules.following[m] >= 0 and batch.counts[r, k, m] > 0:
                return False
    return infectious == 0 or susceptible == 0


@bare_kernel
def run(first, last, clocks, spans, steps, batch, rules, net, levers, scratch):
    """Take steps with replicas ``first`` to ``last - 1``.

    Args:
        clocks: int32 [T + 1, R, K * M] every clock before the first and after each step.
        spans: float64 [T, R] length of each step in units of time; 0 skips the replica.
        steps: int64 [R] steps that each replica has taken since its reset.
        scratch: int32 [5, N] memory that nobody else uses meanwhile.
    """
    n = batch.cell.shape[1]
    m = rules.compartments
    nodes, into, entered, due, parents = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    tree = batch.parent.shape[1] > 0
    for r in range(first, last):
        k0, k1 = batch.key[r, 0], batch.key[r, 1]
        cells, dues = batch.cell[r], batch.due[r]
        for t in range(len(spans)):
            if spans[t, r] <= 0.0:
                continue
            if silent(r, batch, rules):
                break
            before, now = clocks[t, r], clocks[t + 1, r]
            found = 0
            for i in range(n):  # without a branch: whether a node is due is hard to predict
                nodes[found] = i
                found += dues[i] < now[cells[i]]
            events = 0
            for c in range(found):
                i = np.int64(nodes[c])
                cell = np.int64(cells[i])
                old = cell % m
                home = cell - old
                if old == 0:
                    chance = 1.0 - math.exp(-contact_rate(r, i, batch, rules, net, levers) * spans[t, r])
                    if chance <= 0.0:
                        continue
                    words = philox(i, steps[r] + t, LEAP, 0, k0, k1)
                    if uniform(words[0]) >= chance:
                        continue
                    new = np.int64(rules.entry)
                    ago = ((now[home + new] - before[home + new]) * np.int64(words[1])) >> 32
                    if tree:
                        parents[events] = infector(r, i, words[3], batch, rules, net, levers)
                else:
                    words = philox(i, steps[r] + t, LEAP, 0, k0, k1)
                    new = rules.following[old]
                    ago = np.int64(now[cell]) - dues[i]  # it left that long before the end of the step
                    span = np.int64(now[cell]) - before[cell]
                    if span > 0:
                        ago = ago * (np.int64(now[home + new]) - before[home + new]) // span
                    if tree:
                        parents[events] = ABSENT
                start = np.int64(now[home + new]) - ago
                nodes[events], into[events], entered[events] = i, new, start
                due[events] = start + lifetime(rules, new, words[2]) if rules.following[new] >= 0 else NEVER
                events += 1
            for c in range(events):
                parent = np.int64(parents[c]) if tree else ABSENT
                enter(r, np.int64(nodes[c]), np.int64(into[c]), entered[c], due[c], parent, batch, rules, net)


@bare_kernel
def peak_rates(batch, rules, net, levers, peaks):
    """The largest contact rate of any susceptible node: float64 [R]."""
    for r in range(batch.cell.shape[0]):
        for i in range(batch.cell.shape[1]):
            if batch.cell[r, i] == net.tier[i] * rules.compartments and exposed(batch.exposure[r, i]):
                peaks[r] = max(peaks[r], contact_rate(r, i, batch, rules, net, levers))


@kernel
def clear(r, batch, rules, net):
    """All nodes susceptible, all counters zero."""
    m = rules.compartments
    batch.counts[r], batch.flows[r], batch.reached[r] = 0, 0, 0
    batch.due[r], batch.entered[r], batch.exposure[r], batch.ever[r] = QUIET, 0, 0, 0
    batch.parent[r] = NOBODY
    for i in range(batch.cell.shape[1]):
        batch.cell[r, i] = net.tier[i] * m
        batch.counts[r, net.tier[i], 0] += 1


@kernel
def place(r, nodes, new, index, clock, batch, rules, net):
    """Put ``nodes`` into compartment ``new`` now. ``index`` numbers such interventions since the reset."""
    parent = np.int64(SEEDED) if batch.parent.shape[1] > 0 else ABSENT
    for i in nodes:
        start = np.int64(clock[net.tier[i] * rules.compartments + new])
        due = np.int64(NEVER)
        if rules.following[new] >= 0:
            due = start + lifetime(rules, new, philox(i, index, RESIDENCE, 0, batch.key[r, 0], batch.key[r, 1])[0])
        came = parent if batch.cell[r, i] == net.tier[i] * rules.compartments else ABSENT
        enter(r, i, new, start, due, came, batch, rules, net)


@kernel
def reset(rows, bounds, seeds, into, batch, rules, net):
    """Start again in the replicas ``rows``; ``seeds[bounds[j] : bounds[j + 1]]`` are the seeds of row j."""
    clock = np.zeros(len(batch.counts[0].ravel()), np.int32)
    for j in range(len(rows)):
        clear(rows[j], batch, rules, net)
        place(rows[j], seeds[bounds[j] : bounds[j + 1]], into, 0, clock, batch, rules, net)
        batch.flows[rows[j]] = 0


@kernel
def move(source, target, numbers, moves, clocks, batch, rules, net):
    """Move ``numbers[r, k]`` random nodes of each tier from ``source`` to ``target``; returns how many it were."""
    moved = np.zeros_like(numbers)
    for r in range(numbers.shape[0]):
        for k in range(numbers.shape[1]):
            if numbers[r, k] > 0 and batch.counts[r, k, source] > 0:
                there = np.flatnonzero(batch.cell[r] == k * rules.compartments + source)
                chosen = there[choose(len(there), numbers[r, k], batch.key[r, 0], batch.key[r, 1], moves[r], MOVE, k)]
                place(r, chosen, target, moves[r] + 1, clocks[r], batch, rules, net)
                moved[r, k] = len(chosen)
    return moved


@kernel
def age_sums(clocks, limits, batch, total, older):
    """Sums of ages in ticks, and nodes older than ``limits`` [M], of each compartment: int64 [R, K, M] each."""
    m = len(limits)
    for r in range(batch.cell.shape[0]):
        for i in range(batch.cell.shape[1]):
            cell = batch.cell[r, i]
            age = np.int64(clocks[r, cell]) - batch.entered[r, i]
            total[r, cell // m, cell % m] += age
            older[r, cell // m, cell % m] += age > limits[cell % m]


@kernel
def exposure_sums(batch, rules, net, total):
    """Sum of the exposures of the susceptible nodes of each tier, in units of `Rules.unit`: int64 [R, K]."""
    for r in range(batch.cell.shape[0]):
        for i in range(batch.cell.shape[1]):
            if batch.cell[r, i] == net.tier[i] * rules.compartments:
                for k in range(batch.exposure.shape[2]):
                    total[r, net.tier[i]] += batch.exposure[r, i, k]


@kernel
def set_back(shift, batch):
    """Set the clock of each cell back by ``shift`` [R, K * M] ticks."""
    for r in range(batch.cell.shape[0]):
        if not shift[r].any():
            continue
        for i in range(batch.cell.shape[1]):
            by = shift[r, batch.cell[r, i]]
            batch.entered[r, i] = max(np.int64(batch.entered[r, i]) - by, np.int64(ALWAYS))
            if ALWAYS < batch.due[r, i] < QUIET:
                batch.due[r, i] = max(np.int64(batch.due[r, i]) - by, np.int64(ALWAYS) + 1)
