"""RoboTwin 2.0: ``data/episodeN.hdf5`` and ``instructions/episodeN.json`` under one folder per task and configuration.

Joint vectors there are drive targets: the action at a frame is the vector of the next one, so a file of T frames gives
T - 1. Its images are JPEG with red and blue exchanged (written from RGB by an encoder that expects BGR). Frames of the
raw layout (``.cache/episodeN/K.pkl``, before they are joined) are read too, by an unpickler that makes arrays only.
What the format has no place for lies in the group ``twinloom``.
"""

from __future__ import annotations

import io
import json
import pickle
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from PIL import Image

from datagen.episode import DatasetSpec, Episode, Feature
from datagen.formats import ReadConfig
from datagen.formats.hdf5 import OURS, describe, described, need_fps, open_hdf5, text_of
from twinloom.errors import TwinloomError
from twinloom.features import ACTION, IMAGES, STATE, image_feature

SUMMARY = "RoboTwin 2.0: an HDF5 file an episode, or its raw frames"
CAMERAS = {"head_camera": "head", "left_camera": "left_wrist", "right_camera": "right_wrist", "front_camera": "front"}
NAMES = {camera: name for name, camera in CAMERAS.items()}
ENDPOSE = "observation.endpose"
QUALITY = 95
UNIT = "rad; gripper opening in [0, 1]"
_NUMBER = re.compile(r"episode_?(\d+)")


def detect(path: Path) -> bool:
    """A folder with episodes of RoboTwin in its "data", or one of the files."""
    return bool(_episodes(path))


def _episodes(path: Path) -> list[Path]:
    """Files, or folders of raw frames, in the order of their numbers."""
    if path.is_file():
        return [path] if path.suffix == ".hdf5" and _NUMBER.fullmatch(path.stem) else []
    found = [p for part in ("data", ".cache", "") for p in (path / part).glob("episode*")]
    fitting = [p for p in found if _NUMBER.fullmatch(p.stem) and (p.suffix == ".hdf5" or (p / "0.pkl").is_file())]
    return sorted(fitting, key=lambda p: int(_NUMBER.fullmatch(p.stem)[1]))  # type: ignore[index]


class Reader:
    """See Format.reader."""

    def __init__(self, path: Path, config: ReadConfig) -> None:
        self._config, self._files = config, _episodes(path)
        if not self._files:
            raise TwinloomError(f"{path} holds no episodes of RoboTwin (data/episode0.hdf5, ...)")
        first = self._files[0]
        self._root = first.parent.parent if first.parent.name in ("data", ".cache") else first.parent
        with _frames(first) as frames:
            self.spec = frames.spec or self._guess(frames)

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[Episode]:
        for file in self._files:
            with _frames(file) as frames:
                yield self._episode(file, frames)

    def _guess(self, frames: _Frames) -> DatasetSpec:
        fps = need_fps(self._root, self._config.fps, None, " (RoboTwin records 250 / 15 = 16.7 of them; 17 is nearest)")
        vector = frames.array("joint_action/vector")
        joints = (vector.shape[1] - 2) // 2
        names = tuple(f"{side}_{part}" for side in ("left", "right")
                      for part in (*(f"joint{k + 1}" for k in range(joints)), "gripper"))  # fmt: skip
        features = {
            STATE: Feature("float32", (len(names),), names, UNIT),
            ACTION: Feature("float32", (len(names),), names, UNIT),
        }
        if frames.has("endpose/left_endpose"):
            parts = ("x", "y", "z", "qw", "qx", "qy", "qz", "gripper")
            ends = tuple(f"{side}_{part}" for side in ("left", "right") for part in parts)
            features[ENDPOSE] = Feature("float32", (16,), ends, "m, wxyz, opening; RoboTwin's end effector point")
        for name in frames.cameras():
            features[IMAGES + CAMERAS.get(name, name.removesuffix("_camera"))] = image_feature(
                *frames.image(name, 0).shape[:2]
            )
        robot = self._config.robot or "robotwin"
        return DatasetSpec(
            fps, robot, "robotwin", features, "joint position targets (rad) and gripper opening in [0, 1]"
        )

    def _episode(self, file: Path, frames: _Frames) -> Episode:
        if frames.facts is not None:
            arrays, facts, length = frames.own(self.spec), frames.facts, frames.length - 1
        else:
            vector = frames.array("joint_action/vector").astype(np.float32)
            arrays, facts, length = {STATE: vector[:-1], ACTION: vector[1:]}, self._facts(file), len(vector) - 1
            if ENDPOSE in self.spec.features:
                sides = [
                    (frames.array(f"endpose/{s}_endpose"), frames.array(f"endpose/{s}_gripper"))
                    for s in ("left", "right")
                ]
                columns = [part for pose, gripper in sides for part in (pose, gripper[:, None])]
                arrays[ENDPOSE] = np.concatenate(columns, axis=1)[:-1].astype(np.float32)
        keys = [key for key, feature in self.spec.features.items() if feature.dtype == "video"]

        def images() -> Iterator[dict[str, np.ndarray]]:
            for index in range(length):
                yield {key: frames.image(_camera(key), index) for key in keys}

        return Episode(arrays=arrays, images=images(), **facts)

    def _facts(self, file: Path) -> dict[str, Any]:
        """What lies beside the file: sentences, seed, and what the task had drawn."""
        number = int(_NUMBER.fullmatch(file.stem)[1])  # type: ignore[index]
        said = self._json(f"instructions/episode{number}.json")
        scene = self._json("scene_info.json").get(f"episode_{number}", {})
        task = self._config.task or self._root.parent.name
        sentence = next(iter(said.get("seen", [])), task.replace("_", " "))
        seeds = (self._root / "seed.txt").read_text().split() if (self._root / "seed.txt").is_file() else []
        seed = (int(seeds[number]),) if number < len(seeds) else ()
        facts = {"instructions": said} if said else {}
        return {"task": task, "instruction": sentence, "success": True, "seed": seed, "record": scene, "extra": facts}

    def _json(self, name: str) -> dict[str, Any]:
        path = self._root / name
        try:
            return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        except ValueError as error:
            raise TwinloomError(f"{path} is not JSON: {error}") from error


