"""What exists, as names and one line each; loads no simulator."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

CAMERAS = {
    "head": "above the robot's edge of the table, looking down",
    "front": "low at the robot's edge, looking level over the table",
    "third": "opposite the robot: both arms and the whole table (sim view)",
    "left_wrist": "on the left hand, the fingertips in view",
    "right_wrist": "on the right hand, the fingertips in view",
}


@dataclass(frozen=True)
class TaskEntry:
    """What the file of a task says about itself.

    Attributes:
        summary: first line of its docstring.
        randomised, success: what the docstring says after "Randomised:" and "Success:"; "" if it does not.
    """

    summary: str
    randomised: str
    success: str


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
    return tuple(CAMERAS)


def axes() -> Sequence[str]:
    """Names of the randomisation axes."""
    from sim.bimanual.randomize import AXES

    return tuple(AXES)


def problems() -> Sequence[str]:
    """Names of the control problems on cascades, as `sim view` and gymnasium.make take them."""
    from sim.cascade.problems import PROBLEMS

    return tuple(f"cascade/{name}" for name in PROBLEMS)


def lines(what: Literal["tasks", "robots", "cameras", "axes", "problems"]) -> list[str]:
    """Aligned lines "name  what it is" of one list."""
    if what == "tasks":
        return aligned({name: task_entry(name).summary for name in tasks()})
    if what == "robots":
        from assets.robots import load_robot

        return aligned({name: load_robot(name).description for name in robots()})
    if what == "axes":
        from sim.bimanual.randomize import AXES

        return aligned(dict(AXES))
    if what == "problems":
        from sim.cascade.problems import PROBLEMS

        return aligned({f"cascade/{name}": PROBLEMS[name].summary for name in PROBLEMS})
    return aligned(CAMERAS)


def aligned(entries: dict[str, str]) -> list[str]:
    """Lines with the descriptions in one column."""
    width = max(map(len, entries), default=0)
    return [f"{name:<{width}}  {text}".rstrip() for name, text in entries.items()]


@cache
def task_entry(name: str) -> TaskEntry:
    """Read the file of one task without importing it. Raises FileNotFoundError for an unknown name."""
    import sim.bimanual.tasks as package

    module = ast.parse(Path(package.__path__[0], f"{name}.py").read_text(encoding="utf-8"))
    docstring = ast.get_docstring(module) or ""
    parts = re.split(r" (Randomised|Success): ", " ".join(docstring.split()))
    said = dict(zip(parts[1::2], parts[2::2], strict=True))
    return TaskEntry(docstring.partition("\n")[0], said.get("Randomised", ""), said.get("Success", ""))
