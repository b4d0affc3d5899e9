"""Reading LeRobot v3.0 datasets, ours or anybody's: frame k of episode n is exactly that frame."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datagen.episode import Clip, DatasetSpec, Episode
from datagen.lerobot import layout
from datagen.lerobot.columns import to_numpy
from datagen.lerobot.entry import EXTRA_COLUMNS
from datagen.lerobot.stats import Stats, from_lists
from datagen.lerobot.tasks import read_tasks
from datagen.lerobot.video import VideoReader
from twinloom.errors import TwinloomError

HEAVY = ("record", "extra", "instructions/seen", "instructions/unseen")  # columns of meta/episodes read on demand

OPEN_VIDEOS = 12  # files that stay open for random access


class Dataset:
    """A dataset on disk.

    What info.json counts is what there is: rows beyond that (an interrupted commit) are ignored. Files are opened on
    use and the most recent of each kind stay open, so reading in order costs no reopening.

    Args:
        root: folder of the dataset.

    Attributes:
        info: content of info.json.
        fps, robot_type, features: of the dataset; features without the bookkeeping columns.
        cameras: names of the video features.
        rows: row per episode, without the statistics and without the long columns (see ``episodes``).

    Raises:
        TwinloomError: not a v3.0 dataset, or its meta files are damaged.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)
        self.info = layout.read_info(self.root)
        self.fps: int = self.info["fps"]
        self.robot_type: str = self.info.get("robot_type") or ""
        self.features = layout.features_of(self.info)
        self.cameras = layout.camera_keys(self.features)
        self.rows = self._read_episodes(lambda name: not name.startswith("stats/") and name not in HEAVY)
        if len(self) < self.info["total_episodes"]:
            missing = self.info["total_episodes"] - len(self)
            raise TwinloomError(f"{self.root}: meta/episodes lacks {missing} episodes; see: datagen verify {self.root}")
        self._described: tuple[int, pa.Table] = (0, pa.table({}))
        self._process = os.getpid()
        self._videos: dict[Path, VideoReader] = {}
        self._data: tuple[Path, int, pa.Table] | None = None

    def __len__(self) -> int:
        """Number of episodes."""
        return len(self.rows)

    @property
    def frames(self) -> int:
        """Number of frames of all episodes."""
        return self.info["total_frames"]

    @cached_property
    def episodes(self) -> pa.Table:
        """Row per episode, all columns but the statistics. Large: it has the randomisation records."""
        return self._read_episodes(lambda name: not name.startswith("stats/"))

    @cached_property
    def tasks(self) -> dict[int, str]:
        """Task index to sentence."""
        return read_tasks(self.root / layout.TASKS)

    @cached_property
    def stats(self) -> dict[str, Stats]:
        """Statistics of the whole dataset by feature; empty if it has none."""
        path = self.root / layout.STATS
        return from_lists(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}

    @property
    def spec(self) -> DatasetSpec:
        """What its episodes share, as a writer needs it; images in data files count as cameras."""
        features = {n: replace(f, dtype="video") if f.dtype == "image" else f for n, f in self.features.items()}
        videos = {key: self.info["features"][key].get("info") or {"video.fps": self.fps} for key in self.cameras}
        if features != self.features:
            videos = {}  # images from data files are to be encoded
        source = self._details(0).get("source") if len(self) else None
        return DatasetSpec(self.fps, self.robot_type, source or "unknown", features, "", videos)

    def __iter__(self) -> Iterator[Episode]:
        """Its episodes, one after the other."""
        return map(self.episode, range(len(self)))

    def episode(self, index: int) -> Episode:
        """One episode; its images are decoded when they are asked for.

        Raises:
            TwinloomError: no such episode, or its files are missing or damaged.
        """
        row, arrays, details = self.row(index), self.arrays(index), self._details(index)
        sentences = [self.tasks[int(i)] for i in arrays["task_index"]]
        kept = {name: array for name, array in arrays.items() if name not in layout.BOOKKEEPING}
        stills = {name: kept.pop(name) for name, feature in self.features.items() if feature.dtype == "image"}
        places = {key: self.video_place(row, key) for key in self.cameras}
        facts: dict[str, Any] = json.loads(details.get("extra") or "{}")
        said = {split: details.get(f"instructions/{split}") or [] for split in ("seen", "unseen")}
        facts |= {"instructions": said} if any(said.values()) else {}
        facts |= {name: details[name] for name in ("attempts", "failures", "source") if details.get(name)}
        return Episode(
            task=details.get("task_name") or "",
            instruction=sentences[0],
            arrays=kept,
            images=self._episode_images(index, stills),
            success=details.get("success"),
            seed=tuple(details.get("seed") or ()),
            record=json.loads(details.get("record") or "{}"),
            extra=facts,
            frame_instructions=sentences if len(set(sentences)) > 1 else None,
            clips={key: Clip(path, start, row["length"]) for key, (path, start) in places.items()},
            stats={name: stats for name, stats in self.episode_stats(index).items() if name in self.cameras},
        )

    def _episode_images(self, index: int, stills: dict[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
        for frame in range(self.row(index)["length"]):
            yield {key: self.frame(index, frame, key) for key in self.cameras} | {
                k: v[frame] for k, v in stills.items()
            }

    def _details(self, episode: int) -> dict[str, Any]:
        """Our columns of one episode, the long ones too; those of one file stay in memory."""
        first, table = self._described
        if not first <= episode < first + len(table):
            first = 0
            for path in sorted((self.root / "meta/episodes").glob("*/*.parquet"), key=file_number):
                rows = pq.read_metadata(path).num_rows
                if episode < first + rows:
                    wanted = [name for name in pq.read_schema(path).names if name in EXTRA_COLUMNS]
                    self._described = (first, pq.read_table(path, columns=wanted))
                    break
                first += rows
            first, table = self._described
        return table.slice(episode - first, 1).to_pylist()[0] if table.num_columns else {}

    def row(self, episode: int) -> dict[str, Any]:
        """Row of one episode in meta/episodes, without its long columns.

        Raises:
            TwinloomError: no such episode.
        """
        if not 0 <= episode < len(self):
            raise TwinloomError(f"{self.root} has episodes 0 to {len(self) - 1}, not {episode}")
        return self.rows.slice(episode, 1).to_pylist()[0]

    def episode_stats(self, episode: int) -> dict[str, Stats]:
        """Statistics of one episode by feature; empty if the dataset has none."""
        columns = [name for name in self._stats_table.column_names if self._stats_table[name][episode].is_valid]
        nested: dict[str, dict[str, Any]] = {}
        for column in columns:
            name, _, stat = column.removeprefix("stats/").rpartition("/")
            nested.setdefault(name, {})[stat] = self._stats_table[column][episode].as_py()
        return from_lists(nested)

    def arrays(self, episode: int) -> dict[str, np.ndarray]:
        """Everything of one episode that is not video, bookkeeping columns included.

        Returns:
            Feature name to (T, ...) array; features of shape (1,) give (T,). "image" features give (T, H, W, 3) uint8.

        Raises:
            TwinloomError: the data file is missing or damaged, or does not hold the episode.
        """
        row = self.row(episode)
        table = self._rows(row)
        arrays = {}
        for name, feature in {**self.features, **layout.BOOKKEEPING}.items():
            if feature.dtype == "video":
                continue
            try:
                values = table[name]
                arrays[name] = _images(values) if feature.dtype == "image" else to_numpy(values, feature)
            except (KeyError, ValueError) as error:
                raise TwinloomError(f"{self.root}: episode {episode}, feature {name}: {error}") from error
        return arrays

    def frame(self, episode: int, index: int, camera: str) -> np.ndarray:
        """Frame ``index`` of an episode as (H, W, 3) uint8.

        Raises:
            TwinloomError: no such episode, frame or camera, or the video is damaged.
        """
        row = self.row(episode)
        if not 0 <= index < row["length"]:
            raise TwinloomError(f"episode {episode} has frames 0 to {row['length'] - 1}, not {index}")
        path, start = self.video_place(row, camera)
        return self._video(path).frame(start + index)

    def images(self, episode: int, camera: str) -> Iterator[np.ndarray]:
        """All frames of an episode in order, each (H, W, 3) uint8."""
        for index in range(self.row(episode)["length"]):
            yield self.frame(episode, index, camera)

    def video_place(self, row: dict[str, Any], camera: str) -> tuple[Path, int]:
        """Video file of an episode and the number of its first frame in it.

        Raises:
            TwinloomError: no such camera.
        """
        if camera not in self.cameras:
            raise TwinloomError(f'{self.root} has no camera "{camera}"; it has {", ".join(self.cameras) or "none"}')
        path = layout.inside(
            self.root,
            self.info["video_path"],
            video_key=camera,
            chunk_index=row[f"videos/{camera}/chunk_index"],
            file_index=row[f"videos/{camera}/file_index"],
        )
        return path, round(row[f"videos/{camera}/from_timestamp"] * self.fps)

    def data_path(self, row: dict[str, Any]) -> Path:
        """Data file of an episode."""
        numbers = {"chunk_index": row["data/chunk_index"], "file_index": row["data/file_index"]}
        return layout.inside(self.root, self.info["data_path"], **numbers)

    def __getstate__(self) -> dict[str, Any]:
        """Without open files and without what can be read again: workers of a data loader get a copy."""
        again = {"_videos": {}, "_data": None, "_described": (0, pa.table({}))}
        return {k: v for k, v in self.__dict__.items() if k not in ("episodes", "_stats_table")} | again

    def close(self) -> None:
        """Release all files."""
        for reader in self._open_videos().values():
            reader.close()
        self._videos.clear()
        self._data = None

    def __enter__(self) -> Dataset:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open_videos(self) -> dict[Path, VideoReader]:
        """Readers by file, the last used last; none after a fork, where the place in a file would be shared."""
        if self._process != os.getpid():
            self._videos, self._process = {}, os.getpid()
        return self._videos

    def _video(self, path: Path) -> VideoReader:
        readers = self._open_videos()
        reader = readers.pop(path, None) or VideoReader(path, self.fps)
        readers[path] = reader
        if len(readers) > max(OPEN_VIDEOS, len(self.cameras)):
            readers.pop(next(iter(readers))).close()
        return reader

    def _rows(self, row: dict[str, Any]) -> pa.Table:
        """Rows of one episode; its data file stays in memory for the next."""
        path = self.data_path(row)
        if self._data is None or self._data[0] != path:
            try:
                table = pq.read_table(path)
            except (OSError, pa.ArrowException) as error:
                raise TwinloomError(f"{path} is not readable: {error}") from error
            first = table["index"][0].as_py() if len(table) else 0
            self._data = (path, first, table)
        _, first, table = self._data
        start = row["dataset_from_index"] - first
        if start < 0 or start + row["length"] > len(table):
            raise TwinloomError(f"{path} does not hold episode {row['episode_index']}")
        return table.slice(start, row["length"])

    @cached_property
    def _stats_table(self) -> pa.Table:
        return self._read_episodes(lambda name: name.startswith("stats/"))

    def _read_episodes(self, wanted) -> pa.Table:
        """Columns of meta/episodes chosen by name, the committed rows of all files."""
        paths = sorted((self.root / "meta/episodes").glob("*/*.parquet"), key=file_number)
        tables = []
        remaining = self.info["total_episodes"]
        for path in paths:
            try:
                names = [n for n in pq.read_schema(path).names if wanted(n)]
                tables.append(pq.read_table(path, columns=names).slice(0, remaining))
            except (OSError, pa.ArrowException) as error:
                raise TwinloomError(f"{path} is not readable: {error}") from error
            remaining -= len(tables[-1])
        return pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({})


def file_number(path: Path) -> tuple[int, int]:
    """Chunk and file number in a path."""
    match = layout.FILE_PATTERN.search(path.as_posix())
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _images(values: pa.ChunkedArray) -> np.ndarray:
    """Column of encoded images, as LeRobot's "image" features have it, decoded to (T, H, W, 3) uint8."""
    from PIL import Image

    return np.stack([np.asarray(Image.open(io.BytesIO(cell["bytes"])).convert("RGB")) for cell in values.to_pylist()])
