"""An episode on its way into a dataset, and the row of meta/episodes that describes it there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from datagen.episode import Feature
from datagen.lerobot.layout import BOOKKEEPING, FileId, camera_keys
from datagen.lerobot.stats import STATS, Stats
from datagen.lerobot.video import Clip

# Columns of meta/episodes that are ours; LeRobot carries them along. ``record`` and ``extra`` are JSON.
EXTRA_COLUMNS = {
    "task_name": pa.string(),
    "source": pa.string(),
    "success": pa.bool_(),
    "seed": pa.list_(pa.int64()),
    "slot": pa.int64(),
    "attempts": pa.int64(),
    "failures": pa.list_(pa.string()),
    "instructions/seen": pa.list_(pa.string()),
    "instructions/unseen": pa.list_(pa.string()),
    "record": pa.string(),
    "extra": pa.string(),
}


@dataclass
class Entry:
    """One complete episode outside the dataset.

    Attributes:
        length: number of frames T.
        arrays: gives feature name to (T, ...) array of everything that is not video; called once, late.
        sentences: task sentences in order of first use; mostly one.
        frame_sentence: (T,) which of them each frame has, or None when there is only one.
        clips: camera key to the coded frames.
        video_bytes: camera key to the size of the coded frames.
        stats: feature name to statistics; those of the bookkeeping columns are added by the writer.
        extra: values of EXTRA_COLUMNS; missing ones are stored as null.
    """

    length: int
    arrays: Callable[[], Mapping[str, np.ndarray]]
    sentences: list[str]
    clips: dict[str, Clip]
    video_bytes: dict[str, int]
    stats: dict[str, Stats]
    extra: dict[str, Any] = field(default_factory=dict)
    frame_sentence: np.ndarray | None = None


@dataclass(frozen=True)
class VideoPlace:
    """Where the frames of one camera and episode lie: file, first frame and end frame."""

    file: FileId
    start: int
    end: int


@dataclass(frozen=True)
class Placed:
    """An entry with its place in the dataset.

    Attributes:
        episode: index of the episode.
        start: index of its first frame in the dataset.
        data, meta: its data file and its file in meta/episodes.
        videos: camera key to the place of its frames.
        task_ids: index of each of the entry's sentences.
    """

    entry: Entry
    episode: int
    start: int
    data: FileId
    meta: FileId
    videos: dict[str, VideoPlace]
    task_ids: list[int]

    @property
    def end(self) -> int:
        """Index of the frame after the last."""
        return self.start + self.entry.length

    @property
    def task_index(self) -> np.ndarray:
        """(T,) task index of every frame."""
        ids = np.array(self.task_ids, dtype=np.int64)
        which = self.entry.frame_sentence
        return ids[np.zeros(self.entry.length, dtype=np.int64) if which is None else which]


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal bytes. NumPy scalars and arrays are allowed."""

    def plain(item: Any) -> Any:
        if isinstance(item, (np.ndarray, np.generic)):
            return item.tolist()
        raise TypeError(f"{type(item).__name__} does not fit into JSON")

    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=plain)


def episode_schema(features: Mapping[str, Feature]) -> pa.Schema:
    """Schema of meta/episodes: LeRobot's columns in LeRobot's order, then ours."""
    fields: list[tuple[str, pa.DataType]] = [
        ("episode_index", pa.int64()),
        ("tasks", pa.list_(pa.string())),
        ("length", pa.int64()),
        ("data/chunk_index", pa.int64()),
        ("data/file_index", pa.int64()),
        ("dataset_from_index", pa.int64()),
        ("dataset_to_index", pa.int64()),
    ]
    for key in camera_keys(dict(features)):
        fields += [(f"videos/{key}/{name}", pa.int64()) for name in ("chunk_index", "file_index")]
        fields += [(f"videos/{key}/{name}", pa.float64()) for name in ("from_timestamp", "to_timestamp")]
    for name, feature in [*features.items(), *BOOKKEEPING.items()]:
        number = pa.list_(pa.float64())
        if feature.dtype == "video":
            number = pa.list_(pa.list_(number))
        fields += [(f"stats/{name}/{s}", pa.list_(pa.int64()) if s == "count" else number) for s in STATS]
    fields += [("meta/episodes/chunk_index", pa.int64()), ("meta/episodes/file_index", pa.int64())]
    return pa.schema(fields + list(EXTRA_COLUMNS.items()))


def episode_row(placed: Placed, stats: Mapping[str, Stats], fps: int) -> dict[str, Any]:
    """Row of meta/episodes. Time stamps come from frame counts, so that no error adds up."""
    row: dict[str, Any] = {
        "episode_index": placed.episode,
        "tasks": placed.entry.sentences,
        "length": placed.entry.length,
        "data/chunk_index": placed.data.chunk,
        "data/file_index": placed.data.file,
        "dataset_from_index": placed.start,
        "dataset_to_index": placed.end,
        "meta/episodes/chunk_index": placed.meta.chunk,
        "meta/episodes/file_index": placed.meta.file,
    }
    for key, place in placed.videos.items():
        row[f"videos/{key}/chunk_index"] = place.file.chunk
        row[f"videos/{key}/file_index"] = place.file.file
        row[f"videos/{key}/from_timestamp"] = place.start / fps
        row[f"videos/{key}/to_timestamp"] = place.end / fps
    row |= {f"stats/{name}/{s}": value.tolist() for name, entry in stats.items() for s, value in entry.items()}
    return row | {name: placed.entry.extra.get(name) for name in EXTRA_COLUMNS}


def episode_table(rows: Iterable[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table; keys that a row lacks become null."""
    return pa.Table.from_pylist(list(rows), schema=schema)
