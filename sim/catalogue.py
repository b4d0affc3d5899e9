"""What exists, as names and one line each; loads no simulator."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal


def tasks() -> Sequence[str]:
    """Names of the dual-arm tasks, sorted."""
    from sim.bimanual.task import task_names

    return task_names()


def robots() -> Sequence[str]:
    """Names of the dual-arm robots, the default first."""
    from assets.robots import robots as names

    return names()


def cameras() -> Sequence[str]:
    """Names of the cameras of a scene: fixed ones, then those on the wrists."""
    from sim.bimanual.spec import DEFAULT_CAMERAS, WRIST_CAMERAS

    return (*DEFAULT_CAMERAS, *WRIST_CAMERAS)


def axes() -> Sequence[str]:
    """Names of the randomisation axes."""
    from sim.bimanual.randomize import AXES

    return tuple(AXES)


def lines(what: Literal["tasks", "robots", "cameras", "axes"]) -> list[str]:
    """Aligned lines "name  what it is" of one list; cameras have no second column."""
    if what == "tasks":
        return aligned({name: task_summary(name) for name in tasks()})
    if what == "robots":
        from assets.robots import load_robot

        return aligned({name: load_robot(name).description for name in robots()})
    if what == "axes":
        from sim.bimanual.randomize import AXES

        return aligned(dict(AXES))
    return list(cameras())


@cache
def task_summary(name: str) -> str:
    """First line of the docstring of a task's file, read without importing it."""
    import sim.bimanual.tasks as package

    source = Path(package.__path__[0], f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def aligned(entries: dict[str, str]) -> list[str]:
    """Lines with the descriptions in one column."""
    width = max(map(len, entries), default=0)
    return [f"{name:<{width}}  {text}".rstrip() for name, text in entries.items()]
