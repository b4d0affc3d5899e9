"""``twinloom``: which commands there are, the version, and what works on this machine."""

from __future__ import annotations

import sys
from typing import Annotated

import tyro

from twinloom import __version__
from twinloom.application import Application
from twinloom.command import run_command

ROOMS = {
    "assets": "robots, objects, textures and networks: list, show, check, pull, import",
    "sim": "simulators: list what exists, look at it, run experts",
    "datagen": "datasets: record experts, verify, merge, edit, import, export",
    "policies": "policies: train, evaluate, serve, export",
    "real": "robots and policies through ROS 2: start, stop, record, look",
}

app = Application("twinloom", "")


@app.command
def doctor(json: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False) -> int:
    """Examine this machine: what works, what does not, and one fix a line. Exit code 1 if something must be fixed.

    Args:
        json: print JSON, for a bug report.
    """
    from twinloom.doctor import doctor as run

    return run(json)


@app.command
def version() -> int:
    """Print the version and the commit."""
    from twinloom.machine import commit

    print(f"twinloom {__version__}, commit {commit()}")
    return 0


def overview() -> str:
    """The five commands with one line each."""
    width = max(map(len, ROOMS))
    lines = [f"twinloom {__version__}: robot simulation, data, policies and real robots", ""]
    lines += [f"  {name:<{width}}  {text}" for name, text in ROOMS.items()]
    lines += ["", "Each takes --help. Also: twinloom doctor (what works on this machine), twinloom version."]
    return "\n".join(lines)


def main() -> None:
    """Entry point of the ``twinloom`` command."""
    words = sys.argv[1:]
    if not words or words in (["--help"], ["-h"]):
        run_command(lambda: print(overview()))
    if words == ["--version"]:
        run_command(version)
    app.main()


if __name__ == "__main__":
    main()
