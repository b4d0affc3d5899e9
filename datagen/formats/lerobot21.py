"""LeRobot v2.1: a Parquet file and a video per episode, JSON lines in ``meta``. Videos are copied, not encoded anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datagen.episode import Clip, DatasetSpec, Episode
from datagen.formats import ReadConfig
from datagen.formats.hdf5 import OURS, describe, described, need_fps
from datagen.lerobot.codec import codecs
from datagen.lerobot.columns import frame_table, to_numpy
from datagen.lerobot.layout import BOOKKEEPING, INFO, Limits, camera_keys, features_of, inside, make_info, version_of
from datagen.lerobot.stats import Stats, array_stats, from_lists, to_lists
from datagen.lerobot.video import VideoReader, VideoWriter, join, probe
from twinloom.errors import TwinloomError

SUMMARY = "LeRobot v2.0 and v2.1: a Parquet file and a video an episode"
DATA = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
VIDEO = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"
CHUNK = 1000  # episodes of a folder


def detect(path: Path) -> bool:
    """A folder whose meta/info.json says v2."""
    return (path / INFO).is_file() and version_of(path).startswith("v2")


class Reader:
    """See Format.reader."""

    def __init__(self, path: Path, config: ReadConfig) -> None:
        self._root = path
        self._info: dict[str, Any] = json.loads((path / INFO).read_text(encoding="utf-8"))
        if not version_of(path).startswith("v2"):
            raise TwinloomError(f"{path} has LeRobot format {version_of(path)}, not v2")
        features = features_of(self._info)
        videos = {key: dict(self._info["features"][key].get("info") or {}) for key in camera_keys(features)}
        fps = need_fps(path, config.fps, self._info["fps"])
        robot = config.robot or str(self._info.get("robot_type") or "")
        self.spec = DatasetSpec(fps, robot, "lerobot", features, "", videos)
        self._episodes = _lines(path / "meta/episodes.jsonl")
        self._tasks = {row["task_index"]: row["task"] for row in _lines(path / "meta/tasks.jsonl")}
        stats = path / "meta/episodes_stats.jsonl"
        for key in [key for key, facts in videos.items() if "video.codec" not in facts and self._episodes]:
            videos[key] |= probe(self._place(self._info["video_path"], 0, key), fps)
        self._stats = {row["episode_index"]: row["stats"] for row in _lines(stats)} if stats.is_file() else {}

    def __len__(self) -> int:
        return len(self._episodes)

    def __iter__(self) -> Iterator[Episode]:
        for row in self._episodes:
            yield self._episode(row)

    def _place(self, template: str, index: int, key: str = "") -> Path:
        chunk = index // int(self._info.get("chunks_size", CHUNK))
        return inside(self._root, template, episode_chunk=chunk, episode_index=index, video_key=key)

    def _episode(self, row: dict[str, Any]) -> Episode:
        index = int(row["episode_index"])
        path = self._place(self._info["data_path"], index)
        try:
            table = pq.read_table(path)
        except (OSError, pa.ArrowException) as error:
            raise TwinloomError(f"{path} is not readable: {error}") from error
        numeric = {n: f for n, f in self.spec.features.items() if f.dtype not in ("video", "image")}
        arrays = {name: to_numpy(table[name], feature) for name, feature in numeric.items()}
        sentences = [self._tasks[int(i)] for i in table["task_index"].to_numpy()]
        keys = camera_keys(self.spec.features)
        clips = {key: Clip(self._place(self._info["video_path"], index, key), 0, len(table)) for key in keys}
        facts = {"task": "", "instruction": sentences[0], "success": None, "seed": (), "record": {}}
        if OURS in row:
            facts = described(json.dumps(row[OURS]))[1]
        facts["frame_instructions"] = sentences if len(set(sentences)) > 1 else None
        stats = from_lists({k: v for k, v in self._stats.get(index, {}).items() if k in keys})
        return Episode(arrays=arrays, images=self._images(clips), clips=clips, stats=stats, **facts)

    def _images(self, clips: dict[str, Clip]) -> Iterator[dict[str, np.ndarray]]:
        readers = {key: VideoReader(clip.path, self.spec.fps) for key, clip in clips.items()}
        for index in range(next(iter(clips.values())).length if clips else 0):
            yield {key: video.frame(index) for key, video in readers.items()}


class Writer:
    """See Format.writer."""

    def __init__(self, path: Path, spec: DatasetSpec) -> None:
        self._root, self.spec = path, spec
        self._tasks: dict[str, int] = {}
        self._episodes = self._frames = 0

    def __enter__(self) -> Writer:
        (self._root / "meta").mkdir(parents=True, exist_ok=True)
        self._rows = (self._root / "meta/episodes.jsonl").open("w", encoding="utf-8")
        self._stats = (self._root / "meta/episodes_stats.jsonl").open("w", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._rows.close()
        self._stats.close()
        tasks = [json.dumps({"task_index": k, "task": task}, ensure_ascii=False) for task, k in self._tasks.items()]
        (self._root / "meta/tasks.jsonl").write_text("".join(f"{line}\n" for line in tasks), encoding="utf-8")
        h264 = codecs["h264"]
        videos = {
            key: self.spec.videos.get(key) or h264.info(feature.shape[1], feature.shape[0], self.spec.fps)
            for key, feature in self.spec.features.items()
            if feature.dtype == "video"
        }
        info = make_info(
            fps=self.spec.fps, robot_type=self.spec.robot_type, features=self.spec.features, videos=videos,
            episodes=self._episodes, frames=self._frames, tasks=len(self._tasks), limits=Limits(),
        )  # fmt: skip
        info |= {"codebase_version": "v2.1", "data_path": DATA, "video_path": VIDEO if videos else None}
        info |= {"total_videos": self._episodes * len(videos), "total_chunks": -(-self._episodes // CHUNK)}
        for name in ("data_files_size_in_mb", "video_files_size_in_mb"):
            del info[name]
        (self._root / INFO).write_text(json.dumps(info, indent=4, ensure_ascii=False) + "\n", encoding="utf-8")

    def add(self, episode: Episode) -> None:
        """Append one episode."""
        index, sentences, which = self._episodes, *episode.sentences
        ids = np.array([self._tasks.setdefault(sentence, len(self._tasks)) for sentence in sentences])
        task_index = ids[np.zeros(episode.length, int) if which is None else which]
        table = frame_table(
            episode.arrays, self.spec.features, fps=self.spec.fps, episode=index, start=self._frames,
            task_index=task_index,
        )  # fmt: skip
        path = self._root / DATA.format(episode_chunk=index // CHUNK, episode_index=index)
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
        stats: dict[str, Stats] = {n: array_stats(table[n].to_numpy()) for n in BOOKKEEPING}
        stats |= {name: array_stats(array) for name, array in episode.arrays.items() if array.dtype.kind in "fiub"}
        stats |= self._videos(index, episode)
        row = {"episode_index": index, "tasks": sentences, "length": episode.length}
        row[OURS] = json.loads(describe(self.spec, episode))
        self._rows.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._stats.write(json.dumps({"episode_index": index, "stats": to_lists(stats)}) + "\n")
        self._episodes, self._frames = index + 1, self._frames + episode.length

    def _videos(self, index: int, episode: Episode) -> dict[str, Stats]:
        """Write the videos of an episode; returns the statistics of its images."""
        from datagen.dataset import clip_stats

        keys = camera_keys(self.spec.features)
        chunk = index // CHUNK
        paths = {k: self._root / VIDEO.format(episode_chunk=chunk, episode_index=index, video_key=k) for k in keys}
        for path in paths.values():
            path.parent.mkdir(parents=True, exist_ok=True)
        if set(keys) <= episode.clips.keys():
            for key, path in paths.items():
                with path.open("wb") as file:
                    join(file, [episode.clips[key]], self.spec.fps)
        else:
            files = {key: path.open("wb") for key, path in paths.items()}
            shapes = {key: self.spec.features[key].shape for key in keys}
            videos = {
                key: VideoWriter(file, shapes[key][1], shapes[key][0], self.spec.fps, codecs["h264"])
                for key, file in files.items()
            }
            for frames in episode.images:
                for key, video in videos.items():
                    video.write(frames[key])
            for key, video in videos.items():
                video.close()
                files[key].close()
        return {
            key: dict(episode.stats[key]) if key in episode.stats
            else clip_stats(Clip(path, 0, episode.length), self.spec.fps)
            for key, path in paths.items()
        }  # fmt: skip


def reader(path: Path, config: ReadConfig) -> Reader:
    """See Format.reader."""
    return Reader(path, config)


def writer(path: Path, spec: DatasetSpec) -> AbstractContextManager[Writer]:
    """See Format.writer."""
    return Writer(path, spec)


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise TwinloomError(f"{path} is not readable: {error}") from error
