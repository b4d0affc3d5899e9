"""Rebuild an episode from its record, step its recorded actions, and compare every number and every image."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from datagen.encode import EpisodeEncoder
from datagen.lerobot.codec import codecs
from datagen.lerobot.layout import BOOKKEEPING
from datagen.lerobot.read import Dataset
from datagen.lerobot.video import VideoReader, coded
from datagen.settings import SETTINGS
from sim.families import families
from sim.source import Source
from twinloom.errors import TwinloomError
from twinloom.features import IMAGES
from twinloom.plugins import load


@dataclass(frozen=True)
class Comparison:
    """One feature of the replay beside the recording.

    Attributes:
        name: feature.
        equal: bit for bit; for images, the coded bytes.
        first: first frame that differs, None if none does.
        largest: largest difference of any element; for images the largest mean difference of a frame in grey levels.
    """

    name: str
    equal: bool
    first: int | None = None
    largest: float = 0.0

    def __str__(self) -> str:
        if self.equal:
            return f"{self.name}: identical"
        unit = " grey levels on average" if self.name.startswith(IMAGES) else ""
        return f"{self.name}: differs from frame {self.first} on, by up to {self.largest:.3g}{unit}"


@dataclass(frozen=True)
class Replay:
    """Result of a replay: the task, whether it succeeded again, and a comparison per feature."""

    task: str
    success: bool
    frames: int
    comparisons: list[Comparison]

    @property
    def equal(self) -> bool:
        """Whether everything is identical."""
        return self.success and all(c.equal for c in self.comparisons)


def replay(root: Path, episode: int, *, images: bool = True, source: str | None = None) -> Replay:
    """Replay one episode of a dataset.

    Args:
        root: the dataset.
        episode: its index there.
        images: also render and compare the images.
        source: "module:class" of the simulator; found through the episode's ``source`` if None.

    Raises:
        TwinloomError: no such episode, it has no record, or it comes from a world that cannot be rebuilt.
    """
    with Dataset(root) as dataset:
        dataset.row(episode)  # complains about an episode that is not there before anything is read
        details = dataset.episodes.slice(episode, 1).to_pylist()[0]
        if not details.get("record"):
            raise TwinloomError(f"episode {episode} of {root} has no randomisation record, so it cannot be rebuilt")
        world = load(source)() if source else _source(details["source"], f"episode {episode} of {root}")
        recorded = dataset.arrays(episode)
        actions = recorded["action"].reshape(len(recorded["action"]), -1)  # those of one joint are read as (T,)
        rollout = world.replay(json.loads(details["record"]), actions, dataset.fps)
        comparisons = [
            _compare(name, recorded[name], rollout.arrays[name].reshape(-1, *recorded[name].shape[1:]))
            for name in dataset.features
            if name in rollout.arrays and name not in BOOKKEEPING
        ]
        if images and dataset.cameras:
            mode = world.open(_render_mode(root))["render"]
            comparisons += _compare_images(dataset, episode, rollout, mode)
        return Replay(details["task_name"], rollout.success, rollout.length, comparisons)


def _source(name: str, what: str) -> Source:
    """The simulator of an episode's ``source``."""
    known: dict[str, Source] = {
        (one := family.get("source")()).name: one for family in families().values() if family.source is not None
    }
    if name not in known:
        raise TwinloomError(f'{what} comes from "{name}"; replayed are: {", ".join(known)}')
    return known[name]


def _compare(name: str, recorded: np.ndarray, again: np.ndarray) -> Comparison:
    if recorded.shape != again.shape:
        common = min(len(recorded), len(again))
        return Comparison(name, False, common, float("inf"))
    if recorded.tobytes() == np.ascontiguousarray(again, dtype=recorded.dtype).tobytes():
        return Comparison(name, True)
    difference = np.abs(recorded.astype(np.float64) - again).reshape(len(recorded), -1).max(axis=1)
    return Comparison(
        name, False, int(np.flatnonzero(difference)[0]) if difference.any() else 0, float(difference.max())
    )


def _compare_images(dataset: Dataset, episode: int, rollout, mode: str) -> list[Comparison]:
    """Encode the replay as the recording was; the encoder is deterministic, so equal images give equal bytes."""
    row, length = dataset.row(episode), dataset.row(episode)["length"]
    cameras = [key.removeprefix(IMAGES) for key in dataset.cameras]
    height, width = dataset.features[dataset.cameras[0]].shape[:2]
    codec = codecs[dataset.info["features"][dataset.cameras[0]]["info"]["video.codec"]]
    if rollout.length != length:
        return [Comparison(key, False, min(length, rollout.length), float("inf")) for key in dataset.cameras]
    results = []
    with tempfile.TemporaryDirectory() as name:
        sizes = {key: (height, width) for key in dataset.cameras}
        with EpisodeEncoder(Path(name), sizes, length, dataset.fps, codec) as encoder:
            for frames in rollout.render(cameras, (width, height), mode):
                encoder.put({IMAGES + camera: frame for camera, frame in frames.items()})
        for key in dataset.cameras:
            path, start = dataset.video_place(row, key)
            again = Path(name) / f"{key}.mp4"
            same = list(coded(path, dataset.fps, start, length)) == list(coded(again, dataset.fps, 0, length))
            results.append(Comparison(key, True) if same else _differing(dataset, episode, key, again))
    return results


def _differing(dataset: Dataset, episode: int, key: str, again: Path) -> Comparison:
    """How far the decoded images of a camera are apart."""
    with VideoReader(again, dataset.fps) as reader:
        differences = [
            float(np.abs(frame.astype(np.int16) - reader.frame(index)).mean())
            for index, frame in enumerate(dataset.images(episode, key))
        ]
    apart = np.flatnonzero(differences)
    return Comparison(key, False, int(apart[0]) if len(apart) else 0, max(differences))


def _render_mode(root: Path) -> str:
    """Mode the dataset was rendered in; "auto" where that is not known (merged datasets)."""
    path = root / SETTINGS
    there = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return there.get("settings", {}).get("render", "auto")
