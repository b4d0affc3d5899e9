"""``assets show``: which kind of image a list of names asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assets.objects import library
from assets.robots.humanoid.record import humanoids
from assets.robots.load import robots
from twinloom.errors import TwinloomError, UnknownNameError


def draw(names: Sequence[str], out: Path) -> int:
    """Draw robots, humanoids or objects into one PNG file; returns how many.

    Args:
        names: of one kind; "robots", "humanoids", "objects" stand for all of theirs; "bottle/3" is one variant.
        out: the file.

    Raises:
        UnknownNameError: no such name.
        TwinloomError: names of several kinds, which have no image in common.
    """
    kinds = {"robots": robots(), "humanoids": humanoids(), "objects": tuple(library.categories())}
    known = [name for every in kinds.values() for name in every]

    def kind_of(name: str) -> str:
        for kind, every in kinds.items():
            if name == kind or name.partition("/")[0] in every:
                return kind
        raise UnknownNameError("robot or object", name, known, "assets list")

    found = {name: kind_of(name) for name in names}
    if len(set(found.values())) > 1:
        mixed = ", ".join(f"{name} ({kind})" for name, kind in found.items())
        raise TwinloomError(f"{mixed} do not go into one image; draw them one after the other")
    kind = next(iter(found.values()))
    every = [one for name in names for one in (kinds[kind] if name == kind else (name,))]
    if kind == "robots":
        from assets.robots.show import portraits

        return portraits(every, out)
    if kind == "humanoids":
        from assets.robots.humanoid.show import portraits

        return portraits(every, out)
    from assets.objects.show import contact_sheet

    return contact_sheet(every, out, per_category=1 if "objects" in names else None)
