"""One dictionary of named records with helpful errors; every registry of the project is one of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from twinloom.errors import UnknownNameError
from twinloom.plugins import Plugin, loaded

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to values, in order of registration; those of plug-ins follow, and are imported on use.

    Args:
        kind: what the values are, in the singular; used in error texts.
        list_command: the command that lists all names.
        plugins: finds the plug-ins that add values, see `twinloom.plugins.found`.
    """

    def __init__(self, kind: str, list_command: str, plugins: Callable[[], Mapping[str, Plugin]] = lambda: {}) -> None:
        self.kind = kind
        self.list_command = list_command
        self._items: dict[str, T] = {}
        self._plugins = plugins

    def register(self, name: str, value: T) -> T:
        """Add one record. Raises ValueError when the name is taken, since a silent overwrite hides a bug."""
        if name in self._items:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._items[name] = value
        return value

    def __getitem__(self, name: str) -> T:
        """Return the record called ``name``.

        Raises:
            UnknownNameError: there is none; the nearest name is suggested.
            PluginError: its plug-in cannot be used.
        """
        if name in self._items:
            return self._items[name]
        if name not in (added := self._plugins()):
            raise UnknownNameError(self.kind, name, self, self.list_command)
        return added[name].load()

    def __contains__(self, name: str) -> bool:
        return name in self._items or name in self._plugins()

    def __iter__(self) -> Iterator[str]:
        return iter({**self._items, **self._plugins()})

    def __len__(self) -> int:
        return len({**self._items, **self._plugins()})

    def items(self) -> dict[str, T]:
        """Everything that can be used, by name; of a plug-in that cannot, a line warns."""
        added = {name: plugin for name, plugin in self._plugins().items() if name not in self._items}
        return {**self._items, **loaded(added)}

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self)

    def own_names(self) -> list[str]:
        """Names of the project's own, sorted: for draws, which a plug-in must not change."""
        return sorted(self._items)
