"""The loops of a decision, compiled: with few replicas and tiers, NumPy would cost more than the simulator does."""

from __future__ import annotations

import math

import numpy as np

from sim.cascade.compile import kernel

EXTINCT = 1e-3  # nodes; the mean-field world counts in fractions and never reaches 0
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
def seeds(level, counts, most, used, limit, money, price):
    """Susceptible nodes to seed, hubs first: int64 [R, K].

    Args:
        level: float64 [R, 1] or [R, K] action.
        counts: float64 [R, K, M] now.
        most: float64 [K] seeds of each tier at full strength.
        used: float64 [R] seeds so far, of at most ``limit``.
        money: float64 [R] that is left for them; price: float64 [K] of each.
    """
    found = np.zeros((len(counts), len(most)), np.int64)
    for r in range(len(counts)):
        rest, purse = max(0.0, limit - used[r]), max(0.0, money[r])
        for k in range(len(most)):
            u = level[r, k if level.shape[1] > 1 else 0]
            wanted = np.floor(min(most[k], counts[r, k, 0]) * u + 0.5)
            found[r, k] = min(wanted, rest, np.floor(purse / price[k] + 1e-9))
            rest -= found[r, k]
            purse -= found[r, k] * price[k]
    return found


@kernel
def seeded(level, counts, most, placed):
    """The entries [R, 1] or [R, K] that ask for no more seeds than were placed: 0 where none were.

    Args:
        level, counts, most: as for `seeds`.
        placed: int64 or float64 [R, K] seeds.
    """
    found = level.copy()
    entries, tiers = level.shape[1], len(most)
    for r in range(len(level)):
        for a in range(entries):
            possible = wanted = done = 0.0
            for k in range(tiers):
                if entries == 1 or a == k:
                    here = min(most[k], counts[r, k, 0])
                    possible += here
                    wanted += np.floor(here * level[r, a] + 0.5)
                    done += placed[r, k]
            if done == 0.0:
                found[r, a] = 0.0
            elif done < wanted:
                found[r, a] = done / possible
    return found


@kernel
def window(before, after, counts, seeded, hubs, entry, infectious, carriers, sources, targets):
    """What happened since the last decision, from the flows at both of them, and how many nodes are where.

    Args:
        before, after: float64 [R, K, M, M] flows since the start of the episode.
        counts: float64 [R, K, M] now.
        seeded: int64 or float64 [R, K] nodes moved into ``entry`` at the last decision.
        hubs: float64 [R] hubs infectious at the start.
        entry, infectious: compartments; carriers: bool [M] those whose nodes keep the cascade going.
        sources, targets: int64 [S] of the nodal steps.

    Returns:
        float64 [R, K] contact steps, [R, K] nodal steps, and [6, R]: nodes that became infectious by themselves, nodes
        infectious now, carriers, susceptible nodes, hubs infectious / hubs that ever became so (NaN: none did), contact
        steps of all tiers.
    """
    replicas, tiers, size = counts.shape
    contacts, nodal = np.zeros((replicas, tiers)), np.zeros((replicas, tiers))
    facts = np.zeros((6, replicas))
    for r in range(replicas):
        ever = hubs[r]
        for k in range(tiers):
            contacts[r, k] = after[r, k, 0, entry] - before[r, k, 0, entry] - seeded[r, k]
            facts[5, r] += contacts[r, k]
            for s in range(len(sources)):
                nodal[r, k] += after[r, k, sources[s], targets[s]] - before[r, k, sources[s], targets[s]]
            for m in range(size):
                facts[0, r] += after[r, k, m, infectious] - before[r, k, m, infectious]
                if k == 0:
                    ever += after[r, k, m, infectious]
                if carriers[m]:
                    facts[2, r] += counts[r, k, m]
            if entry == infectious:
                facts[0, r] -= seeded[r, k]
            facts[1, r] += counts[r, k, infectious]
            facts[3, r] += counts[r, k, 0]
        facts[4, r] = counts[r, 0, infectious] / ever if ever > 0 else np.nan
    return contacts, nodal, facts


@kernel
def settle(
    rows, reward, paid, placed, facts, step, spend, profit, seeds, reached, calm, cap, horizon, most, limit, cheapest
):
    """Enter a decision into the ledger, in place, and say which episodes end.

    Args:
        rows: bool [R] replicas that took part; the others earn and pay nothing.
        reward, paid: float64 [R] money; placed: [R, K] seeds.
        facts: float64 [6, R] of `window`.
        step, spend, profit, seeds, reached, calm: [R] of the ledger.
        cap: infectious nodes that are not too many; horizon: decisions of an episode.
        most, limit, cheapest: seeds and money of an episode, and price of a seed; most is 0 where there are no seeds.

    Returns:
        bool [R] nothing can happen any more, bool [R] time is up though something could.
    """
    over, late = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
    for r in range(len(rows)):
        if rows[r]:
            step[r] += 1
            spend[r] += paid[r]
            profit[r] += reward[r]
            for k in range(placed.shape[1]):
                seeds[r] += placed[r, k]
            reached[r] += facts[5, r]
            calm[r] &= facts[1, r] <= cap
            seedable = seeds[r] < most and facts[3, r] >= 1 and limit - spend[r] >= cheapest
            over[r] = facts[2, r] < EXTINCT and not seedable
            late[r] = step[r] >= horizon and not over[r]
        else:
            reward[r] = 0.0
    return over, late


@kernel
def checked(actions):
    """Actions clipped into [0, 1], and whether all of them are finite numbers."""
    found, finite = np.empty(actions.shape), True
    for r in range(actions.shape[0]):
        for a in range(actions.shape[1]):
            finite &= math.isfinite(actions[r, a])
            found[r, a] = min(max(actions[r, a], 0.0), 1.0)
    return found, finite