class _Frames:
    """One open episode: an HDF5 file, or the raw frames joined the way RoboTwin joins them."""

    def __init__(self, path: Path) -> None:
        self._file = open_hdf5(path) if path.is_file() else None
        self._raw = [] if self._file else _raw(path)
        self.spec, self.facts = None, None
        if self._file is not None and OURS in self._file:
            self.spec, self.facts = described(text_of(self._file[f"{OURS}/episode"]))
        self.length = len(self.array("joint_action/vector"))

    def __enter__(self) -> _Frames:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def has(self, name: str) -> bool:
        """Whether there is such a data set."""
        return name in self._file if self._file is not None else name in self._raw[0]

    def array(self, name: str) -> np.ndarray:
        """A data set over all frames."""
        if not self.has(name):
            raise TwinloomError(f"{name} is missing in an episode of RoboTwin")
        return self._file[name][()] if self._file is not None else np.stack([frame[name] for frame in self._raw])

    def own(self, spec: DatasetSpec) -> dict[str, np.ndarray]:
        """Arrays that we left beside."""
        return {n: self.array(f"{OURS}/arrays/{n}") for n, f in spec.features.items() if f.dtype != "video"}

    def cameras(self) -> list[str]:
        """Cameras with colour images."""
        if self._file is not None:
            return [name for name in self._file.get("observation", ()) if "rgb" in self._file["observation"][name]]
        return sorted({name.split("/")[1] for name in self._raw[0] if name.endswith("/rgb")})

    def image(self, camera: str, index: int) -> np.ndarray:
        """(H, W, 3) uint8, RGB."""
        if self._file is None:
            return np.asarray(self._raw[index][f"observation/{camera}/rgb"])[..., :3]
        coded = bytes(self._file[f"observation/{camera}/rgb"][index])
        return np.ascontiguousarray(np.asarray(Image.open(io.BytesIO(coded)).convert("RGB"))[..., ::-1])


def _frames(path: Path) -> _Frames:
    return _Frames(path)


class _ArraysOnly(pickle.Unpickler):
    """Makes NumPy arrays and plain values; anything else in a pickle could run code."""

    def find_class(self, module: str, name: str) -> Any:
        known = {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}
        numpy_core = module in (
            "numpy.core.multiarray",
            "numpy._core.multiarray",
            "numpy._core.numeric",
            "numpy.core.numeric",
        )
        if (module, name) in known or (numpy_core and name in ("_reconstruct", "scalar", "_frombuffer")):
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise TwinloomError(f"a raw frame holds {module}.{name}, which is no array; it is not read")


