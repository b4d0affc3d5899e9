"""Appending episodes to a LeRobot v3.0 dataset, all of a commit or none (datagen.lerobot.commit).

The file that is still open is built again from its own rows and the new ones, and file boundaries follow from sizes in
episode order, so the same episodes give the same bytes however often commits happened.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from datagen.episode import DatasetSpec
from datagen.lerobot import layout
from datagen.lerobot.columns import check_arrays, check_features, frame_schema, frame_table, stored, to_numpy
from datagen.lerobot.commit import commit, recover, write
from datagen.lerobot.entry import Entry, Placed, episode_row, episode_schema, episode_table
from datagen.lerobot.histogram import HISTOGRAMS
from datagen.lerobot.integrity import check_intact
from datagen.lerobot.manifest import Manifest, listed
from datagen.lerobot.state import State
from datagen.lerobot.stats import array_stats, to_lists
from datagen.lerobot.tasks import task_table
from datagen.lerobot.video import Clip, join
from twinloom.errors import InvalidSettingsError

GROUPS_AT_ONCE = 64  # row groups of an open data file that are read together
ROWS_PER_GROUP = 100  # of meta/episodes: fixed, so that it does not depend on the commits
PARQUET: dict[str, Any] = {"compression": "snappy", "write_page_checksum": True}


class Writer:
    """The single writer of one dataset.

    Args:
        root: folder of the dataset; created by the first commit, continued if it holds a dataset.
        spec: what all episodes share.
        videos: camera key to the codec facts for info.json (see Codec.info).
        limits: when new files begin.

    Raises:
        InvalidSettingsError: the spec cannot be stored, or differs from that of the dataset in the folder.
        TwinloomError: a file that would be written again is damaged.
    """

    def __init__(
        self,
        root: Path,
        spec: DatasetSpec,
        videos: Mapping[str, dict[str, Any]],
        limits: layout.Limits | None = None,
    ) -> None:
        check_features(spec.features)
        recover(root)
        self.root, self.spec, self.videos = root, spec, dict(videos)
        self.limits = limits or layout.Limits()
        self.state = State(spec.features, spec.fps, self.limits)
        if (root / layout.INFO).exists():
            self._refuse_other(layout.read_info(root))
            self.state = State.load(root, spec.features, spec.fps, self.limits)
        self.manifest = Manifest.load(root)
        self._schema = episode_schema(spec.features)
        if self.state.episodes:
            self._clean()
            copied = self.state.open_files() | {path for path in listed(root) if path.parts[0] == "meta"}
            self.manifest = check_intact(root, copied, what="nothing was added")

    def info(self) -> dict[str, Any]:
        """Content of info.json for the present state."""
        return layout.make_info(
            fps=self.spec.fps,
            robot_type=self.spec.robot_type,
            features=self.spec.features,
            videos=self.videos,
            episodes=self.state.episodes,
            frames=self.state.frames,
            tasks=len(self.state.tasks),
            limits=self.limits,
        )

    def append(self, entries: Sequence[Entry], sidecars: Mapping[Path, bytes] | None = None) -> None:
        """Commit episodes and further files of the dataset together.

        Args:
            entries: in dataset order.
            sidecars: path relative to the dataset to content, for files beside LeRobot's.

        Raises:
            InvalidSettingsError: the arrays of an episode do not fit the features; nothing was changed.
            TwinloomError: the disk is full or not writable, or a clip is damaged. The dataset is as it was.
        """
        before = self.state
        self.state = before.copy()
        try:
            placed = [self.state.place(entry) for entry in entries]
            with commit(self.root, self.manifest) as aside:
                stats = self._write_data(aside, before, placed)
                self._write_videos(aside, before, placed)
                self._write_meta(aside, before, placed, stats)
                for path, content in (sidecars or {}).items():
                    write(aside / path, content)
                write(aside / layout.INFO, to_json(self.info()))
        except BaseException:
            self.state = before
            raise

    def _write_data(self, aside: Path, before: State, placed: list[Placed]) -> list[dict[str, Any]]:
        """Data files that change. Returns the statistics of each episode, bookkeeping columns included."""
        stats = []
        schema = frame_schema(self.spec.features)
        for file, group in itertools.groupby(placed, key=lambda p: p.data):
            with _parquet(aside / file.data(), schema) as parquet:
                if file == before.data.file and before.data.rows:
                    for table in _row_groups(self.root / file.data(), before.data.rows):
                        parquet.write_table(table, row_group_size=len(table))
                for item in group:
                    arrays = dict(item.entry.arrays())
                    check_arrays(arrays, self.spec.features, item.entry.length)
                    table = frame_table(
                        arrays,
                        self.spec.features,
                        fps=self.spec.fps,
                        episode=item.episode,
                        start=item.start,
                        task_index=item.task_index,
                    )
                    parquet.write_table(table, row_group_size=len(table))
                    columns = stored(self.spec.features)
                    self.state.fold.histograms.add({n: to_numpy(table[n], columns[n]) for n in columns})
                    own = {name: array_stats(table[name].to_numpy()) for name in layout.BOOKKEEPING}
                    stats.append({**item.entry.stats, **own})
        return stats

    def _write_videos(self, aside: Path, before: State, placed: list[Placed]) -> None:
        for key in self.videos:
            for file, group in itertools.groupby(placed, key=lambda p: p.videos[key].file):
                clips = [p.entry.clips[key] for p in group]
                cursor = before.videos[key]
                if file == cursor.file and cursor.rows:
                    clips.insert(0, Clip(self.root / file.video(key), 0, cursor.rows))
                path = aside / file.video(key)
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("wb") as handle:
                    join(handle, clips, self.spec.fps)

    def _write_meta(self, aside: Path, before: State, placed: list[Placed], stats: list[dict[str, Any]]) -> None:
        pairs = zip(placed, stats, strict=True)
        for file, group in itertools.groupby(pairs, key=lambda pair: pair[0].meta):
            rows = []
            for item, own in group:
                rows.append(episode_row(item, own, self.spec.fps))
                self.state.fold.add(own)
            table = episode_table(rows, self._schema)
            if file == before.meta.file and before.meta.rows:
                old = pq.read_table(self.root / file.episodes(), schema=self._schema)
                table = pa.concat_tables([old.slice(0, before.meta.rows), table]).combine_chunks()
            with _parquet(aside / file.episodes(), self._schema) as parquet:
                parquet.write_table(table, row_group_size=ROWS_PER_GROUP)
        path = aside / layout.TASKS
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(task_table(list(self.state.tasks)), path, **PARQUET)
        pq.write_table(self.state.fold.histograms.table(), aside / HISTOGRAMS, **PARQUET)
        write(aside / layout.STATS, to_json(to_lists(self.state.fold.result())))

    def _refuse_other(self, info: dict[str, Any]) -> None:
        """Compare an existing dataset with ours and name every difference."""
        mine = self.info()
        problems = [
            f"{key} is {_short(info.get(key))} there, {_short(mine[key])} here"
            for key in ("fps", "robot_type", "chunks_size", "data_files_size_in_mb", "video_files_size_in_mb")
            if info.get(key) != mine[key]
        ]
        theirs, ours = info["features"], mine["features"]
        problems += [f'feature "{name}" is only there' for name in theirs.keys() - ours.keys()]
        problems += [f'feature "{name}" is only here' for name in ours.keys() - theirs.keys()]
        for name in ours.keys() & theirs.keys():
            problems += _differences(f'feature "{name}"', theirs[name], ours[name])
        if problems:
            raise InvalidSettingsError(f"{self.root} holds another dataset", sorted(problems))

    def _clean(self) -> None:
        """Remove files beyond the committed ones, which a failing disk may leave."""
        wanted = self.state.files()
        for folder in ("data", "videos", "meta/episodes"):
            for path in sorted((self.root / folder).rglob("*")):
                relative = path.relative_to(self.root)
                if layout.FILE_PATTERN.search(relative.as_posix()) and relative not in wanted:
                    path.unlink()


@contextlib.contextmanager
def _parquet(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Python's own file: its errors carry the number by which a full disk is told from a read-only one.
    with path.open("wb") as file, pq.ParquetWriter(file, schema, **PARQUET) as parquet:
        yield parquet


def _row_groups(path: Path, rows: int) -> Iterator[pa.Table]:
    """The first ``rows`` rows of a data file, one episode (row group) after the other."""
    with pq.ParquetFile(path) as parquet:
        lengths = [parquet.metadata.row_group(group).num_rows for group in range(parquet.num_row_groups)]
        for first in range(0, len(lengths), GROUPS_AT_ONCE):
            groups = range(first, min(first + GROUPS_AT_ONCE, len(lengths)))
            table = parquet.read_row_groups(list(groups), use_threads=False)
            for group in groups:
                if rows <= 0:
                    return
                yield table.slice(0, lengths[group])
                table, rows = table.slice(lengths[group]), rows - lengths[group]


def to_json(value: Any) -> bytes:
    """As meta files hold it; the same value gives the same bytes."""
    return (json.dumps(value, indent=4, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _differences(what: str, there: Any, here: Any) -> list[str]:
    """One sentence per value that differs, inside dictionaries too."""
    if isinstance(there, dict) and isinstance(here, dict):
        keys = [*here, *(key for key in there if key not in here)]
        return [d for key in keys for d in _differences(f"{what}, {key}", there.get(key), here.get(key))]
    return [] if there == here else [f"{what} is {_short(there)} there, {_short(here)} here"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:117] + "..."
