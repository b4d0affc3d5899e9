"""The families of simulated worlds: all that other rooms ask of one is in its record, and they know none by name.

A family is a folder ``sim/<name>`` whose ``family.py`` holds ``FAMILY``, or a plug-in (docs/extend.md). A record loads
nothing: what is heavy is a reference "module:attribute" that is resolved when it is used.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from twinloom import plugins
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.select import select, select_one

DEFAULT = "bimanual"  # a number of tasks, "all", and plug-ins that name no family are of this one
Names = Mapping[str, str] | str | Callable[[], Mapping[str, str]]
What = Literal["tasks", "robots", "cameras", "axes", "environments"]


@dataclass(frozen=True)
class Family:
    """One family. Strings with a colon are references; ``Names`` are {name: one line}, or make it without arguments.

    Attributes:
        name: the first half of ``family/task``.
        summary: one line.
        tasks: the project's own first, those of plug-ins behind them, so that a number of tasks always means the same.
        environment: function(task) -> arguments of ``gymnasium.register``: an entry point, a vector entry point (a
            simulator of many worlds at once may have only that) or both, kwargs, and what else is known.
        environments: second halves of Gymnasium ids, where those are not the tasks: name to one line.
        robots: the default first; cameras; axes: of randomisation. Families without leave them out.
        cameras_used: what is recorded if no camera is named.
        presets: name to axes, for ``datagen --config``; the first is the default.
        view: function(task, ...) -> exit code, whose arguments are the options of ``sim view``.
        source: class of `sim.source.Source`: the experts, for ``sim rollout`` and ``datagen``.
        expert: function("family/task", ...) -> policy, for "expert:family/task".
        train: function("family/task", ...) -> exit code, whose arguments are the options of ``policies train``.
        evaluate: likewise of ``policies eval``; its first argument is a tuple of policies.
        watch: likewise of ``policies view``; its first argument is a policy.
        baselines: policies known by name alone; files: endings of files that are policies of other programs.
        experiments: what ``policies experiment`` repeats; experiment: function(name, *words) -> exit code.
        plant: class of a `sim.plant.Plant`, the robot behind "sim:family/task".
        contracts: folder of robot files (docs/real/robots.md) that are not in launch/robots.
    """

    name: str
    summary: str
    tasks: Names
    environment: str | None = None
    environments: Names | None = None
    robots: Names = field(default_factory=dict)
    cameras: Names = field(default_factory=dict)
    axes: Names = field(default_factory=dict)
    cameras_used: tuple[str, ...] = ()
    presets: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"clean": ()})
    view: str | None = None
    source: str | None = None
    expert: str | None = None
    train: str | None = None
    evaluate: str = "policies.environment:evaluate"
    watch: str | None = None
    baselines: Names = field(default_factory=dict)
    files: tuple[str, ...] = ()
    experiments: Names = field(default_factory=dict)
    experiment: str | None = None
    plant: str | None = None
    contracts: Path | None = None

    def names(self, what: str) -> Mapping[str, str]:
        """Tasks, robots, cameras, axes, environments, baselines or experiments: name to one line."""
        if what == "environments" and self.environments is None:
            what = "tasks"
        found = self.get(what) if isinstance(getattr(self, what), str) else getattr(self, what)
        return found if isinstance(found, Mapping) else found()

    def get(self, what: str) -> Any:
        """The object behind a reference: "view", "source", "expert", "train", "evaluate", "watch", ...

        Raises:
            TwinloomError: this family has none, or it cannot be imported.
        """
        if (reference := getattr(self, what)) is None:
            having = ", ".join(name for name, one in families().items() if getattr(one, what))
            raise TwinloomError(f"{LACKS[what]} in {self.name}; families with: {having or 'none'}")
        return plugins.load_of(f"family {self.name} ({what}: {reference})", reference)

    def pick(self, what: What, word: str | None = None) -> str:
        """One robot, say: the first, "" if there is none, where no word is given. Raises UnknownNameError."""
        known = self.names(what)
        if word is None:
            return next(iter(known), "")
        return select_one(SINGULAR[what], word, list(known), f"sim list {what}")

    def select(self, what: What, words: str | Iterable[str], optional: bool = False) -> list[str]:
        """Several, as `twinloom.select.select` reads words."""
        return select(SINGULAR[what], words, list(self.names(what)), f"sim list {what}", optional=optional)


SINGULAR = {"tasks": "task", "robots": "robot", "cameras": "camera", "axes": "axis", "environments": "environment"}
LACKS = {
    "environment": "there are no environments",
    "view": "there is no viewer",
    "source": "there are no experts to record",
    "expert": "there are no experts",
    "train": "there is no trainer",
    "watch": "there is no view of policies",
    "experiment": "there are no experiments",
    "plant": "there is no robot to command",
}


def families() -> dict[str, Family]:
    """All families by name, the default first, plug-ins last; a plug-in that cannot be used is left out."""
    found = dict(_own())
    for name, family in plugins.usable("families").items():
        if not isinstance(family, Family):
            plugins.warn(f'plug-in "{name}" (twinloom.families) is left out: it is no sim.families.Family')
        elif name in found or family.name != name:
            taken = "that name is taken" if name in found else f"its record is called {family.name}"
            plugins.warn(f'plug-in "{name}" (twinloom.families) is left out: {taken}')
        else:
            found[name] = family
    return found


@cache
def _own() -> dict[str, Family]:
    """The folders of this one that hold a family.py."""
    import sim

    names = [m.name for m in pkgutil.iter_modules(sim.__path__) if m.ispkg]
    there = sorted(name for name in names if (Path(sim.__path__[0]) / name / "family.py").is_file())
    return {name: plugins.load(f"sim.{name}.family:FAMILY") for name in sorted(there, key=lambda n: (n != DEFAULT, n))}


def family(name: str) -> Family:
    """One family. Raises UnknownNameError with the nearest name."""
    known = families()
    if name not in known:
        raise UnknownNameError("family", name, known, "sim list families")
    return known[name]


def all_tasks() -> list[str]:
    """Every task as ``family/task``."""
    return [f"{one.name}/{task}" for one in families().values() for task in one.names("tasks")]


def find(word: str) -> tuple[Family, str]:
    """Family and bare name of a task, from ``family/task`` or a name that only one family has; "-v0" may follow.

    Raises:
        UnknownNameError: no such family or task.
        TwinloomError: several families have a task of that name.
    """
    name, slash, task = word.removesuffix("-v0").rpartition("/")
    if slash:
        return (one := family(name)), one.pick("tasks", task)
    having = [one for one in families().values() if task in one.names("tasks")]
    if len(having) > 1:
        raise TwinloomError(
            f'"{task}" is a task of several families; say {" or ".join(f"{f.name}/{task}" for f in having)}'
        )
    if not having:
        bare = {name.partition("/")[2] for name in all_tasks()}
        raise UnknownNameError("task", word, bare, "sim list tasks")
    return having[0], task


def select_tasks(words: str | Iterable[str], default: str = DEFAULT) -> tuple[Family, list[str]]:
    """Family and bare names of tasks of one family: names, "all" and numbers, bare or behind ``family/``.

    Args:
        default: family of numbers and of "all".

    Raises:
        UnknownNameError: no such family or task.
        TwinloomError: nothing, too many, or tasks of several families.
    """
    given = (words if isinstance(words, str) else " ".join(words)).replace(",", " ").split()
    chosen: dict[str, list[str]] = {}
    for word in given:
        name, slash, task = word.rpartition("/")
        if not slash and word != "all" and not word.isdecimal():
            name, task = (found := find(word))[0].name, found[1]
        chosen.setdefault(name or default, []).append(task)
    if len(chosen) > 1:
        raise TwinloomError(f"tasks of {' and '.join(chosen)} do not go together; give those of one family")
    name, tasks = next(iter(chosen.items()), (default, []))
    return (one := family(name)), one.select("tasks", tasks)


def plugin_tasks(name: str) -> dict[str, plugins.Plugin]:
    """Plug-ins of ``twinloom.tasks`` for one family, by bare name; those named without a family are of the default."""
    split = {key.rpartition("/")[::2]: plugin for key, plugin in plugins.found("tasks").items()}
    return {task: plugin for (owner, task), plugin in split.items() if (owner or DEFAULT) == name}


def with_plugins(name: str, own: Mapping[str, str]) -> dict[str, str]:
    """A family's own tasks, and behind them those of plug-ins with their ``summary`` or first line."""
    added = plugins.loaded({task: one for task, one in plugin_tasks(name).items() if task not in own})
    return {**own, **{task: getattr(one, "summary", None) or _first_line(one) for task, one in added.items()}}


def _first_line(task: Any) -> str:
    text = task.__doc__ or getattr(sys.modules.get(getattr(task, "__module__", "")), "__doc__", "") or ""
    return text.strip().partition("\n")[0]
