"""Where things lie in a LeRobot v3.0 dataset, and what its info.json says.

Layout: ``meta/{info.json,stats.json,tasks.parquet}``, ``meta/episodes/chunk-XXX/file-YYY.parquet`` (a row per
episode), ``data/chunk-XXX/file-YYY.parquet`` (a row per frame) and ``videos/<key>/chunk-XXX/file-YYY.mp4``.
Every file of the last three kinds holds many episodes, one after the other.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datagen.episode import Feature
from twinloom.errors import TwinloomError

CODEBASE_VERSION = "v3.0"
INFO = Path("meta/info.json")
STATS = Path("meta/stats.json")
TASKS = Path("meta/tasks.parquet")
CHECKSUMS = Path("meta/SHA256SUMS")
SETTINGS = Path("meta/twinloom.json")  # of the run of ours that made the dataset, or the origins of a merged one
FILE_PATTERN = re.compile(r"chunk-(\d{3,})/file-(\d{3,})\.(parquet|mp4)$")

# Columns of the data files that every dataset has beside its own features.
BOOKKEEPING = {
    "timestamp": Feature("float32", (1,), ()),
    "frame_index": Feature("int64", (1,), ()),
    "episode_index": Feature("int64", (1,), ()),
    "index": Feature("int64", (1,), ()),
    "task_index": Feature("int64", (1,), ()),
}


@dataclass(frozen=True)
class Limits:
    """When a new file begins.

    Attributes:
        data_mb: rows of one data file, in MB before compression.
        video_mb: coded frames of one video file, in MB.
        episodes: rows of one file in meta/episodes.
        chunk: files per chunk folder.
    """

    data_mb: float = 100
    video_mb: float = 200
    episodes: int = 1000
    chunk: int = 1000


@dataclass(frozen=True, order=True)
class FileId:
    """Address of one data, video or episodes file."""

    chunk: int = 0
    file: int = 0

    def next(self, limits: Limits) -> FileId:
        """The file that follows this one."""
        return FileId(self.chunk, self.file + 1) if self.file + 1 < limits.chunk else FileId(self.chunk + 1, 0)

    def data(self) -> Path:
        """Path of the data file, relative to the dataset."""
        return Path(f"data/chunk-{self.chunk:03d}/file-{self.file:03d}.parquet")

    def episodes(self) -> Path:
        """Path of the file in meta/episodes, relative to the dataset."""
        return Path(f"meta/episodes/chunk-{self.chunk:03d}/file-{self.file:03d}.parquet")

    def video(self, key: str) -> Path:
        """Path of the video file of one camera, relative to the dataset."""
        return Path(f"videos/{key}/chunk-{self.chunk:03d}/file-{self.file:03d}.mp4")


def camera_keys(features: dict[str, Feature]) -> list[str]:
    """Names of the video features, in their order."""
    return [name for name, feature in features.items() if feature.dtype == "video"]


def describe(feature: Feature, video: dict[str, Any] | None = None) -> dict[str, Any]:
    """Entry of a feature in info.json. ``unit`` is an addition of ours that LeRobot does not read."""
    entry: dict[str, Any] = {
        "dtype": feature.dtype,
        "shape": list(feature.shape),
        "names": list(feature.names) or None,
    }
    if video is not None:
        entry["info"] = video
    if feature.unit:
        entry["unit"] = feature.unit
    return entry


def make_info(
    *,
    fps: int,
    robot_type: str,
    features: dict[str, Feature],
    videos: dict[str, dict[str, Any]],
    episodes: int,
    frames: int,
    tasks: int,
    limits: Limits,
) -> dict[str, Any]:
    """Content of meta/info.json, keys in LeRobot's order. ``videos`` holds the codec facts of each camera."""
    described = {name: describe(feature, videos.get(name)) for name, feature in features.items()}
    described |= {name: describe(feature) for name, feature in BOOKKEEPING.items()}
    return {
        "codebase_version": CODEBASE_VERSION,
        "fps": fps,
        "features": described,
        "total_episodes": episodes,
        "total_frames": frames,
        "total_tasks": tasks,
        "chunks_size": limits.chunk,
        "data_files_size_in_mb": limits.data_mb,
        "video_files_size_in_mb": limits.video_mb,
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4" if videos else None,
        "robot_type": robot_type,
        "splits": {"train": f"0:{episodes}"},
    }


def read_info(root: Path) -> dict[str, Any]:
    """Load meta/info.json and check that it is one of v3.0.

    Raises:
        TwinloomError: no dataset there, unreadable JSON, or another version of the format.
    """
    path = root / INFO
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        if (root / SETTINGS).is_file():
            raise TwinloomError(
                f"{root} holds no episode yet; continue its run with the same datagen command"
            ) from error
        raise TwinloomError(f"{root} is no LeRobot dataset: it has no {INFO}") from error
    except OSError as error:
        raise TwinloomError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise TwinloomError(f"{path} is not JSON: {error}") from error
    version = info.get("codebase_version") if isinstance(info, dict) else None
    if version != CODEBASE_VERSION:
        hint = ""
        if str(version).startswith(("v1", "v2")):
            hint = f"; convert it with: datagen import {root} --out FOLDER"
        raise TwinloomError(f'{root} has LeRobot format "{version}", this reader needs "{CODEBASE_VERSION}"{hint}')
    missing = [k for k in ("fps", "features", "total_episodes", "total_frames", "data_path") if k not in info]
    if missing:
        raise TwinloomError(f"{path} lacks {', '.join(missing)}")
    return info


def version_of(root: Path) -> str:
    """The codebase_version in meta/info.json; "" where that is not readable."""
    try:
        return str(json.loads((root / INFO).read_text(encoding="utf-8")).get("codebase_version", ""))
    except (OSError, ValueError, AttributeError):
        return ""


def inside(root: Path, template: str, **values: Any) -> Path:
    """A file of a dataset by the template in its info.json.

    Raises:
        TwinloomError: the template needs other values, or the path leaves the folder.
    """
    try:
        path = root / template.format(**values)
    except (KeyError, IndexError, ValueError) as error:
        raise TwinloomError(f'{root / INFO}: path "{template}" cannot be filled in ({error})') from error
    if os.path.isabs(template) or ".." in path.relative_to(root).parts:
        raise TwinloomError(f'{root / INFO}: path "{template}" leaves the dataset')
    return path


def features_of(info: dict[str, Any]) -> dict[str, Feature]:
    """Features of a dataset without the bookkeeping columns."""
    return {
        name: Feature(
            dtype=entry["dtype"],
            shape=tuple(entry["shape"]),
            names=_flat_names(entry.get("names")),
            unit=entry.get("unit", ""),
        )
        for name, entry in info["features"].items()
        if name not in BOOKKEEPING
    }


def _flat_names(names: Any) -> tuple[str, ...]:
    """Names of a feature. LeRobot allows a list, a dictionary such as {"motors": [...]}, or nothing."""
    if isinstance(names, dict):
        names = [str(item) for group in names.values() for item in (group if isinstance(group, list) else [group])]
    return tuple(names or ())
