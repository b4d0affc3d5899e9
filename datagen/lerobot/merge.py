"""Several datasets into one, without encoding a frame again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from datagen.dataset import DatasetWriter, copy
from datagen.lerobot import layout
from datagen.lerobot.integrity import check_intact
from datagen.lerobot.manifest import listed
from datagen.lerobot.read import Dataset
from twinloom.atomic import atomic_folder
from twinloom.errors import InvalidSettingsError, TwinloomError


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
    total = sum(len(dataset) for dataset in datasets)
    for source in sources:
        check_intact(source, listed(source), what="nothing was merged")
    origin = {"layout": 1, "kind": "a merged dataset", "sources": [origin_of(source) for source in sources]}
    sidecars = {layout.SETTINGS: (json.dumps(origin, indent=2, ensure_ascii=False) + "\n").encode()}
    with atomic_folder(out) as folder:
        with DatasetWriter(folder, datasets[0].spec, limits=limits, sidecars=sidecars) as writer:
            for dataset in datasets:
                with dataset:
                    copy(dataset, writer, lambda _: step(len(writer), total))
        frames = Dataset(folder).frames
    return total, frames


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


def origin_of(source: Path) -> dict[str, Any]:
    """Where the episodes of a dataset come from, for the settings of one that is made of it."""
    path = source / layout.SETTINGS
    there = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {"name": source.resolve().name} | {key: there[key] for key in ("settings", "sources") if key in there}
