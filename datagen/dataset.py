"""The one way to write a dataset: ``DatasetWriter(root, spec).add(episode)``."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import numpy as np

from datagen.episode import Clip, DatasetSpec, Episode
from datagen.lerobot.codec import codecs
from datagen.lerobot.commit import COMMIT, recover
from datagen.lerobot.entry import Entry
from datagen.lerobot.layout import Limits, camera_keys
from datagen.lerobot.stats import ImageStats, Stats, array_stats
from datagen.lerobot.video import VideoReader, scan
from datagen.lerobot.write import Writer
from datagen.lock import writer_lock
from datagen.staging import STAGING, StagedEpisode, clean_partial, columns_of, stage_episode

COMMIT_FRAMES = 20_000  # frames that wait for a commit; more than the open files hold would be no gain


class DatasetWriter:
    """Appends episodes to a LeRobot v3.0 dataset; a context manager that holds the folder's lock.

    An episode is in the dataset completely or not at all. Those added reach it in commits, the last when the context is
    left; after an exception too, so that nothing that was added is lost.

    Args:
        root: folder of the dataset, begun if there is none.
        spec: what all episodes share. With ``spec.videos``, episodes must bring coded frames, which are copied.
        codec: name from datagen.lerobot.codec, for frames that are encoded.
        limits: when new files begin.
        sidecars: path relative to the dataset to content, for files beside LeRobot's.

    Raises:
        TwinloomError: another process writes the folder, it holds another or a damaged dataset, or cannot be written.
    """

    def __init__(
        self,
        root: Path | str,
        spec: DatasetSpec,
        *,
        codec: str = "h264",
        limits: Limits | None = None,
        sidecars: Mapping[Path, bytes] | None = None,
    ) -> None:
        self.root, self.spec, self._codec = Path(root), spec, codecs[codec]
        self._sidecars = dict(sidecars or {})
        self._stack, self._frames = ExitStack(), 0
        self._waiting: list[Entry] = []
        self._bytes: dict[Path, np.ndarray] = {}  # of every coded frame, by file
        shapes = {key: spec.features[key].shape for key in camera_keys(spec.features)}
        videos = {k: spec.videos.get(k) or self._codec.info(s[1], s[0], spec.fps) for k, s in shapes.items()}
        self._stack.enter_context(writer_lock(self.root))
        try:
            recover(self.root)
            clean_partial(self.root)
            self._writer = Writer(self.root, spec, videos, limits)
        except BaseException:
            self._stack.close()
            raise

    def __len__(self) -> int:
        """Episodes of the dataset, those that wait for a commit included."""
        return self._writer.state.episodes + len(self._waiting)

    def add(self, episode: Episode) -> int:
        """Append one episode. Returns its index in the dataset.

        Raises:
            InvalidSettingsError: its arrays do not fit the features; nothing was added.
            TwinloomError: the disk is full or not writable, or its coded frames are damaged.
        """
        if self.spec.videos and self.spec.videos.keys() <= episode.clips.keys():
            entry = self._copied(episode)
        else:
            slot = len(self)
            stage_episode(self.root, slot, episode, self.spec, self._codec, attempts=episode.extra.pop("attempts", 1))
            entry = StagedEpisode(self.root, slot).entry
        index = len(self)
        self._waiting.append(entry)
        self._frames += entry.length
        if self._frames >= max(COMMIT_FRAMES, self._writer.state.data.rows // 2):
            self.commit()
        return index

    def commit(self) -> None:
        """Make everything added so far part of the dataset."""
        if self._waiting:
            first = self._writer.state.episodes
            self._writer.append(self._waiting, self._sidecars)
            for slot in range(first, first + len(self._waiting)):
                shutil.rmtree(self.root / STAGING / f"slot-{slot:06d}", ignore_errors=True)
            self._waiting, self._frames = [], 0

    def close(self) -> None:
        """Commit and let go of the folder."""
        with self._stack:
            self.commit()
            shutil.rmtree(self.root / COMMIT, ignore_errors=True)

    def __enter__(self) -> DatasetWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _copied(self, episode: Episode) -> Entry:
        """An episode whose frames are coded already."""
        sentences, which = episode.sentences
        stats: dict[str, Stats] = {n: array_stats(a) for n, a in episode.arrays.items() if a.dtype.kind in "fiub"}
        clips = {key: episode.clips[key] for key in camera_keys(self.spec.features)}
        for key, clip in clips.items():
            stats[key] = dict(episode.stats[key]) if key in episode.stats else clip_stats(clip, self.spec.fps)
        return Entry(
            length=episode.length,
            arrays=lambda: episode.arrays,
            sentences=sentences,
            frame_sentence=which,
            clips=clips,
            video_bytes={key: self._coded_bytes(clip) for key, clip in clips.items()},
            stats=stats,
            extra=columns_of(episode, self.spec),
        )

    def _coded_bytes(self, clip: Clip) -> int:
        if clip.path not in self._bytes:
            if len(self._bytes) > 4 * len(self._writer.videos):
                self._bytes.clear()
            packets = sorted((packet.index, packet.size) for packet in scan(clip.path, self.spec.fps))
            self._bytes[clip.path] = np.array([size for _, size in packets])
        return int(self._bytes[clip.path][clip.start : clip.start + clip.length].sum())


def clip_stats(clip: Clip, fps: int) -> Stats:
    """Statistics of coded frames, decoded."""
    collector = ImageStats(clip.length)
    with VideoReader(clip.path, fps) as reader:
        for index in range(clip.length):
            collector.add(index, reader.frame(clip.start + index))
    return collector.result()


def copy(source, target, step: Callable[[int], None] = lambda done: None) -> int:
    """Add every episode that ``source`` yields to ``target``. Returns how many."""
    done = 0
    for done, episode in enumerate(source, 1):
        target.add(episode)
        step(done)
    return done
