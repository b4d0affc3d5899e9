"""Gymnasium ids of all simulators; importing this module registers them (``import sim.envs``)."""

from __future__ import annotations

import gymnasium

from sim.bimanual.task import task_names
from sim.cascade.problems import PROBLEMS


def register() -> None:
    """Register ``bimanual/<task>-v0`` for every task, ``cascade/<problem>-v0`` for every problem. Twice is harmless."""
    for name in task_names():
        _once(f"bimanual/{name}-v0", "sim.bimanual.env:BimanualEnv", {"task": name})
    for name in PROBLEMS:
        vector = "sim.cascade.vector:CascadeVecEnv"
        _once(f"cascade/{name}-v0", "sim.cascade.env:CascadeEnv", {"problem": name}, vector)


def _once(identifier: str, entry: str, kwargs: dict[str, str], vector: str | None = None) -> None:
    if identifier not in gymnasium.registry:
        gymnasium.register(identifier, entry, kwargs=kwargs, vector_entry_point=vector)


register()
