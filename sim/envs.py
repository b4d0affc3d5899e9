"""Gymnasium ids of all families; importing this module registers them (``import sim.envs``)."""

from __future__ import annotations

from typing import Any

import gymnasium

from sim.families import families, find
from sim.families import family as family_of
from twinloom import plugins
from twinloom.select import select_one


def register() -> None:
    """Register ``<family>/<task>-v0`` for every task (or other environment) of every family. Twice is harmless."""
    for family in families().values():
        if family.environment is None:
            continue
        try:
            describe, tasks = family.get("environment"), family.names("environments")
        except plugins.PluginError as error:
            plugins.warn(str(error))
            continue
        for task in tasks:
            if (name := f"{family.name}/{task}-v0") not in gymnasium.registry:
                gymnasium.register(name, **describe(task))


def identifier(task: str) -> str:
    """The id of a task, from ``family/task``, a name that one family alone has, or the id. Raises UnknownNameError.

    A family whose environments are not its tasks wants ``family/environment``.
    """
    first, slash, second = task.removesuffix("-v0").rpartition("/")
    if slash and (one := family_of(first)).environments is not None:
        return f"{first}/{select_one('environment', second, list(one.names('environments')), 'sim list robots')}-v0"
    family, name = find(task)
    return f"{family.name}/{name}-v0"


def make(task: str, **options: Any) -> gymnasium.Env:
    """The Gymnasium environment of a task: ``sim.make("bimanual/click_bell")``, or by its id.

    Args:
        options: arguments of the environment.

    Raises:
        TwinloomError: an unknown task, or an option that cannot be.
    """
    return gymnasium.make(identifier(task), **options)


register()
