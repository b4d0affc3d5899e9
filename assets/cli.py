"""``assets``: list, look at, check and fetch robots, objects and textures. Parses, calls one function, prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from assets.command import run_command
from assets.errors import TwinloomError, UnknownNameError

app = tyro.extras.SubcommandApp()
WHAT = ("robots", "objects", "textures")
NAMES, FILE, FOLDER = (tyro.conf.arg(metavar=text) for text in ("[NAME ...]", "FILE", "FOLDER"))


@app.command(name="list")
def list_names(
    what: Annotated[Literal["robots", "objects", "textures", "all"], tyro.conf.Positional] = "all",
) -> int:
    """Print tables of the robots, the object categories and the kinds of texture.

    Args:
        what: which table.
    """
    from rich.console import Console

    wide = Console(width=None if Console().is_terminal else 200)  # a pipe has no width to fold to
    if what in ("robots", "all"):
        from assets.robots.table import list_robots

        wide.print(list_robots())
    if what in ("objects", "all"):
        from assets.objects.show import list_objects

        wide.print(list_objects())
    if what in ("textures", "all"):
        from assets.textures.procedural import KINDS, SPLIT_SIZES

        sizes = ", ".join(f"{count} {split}" for split, count in SPLIT_SIZES.items())
        print(f"textures: {', '.join(KINDS)}\nbackgrounds: {sizes}, or folder:/path/to/images")
    return 0


@app.command
def show(names: Annotated[tuple[str, ...], tyro.conf.Positional, NAMES], out: Annotated[Path, FILE]) -> int:
    """Draw robots, or objects, into one PNG file.

    Args:
        names: robots; or objects (bottle, bottle/3); or robots, objects for all of them.
        out: the PNG file to write.
    """
    from assets.robots.record import robots

    known = robots()
    wanted = [name for given in names for name in (known if given == "robots" else (given,))]
    ours = [name for name in wanted if name in known]
    if ours and len(ours) < len(wanted):
        others = ", ".join(name for name in wanted if name not in known)
        raise TwinloomError(f"robots and objects ({others}) do not go into one picture; draw them one after the other")
    if ours:
        from assets.robots.show import portraits

        count = portraits(ours, out)
    else:
        from assets.objects import library
        from assets.objects.show import contact_sheet

        for name in wanted:
            if name != "objects" and name.partition("/")[0] not in library.categories():
                raise UnknownNameError("robot or object", name, [*known, *library.categories()], "assets list")
        every = [name for given in wanted for name in (library.categories() if given == "objects" else (given,))]
        count = contact_sheet(every, out, per_category=1 if "objects" in wanted else None)
    print(f"{count} drawn in {out}")
    return 0


@app.command
def check(
    what: Annotated[tuple[Literal["robots", "objects", "textures"], ...], tyro.conf.Positional] = WHAT,
) -> int:
    """Examine what is installed: models compile and keep their contract. Exit code 1 if something is wrong.

    Args:
        what: kinds to examine.
    """
    from assets.check import findings

    wrong = 0
    for kind in what:
        good = 0
        for name, problem in findings(kind):
            if problem:
                wrong += 1
                print(f"{kind[:-1]} {name}: {problem}")
            else:
                good += 1
        print(f"{kind}: {good} in order")
    return 1 if wrong else 0


@app.command
def pull(
    names: Annotated[tuple[str, ...], tyro.conf.Positional, NAMES] = (),
    from_folder: Annotated[Path | None, FOLDER] = None,
) -> int:
    """Fetch the visual meshes of robots, once; everything works offline afterwards.

    Args:
        names: robots; all if none is named.
        from_folder: take the files from here instead: an unpacked wheel or a checkout of mujoco_menagerie.
    """
    from assets.pull import pull as fetch

    for pulled in fetch(names, from_folder):
        where = f": {pulled.triangles} triangles in {pulled.path}" if pulled.outcome == "pulled" else ""
        print(f"{pulled.robot}: {pulled.outcome}{where}")
    return 0


def main() -> None:
    """Entry point of the ``assets`` command."""
    run_command(
        lambda: app.cli(prog="assets", description="Robots, objects and textures: list, look at, check, fetch.")
    )


if __name__ == "__main__":
    main()
