"""``assets``: list, look at, check and fetch what simulations are made of. Parses, calls one function, prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from twinloom.application import Application

app = Application("assets", "Robots, objects, textures and networks: list, look at, check, fetch.")
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
        from assets.robots.table import list_humanoids, list_robots

        wide.print(list_robots())
        wide.print(list_humanoids())
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
    """Draw robots, humanoids or objects into one PNG file.

    Args:
        names: robots; or humanoids; or objects (bottle, bottle/3); robots, humanoids, objects stand for all of them.
        out: the PNG file to write.
    """
    from assets.show import draw

    print(f"{draw(names, out)} drawn in {out}")
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


@app.command(name="import")
def import_model(
    model: Annotated[Path, tyro.conf.Positional, FILE],
    name: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None,
    map: Annotated[Path | None, FILE] = None,
) -> int:
    """Make a humanoid of a URDF or MJCF file: propose its slots, report doubts, let it stand.

    Args:
        model: the file.
        name: of the humanoid; the file's name if not given.
        map: a record of an earlier import, corrected by hand, to use instead of guessing.
    """
    from assets.robots.humanoid.imported import import_humanoid
    from assets.robots.humanoid.table import describe

    imported = import_humanoid(model, name, map)
    print(describe(imported.humanoid))
    for doubt in imported.doubts:
        print(f"look at this: {doubt}")
    standing = imported.standing
    print(f"stands {'3 s' if standing.stands else 'NOT'} on its servos (upright {standing.upright:.3f})")
    print(
        f"record: {imported.record}\npicture: assets show {imported.humanoid.name} --out {imported.humanoid.name}.png"
    )
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
    header: Annotated[bool, FLAG] = False,
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
        header: the first line names the columns; found out by itself where one can tell.
        json: print JSON.
    """
    from assets.networks.stats import info

    print(info(file, directed, nodes, weights, columns, text, header, json))
    return 0


main = app.main

if __name__ == "__main__":
    main()
