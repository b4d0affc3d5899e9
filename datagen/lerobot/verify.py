"""Find everything that is wrong with a dataset, and name it with its file and episode.

The checks need nothing but the files: datasets of other writers are checked by the same rules, less those about
additions of ours. ``verify`` never writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from datagen.lerobot import layout
from datagen.lerobot.check import Check, Problem
from datagen.lerobot.check_data import check_data
from datagen.lerobot.check_files import check_files, check_leftovers
from datagen.lerobot.check_meta import check_episodes, check_info, check_tasks
from datagen.lerobot.check_stats import check_totals
from datagen.lerobot.check_video import check_videos
from twinloom.errors import TwinloomError


@dataclass(frozen=True)
class Verdict:
    """Result of verify.

    Attributes:
        problems: what is wrong; empty for a sound dataset.
        notes: what a person may want to know but is not wrong.
        episodes, frames: what info.json counts.
    """

    problems: list[Problem]
    notes: list[Problem]
    episodes: int
    frames: int


def verify(
    root: Path,
    *,
    quick: bool = False,
    manifest: bool = True,
    statistics: bool = True,
    step: Callable[[str], None] = lambda _: None,
) -> Verdict:
    """Check a dataset.

    Args:
        root: its folder.
        quick: neither decode the videos nor compute checksums.
        manifest: compare with SHA256SUMS.
        statistics: compare statistics with the frames.
        step: told what is checked next.

    Raises:
        TwinloomError: there is no such folder.
    """
    if not os.path.isdir(root):  # unlike Path's, it takes every error for no
        raise TwinloomError(f"{root} is no folder")
    try:
        info = layout.read_info(root)
    except TwinloomError as error:
        return Verdict([Problem(layout.INFO.as_posix(), str(error))], [], 0, 0)
    check = Check(root, info, statistics=statistics)
    if check_info(check):
        step("episodes")
        check_episodes(check)
        check_tasks(check)
        step("files")
        check_files(check, manifest=manifest, checksums=not quick)
        check_data(check, step)
        check_videos(check, step, decode=not quick)
        if statistics:
            check_totals(check)
        check_leftovers(check)
    return Verdict(check.problems, check.notes, info["total_episodes"], info["total_frames"])
