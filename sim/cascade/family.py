"""The family of spreading processes on networks; reading its lists loads no simulator."""

from __future__ import annotations

from typing import Any

from sim.families import Family


def tasks() -> dict[str, str]:
    """All control problems with one line each."""
    from sim.cascade.problems import PROBLEMS

    return {name: problem.summary for name, problem in PROBLEMS.items().items()}


def environment(task: str) -> dict[str, Any]:
    """Arguments of ``gymnasium.register``."""
    return {
        "entry_point": "sim.cascade.env.single:CascadeEnv",
        "vector_entry_point": "sim.cascade.env.vector:CascadeVecEnv",
        "kwargs": {"problem": task},
    }


FAMILY = Family(
    name="cascade",
    summary="epidemics and adoption on networks: control problems",
    tasks=tasks,
    environment="sim.cascade.family:environment",
    view="sim.cascade.commands:view",
    train="policies.cascade.commands:train",
    evaluate="policies.cascade.commands:evaluate",
    watch="policies.cascade.view:view",
    baselines="policies.cascade.config:BASELINES",
    experiments="policies.cascade.commands:EXPERIMENTS",
    experiment="policies.cascade.commands:experiment",
)
