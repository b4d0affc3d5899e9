"""The family of dual-arm tasks; reading its lists loads no simulator."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sim.families import Family, with_plugins

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


@cache
def task_entry(name: str) -> TaskEntry:
    """Read the file of one task without importing it. Raises FileNotFoundError for an unknown name."""
    import sim.bimanual.tasks as package

    module = ast.parse(Path(package.__path__[0], f"{name}.py").read_text(encoding="utf-8"))
    docstring = ast.get_docstring(module) or ""
    parts = re.split(r" (Randomised|Success): ", " ".join(docstring.split()))
    said = dict(zip(parts[1::2], parts[2::2], strict=True))
    return TaskEntry(docstring.partition("\n")[0], said.get("Randomised", ""), said.get("Success", ""))


def tasks() -> dict[str, str]:
    """All tasks with one line each."""
    from sim.bimanual.task import task_names

    return with_plugins("bimanual", {name: task_entry(name).summary for name in task_names()})


def robots() -> dict[str, str]:
    """Dual-arm robots with one line each, the default first."""
    from assets.robots import load_robot
    from assets.robots import robots as names

    return {name: load_robot(name).description for name in names()}


def environment(task: str) -> dict[str, Any]:
    """Arguments of ``gymnasium.register``."""
    return {"entry_point": "sim.bimanual.env:BimanualEnv", "kwargs": {"task": task}}


FAMILY = Family(
    name="bimanual",
    summary="two arms at a table: 50 manipulation tasks with scripted experts",
    tasks=tasks,
    environment="sim.bimanual.family:environment",
    robots=robots,
    cameras=CAMERAS,
    axes="sim.bimanual.randomize:AXES",
    cameras_used=("head", "left_wrist", "right_wrist"),
    presets={
        "demo_clean": (),
        "demo_randomized": ("clutter", "lighting", "background", "table", "language"),
    },
    view="sim.bimanual.commands:view",
    source="sim.bimanual.source:Bimanual",
    expert="policies.bimanual.expert:ExpertPolicy",
    train="policies.imitation.commands:train",
    evaluate="policies.bimanual.commands:evaluate",
    plant="sim.bimanual.plant:BimanualPlant",
)
