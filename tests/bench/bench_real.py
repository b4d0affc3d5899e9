"""The safety filter beside the rate that is asked of it, and beside clipping alone."""

from __future__ import annotations

import time

import numpy as np

from tests.bench.harness import Samples, benchmark, durations

TICKS = 4000
BOUND_HZ = 20_000  # for 14 joints on one core, as the project promises
ROBOT = "aloha-agilex"  # 14 joints


def commands(contract) -> np.ndarray:
    """(TICKS, J) a smooth motion inside the limits, a new target for each tick."""
    phase = np.linspace(0.0, 40.0, TICKS)[:, None] + np.arange(len(contract.names))
    lower, upper = contract.soft_limits
    swing = np.minimum(0.1, 0.45 * np.minimum(contract.home - lower, upper - contract.home))
    return contract.home + swing * (np.sin(phase) - np.sin(phase[0]))


def filtering(guards: bool):
    """A function that passes TICKS commands and ticks through a filter; nothing may be refused or braked."""
    from real.contract import load_contract
    from real.safety.filter import SafetyFilter
    from real.safety.modes import Mode

    contract = load_contract(ROBOT)
    targets = commands(contract)

    def run() -> None:
        safety = SafetyFilter(contract, guards=None if guards else ())
        now, q = 0.0, contract.home
        safety.step(now, q)
        safety.arm(now)
        for target in targets:
            safety.command(target, now, source="bench")
            now += 0.005
            q = safety.step(now, q).q
        if safety.mode is not Mode.ACTIVE or safety.counters:
            raise RuntimeError(f"the motion of the benchmark did not pass: {safety.mode}, {safety.counters}")

    return contract, targets, run


def clock(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@benchmark("ros/filter", unit="commands/cpu-s", peer=f"{BOUND_HZ:,} Hz, the rate asked for (14 joints, one core)")
def filter_rate() -> Samples:
    """Command and tick, with the workspace guard, as on a robot that is commanded in every tick."""
    _, _, run = filtering(guards=True)
    run()
    return Samples([TICKS / clock(run) for _ in range(7)], [float(BOUND_HZ)] * 7)


@benchmark(
    "ros/filter_vs_np_clip", unit="us of a core", peer="np.clip to the position limits, nothing else", better="lower"
)
def filter_cost() -> Samples:
    """What all the checks and the limiter cost beside the least that anyone does."""
    contract, targets, run = filtering(guards=False)
    lower, upper = contract.soft_limits

    def clip() -> None:
        for target in targets:
            np.clip(target, lower, upper)

    seconds = durations(run, clip, repetitions=7)
    return Samples([1e6 * s / TICKS for s in seconds.ours], [1e6 * s / TICKS for s in seconds.peer])
