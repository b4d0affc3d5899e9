"""What a task is, and the registry of all tasks: one file each in ``sim/bimanual/tasks``."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene
from twinloom.errors import TwinloomError, UnknownNameError

if TYPE_CHECKING:
    from sim.bimanual.skills import Skills
    from sim.bimanual.world import World

LIMIT_HZ = 250 / 15  # RoboTwin counts its step limits in frames of 15 physics steps at 250 Hz
DWELL_S = 0.2  # the success condition must hold this long


class Task(ABC):
    """One manipulation task. A fresh object is made for every episode.

    Class attributes:
        limit: step limit as published by RoboTwin, in its frames of 0.06 s.
        table_offset: (x, y) shift of the table, metres.
        carry_speed: m/s that objects in a hand do not exceed; a task whose point is quick motion says more.
        differs: where ranges or tolerances are not RoboTwin's, and why; a column of docs/bimanual/tasks.md.
        instructions: sentence patterns; see sim.bimanual.language for the notation.
    """

    limit: ClassVar[int]
    table_offset: ClassVar[tuple[float, float]] = (0.0, 0.0)
    carry_speed: ClassVar[float] = 0.8
    differs: ClassVar[str] = ""
    instructions: ClassVar[tuple[str, ...]]

    @abstractmethod
    def load_actors(self, scene: Scene) -> None:
        """Draw and place the task's objects, and decide everything the check needs (arms, targets)."""

    @abstractmethod
    def expert(self, robot: Skills) -> None:
        """Do the task. Raises PlanningError when there is no feasible way, or a grasp is measured to have failed."""

    @abstractmethod
    def check_success(self, world: World) -> bool:
        """Whether the goal holds now, from measured state only. Has no side effects."""

    def observe(self, world: World) -> None:  # noqa: B027 (most tasks need no memory)
        """Called after every control step, before the check; tasks about a motion or an event remember it here."""

    @abstractmethod
    def slots(self) -> dict[str, Actor | str]:
        """What the placeholders of the instructions stand for: objects in upper case, arms in lower case."""

    @classmethod
    def limit_steps(cls, fps: int) -> int:
        """Step limit at ``fps`` control steps per second."""
        return round(cls.limit * fps / LIMIT_HZ)


@cache
def task_names() -> tuple[str, ...]:
    """The project's own tasks, sorted; reading them imports no task."""
    import sim.bimanual.tasks as package

    return tuple(sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")))


def task_class(name: str) -> type[Task]:
    """The class of a task: ``sim/bimanual/tasks/hang_mug.py`` holds ``HangMug``. Others come from plug-ins.

    Raises:
        UnknownNameError: no such task.
        TwinloomError: its file has no class of the expected name, or its plug-in cannot be used.
    """
    if name not in task_names():
        from sim.families import plugin_tasks

        if (plugin := plugin_tasks("bimanual").get(name)) is None:
            raise UnknownNameError("task", name, task_names(), "sim list tasks")
        if not (isinstance(found := plugin.load(), type) and issubclass(found, Task)):
            raise TwinloomError(f"{plugin.reference} of {plugin.origin} is no subclass of sim.bimanual.task.Task")
        return found
    module = importlib.import_module(f"sim.bimanual.tasks.{name}")
    wanted = "".join(word.capitalize() for word in name.split("_"))
    if not hasattr(module, wanted):
        raise TwinloomError(f"{module.__file__} has no class {wanted}; the class is called as the file, in CamelCase")
    return getattr(module, wanted)
