"""Several datasets into one, without encoding a frame again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from datagen.episode import DatasetSpec
from datagen.lerobot import layout
from datagen.lerobot.entry import EXTRA_COLUMNS, Entry
from datagen.lerobot.intact import check_intact
from datagen.lerobot.manifest import listed
from datagen.lerobot.read import Dataset
from datagen.lerobot.stats import ImageStats, Stats, array_stats
from datagen.lerobot.video import Clip, scan
from datagen.lerobot.write import Writer
from twinloom.atomic import atomic_folder
from twinloom.errors import InvalidSettingsError, TwinloomError

BATCH_FRAMES = 50_000  # frames whose arrays are held in memory at a time


def merge(
    sources: Sequence[Path],
    out: Path,
    *,
    limits: layout.Limits | None = None,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[int, int]:
    """Write the episodes of ``sources``, in that order, into a new dataset ``out``. It appears complete or not at all.

    Args:
        sources: datasets of the same fps, robot and features.
        limits: when new files begin.
        step: told how many of how many episodes are done.

    Returns:
        Number of episodes and of frames.

    Raises:
        InvalidSettingsError: the datasets do not fit together; every difference is named.
        TwinloomError: ``out`` exists, a source is damaged, or the disk is full or not writable.
    """
    if os.path.lexists(out):
        raise TwinloomError(f"{out} exists already; name a new folder")
    if len(sources) < 2:
        raise TwinloomError("merge needs at least two datasets")
    datasets = [Dataset(source) for source in sources]
    _refuse_differences(datasets)
    first, total = datasets[0], sum(len(dataset) for dataset in datasets)
    for source in sources:
        check_intact(source, [path for path in listed(source) if path != layout.CHECKSUMS], what="nothing was merged")
    spec = DatasetSpec(first.fps, first.robot_type, "merged", first.features, "")
    videos = {key: first.info["features"][key].get("info", {}) for key in first.cameras}
    origin = {"layout": 1, "kind": "a merged dataset", "sources": [_origin(source) for source in sources]}
    sidecars = {layout.SETTINGS: (json.dumps(origin, indent=2, ensure_ascii=False) + "\n").encode()}
    with atomic_folder(out) as folder:
        writer = Writer(folder, spec, videos, limits)
        batch: list[Entry] = []
        for dataset in datasets:
            for entry in _entries(dataset):
                batch.append(entry)
                if sum(e.length for e in batch) >= BATCH_FRAMES:
                    writer.append(batch, sidecars)
                    batch = []
                    step(writer.state.episodes, total)
            dataset.close()
        writer.append(batch, sidecars)
        step(total, total)
        (folder / ".staging").rmdir()
    return writer.state.episodes, writer.state.frames


def _refuse_differences(datasets: list[Dataset]) -> None:
    first = datasets[0]
    problems = []
    for other in datasets[1:]:
        for what in ("fps", "robot_type"):
            a, b = getattr(first, what), getattr(other, what)
            if a != b:
                problems.append(f"{what} is {a} in {first.root} and {b} in {other.root}")
        for name in sorted(first.features.keys() ^ other.features.keys()):
            owner = first if name in first.features else other
            problems.append(f'feature "{name}" is only in {owner.root}')
        for name in sorted(first.features.keys() & other.features.keys()):
            for what, a, b in _feature_differences(first, other, name):
                problems.append(f'{what} of "{name}" is {a} in {first.root} and {b} in {other.root}')
    problems += [f"{dataset.root} has no episodes" for dataset in datasets if not len(dataset)]
    if problems:
        raise InvalidSettingsError("these datasets cannot be merged", problems)


def _feature_differences(first: Dataset, other: Dataset, name: str) -> Iterator[tuple[str, Any, Any]]:
    a, b = first.features[name], other.features[name]
    for what in ("dtype", "shape", "names"):
        if getattr(a, what) != getattr(b, what):
            yield what, getattr(a, what), getattr(b, what)
    if a.dtype == b.dtype == "video":
        info, others = (d.info["features"][name].get("info") or {} for d in (first, other))
        for what in ("video.codec", "video.pix_fmt"):
            if info.get(what) != others.get(what):
                yield what, info.get(what), others.get(what)


def _origin(source: Path) -> dict[str, Any]:
    path = source / layout.SETTINGS
    there = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {"name": source.resolve().name} | {key: there[key] for key in ("settings", "sources") if key in there}


def _entries(dataset: Dataset) -> Iterator[Entry]:
    details = dataset.episodes.select([name for name in EXTRA_COLUMNS if name in dataset.episodes.column_names])

    @lru_cache(maxsize=4 * max(1, len(dataset.cameras)))
    def sizes(path: Path) -> np.ndarray:
        """Bytes of every coded frame of a video file, by frame number."""
        packets = sorted((packet.index, packet.size) for packet in scan(path, dataset.fps))
        return np.array([size for _, size in packets])

    for episode in range(len(dataset)):
        row, arrays = dataset.row(episode), dataset.arrays(episode)
        task_index = arrays["task_index"]
        used = list(dict.fromkeys(int(i) for i in task_index))
        clips, video_bytes = {}, {}
        for key in dataset.cameras:
            path, start = dataset.video_place(row, key)
            clips[key] = Clip(path, start, row["length"])
            video_bytes[key] = int(sizes(path)[start : start + row["length"]].sum())
        own = {name: array for name, array in arrays.items() if name not in layout.BOOKKEEPING}
        extra = details.slice(episode, 1).to_pylist()[0] if details.num_columns else {}
        yield Entry(
            length=row["length"],
            arrays=lambda own=own: own,
            sentences=[dataset.tasks[i] for i in used],
            frame_sentence=np.array([used.index(int(i)) for i in task_index]),
            clips=clips,
            video_bytes=video_bytes,
            stats=_stats(dataset, episode, own),
            extra=extra | {"slot": None},  # slots belong to the run that made them
        )


def _stats(dataset: Dataset, episode: int, arrays: dict[str, np.ndarray]) -> dict[str, Stats]:
    """Statistics of an episode; computed where the dataset has none."""
    stats = {n: s for n, s in dataset.episode_stats(episode).items() if n not in layout.BOOKKEEPING}
    for name, array in arrays.items():
        if name not in stats:
            stats[name] = array_stats(array)
    for key in dataset.cameras:
        if key not in stats:
            collector = ImageStats(dataset.row(episode)["length"])
            for index, frame in enumerate(dataset.images(episode, key)):
                collector.add(index, frame)
            stats[key] = collector.result()
    return stats
