"""One dataset of a mixture in memory: its numbers at the mixture's rate and under its names; images from a cache."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from datagen.lerobot.read import Dataset
from datagen.mixture.cache import image_cache
from datagen.mixture.config import SourceConfig
from twinloom.errors import TwinloomError, UnknownNameError
from twinloom.features import ACTION, IMAGES, STATE


@dataclass(frozen=True, eq=False)
class Source:
    """What a mixture draws from.

    Frames are counted over all chosen episodes at the mixture's rate; frame i shows the recorded frame ``recorded[i]``.

    Attributes:
        config: where it came from.
        fps: as recorded.
        values: "observation.state" and "action" -> (N, n) float32.
        names: the same keys -> names of the elements, those of the mixture where they were given.
        first: (E + 1,) first frame of each episode, and N.
        tasks: sentence of each episode.
        images: camera of the mixture -> (frames, height, width, 3) uint8 on disk.
        recorded: (N,) row of ``images`` of each frame.
    """

    config: SourceConfig
    fps: int
    values: dict[str, np.ndarray]
    names: dict[str, tuple[str, ...]]
    first: np.ndarray
    tasks: tuple[str, ...]
    images: dict[str, np.ndarray]
    recorded: np.ndarray

    def __len__(self) -> int:
        """Number of frames, each of which begins a window."""
        return int(self.first[-1])


def load_source(config: SourceConfig, fps: int, cameras: dict[str, str], image_size: tuple[int, int]) -> Source:
    """Read a source; the images are decoded once and kept in a cache.

    Args:
        config: which.
        fps: rate of the mixture.
        cameras: camera of the mixture -> camera of this dataset, those it has.
        image_size: (width, height).

    Raises:
        TwinloomError: no such dataset, task or camera; numbers that are not finite.
    """
    with Dataset(config.root) as dataset:
        chosen = choose(dataset, config)
        parts: dict[str, list[np.ndarray]] = {STATE: [], ACTION: []}
        recorded, lengths, tasks = [], [], []
        lengths_before = np.cumsum([0, *dataset.rows["length"].to_pylist()])
        for episode in chosen:
            arrays = dataset.arrays(episode)
            times = resampled_times(len(arrays[ACTION]), dataset.fps, fps)
            for name, rows in parts.items():
                if name in dataset.features:
                    rows.append(interpolated(arrays[name].reshape(len(arrays[name]), -1), times))
            lengths.append(len(times))
            recorded.append(lengths_before[episode] + np.round(times).astype(np.int64))
            tasks.append(dataset.tasks[int(arrays["task_index"][0])])
        values = {name: np.concatenate(rows).astype(np.float32) for name, rows in parts.items() if rows}
        for name, rows in values.items():
            if not np.isfinite(rows).all():
                raise TwinloomError(
                    f"{config.root}: {name} is not finite everywhere; see: datagen verify {config.root}"
                )
        renamed = {own: name for name, own in config.names.items()}
        names = {k: tuple(renamed.get(n, n) for n in dataset.features[k].names) for k in values}
        images = {name: image_cache(dataset, IMAGES + own, image_size) for name, own in cameras.items()}
        return Source(
            config,
            dataset.fps,
            values,
            names,
            np.cumsum([0, *lengths]),
            tuple(tasks),
            images,
            np.concatenate(recorded),
        )


def choose(dataset: Dataset, config: SourceConfig) -> list[int]:
    """Episodes of the source: successful ones of its task, in order. Raises UnknownNameError, TwinloomError."""
    rows = dataset.rows
    chosen = list(range(len(dataset)))
    if config.task and "task_name" in rows.column_names:
        names = rows["task_name"].to_pylist()
        bare = config.task.rpartition("/")[2]
        chosen = [e for e in chosen if names[e] == bare]
        if not chosen:
            known = {str(name) for name in names}
            raise UnknownNameError(f"task of {config.root}", bare, known, f"datagen report {config.root}")
    if "success" in rows.column_names:
        well = rows["success"].to_pylist()
        chosen = [e for e in chosen if well[e] is not False]
    wanted = len(chosen) if config.episodes is None else config.episodes
    if not 1 <= wanted <= len(chosen):
        raise TwinloomError(f"{config.root} has {len(chosen)} episodes to learn from, and {wanted} are asked for")
    return chosen[:wanted]


def resampled_times(length: int, fps: int, wanted: int) -> np.ndarray:
    """Times at which an episode is read, in recorded frames: all of them at its own rate, else every fps / wanted."""
    if fps == wanted:
        return np.arange(length, dtype=np.float64)
    step = fps / wanted
    return np.arange(int(np.floor((length - 1) / step + 1e-9)) + 1) * step


def interpolated(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(T, n) values at fractional frames, linearly between neighbours."""
    low = np.floor(times).astype(np.int64)
    high = np.minimum(low + 1, len(values) - 1)
    part = (times - low)[:, None]
    return values[low] * (1.0 - part) + values[high] * part


def folder_name(config: SourceConfig) -> str:
    """Short name for tables."""
    return Path(config.root).name or config.root
