"""``sim``: list what exists, look at it, run experts, examine the machine. Parses, calls one function, prints."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import tyro

from assets.command import run_command
from assets.errors import TwinloomError
from sim.select import select, select_one

app = tyro.extras.SubcommandApp()
FLAG = tyro.conf.FlagCreatePairsOff


@app.command(name="list")
def list_names(what: Annotated[Literal["tasks", "robots", "cameras", "axes"], tyro.conf.Positional]) -> int:
    """Print the names of the tasks, robots, cameras or randomisation axes.

    Args:
        what: which list.
    """
    from sim import catalogue

    print("\n".join(catalogue.lines(what)))
    return 0


@app.command
def view(
    task: Annotated[str, tyro.conf.Positional],
    robot: str = "franka-panda",
    seed: int = 0,
    episode: int = 0,
    randomize: tuple[str, ...] = ("none",),
    camera: str = "head",
    video: Path | None = None,
    port: int = 8080,
) -> int:
    """Watch the expert do a task: in the browser, or as an MP4 file with --video.

    Args:
        task: task name (sim list tasks).
        robot: robot name (sim list robots).
        seed: run seed.
        episode: which episode of that seed, as datagen counts them.
        randomize: axes (sim list axes), all or none.
        camera: camera of the video (sim list cameras).
        video: write this MP4 file instead of opening a viewer.
        port: where the browser viewer listens.
    """
    from sim import catalogue

    select_one("task", task, catalogue.tasks(), "sim list tasks")
    select_one("robot", robot, catalogue.robots(), "sim list robots")
    select_one("camera", camera, catalogue.cameras(), "sim list cameras")
    axes = select("axis", randomize, catalogue.axes(), "sim list axes", optional=True)
    from sim.bimanual.view import view as show

    show(task, robot=robot, seed=seed, episode=episode, axes=axes, camera=camera, video=video, port=port)
    return 0


@app.command
def rollout(
    tasks: tuple[str, ...] = ("all",),
    expert: Annotated[bool, FLAG] = False,
    episodes: int = 20,
    seed: int = 0,
    randomize: tuple[str, ...] = ("none",),
    robot: str = "franka-panda",
    workers: int = 0,
    json: Path | None = None,
) -> int:
    """Run episodes without recording them and count the successes of each task.

    Args:
        tasks: task names, all, or a count n for the first n.
        expert: let the scripted expert act (the only actor so far).
        episodes: episodes a task.
        seed: run seed; episode k is the one datagen would record with this seed.
        randomize: axes (sim list axes), all or none.
        robot: robot name (sim list robots).
        workers: processes; 0 is one a core.
        json: write the rows to this file and their table beside it (layout: docs/results/README.md).
    """
    from sim import catalogue

    problems = [] if expert else ["--expert is missing: only scripted experts can be rolled out so far"]
    problems += [f"--episodes {episodes} must be at least 1"] if episodes < 1 else []
    problems += [f"--workers {workers} must not be negative"] if workers < 0 else []
    if problems:
        raise TwinloomError("; ".join(problems))
    names = select("task", tasks, catalogue.tasks(), "sim list tasks")
    axes = select("axis", randomize, catalogue.axes(), "sim list axes", optional=True)
    select_one("robot", robot, catalogue.robots(), "sim list robots")
    from assets.results import document, markdown, save
    from sim.bimanual.evaluate import rollout_table

    rows = rollout_table(names, episodes=episodes, seed=seed, axes=axes, robot=robot, workers=workers)
    results = document(
        f"Scripted expert on {robot}, {'+'.join(axes) if axes else 'no'} randomisation",
        rows,
        command="sim " + shlex.join(sys.argv[1:]),
        seeds={"run": seed, "episodes": [0, episodes - 1]},
    )
    print(markdown(results))
    if json:
        save(json, results)
    return 0


@app.command
def doctor(json: Annotated[bool, FLAG] = False) -> int:
    """Examine this machine: what works, what does not, and one fix a line. Exit code 1 if something must be fixed.

    Args:
        json: print JSON, for a bug report.
    """
    from sim.doctor import doctor as run

    return run(json)


def main() -> None:
    """Entry point of the ``sim`` command."""
    text = "Simulators: list what exists, look at it, run the experts, examine the machine."
    run_command(lambda: app.cli(prog="sim", description=text))


if __name__ == "__main__":
    main()
