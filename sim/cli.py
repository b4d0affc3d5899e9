"""``sim``: list what exists, look at it, run experts, examine the machine. Parses, calls one function, prints."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import tyro

from twinloom.application import Application, Rest, options_of
from twinloom.command import refuse

app = Application("sim", "Simulators: list what exists, look at it, run the experts, examine the machine.")
FLAG = tyro.conf.FlagCreatePairsOff
NAME, NAMES, FILE = (tyro.conf.arg(metavar=text) for text in ("NAME", "NAME ...", "FILE"))


@app.command(name="list")
def list_names(
    what: Annotated[Literal["tasks", "robots", "cameras", "axes", "families"], tyro.conf.Positional],
    family: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[FAMILY]")] = "",
) -> int:
    """Print the names of the tasks, robots, cameras, randomisation axes or families, with one line each.

    Args:
        what: which list.
        family: those of this one only.
    """
    from sim import catalogue

    print("\n".join(catalogue.lines(what, family)))
    return 0


@app.chooser("view")
def view(task: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TASK")]) -> Rest:
    """Watch a task: its expert in the browser, or a video or image in a file. Options: sim view TASK --help.

    Args:
        task: family/task, or a name that is unique (sim list tasks).
    """
    from sim.families import find

    family, name = find(task)
    return options_of(family.get("view"), "sim view", name)


@app.command
def rollout(
    tasks: Annotated[tuple[str, ...], NAMES] = ("all",),
    expert: Annotated[bool, FLAG] = False,
    episodes: int = 20,
    seed: int = 0,
    randomize: Annotated[tuple[str, ...], NAMES] = ("none",),
    robot: Annotated[str, NAME] = "",
    workers: int = 0,
    json: Annotated[Path | None, FILE] = None,
) -> int:
    """Run episodes without recording them and count the successes of each task.

    Args:
        tasks: names of tasks of one family, all, or a count n for the first n.
        expert: let the scripted expert act (the only actor so far).
        episodes: episodes a task.
        seed: run seed; episode k is the one datagen would record with this seed.
        randomize: axes (sim list axes), all or none.
        robot: robot name (sim list robots); the family's first if not given.
        workers: processes; 0 is one a core.
        json: write the rows to this file and their table beside it (layout: docs/results/README.md).
    """
    from sim.families import select_tasks

    refuse(
        {
            "--expert is missing: only scripted experts can be rolled out so far": not expert,
            f"--episodes {episodes} must be at least 1": episodes < 1,
            f"--seed {seed} must not be negative": seed < 0,
            f"--workers {workers} must not be negative": workers < 0,
        }
    )
    family, names = select_tasks(tasks)
    axes, robot = family.select("axes", randomize, optional=True), family.pick("robots", robot or None)
    from sim.rollout import rollout_table
    from twinloom.results import document, markdown, save

    rows = rollout_table(family, names, episodes=episodes, seed=seed, axes=axes, robot=robot, workers=workers)
    drawn = "all" if axes and len(axes) == len(family.names("axes")) else "+".join(axes) or "no"
    results = document(
        f"Scripted expert on {robot or family.name}, {drawn} randomisation",
        rows,
        command="sim " + shlex.join(sys.argv[1:]),
        seeds={"run": seed, "episodes": [0, episodes - 1]},
    )
    print(markdown(results, generated=False))
    if json:
        save(json, results)
    return 0


@app.command
def doctor(json: Annotated[bool, FLAG] = False) -> int:
    """Examine this machine: what works, what does not, and one fix a line. Exit code 1 if something must be fixed.

    Args:
        json: print JSON, for a bug report.
    """
    from twinloom.doctor import doctor as run

    return run(json)


main = app.main

if __name__ == "__main__":
    main()
