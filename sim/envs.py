"""Gymnasium ids of all families; importing this module registers them (``import sim.envs``)."""

from __future__ import annotations

import gymnasium

from sim.families import families
from twinloom import plugins


def register() -> None:
    """Register ``<family>/<task>-v0`` for every task of every family. Twice is harmless."""
    for family in families().values():
        try:
            describe, tasks = family.get("environment"), family.names("tasks")
        except plugins.PluginError as error:
            plugins.warn(str(error))
            continue
        for task in tasks:
            if (identifier := f"{family.name}/{task}-v0") not in gymnasium.registry:
                gymnasium.register(identifier, **describe(task))


register()
