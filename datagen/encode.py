"""Encoding of all cameras of one episode in a thread of its own, so that rendering goes on meanwhile."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import numpy as np

from datagen.lerobot.codec import Codec
from datagen.lerobot.stats import ImageStats, Stats
from datagen.lerobot.video import VideoWriter

AHEAD = 4  # frames of every camera that may wait for the encoder


class EpisodeEncoder:
    """Takes the frames of one episode and leaves ``<camera key>.mp4`` per camera in a folder.

    Use as a context manager; leaving it normally completes the files.

    Args:
        folder: where the files go.
        sizes: camera key to (height, width).
        length: number of frames that will come.
        fps: frames per second.

    Attributes:
        stats: camera key to image statistics, once the context was left.
        frames: frames taken.
        cpu_s: processor seconds spent encoding.
    """

    def __init__(self, folder: Path, sizes: Mapping[str, tuple[int, int]], length: int, fps: int, codec: Codec) -> None:
        self._paths = {key: folder / f"{key}.mp4" for key in sizes}
        self._sizes, self._fps, self._codec = dict(sizes), fps, codec
        self._collectors = {key: ImageStats(length) for key in sizes}
        self._queue: queue.Queue[dict[str, np.ndarray] | None] = queue.Queue(maxsize=AHEAD)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="encoder", daemon=True)
        self.stats: dict[str, Stats] = {}
        self.frames = 0
        self.cpu_s = 0.0

    def put(self, frames: Mapping[str, np.ndarray]) -> None:
        """Hand over the next frame of every camera; the arrays must not be changed afterwards.

        Raises:
            ValueError: cameras are missing or unknown.
            OSError: the disk is full or not writable (whatever the encoder thread met).
        """
        if frames.keys() != self._sizes.keys():
            raise ValueError(f"frames of {sorted(frames)} given, expected {sorted(self._sizes)}")
        if self._error is not None:
            raise self._error
        self._queue.put(dict(frames))
        self.frames += 1

    def __enter__(self) -> EpisodeEncoder:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._queue.put(None)
        self._thread.join()
        if error is None:
            if self._error is not None:
                raise self._error
            self.stats = {key: collector.result() for key, collector in self._collectors.items()}

    def _run(self) -> None:
        ended = False
        try:
            with ExitStack() as files:
                writers = {}
                for key, path in self._paths.items():
                    height, width = self._sizes[key]
                    writers[key] = VideoWriter(
                        files.enter_context(path.open("wb")), width, height, self._fps, self._codec
                    )
                index = 0
                while (frames := self._queue.get()) is not None:
                    for key, frame in frames.items():
                        writers[key].write(frame)
                        self._collectors[key].add(index, frame)
                    index += 1
                ended = True
                for writer in writers.values():
                    writer.close()
        except BaseException as error:  # handed to the thread that fills the queue
            self._error = error
            while not ended:  # it must not wait for room in the queue
                ended = self._queue.get() is None
        self.cpu_s = time.thread_time()
