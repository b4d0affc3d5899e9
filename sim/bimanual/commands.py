"""Options of ``sim view`` for dual-arm tasks. Parses, calls one function."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from sim.bimanual.family import FAMILY
from twinloom.command import refuse

NAME, NAMES, FILE = (tyro.conf.arg(metavar=text) for text in ("NAME", "NAME ...", "FILE"))


def view(
    task: Annotated[str, tyro.conf.Positional, NAME],
    robot: Annotated[str, NAME] = "franka-panda",
    seed: int = 0,
    episode: int = 0,
    randomize: Annotated[tuple[str, ...], NAMES] = ("none",),
    camera: Annotated[str, NAME] = "third",
    video: Annotated[Path | None, FILE] = None,
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
    refuse({f"--seed {seed} must not be negative": seed < 0, f"--episode {episode} must not be negative": episode < 0})
    robot, camera = FAMILY.pick("robots", robot), FAMILY.pick("cameras", camera)
    axes = FAMILY.select("axes", randomize, optional=True)
    from sim.bimanual.view import view as show

    show(task, robot=robot, seed=seed, episode=episode, axes=axes, camera=camera, video=video, port=port)
    return 0
