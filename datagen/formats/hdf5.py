"""What the HDF5 formats share: opening, and our own description of an episode beside theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from datagen.episode import DatasetSpec, Episode, Feature
from datagen.lerobot.entry import canonical_json
from twinloom.errors import TwinloomError, require

OURS = "twinloom"  # name of the group or data set with what the format itself has no place for


def open_hdf5(path: Path, mode: str = "r") -> Any:
    """An h5py File.

    Raises:
        TwinloomError: h5py is not installed, or the file is missing, damaged or cannot be written.
    """
    h5py = require("h5py", "formats")
    try:
        return h5py.File(path, mode)
    except OSError as error:
        raise TwinloomError(f"{path} is not a readable HDF5 file: {' '.join(str(error).split())}") from error


def describe(spec: DatasetSpec, episode: Episode) -> str:
    """JSON of everything about an episode but its arrays and images."""
    return canonical_json(
        {
            "fps": spec.fps,
            "robot_type": spec.robot_type,
            "source": spec.source,
            "action_space": spec.action_space,
            "features": [[name, feature.to_json()] for name, feature in spec.features.items()],
            "task": episode.task,
            "instruction": episode.instruction,
            "frame_instructions": None if episode.frame_instructions is None else list(episode.frame_instructions),
            "success": episode.success,
            "seed": [int(word) for word in episode.seed],
            "record": episode.record,
            "extra": {name: value for name, value in episode.extra.items() if name != "timing"},
        }
    )


def described(text: str | bytes) -> tuple[DatasetSpec, dict[str, Any]]:
    """Inverse of describe: the spec, and the arguments of Episode that are not arrays or images."""
    facts: dict[str, Any] = json.loads(text)
    spec = DatasetSpec(
        fps=facts.pop("fps"),
        robot_type=facts.pop("robot_type"),
        source=facts.pop("source"),
        features={name: Feature.from_json(entry) for name, entry in facts.pop("features")},
        action_space=facts.pop("action_space"),
    )
    return spec, facts | {"seed": tuple(facts["seed"])}


def text_of(data: Any) -> str:
    """A scalar text data set."""
    value = data[()]
    return value.decode() if isinstance(value, bytes) else str(value)


def plain_feature(array: np.ndarray, name: str, unit: str = "") -> Feature:
    """Feature of a (T, n) or (T,) array that came without names."""
    size = array.shape[1] if array.ndim > 1 else 1
    names = tuple(f"{name}_{k}" for k in range(size)) if size > 1 else (name,)
    return Feature(str(array.dtype), (size,), names, unit)


def need_fps(path: Path, given: int, told: float | None, hint: str = "") -> int:
    """The rate of a file as a whole number.

    Raises:
        TwinloomError: the file does not say it and nobody did, or it is not whole.
    """
    fps = given or told
    if fps is None:
        raise TwinloomError(f"{path} does not say its rate; give it with --fps{hint}")
    if fps != int(fps) or fps < 1:
        raise TwinloomError(f"{path} has {fps} frames a second; LeRobot needs a whole number: give it with --fps")
    return int(fps)
