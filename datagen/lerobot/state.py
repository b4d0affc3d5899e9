"""How far a dataset has got: totals, open files, task numbers and folded statistics."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from datagen.episode import Feature
from datagen.lerobot.columns import row_bytes, stored, to_numpy
from datagen.lerobot.entry import Entry, Placed, VideoPlace
from datagen.lerobot.histogram import HISTOGRAMS, Histograms
from datagen.lerobot.layout import BOOKKEEPING, TASKS, FileId, Limits, camera_keys, read_info
from datagen.lerobot.stats import STATS, Fold, from_lists
from datagen.lerobot.tasks import read_tasks
from datagen.lerobot.video import scan
from twinloom.errors import TwinloomError

MB = 1_000_000


@dataclass
class Cursor:
    """The open file of one kind and what it holds: rows (or frames), bytes and episodes."""

    file: FileId = field(default_factory=FileId)
    rows: int = 0
    bytes: int = 0
    episodes: int = 0

    def place(self, rows: int, size: int, limit: float, limits: Limits) -> FileId:
        """File for the next ``rows`` of ``size`` bytes: this one, or a new one if it would grow beyond ``limit``."""
        if self.rows and self.bytes + size > limit:
            self.file, self.rows, self.bytes, self.episodes = self.file.next(limits), 0, 0, 0
        self.rows += rows
        self.bytes += size
        self.episodes += 1
        return self.file


@dataclass
class State:
    """Everything the writer needs to know to append; memory does not grow with the number of episodes.

    Attributes:
        features, fps, limits: of the dataset.
        episodes, frames: totals.
        tasks: sentence to index, in order of first use.
        data, meta: open data file and open file of meta/episodes.
        videos: open video file by camera.
        fold: statistics of all episodes so far.
    """

    features: dict[str, Feature]
    fps: int
    limits: Limits
    episodes: int = 0
    frames: int = 0
    tasks: dict[str, int] = field(default_factory=dict)
    data: Cursor = field(default_factory=Cursor)
    meta: Cursor = field(default_factory=Cursor)
    videos: dict[str, Cursor] = field(default_factory=dict)
    fold: Fold = field(default_factory=Fold)

    def __post_init__(self) -> None:
        self.row_bytes = row_bytes(self.features)
        for key in camera_keys(self.features):
            self.videos.setdefault(key, Cursor())

    def copy(self) -> State:
        """Independent copy."""
        return copy.deepcopy(self)

    def place(self, entry: Entry) -> Placed:
        """Give the next episode its place and move on."""
        limits = self.limits
        size = entry.length * self.row_bytes
        data = self.data.place(entry.length, size, limits.data_mb * MB, limits)
        meta = self.meta.place(1, 1, limits.episodes, limits)
        videos = {}
        for key, cursor in self.videos.items():
            file = cursor.place(entry.length, entry.video_bytes[key], limits.video_mb * MB, limits)
            videos[key] = VideoPlace(file, cursor.rows - entry.length, cursor.rows)
        ids = [self.tasks.setdefault(sentence, len(self.tasks)) for sentence in entry.sentences]
        placed = Placed(entry, self.episodes, self.frames, data, meta, videos, ids)
        self.episodes += 1
        self.frames += entry.length
        return placed

    @property
    def open_episodes(self) -> int:
        """Episodes in the open files, which the next commit has to write again."""
        return max(cursor.episodes for cursor in (self.data, self.meta, *self.videos.values()))

    def open_files(self) -> set[Path]:
        """Files that the next commit writes again from what they hold, relative to the dataset."""
        videos = {cursor.file.video(key) for key, cursor in self.videos.items()}
        return {self.data.file.data(), self.meta.file.episodes(), *videos}

    def files(self) -> set[Path]:
        """Paths of all data, video and episodes files that hold committed rows, relative to the dataset."""
        found: set[Path] = set()
        if self.episodes:
            found |= {file.data() for file in _until(self.data.file, self.limits)}
            found |= {file.episodes() for file in _until(self.meta.file, self.limits)}
            for key, cursor in self.videos.items():
                found |= {file.video(key) for file in _until(cursor.file, self.limits)}
        return found

    @classmethod
    def load(cls, root: Path, features: dict[str, Feature], fps: int, limits: Limits) -> State:
        """State of the dataset in ``root`` as its info.json has it, whatever an interrupted commit added.

        Raises:
            TwinloomError: files of the dataset are missing or damaged.
        """
        info = read_info(root)
        state = cls(features, fps, limits)
        sentences = read_tasks(root / TASKS)
        state.tasks = {sentences[i]: i for i in range(info["total_tasks"])}
        while state.episodes < info["total_episodes"]:
            file = state.meta.file.next(limits) if state.episodes else FileId()
            state._load_rows(root / file.episodes(), info["total_episodes"] - state.episodes)
            state.meta.file = file
        if state.frames != info["total_frames"]:
            counted = info["total_frames"]
            raise TwinloomError(f"{root}: episodes add up to {state.frames} frames, info.json says {counted}")
        for key, cursor in state.videos.items():
            packets = scan(root / cursor.file.video(key), fps) if cursor.rows else ()
            cursor.bytes = sum(packet.size for packet in packets if packet.index < cursor.rows)
        state.fold.histograms = state._histograms(root)
        return state

    def _histograms(self, root: Path) -> Histograms:
        """Those that lie beside the dataset, or counted again from its frames where they are missing or differ."""
        columns = {name: f for name, f in stored(self.features).items() if f.dtype != "string"}
        if (root / HISTOGRAMS).is_file():
            found = Histograms.load(root / HISTOGRAMS)
            if all(found.total(name) == self.frames for name in columns):
                return found
        return count_frames([root / file.data() for file in _until(self.data.file, self.limits)], columns, self.frames)

    def _load_rows(self, path: Path, remaining: int) -> None:
        """Follow the rows of one file of meta/episodes."""
        stat_columns = [f"stats/{name}/{s}" for name in [*self.features, *BOOKKEEPING] for s in STATS]
        places = ["length", "data/chunk_index", "data/file_index"]
        places += [f"videos/{key}/{n}" for key in self.videos for n in ("chunk_index", "file_index", "to_timestamp")]
        try:
            table = pq.read_table(path, columns=places + stat_columns).slice(0, remaining)
        except (OSError, pa.ArrowException) as error:
            raise TwinloomError(f"{path} is not readable: {error}; see: datagen verify") from error
        if not len(table):
            raise TwinloomError(f"{path} has no rows although info.json counts more episodes; see: datagen verify")
        for row in table.to_pylist():
            length = row["length"]
            file = FileId(row["data/chunk_index"], row["data/file_index"])
            _follow(self.data, file, self.data.rows + length if file == self.data.file else length)
            for key, cursor in self.videos.items():
                video = FileId(row[f"videos/{key}/chunk_index"], row[f"videos/{key}/file_index"])
                _follow(cursor, video, round(row[f"videos/{key}/to_timestamp"] * self.fps))
            self.fold.add(_row_stats(row))
            self.episodes += 1
            self.frames += length
        self.data.bytes = self.data.rows * self.row_bytes
        self.meta.rows = self.meta.bytes = self.meta.episodes = len(table)


def _follow(cursor: Cursor, file: FileId, rows: int) -> None:
    cursor.episodes = cursor.episodes + 1 if file == cursor.file else 1
    cursor.file, cursor.rows = file, rows


def _row_stats(row: dict) -> dict:
    nested: dict[str, dict] = {}
    for column, value in row.items():
        if column.startswith("stats/"):
            name, _, stat = column.removeprefix("stats/").rpartition("/")
            nested.setdefault(name, {})[stat] = value
    return from_lists(nested)


def count_frames(paths: list[Path], columns: dict[str, Feature], frames: int) -> Histograms:
    """Histograms of the first ``frames`` frames in data files, one after the other.

    Raises:
        TwinloomError: a file is missing or damaged.
    """
    counted = Histograms()
    for path in paths:
        try:
            table = pq.read_table(path, columns=list(columns)).slice(0, frames)
            if len(table):
                counted.add({name: to_numpy(table[name], feature) for name, feature in columns.items()})
        except (OSError, ValueError, pa.ArrowException) as error:
            raise TwinloomError(f"{path} is not readable: {error}; see: datagen verify") from error
        frames -= len(table)
    return counted


def _until(last: FileId, limits: Limits) -> list[FileId]:
    files = [FileId()]
    while files[-1] != last:
        files.append(files[-1].next(limits))
    return files
