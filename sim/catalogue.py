"""What exists, as names and one line each; loads no simulator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from sim.families import What, families, family


def lines(what: What | Literal["families"], of: str = "") -> list[str]:
    """Aligned lines "name  what it is" of one list; tasks are ``family/task``, as every command takes them.

    Args:
        of: one family only.

    Raises:
        UnknownNameError: no such family.
    """
    chosen = [family(of)] if of else list(families().values())
    if what == "families":
        return aligned((one.name, one.summary) for one in chosen)
    return aligned(
        (f"{one.name}/{name}" if what == "tasks" else name, text)
        for one in chosen
        for name, text in one.names(what).items()
    )


def aligned(entries: Mapping[str, str] | Iterable[tuple[str, str]]) -> list[str]:
    """Lines with the descriptions in one column."""
    pairs = list(entries.items() if isinstance(entries, Mapping) else entries)
    width = max((len(name) for name, _ in pairs), default=0)
    return [f"{name:<{width}}  {text}".rstrip() for name, text in pairs]
