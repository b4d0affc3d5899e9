"""The observation of a decision, compiled: with few replicas and tiers, NumPy would cost more than the simulator."""

from __future__ import annotations

import math

import numpy as np

from sim.cascade.compile import kernel


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
    """Observations; see `sim.cascade.observe.tiers.Observer` for what they mean.

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
