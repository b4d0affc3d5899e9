"""Public names of a room that load their module on first use, so that importing the room stays cheap."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def attach(room: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package that hands out ``names``.

    Args:
        room: ``__name__`` of the package.
        names: public name to "module:attribute".
    """

    def getattribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        module, _, attribute = names[name].partition(":")
        return getattr(importlib.import_module(module), attribute)

    return getattribute, lambda: sorted(names)
