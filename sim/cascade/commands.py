"""Options of ``sim view`` for control problems on cascades. Parses, calls one function."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import tyro

from twinloom.command import refuse

NAME, FILE = (tyro.conf.arg(metavar=text) for text in ("NAME", "FILE"))


def view(
    task: Annotated[str, tyro.conf.Positional, NAME],
    seed: int = 0,
    episode: int = 0,
    on: Annotated[str | None, NAME] = None,
    video: Annotated[Path | None, FILE] = None,
    out: Annotated[Path | None, FILE] = None,
) -> int:
    """Watch a rule of thumb control a cascade: an MP4 file, or its course in one image.

    Args:
        task: task name (sim list tasks).
        seed: run seed.
        episode: which episode of that seed.
        on: network by name or file (assets list networks); a small generated one if not given.
        video: write this MP4 file.
        out: write this PNG file.
    """
    refuse({f"--seed {seed} must not be negative": seed < 0, f"--episode {episode} must not be negative": episode < 0})
    from sim.cascade.view.episode import view as show

    options: dict[str, Any] = {} if on is None else {"graph": on}
    show(f"cascade/{task}", seed=seed, episode=episode, video=video, out=out, **options)
    return 0
