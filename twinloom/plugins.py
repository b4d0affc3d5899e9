"""What others add: found through entry points and in folders of --plugins, named at once, imported on use.

The groups are those of `GROUPS`: an entry point ``name = "module:attribute"`` of ``twinloom.families`` adds a family,
and so on; docs/extend.md shows one of each. A folder of ``--plugins DIR`` or of the variable TWINLOOM_PLUGINS (several
with ":" between them) is a project that need not be installed: its pyproject.toml holds the same entry points.
"""

from __future__ import annotations

import importlib
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from twinloom.errors import TwinloomError

GROUPS = ("families", "tasks", "robots", "objects", "policies", "formats")
PREFIX = "twinloom."  # group "families" is the entry point group "twinloom.families"
VARIABLE, OPTION = "TWINLOOM_PLUGINS", "--plugins"


class PluginError(TwinloomError):
    """A plug-in that cannot be used."""


def load(reference: str) -> Any:
    """The object of "module:attribute", or the module of "module"."""
    module, _, attribute = reference.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def load_of(owner: str, reference: str) -> Any:
    """Likewise, of a record that others may have written.

    Raises:
        PluginError: it cannot be imported, in one line that names the owner.
    """
    try:
        return load(reference)
    except (Exception, SystemExit) as error:  # whatever foreign code does while it is imported
        text = " ".join(f"{type(error).__name__}: {error}".split())
        raise PluginError(f"{owner} cannot be used: {text}") from error


@dataclass(frozen=True)
class Plugin:
    """One entry point.

    Attributes:
        group: one of GROUPS; name: what it adds.
        reference: "module:attribute".
        origin: the distribution, or the folder, that it comes from.
    """

    group: str
    name: str
    reference: str
    origin: str

    def load(self) -> Any:
        """Import it.

        Raises:
            PluginError: that fails, in one line that names it.
        """
        return load_of(f'plug-in "{self.name}" ({PREFIX}{self.group}) of {self.origin}', self.reference)


def found(group: str) -> dict[str, Plugin]:
    """Plug-ins of a group by name, sorted; nothing is imported. Of two with one name the first on the path counts."""
    return _found(os.environ.get(VARIABLE, ""), tuple(sys.path)).get(group, {})


def usable(group: str) -> dict[str, Any]:
    """The objects of a group's plug-ins by name; those that cannot be imported are warned of and left out."""
    return loaded(found(group))


def loaded(plugins: Mapping[str, Plugin]) -> dict[str, Any]:
    """Import plug-ins; those that cannot be are warned of and left out."""
    objects = {}
    for name, plugin in plugins.items():
        try:
            objects[name] = plugin.load()
        except PluginError as error:
            warn(str(error))
    return objects


@cache
def warn(text: str) -> None:
    """One line on stderr, once in a process."""
    print(f"warning: {text}", file=sys.stderr)


def add_folders(folders: list[str]) -> None:
    """Use the plug-ins of these folders in this process and in those that it starts.

    Raises:
        PluginError: a folder that holds none.
    """
    for folder in folders:
        if not (Path(folder) / "pyproject.toml").is_file():
            raise PluginError(
                f"{OPTION} {folder}: a folder with plug-ins has a pyproject.toml that names them (docs/extend.md)"
            )
    there = os.environ.get(VARIABLE, "").split(os.pathsep)
    os.environ[VARIABLE] = os.pathsep.join(filter(None, [*there, *(os.path.abspath(folder) for folder in folders)]))
    _use_folders(os.environ[VARIABLE])


def take_option(words: list[str]) -> list[str]:
    """Use the folders of every ``--plugins DIR`` among the words of a command line; returns the other words.

    Raises:
        PluginError: no folder behind the option, or one without plug-ins.
    """
    rest, folders, given = [], [], iter(words)
    for word in given:
        name, equals, folder = word.partition("=")
        if name != OPTION:
            rest.append(word)
        elif folder := folder if equals else next(given, ""):
            folders.append(folder)
        else:
            raise PluginError(f"{OPTION} needs a folder (docs/extend.md)")
    if folders:
        add_folders(folders)
    return rest


@cache
def _found(folders: str, path: tuple[str, ...]) -> dict[str, dict[str, Plugin]]:
    plugins = _use_folders(folders)
    for distribution in distributions():  # by name they would be gone through once for every group
        if PREFIX in (distribution.read_text("entry_points.txt") or ""):
            origin = f"{distribution.name} {distribution.version}"
            plugins += [
                Plugin(entry.group.removeprefix(PREFIX), entry.name, entry.value, origin)
                for entry in distribution.entry_points
                if entry.group.startswith(PREFIX)
            ]
    groups: dict[str, dict[str, Plugin]] = {}
    for plugin in sorted(plugins, key=lambda one: one.name):
        first = groups.setdefault(plugin.group, {}).setdefault(plugin.name, plugin)
        if first.reference != plugin.reference:
            warn(f'plug-in "{plugin.name}" of {plugin.origin} is left out: {first.origin} brings one of that name')
    return groups


@cache
def _use_folders(folders: str) -> list[Plugin]:
    """Entry points in the pyproject.toml of folders, whose modules become importable."""
    plugins = []
    for folder in map(Path, filter(None, folders.split(os.pathsep))):
        source = folder / "src" if (folder / "src").is_dir() else folder
        if str(source) not in sys.path:
            sys.path.append(str(source))
        try:
            project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
            for group, entries in project.get("entry-points", {}).items():
                if group.startswith(PREFIX):
                    plugins += [
                        Plugin(group.removeprefix(PREFIX), name, str(value), str(folder))
                        for name, value in entries.items()
                    ]
        except (OSError, ValueError, AttributeError) as error:
            warn(f"the plug-ins of {folder} are left out: {' '.join(str(error).split())}")
    return plugins
