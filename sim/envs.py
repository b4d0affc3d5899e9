"""Gymnasium ids of all simulators; importing this module registers them (``import sim.envs``)."""

from __future__ import annotations

import gymnasium

from sim.bimanual.task import task_names


def register() -> None:
    """Register ``bimanual/<task>-v0`` for every task. Doing it twice is harmless."""
    for name in task_names():
        identifier = f"bimanual/{name}-v0"
        if identifier not in gymnasium.registry:
            gymnasium.register(identifier, "sim.bimanual.env:BimanualEnv", kwargs={"task": name})


register()
