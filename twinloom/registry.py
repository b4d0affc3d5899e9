"""One dictionary of named records with helpful errors; every registry of the project is one of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from twinloom.errors import UnknownNameError

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to values, in order of registration.

    Args:
        kind: what the values are, in the singular; used in error texts.
        list_command: the command that lists all names.
    """

    def __init__(self, kind: str, list_command: str) -> None:
        self.kind = kind
        self.list_command = list_command
        self._items: dict[str, T] = {}

    def register(self, name: str, value: T) -> T:
        """Add one record. Raises ValueError when the name is taken, since a silent overwrite hides a bug."""
        if name in self._items:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._items[name] = value
        return value

    def __getitem__(self, name: str) -> T:
        """Return the record called ``name``. Raises UnknownNameError with the nearest name."""
        try:
            return self._items[name]
        except KeyError:
            raise UnknownNameError(self.kind, name, self._items, self.list_command) from None

    def __contains__(self, name: str) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._items)
