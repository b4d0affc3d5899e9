"""Zarr replay buffers of Diffusion Policy: arrays over all frames in ``data``, ends of the episodes in ``meta``.

Arrays (N, H, W, 3) are cameras, ``action`` and ``state`` are what they say, others become ``observation.<name>``. What
the format has no place for lies in ``meta/twinloom``, JSON texts one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from datagen.episode import DatasetSpec, Episode, Feature
from datagen.formats import ReadConfig
from datagen.formats.hdf5 import OURS, describe, described, need_fps, plain_feature
from twinloom.errors import TwinloomError, require
from twinloom.features import ACTION, IMAGES, STATE, image_feature

SUMMARY = "Diffusion Policy: a Zarr replay buffer, folder or zip"
CHUNK = 256  # frames of a chunk of numbers
ENDS = "episode_ends"


def detect(path: Path) -> bool:
    """A Zarr store: a folder with .zgroup, or a zip."""
    return (path / ".zgroup").is_file() or (path / "zarr.json").is_file() or path.name.endswith(".zarr.zip")


def _open(path: Path, mode: str) -> Any:
    zarr = require("zarr", "formats")
    try:
        if path.suffix == ".zip":
            store = zarr.storage.ZipStore(path, mode=mode)
            return zarr.open_group(store, mode=mode, zarr_format=2 if mode == "w" else None)
        return zarr.open_group(str(path), mode=mode, zarr_format=2 if mode == "w" else None)
    except (OSError, ValueError, KeyError) as error:
        raise TwinloomError(f"{path} is not a readable Zarr store: {' '.join(str(error).split())}") from error


class Reader:
    """See Format.reader."""

    def __init__(self, path: Path, config: ReadConfig) -> None:
        self._path, self._config, self._root = path, config, _open(path, "r")
        if "data" not in self._root or "meta" not in self._root or ENDS not in self._root["meta"]:
            raise TwinloomError(f"{path} is no replay buffer: it lacks data or meta/{ENDS}")
        self._data, self._meta = self._root["data"], self._root["meta"]
        self._ends = np.asarray(self._meta[ENDS][:], dtype=np.int64)
        self._ours = OURS in self._meta
        self.spec = described(self._text(0))[0] if self._ours else self._guess()

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[Episode]:
        for index, end in enumerate(self._ends):
            yield self._episode(index, int(self._ends[index - 1]) if index else 0, int(end))

    def _text(self, index: int) -> bytes:
        ends = self._meta[OURS + "_ends"][:]
        return bytes(self._meta[OURS][int(ends[index - 1]) if index else 0 : int(ends[index])])

    def _guess(self) -> DatasetSpec:
        fps = need_fps(self._path, self._config.fps, None, " (10 for its push-T)")
        features = {}
        for name, array in self._data.arrays():
            if array.ndim == 4 and array.shape[-1] == 3:
                features[IMAGES + name] = image_feature(*array.shape[1:3])
            else:
                width = int(np.prod(array.shape[1:], dtype=int))
                features[_feature(name)] = plain_feature(np.empty((0, width), array.dtype), name)
        return DatasetSpec(fps, self._config.robot, "diffusion_policy", features, "")

    def _episode(self, index: int, start: int, end: int) -> Episode:
        arrays: dict[str, np.ndarray] = {}
        for name, feature in self.spec.features.items():
            if feature.dtype != "video":
                values = self._data[_name(name)][start:end]
                arrays[name] = values.reshape(-1) if feature.shape == (1,) else values.reshape(-1, *feature.shape)
        if self._ours:
            facts = described(self._text(index))[1]
        else:
            task = self._config.task or self._path.name.split(".")[0]
            facts = {"task": task, "instruction": task, "success": None, "seed": (), "record": {}}
        keys = [key for key, feature in self.spec.features.items() if feature.dtype == "video"]

        def images() -> Iterator[dict[str, np.ndarray]]:
            for frame in range(start, end):
                yield {key: _uint8(self._data[key.removeprefix(IMAGES)][frame]) for key in keys}

        return Episode(arrays=arrays, images=images(), **facts)


class Writer:
    """See Format.writer."""

    def __init__(self, path: Path, spec: DatasetSpec) -> None:
        self._path, self.spec = path, spec

    def __enter__(self) -> Writer:
        self._root = _open(self._path, "w")
        self._data, meta = self._root.create_group("data"), self._root.create_group("meta")
        self._arrays = {
            name: self._new(self._data, _name(name), feature) for name, feature in self.spec.features.items()
        }
        self._ends = meta.create_array(ENDS, shape=(0,), chunks=(4096,), dtype="int64")
        self._texts = meta.create_array(OURS, shape=(0,), chunks=(1 << 20,), dtype="uint8")
        self._text_ends = meta.create_array(OURS + "_ends", shape=(0,), chunks=(4096,), dtype="int64")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._root.store.close()

    def _new(self, group: Any, name: str, feature: Feature) -> Any:
        if feature.dtype == "video":
            return group.create_array(name, shape=(0, *feature.shape), chunks=(1, *feature.shape), dtype="uint8")
        return group.create_array(name, shape=(0, *feature.shape), chunks=(CHUNK, *feature.shape), dtype=feature.dtype)

    def add(self, episode: Episode) -> None:
        """Append one episode."""
        start = int(self._ends[-1]) if self._ends.shape[0] else 0
        for name, array in self._arrays.items():
            array.resize((start + episode.length, *array.shape[1:]))
            if self.spec.features[name].dtype != "video":
                array[start:] = episode.arrays[name].reshape(episode.length, *array.shape[1:])
        cameras = [name for name, feature in self.spec.features.items() if feature.dtype == "video"]
        for index, frames in enumerate(episode.images if cameras else ()):
            for key, image in frames.items():
                self._arrays[key][start + index] = image
        _extend(self._ends, np.array([start + episode.length]))
        text = np.frombuffer(describe(self.spec, episode).encode(), np.uint8)
        _extend(self._texts, text)
        _extend(self._text_ends, np.array([self._texts.shape[0]]))


def reader(path: Path, config: ReadConfig) -> Reader:
    """See Format.reader."""
    return Reader(path, config)


def writer(path: Path, spec: DatasetSpec) -> AbstractContextManager[Writer]:
    """See Format.writer."""
    return Writer(path, spec)


def _extend(array: Any, values: np.ndarray) -> None:
    before = array.shape[0]
    array.resize((before + len(values),))
    array[before:] = values


def _feature(name: str) -> str:
    return {"action": ACTION, "state": STATE}.get(name, f"observation.{name}")


def _name(feature: str) -> str:
    return feature.removeprefix(IMAGES).removeprefix("observation.")


def _uint8(image: np.ndarray) -> np.ndarray:
    """Push-T keeps its images as float32 from 0 to 255."""
    return image if image.dtype == np.uint8 else np.clip(np.round(image), 0, 255).astype(np.uint8)
