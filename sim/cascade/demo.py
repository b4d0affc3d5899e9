"""A small network and a rule of thumb for each problem: something to watch where no policy has been trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from assets.networks.graph import Graph
from sim.cascade.env import CascadeEnv

NODES = 220
KICKOFF = 3  # decisions in which hubs are seeded
ALARM = 0.02  # share of infectious nodes above which an epidemic is fought


def network(problem: str) -> Graph:
    """A graph that can be looked at: few nodes, some of them hubs; without hubs for ``escape``."""
    from assets.networks.generate import barabasi_albert, erdos_renyi

    rng = np.random.default_rng(0)
    return erdos_renyi(NODES, 5, rng) if problem == "escape" else barabasi_albert(NODES, 2, rng)


def environment(task: str, **options: Any) -> CascadeEnv:
    """The environment of a problem on a small graph; ``escape`` in short steps, so that there is something to see.

    Args:
        task: name of a problem, as for `CascadeEnv`.
        options: of `CascadeEnv`, and win over ours.
    """
    problem = task.removeprefix("cascade/").removesuffix("-v0")
    ours: dict[str, Any] = {"delta": 0.25, "horizon": 40} if problem == "escape" else {}
    if "graph" not in options:
        ours["graph"] = network(problem)
    return CascadeEnv(task, **(ours | options))


def rule(env: CascadeEnv, observation: Any) -> np.ndarray:
    """Action [A]: seed hubs first, reward their referrals while most are unaware, keep them from leaving; fight an
    epidemic at the hubs, and treat everybody, while more than a few are infectious."""
    arena, ledger = env.episodes.arena(), env.episodes.ledger
    counts = np.asarray(arena.sim.counts[0])
    share = counts.sum(axis=0) / counts.sum()
    fight, hubs = share[arena.model.infectious] > ALARM, ("", "0")
    wanted = {
        "seed": (ledger.step[0] < KICKOFF, ("0",)),
        "boost": (env.problem.commit or share[0] > 0.5, hubs),
        "retain": (True, hubs),
        "shield": (fight, hubs),
        "isolate": (fight, hubs),
        "treat": (fight, ("", "0", "1", "2")),
        "vaccinate": (fight, hubs),
    }
    action = env.rest.copy()
    for entry, name in enumerate(env.action_names):
        channel, _, tier = name.partition("/tier")
        on, tiers = wanted.get(channel, (False, ()))
        if on and tier in tiers:
            action[entry] = 1.0
    return action
