"""robomimic HDF5: one file, ``/data/demo_k`` with ``actions``, ``obs/<key>``, ``rewards`` and ``dones``.

Images are the uint8 arrays ``obs/<camera>_image``; other observations are joined to the state in the order of their
names. What the format has no place for lies in ``demo_k/twinloom``, which robomimic does not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from datagen.episode import DatasetSpec, Episode, Feature
from datagen.formats import ReadConfig
from datagen.formats.hdf5 import OURS, describe, described, need_fps, open_hdf5, text_of
from twinloom.errors import TwinloomError
from twinloom.features import ACTION, IMAGES, STATE, image_feature

SUMMARY = "robomimic: one HDF5 file, a group a demonstration"
IMAGE = "_image"
OBSERVATION = "observation."


def detect(path: Path) -> bool:
    """An HDF5 file with a group "data"."""
    if not path.is_file() or path.suffix not in (".hdf5", ".h5"):
        return False
    with open_hdf5(path) as file:
        return "data" in file and any(name.startswith("demo") for name in file["data"])


class Reader:
    """See Format.reader."""

    def __init__(self, path: Path, config: ReadConfig) -> None:
        self._path, self._config = path, config
        with open_hdf5(path) as file:
            if "data" not in file:
                raise TwinloomError(f'{path} is no robomimic file: it has no group "data"')
            data = file["data"]
            self._demos = sorted(data, key=lambda name: (len(name), name))
            self._env: dict[str, Any] = json.loads(data.attrs.get("env_args", "{}"))
            first = data[self._demos[0]]
            if OURS in first:
                self.spec = described(text_of(first[OURS]))[0]
            else:
                self.spec = self._guess(first)

    def __len__(self) -> int:
        return len(self._demos)

    def __iter__(self) -> Iterator[Episode]:
        with open_hdf5(self._path) as file:
            for name in self._demos:
                yield self._episode(file["data"][name], name)

    def _guess(self, demo: Any) -> DatasetSpec:
        """What the file of another writer holds."""
        told = self._env.get("env_kwargs", {}).get("control_freq")
        fps = need_fps(self._path, self._config.fps, told)
        features: dict[str, Feature] = {}
        parts = _state_parts(demo["obs"])
        if parts:
            names = tuple(f"{key}_{k}" for key in parts for k in range(_width(demo["obs"][key])))
            features[STATE] = Feature("float32", (len(names),), names)
        for key in demo["obs"]:
            if key.endswith(IMAGE):
                features[IMAGES + key.removesuffix(IMAGE)] = image_feature(*demo["obs"][key].shape[1:3])
        size = demo["actions"].shape[1]
        features[ACTION] = Feature("float32", (size,), tuple(f"action_{k}" for k in range(size)))
        robots = self._env.get("env_kwargs", {}).get("robots", "")
        robot = self._config.robot or (robots if isinstance(robots, str) else ", ".join(robots))
        return DatasetSpec(fps, robot, f"robomimic/{self._env.get('env_name', 'unknown')}", features, "")

    def _episode(self, demo: Any, name: str) -> Episode:
        observations = demo["obs"]
        if OURS in demo:
            _, facts = described(text_of(demo[OURS]))
            numeric = {name: feature for name, feature in self.spec.features.items() if feature.dtype != "video"}
            shapes = {name: () if feature.shape == (1,) else feature.shape for name, feature in numeric.items()}
            arrays = {name: demo[_place(name)][()].reshape(-1, *shape) for name, shape in shapes.items()}
        else:
            task = self._config.task or str(self._env.get("env_name", self._path.stem))
            parts = [observations[key][()].astype(np.float32) for key in _state_parts(observations)]
            arrays = {ACTION: demo["actions"][()].astype(np.float32)}
            if parts:
                arrays[STATE] = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
            success = bool(np.asarray(demo["rewards"][()]).max() > 0) if "rewards" in demo else None
            kept = {key: str(value) for key, value in demo.attrs.items() if key != "num_samples"}
            facts = {"task": task, "instruction": task, "success": success, "seed": (), "record": {},
                     "extra": {"demo": name, **({"attributes": kept} if kept else {})}}  # fmt: skip
        keys = [key for key, feature in self.spec.features.items() if feature.dtype == "video"]

        def images() -> Iterator[dict[str, np.ndarray]]:
            for frame in range(len(demo["actions"])):
                yield {key: _uint8(observations[key.removeprefix(IMAGES) + IMAGE][frame]) for key in keys}

        return Episode(arrays=arrays, images=images(), **facts)


class Writer:
    """See Format.writer."""

    def __init__(self, path: Path, spec: DatasetSpec) -> None:
        self._path, self.spec, self._demos, self._total = path, spec, 0, 0
        if ACTION not in spec.features:
            raise TwinloomError("robomimic needs actions; the dataset has none")

    def __enter__(self) -> Writer:
        self._file = open_hdf5(self._path, "w")
        self._data = self._file.create_group("data")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, episode: Episode) -> None:
        """Append one demonstration."""
        demo = self._data.create_group(f"demo_{self._demos}")
        demo.attrs["num_samples"] = episode.length
        for name, array in episode.arrays.items():
            demo.create_dataset(_place(name), data=array.reshape(episode.length, -1))
        rewards = np.zeros(episode.length)
        rewards[-1] = float(bool(episode.success))
        demo.create_dataset("rewards", data=rewards)
        demo.create_dataset("dones", data=(np.arange(episode.length) == episode.length - 1).astype(np.int64))
        demo.create_dataset(OURS, data=describe(self.spec, episode))
        shapes = {key: f.shape for key, f in self.spec.features.items() if f.dtype == "video"}
        stored = {
            key: demo.create_dataset(
                f"obs/{key.removeprefix(IMAGES)}{IMAGE}", (episode.length, *shape), np.uint8,
                chunks=(1, *shape), compression="gzip", compression_opts=4,
            )
            for key, shape in shapes.items()
        }  # fmt: skip
        for index, frames in enumerate(episode.images if stored else ()):
            for key, image in frames.items():
                stored[key][index] = image
        demo.require_group("obs")
        if not self._demos:
            env = {"env_name": episode.task or "unknown", "type": 3, "env_kwargs": {"control_freq": self.spec.fps}}
            self._data.attrs["env_args"] = json.dumps(env)
        self._demos, self._total = self._demos + 1, self._total + episode.length
        self._data.attrs["total"] = self._total


def reader(path: Path, config: ReadConfig) -> Reader:
    """See Format.reader."""
    return Reader(path, config)


def writer(path: Path, spec: DatasetSpec) -> AbstractContextManager[Writer]:
    """See Format.writer."""
    return Writer(path, spec)


def _place(name: str) -> str:
    """Data set of a feature in the group of a demonstration."""
    return "actions" if name == ACTION else f"obs/{name.removeprefix(OBSERVATION)}"


def _state_parts(observations: Any) -> list[str]:
    """Observations that make up the state: "state" itself, or all that are not images."""
    if "state" in observations:
        return ["state"]
    return sorted(key for key in observations if observations[key].ndim <= 2 and not key.endswith(IMAGE))


def _width(data: Any) -> int:
    return int(np.prod(data.shape[1:], dtype=int))


def _uint8(image: np.ndarray) -> np.ndarray:
    return image if image.dtype == np.uint8 else np.clip(np.round(image * 255.0), 0, 255).astype(np.uint8)
