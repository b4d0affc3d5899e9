"""``datagen verify --repair``: the sound episodes of a damaged dataset, as a new one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from datagen.dataset import DatasetWriter
from datagen.lerobot import layout
from datagen.lerobot.read import Dataset
from datagen.lerobot.verify import verify
from twinloom.atomic import atomic_folder
from twinloom.errors import TwinloomError

# Damage of these does not touch episodes: they are made anew.
_DERIVED = (layout.STATS.as_posix(), layout.CHECKSUMS.as_posix(), "meta/histograms.parquet", "meta/failed.jsonl")


@dataclass(frozen=True)
class Repaired:
    """How many episodes were saved, and which ones lie in damaged files and were not."""

    saved: int
    lost: list[int]


def repair(root: Path, out: Path) -> Repaired:
    """Copy every episode whose files are sound into a new dataset; statistics and checksums are computed again.

    Raises:
        TwinloomError: ``out`` exists, what describes the episodes is damaged itself, or no episode is sound.
    """
    if out.exists():
        raise TwinloomError(f"{out} exists already; name a new folder")
    with Dataset(root) as dataset:
        problems = verify(root).problems
        files = {problem.file for problem in problems}
        wrong = {problem.episode for problem in problems}
        about = sorted(f for f in files if f.startswith("meta/") and f not in _DERIVED and f != "meta/episodes")
        if about:
            raise TwinloomError(f"{root} cannot be repaired: {about[0]}, which describes the episodes, is damaged")
        lost = []
        for index in range(len(dataset)):
            row = dataset.row(index)
            paths = [dataset.data_path(row), *(dataset.video_place(row, key)[0] for key in dataset.cameras)]
            if index in wrong or any(path.relative_to(root).as_posix() in files for path in paths):
                lost.append(index)
        if len(lost) == len(dataset):
            raise TwinloomError(f"{root} cannot be repaired: every episode lies in a damaged file")
        with atomic_folder(out) as folder, DatasetWriter(folder, dataset.spec) as writer:
            for index in sorted(set(range(len(dataset))) - set(lost)):
                writer.add(dataset.episode(index))
    return Repaired(len(writer), lost)
