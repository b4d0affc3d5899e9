"""What an environment adds to its simulator."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.bench.harness import Samples, benchmark, rates

REPLICAS, DECISIONS = 16, 150


class Recorder:
    """Passes everything on to a simulator and keeps the calls."""

    def __init__(self, sim: Any) -> None:
        self.sim, self.calls = sim, []

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.sim, name)
        if not callable(value):
            self.calls.append((name, None))
            return value

        def call(*arguments: Any, **named: Any) -> Any:
            self.calls.append((name, (tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments), named)))
            return value(*arguments, **named)

        return call


@benchmark("cascade/env_overhead", unit="decisions/cpu-s", peer="the same simulator calls alone", needs=("numba",))
def overhead() -> Samples:
    """Vector environment of 16 replicas on 1,000 nodes, with observations, rewards and infos."""
    from sim.cascade.env.vector import CascadeVecEnv

    env = CascadeVecEnv("adopt_profit", REPLICAS, horizon=10 * DECISIONS)
    actions = np.random.default_rng(0).random((DECISIONS, REPLICAS, 9)) * 0.5

    def episode() -> None:
        env.reset(seed=0)
        for action in actions:
            env.step(action)

    arena = env.episodes.arena()
    sim, arena.sim = arena.sim, Recorder(arena.sim)
    episode()
    calls, arena.sim = arena.sim.calls, sim

    def simulator() -> None:
        for name, given in calls:
            value = getattr(sim, name)
            if given is not None:
                value(*given[0], **given[1])

    return rates(episode, simulator, work=REPLICAS * DECISIONS, repetitions=9)
