"""Gymnasium ids of all families; importing this module registers them (``import sim.envs``)."""

from __future__ import annotations

from typing import Any

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


def make(identifier: str, **options: Any) -> gymnasium.Env:
    """``gymnasium.make`` with the ids of all families registered: ``sim.make("bimanual/click_bell-v0")``."""
    return gymnasium.make(identifier, **options)


register()
