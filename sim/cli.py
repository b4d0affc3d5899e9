"""``sim``: list what exists, look at it, run experts, examine the machine. Parses, calls one function, prints."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from twinloom.command import run_command
from twinloom.errors import TwinloomError
from twinloom.select import select, select_one

app = tyro.extras.SubcommandApp()
FLAG = tyro.conf.FlagCreatePairsOff
NAME, NAMES, FILE = (tyro.conf.arg(metavar=text) for text in ("NAME", "NAME ...", "FILE"))


@app.command(name="list")
def list_names(
    what: Annotated[Literal["tasks", "robots", "cameras", "axes", "problems"], tyro.conf.Positional],
) -> int:
    """Print the names of the tasks, robots, cameras, randomisation axes or problems on cascades.

    Args:
        what: which list.
    """
    from sim import catalogue

    print("\n".join(catalogue.lines(what)))
    return 0


@app.command
def view(
    task: Annotated[str, tyro.conf.Positional, NAME],
    robot: Annotated[str | None, NAME] = None,
    seed: int = 0,
    episode: int = 0,
    randomize: Annotated[tuple[str, ...] | None, NAMES] = None,
    camera: Annotated[str | None, NAME] = None,
    video: Annotated[Path | None, FILE] = None,
    out: Annotated[Path | None, FILE] = None,
    on: Annotated[str | None, NAME] = None,
    port: int | None = None,
) -> int:
    """Watch the expert do a task: in the browser, or as an MP4 file with --video. Or watch a cascade on a network.

    Args:
        task: task name (sim list tasks), or a control problem (sim list problems).
        robot: of a task: robot name (sim list robots); franka-panda if not given.
        seed: run seed.
        episode: which episode of that seed, as datagen counts them.
        randomize: of a task: axes (sim list axes), all or none; none if not given.
        camera: of a task: camera of the video (sim list cameras); third if not given.
        video: write this MP4 file instead of opening a viewer.
        out: of a cascade: write this PNG file, its course in one picture.
        on: of a cascade: network by name or file (assets list networks); a small generated one if not given.
        port: of a task: where the browser viewer listens; 8080 if not given.
    """
    from sim import catalogue

    _refuse({f"--seed {seed} must not be negative": seed < 0, f"--episode {episode} must not be negative": episode < 0})
    if task.startswith("cascade/"):
        given = {"robot": robot, "randomize": randomize, "camera": camera, "port": port}
        if wrong := ", ".join(f"--{name}" for name, value in given.items() if value is not None):
            raise TwinloomError(f"{wrong}: only for tasks; a cascade takes --seed, --episode, --on, --out and --video")
        task = select_one("problem", task.removesuffix("-v0"), catalogue.problems(), "sim list problems")
        from sim.cascade.view import view as show_cascade

        options: dict[str, Any] = {} if on is None else {"graph": on}
        show_cascade(task, seed=seed, episode=episode, video=video, out=out, **options)
        return 0
    _refuse(
        {
            f"--out {out}: only cascades have one picture; for a task give --video FILE.mp4": out is not None,
            f"--on {on}: only cascades have a network": on is not None,
        }
    )
    select_one("task", task, catalogue.tasks(), "sim list tasks")
    robot = select_one("robot", "franka-panda" if robot is None else robot, catalogue.robots(), "sim list robots")
    camera = select_one("camera", "third" if camera is None else camera, catalogue.cameras(), "sim list cameras")
    chosen = ("none",) if randomize is None else randomize
    axes = select("axis", chosen, catalogue.axes(), "sim list axes", optional=True)
    port = 8080 if port is None else port
    from sim.bimanual.view import view as show

    show(task, robot=robot, seed=seed, episode=episode, axes=axes, camera=camera, video=video, port=port)
    return 0


@app.command
def rollout(
    tasks: Annotated[tuple[str, ...], NAMES] = ("all",),
    expert: Annotated[bool, FLAG] = False,
    episodes: int = 20,
    seed: int = 0,
    randomize: Annotated[tuple[str, ...], NAMES] = ("none",),
    robot: Annotated[str, NAME] = "franka-panda",
    workers: int = 0,
    json: Annotated[Path | None, FILE] = None,
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

    _refuse(
        {
            "--expert is missing: only scripted experts can be rolled out so far": not expert,
            f"--episodes {episodes} must be at least 1": episodes < 1,
            f"--seed {seed} must not be negative": seed < 0,
            f"--workers {workers} must not be negative": workers < 0,
        }
    )
    names = select("task", tasks, catalogue.tasks(), "sim list tasks")
    axes = select("axis", randomize, catalogue.axes(), "sim list axes", optional=True)
    select_one("robot", robot, catalogue.robots(), "sim list robots")
    from sim.bimanual.evaluate import rollout_table
    from twinloom.results import document, markdown, save

    rows = rollout_table(names, episodes=episodes, seed=seed, axes=axes, robot=robot, workers=workers)
    drawn = "all" if len(axes) == len(catalogue.axes()) else "+".join(axes) or "no"
    results = document(
        f"Scripted expert on {robot}, {drawn} randomisation",
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
    from sim.doctor import doctor as run

    return run(json)


def _refuse(problems: dict[str, bool]) -> None:
    """Raise TwinloomError with those texts that apply."""
    if found := [text for text, applies in problems.items() if applies]:
        raise TwinloomError("; ".join(found))


def main() -> None:
    """Entry point of the ``sim`` command."""
    text = "Simulators: list what exists, look at it, run the experts, examine the machine."
    run_command(lambda: app.cli(prog="sim", description=text))


if __name__ == "__main__":
    main()
