"""A small network and a rule of thumb for each problem: something to watch where no policy has been trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from assets.networks.graph import Graph
from sim.cascade.env.single import CascadeEnv

NODES = 220
RUMOUR = 0.2  # share of nodes that have heard of the product, from which on it is talked about without a reward
ALARM = 0.01  # share of infectious nodes above which an epidemic is fought
BOLD = 0.8  # spend that carries a cascade across the threshold, and is earned back by it


def network(problem: str) -> Graph:
    """A graph that can be looked at: few nodes, some of them hubs. For ``escape`` 2,000 without hubs, since its ten
    first nodes are so large a share of fewer ones that spending nothing pays as well as spending boldly."""
    from assets.networks.generate import barabasi_albert, erdos_renyi

    rng = np.random.default_rng(0)
    return erdos_renyi(2000, 40, rng) if problem == "escape" else barabasi_albert(NODES, 3, rng)


def environment(task: str, **options: Any) -> CascadeEnv:
    """The environment of a problem on a small graph; ``escape`` in short steps, so that there is something to see.

    Args:
        task: name of a problem, as for `CascadeEnv`.
        options: of `CascadeEnv`, and win over ours.
    """
    problem = task.removeprefix("cascade/").removesuffix("-v0")
    ours: dict[str, Any] = {"delta": 0.25, "horizon": 120} if problem == "escape" else {}
    if "graph" not in options:
        ours["graph"] = network(problem)
    return CascadeEnv(task, **(ours | options))


def rule(env: CascadeEnv, observation: Any) -> np.ndarray:
    """Action [A] of a rule of thumb.

    Selling: seed hubs, reward everybody's referrals until a fifth of all nodes have heard of it, then let it run by
    itself. An epidemic: while more than one node in a hundred is infectious, shield and vaccinate the hubs, isolate and
    treat everybody. A cascade below threshold: spend boldly, at once.
    """
    arena = env.episodes.arena()
    counts = np.asarray(arena.sim.counts[0])
    share = counts.sum(axis=0) / counts.sum()
    selling = BOLD if env.problem.commit else float(share[arena.model.susceptible] > 1 - RUMOUR)
    fight = float(share[arena.model.infectious] > ALARM)
    everybody = {"boost": selling, "isolate": fight, "treat": fight}
    hubs = {"seed": 1.0, "shield": fight, "vaccinate": fight}
    action = env.rest.copy()
    for entry, name in enumerate(env.action_names):
        channel, _, tier = name.partition("/tier")
        if channel in everybody:
            action[entry] = everybody[channel]
        elif channel in hubs and tier in ("", "0"):
            action[entry] = hubs[channel]
    return action