def _raw(folder: Path) -> list[dict[str, Any]]:
    """Frames of the raw layout, each with its values by path: "observation/head_camera/rgb"."""

    def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
        if isinstance(value, dict):
            for name, inner in value.items():
                yield from flat(inner, f"{path}/{name}" if path else str(name))
        else:
            yield path, np.asarray(value)

    frames = []
    for file in sorted(folder.glob("*.pkl"), key=lambda p: int(p.stem)):
        try:
            with file.open("rb") as handle:
                frames.append(dict(flat(_ArraysOnly(handle).load())))
        except (pickle.UnpicklingError, EOFError, AttributeError) as error:
            raise TwinloomError(f"{file} is not readable: {error}") from error
    return frames


class Writer:
    """See Format.writer. ``path`` is the folder of one task and configuration."""

    def __init__(self, path: Path, spec: DatasetSpec) -> None:
        self._root, self.spec, self._episodes = path, spec, 0
        size = spec.features[ACTION].shape[0] if ACTION in spec.features else 0
        if size not in (14, 16) or STATE not in spec.features or spec.features[STATE].shape != (size,):
            raise TwinloomError(f"RoboTwin holds states and actions of 14 or 16 joints, not {size}")
        self._scenes: dict[str, Any] = {}

    def __enter__(self) -> Writer:
        for name in ("data", "instructions"):
            (self._root / name).mkdir(parents=True, exist_ok=True)
        self._seeds = (self._root / "seed.txt").open("w", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._seeds.close()

    def add(self, episode: Episode) -> None:
        """Write one episode: its first state and then its actions as drive targets, the last image twice."""
        number = self._episodes
        state, action = episode.arrays[STATE], episode.arrays[ACTION]
        vector = np.concatenate([state[:1], action]).astype(np.float64)
        joints = vector.shape[1] // 2 - 1
        with open_hdf5(self._root / f"data/episode{number}.hdf5", "w") as file:
            for side, start in (("left", 0), ("right", joints + 1)):
                file[f"joint_action/{side}_arm"] = vector[:, start : start + joints]
                file[f"joint_action/{side}_gripper"] = vector[:, start + joints]
            file["joint_action/vector"] = vector
            if ENDPOSE in episode.arrays:
                pose = np.concatenate([episode.arrays[ENDPOSE], episode.arrays[ENDPOSE][-1:]]).astype(np.float64)
                for k, side in enumerate(("left", "right")):
                    file[f"endpose/{side}_endpose"] = pose[:, 8 * k : 8 * k + 7]
                    file[f"endpose/{side}_gripper"] = pose[:, 8 * k + 7]
            for name, array in episode.arrays.items():
                file[f"{OURS}/arrays/{name}"] = array
            file[f"{OURS}/episode"] = describe(self.spec, episode)
            cameras = [key for key, feature in self.spec.features.items() if feature.dtype == "video"]
            coded: dict[str, list[bytes]] = {key: [] for key in cameras}
            for frames in episode.images if cameras else ():
                for key, image in frames.items():
                    coded[key].append(_jpeg(image))
            for key, images in coded.items():
                file[f"observation/{_camera(key)}/rgb"] = np.array([*images, images[-1]], dtype=np.bytes_)
        said = episode.extra.get("instructions") or {"seen": [episode.instruction], "unseen": []}
        text = json.dumps(said, indent=2, ensure_ascii=False)
        (self._root / f"instructions/episode{number}.json").write_text(text, encoding="utf-8")
        self._seeds.write(f"{episode.seed[-1] if episode.seed else number} ")
        self._episodes += 1


def reader(path: Path, config: ReadConfig) -> Reader:
    """See Format.reader."""
    return Reader(path, config)


def writer(path: Path, spec: DatasetSpec) -> AbstractContextManager[Writer]:
    """See Format.writer."""
    return Writer(path, spec)


def _camera(key: str) -> str:
    """RoboTwin's name of a camera."""
    name = key.removeprefix(IMAGES)
    return NAMES.get(name, f"{name}_camera")


def _jpeg(image: np.ndarray) -> bytes:
    """As RoboTwin writes it: the encoder takes RGB for BGR."""
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(image[..., ::-1])).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()
