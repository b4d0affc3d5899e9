"""``assets``: list, look at, check and fetch what simulations are made of. Parses, calls one function, prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from twinloom.command import run_command
from twinloom.errors import TwinloomError, UnknownNameError

app = tyro.extras.SubcommandApp()
FLAG = tyro.conf.FlagCreatePairsOff
WHAT = ("robots", "objects", "textures")
NAMES, FILE, FOLDER = (tyro.conf.arg(metavar=text) for text in ("[NAME ...]", "FILE", "FOLDER"))


@app.command(name="list")
def list_names(
    what: Annotated[Literal["robots", "objects", "textures", "networks", "all"], tyro.conf.Positional] = "all",
) -> int:
    """Print tables of the robots, the object categories, the kinds of texture and the known networks.

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
    if what in ("networks", "all"):
        from assets.networks.stats import list_networks

        wide.print(list_networks())
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
    """Fetch the visual meshes of arms and the models of humanoids, once; everything works offline afterwards.

    Args:
        names: robots, or humanoids for all of those; all arms if none is named.
        from_folder: take the files from here instead: an unpacked wheel or a checkout of mujoco_menagerie.
    """
    from assets.pull import pull as fetch

    for pulled in fetch(names, from_folder):
        where = f": {pulled.triangles} triangles in {pulled.path}" if pulled.outcome == "pulled" else ""
        print(f"{pulled.robot}: {pulled.outcome}{where}")
    return 0


@app.command
def graph(
    action: Annotated[Literal["info"], tyro.conf.Positional],
    file: Annotated[str, tyro.conf.Positional, FILE],
    directed: Annotated[bool, FLAG] = False,
    nodes: int | None = None,
    weights: int | None = None,
    columns: tuple[int, int] = (0, 1),
    text: Annotated[bool, FLAG] = False,
    json: Annotated[bool, FLAG] = False,
) -> int:
    """Read an edge list: say what was kept, merged and dropped, and measure the network.

    Args:
        action: info.
        file: text of one edge a line, also compressed; or the name of a network (assets list networks).
        directed: a line "a b" leads from a to b only; without this it is an edge both ways.
        nodes: number of nodes, where isolated ones are not in the file.
        weights: column of the contact weight, counted from 0.
        columns: of source and target, counted from 0.
        text: ids are words even if they look like integers.
        json: print JSON.
    """
    from assets.networks.commands import info

    print(info(file, directed, nodes, weights, columns, text, json))
    return 0


def main() -> None:
    """Entry point of the ``assets`` command."""
    text = "Robots, objects, textures and networks: list, look at, check, fetch."
    run_command(lambda: app.cli(prog="assets", description=text))


if __name__ == "__main__":
    main()
