"""The loops of a decision, compiled: with few replicas and tiers, NumPy would cost more than the simulator does."""

from __future__ import annotations

import math

import numpy as np

from sim.cascade.compile import kernel

ALL_NODES = -1  # in place of a compartment: every node of the tier is paid for, once


@kernel
def costs(counts, first, sizes, rate, most, payer):
    """Money for each entry at full strength.

    Args:
        counts: float64 [R, K, M] now.
        first: bool [R] whether this is the first decision.
        sizes: float64 [K] nodes of each tier.
        rate: float64 [A, K] money per node of tier k for entry a; 0 where the entry does not act.
        most: float64 [A, K] nodes that are paid for at most.
        payer: int64 [A] compartment whose nodes are paid for, or ALL_NODES.

    Returns:
        float64 [R, A].
    """
    entries, tiers = rate.shape
    found = np.zeros((len(counts), entries))
    for r in range(len(counts)):
        for a in range(entries):
            for k in range(tiers):
                if rate[a, k] != 0.0:
                    nodes = counts[r, k, payer[a]] if payer[a] != ALL_NODES else sizes[k] * first[r]
                    found[r, a] += rate[a, k] * min(most[a, k], nodes)
    return found


@kernel
def effects(u, price, impulsive, knob, gain, knobs):
    """What actions do and cost, apart from moving nodes.

    Args:
        u: float64 [R, A] actions.
        price: float64 [R, A] costs at full strength.
        impulsive: bool [A] entries that move nodes, and are paid by the node.
        knob: int64 [A] factor that the entry belongs to, -1 for none.
        gain: float64 [A, K] change of that factor at full strength.
        knobs: number of factors.

    Returns:
        float64 [R] money for the entries that are not impulsive, float64 [knobs, R, K] factors.
    """
    tiers = gain.shape[1]
    money = np.zeros(len(u))
    factors = np.ones((knobs, len(u), tiers))
    for r in range(len(u)):
        for a in range(u.shape[1]):
            if not impulsive[a]:
                money[r] += price[r, a] * u[r, a]
            if knob[a] >= 0:
                for k in range(tiers):
                    factors[knob[a], r, k] *= 1.0 + gain[a, k] * u[r, a]
    return money, factors


@kernel
def seeds(level, counts, most, allowed, money, price):
    """Susceptible nodes to seed, hubs first: int64 [R, K].

    Args:
        level: float64 [R, 1] or [R, K] action.
        counts: float64 [R, K, M] now.
        most: float64 [K] seeds of each tier at full strength.
        allowed: float64 [R] seeds that are still allowed.
        money: float64 [R] that is left for them, and float64 [K] price of each.
    """
    found = np.zeros((len(counts), len(most)), np.int64)
    for r in range(len(counts)):
        rest, purse = allowed[r], money[r]
        for k in range(len(most)):
            u = level[r, k if level.shape[1] > 1 else 0]
            wanted = np.floor(min(most[k], counts[r, k, 0]) * u + 0.5)
            found[r, k] = min(wanted, rest, np.floor(purse / price[k] + 1e-9))
            rest -= found[r, k]
            purse -= found[r, k] * price[k]
    return found


@kernel
def window(before, after, seeded, entry, infectious, sources, targets):
    """Steps since the last decision, from the flows at both of them.

    Args:
        before, after: float64 [R, K, M, M] flows since the start of the episode.
        seeded: int64 [R, K] nodes moved into ``entry`` at the last decision.
        entry, infectious: compartments.
        sources, targets: int64 [S] of the nodal steps.

    Returns:
        float64 [R, K] contact steps, [R, K] nodal steps, [R] nodes that became infectious by themselves.
    """
    replicas, tiers, size, _ = after.shape
    contacts, nodal = np.zeros((replicas, tiers)), np.zeros((replicas, tiers))
    entered = np.zeros(replicas)
    for r in range(replicas):
        for k in range(tiers):
            contacts[r, k] = after[r, k, 0, entry] - before[r, k, 0, entry] - seeded[r, k]
            for s in range(len(sources)):
                nodal[r, k] += after[r, k, sources[s], targets[s]] - before[r, k, sources[s], targets[s]]
            for m in range(size):
                entered[r] += after[r, k, m, infectious] - before[r, k, m, infectious]
            if entry == infectious:
                entered[r] -= seeded[r, k]
    return contacts, nodal, entered


@kernel
def totals(counts, flows, hubs, infectious, carriers):
    """Numbers of nodes over all tiers: float64 [R] each.

    Args:
        counts: float64 [R, K, M].
        flows: float64 [R, K, M, M] since the start of the episode.
        hubs: float64 [R] hubs infectious at the start.
        infectious: compartment; carriers: bool [M] compartments whose nodes keep the cascade going.

    Returns:
        infectious nodes, carriers, susceptible nodes, and hubs infectious / hubs that ever became so (NaN: none did).
    """
    replicas, tiers, size = counts.shape
    active, carrying, open_, share = np.zeros(replicas), np.zeros(replicas), np.zeros(replicas), np.zeros(replicas)
    for r in range(replicas):
        for k in range(tiers):
            active[r] += counts[r, k, infectious]
            open_[r] += counts[r, k, 0]
            for m in range(size):
                if carriers[m]:
                    carrying[r] += counts[r, k, m]
        ever = hubs[r]
        for m in range(size):
            ever += flows[r, 0, m, infectious]
        share[r] = counts[r, 0, infectious] / ever if ever > 0 else np.nan
    return active, carrying, open_, share


@kernel
def checked(actions):
    """Actions clipped into [0, 1], and whether all of them are finite numbers."""
    found, finite = np.empty(actions.shape), True
    for r in range(actions.shape[0]):
        for a in range(actions.shape[1]):
            finite &= math.isfinite(actions[r, a])
            found[r, a] = min(max(actions[r, a], 0.0), 1.0)
    return found, finite


@kernel
def observe(
    counts,
    contacts,
    nodal,
    means,
    older,
    pressure,
    time,
    spent,
    infectious,
    group,
    template,
    rest,
    scales,
    at,
    low,
    high,
):
    """Observations; see `sim.cascade.observer.Observer` for what they mean.

    Args:
        counts: float64 [R, K, M]; contacts, nodal, pressure: [R, K]; means, older: [R, K, M] of the ages.
        time, spent: float64 [R].
        infectious: compartment.
        group: int64 [K] tier of the observer that each tier of the simulator belongs to.
        template: float64 [G, W] constant part of each tier of the observer; rest: [*] constants after the tiers.
        scales: float64 [G, 5]: 1/nodes, 1/mean degree, 1/log10(1 + nodes), edge ends, 1/mean residence time.
        at: int64 [6] first column of shares, events, ages, pressure, counts, edges; -1 where they are left out.
        low, high: float32 [D] bounds.

    Returns:
        float32 [R, D].
    """
    tiers, size = counts.shape[1:]
    groups, width = template.shape
    found = np.empty((len(counts), len(low)), np.float32)
    sums, row = np.empty((groups, size + 5)), np.empty(len(low))
    for r in range(len(counts)):
        sums[:] = 0.0
        for k in range(tiers):
            total = sums[group[k]]
            for m in range(size):
                total[m] += counts[r, k, m]
            total[size] += contacts[r, k]
            total[size + 1] += nodal[r, k]
            total[size + 2] += means[r, k, infectious] * counts[r, k, infectious]
            total[size + 3] += older[r, k, infectious] * counts[r, k, infectious]
            total[size + 4] += pressure[r, k] * counts[r, k, 0]
        for g in range(groups):
            tier, total, scale = row[g * width : (g + 1) * width], sums[g], scales[g]
            tier[:] = template[g]
            if at[0] >= 0:
                for m in range(size):
                    tier[at[0] + m] = total[m] * scale[0]
            if at[1] >= 0:
                tier[at[1]], tier[at[1] + 1] = total[size] * scale[0], total[size + 1] * scale[0]
            if at[2] >= 0 and total[infectious] > 0:
                tier[at[2]] = total[size + 2] / total[infectious] * scale[4]
                tier[at[2] + 1] = total[size + 3] / total[infectious]
            if at[3] >= 0 and total[0] > 0:
                tier[at[3]] = total[size + 4] / total[0] * scale[1]
            if at[4] >= 0:
                tier[at[4]] = math.log10(1.0 + total[infectious]) * scale[2]
            if at[5] >= 0:
                tier[at[5]] = total[size + 4] / max(1.0, scale[3])
                tier[at[5] + 1] = math.log10(1.0 + total[size + 4]) / math.log10(1.0 + max(1.0, scale[3]))
        row[groups * width :] = rest
        row[groups * width], row[groups * width + 1] = time[r], spent[r]
        for d in range(len(row)):
            found[r, d] = min(max(row[d], low[d]), high[d])
    return found
