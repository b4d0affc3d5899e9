"""Finished episodes that wait to be committed: one folder each, complete or not there at all.

``<out>/.staging/slot-000123/`` holds ``frames.parquet``, one MP4 per camera and ``episode.json``;
``slot-000124.json`` says why slot 124 failed.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datagen.encode import EpisodeEncoder
from datagen.episode import DatasetSpec, Episode, Feature
from datagen.lerobot.codec import Codec
from datagen.lerobot.columns import check_arrays, check_features, column, to_numpy
from datagen.lerobot.entry import Entry, canonical_json
from datagen.lerobot.layout import camera_keys
from datagen.lerobot.stats import array_stats, from_lists, to_lists
from datagen.lerobot.video import Clip, scan
from twinloom.atomic import PARTIAL, atomic_folder, write_json

STAGING = Path(".staging")
_SLOT = re.compile(r"slot-(\d{6,})(\.json)?$")


def slot_path(out: Path, slot: int) -> Path:
    """Folder of a staged episode."""
    return out / STAGING / f"slot-{slot:06d}"


def stage_episode(out: Path, slot: int, episode: Episode, spec: DatasetSpec, codec: Codec, attempts: int) -> float:
    """Render, encode and write one episode.

    Args:
        out: folder of the dataset.
        slot: number of the slot the episode fills.
        attempts: how many attempts it took.

    Returns:
        Seconds until everything was safe on the disk; the timing of the episode itself cannot contain them.

    Raises:
        InvalidSettingsError: the arrays do not fit the features of ``spec``.
        TwinloomError: the disk is full or not writable, or the codec cannot hold frames of this size.
    """
    check_features(spec.features)
    check_arrays(episode.arrays, spec.features, episode.length)
    keys = camera_keys(spec.features)
    timing = dict(episode.extra.pop("timing", {}))
    with atomic_folder(slot_path(out, slot)) as folder:
        begin = time.perf_counter()
        waiting = 0.0
        sizes = {key: (spec.features[key].shape[0], spec.features[key].shape[1]) for key in keys}
        with ExitStack() as stack:
            if keys:
                encoder = stack.enter_context(EpisodeEncoder(folder, sizes, episode.length, spec.fps, codec))
                for frames in episode.images:
                    handed = time.perf_counter()
                    encoder.put(frames)
                    waiting += time.perf_counter() - handed
                if encoder.frames != episode.length:
                    raise ValueError(f"{encoder.frames} images were rendered for {episode.length} frames")
                timing["render"] = time.perf_counter() - begin - waiting
        image_stats = encoder.stats if keys else {}
        timing["encode"] = encoder.cpu_s if keys else 0.0
        begin = time.perf_counter()
        columns = {name: column(array, spec.features[name]) for name, array in sorted(episode.arrays.items())}
        with (folder / "frames.parquet").open("wb") as file:
            pq.write_table(pa.table(columns), file)
        stats = {name: array_stats(array) for name, array in episode.arrays.items()} | image_stats
        sentences, which = episode.sentences
        facts: dict[str, Any] = {
            "length": episode.length,
            "fps": spec.fps,
            "robot_type": spec.robot_type,
            "features": {name: feature.to_json() for name, feature in spec.features.items()},
            "action_space": spec.action_space,
            "sentences": sentences,
            "frame_sentence": None if which is None else which.tolist(),
            "stats": to_lists(stats),
            "video_bytes": {key: sum(p.size for p in scan(folder / f"{key}.mp4", spec.fps)) for key in keys},
            "columns": columns_of(episode, spec) | {"slot": slot, "attempts": attempts},
        }
        timing["write"] = time.perf_counter() - begin
        text = json.dumps(facts | {"timing": timing}, ensure_ascii=False, allow_nan=False)
        (folder / "episode.json").write_text(text, encoding="utf-8")
        begin = time.perf_counter()
    return time.perf_counter() - begin


def stage_failure(out: Path, slot: int, task: str, failures: list[str], timing: dict[str, float]) -> None:
    """Note that every attempt at a slot failed, with the reason of each."""
    facts = {"slot": slot, "task": task, "attempts": len(failures), "failures": failures, "timing": timing}
    write_json(slot_path(out, slot).with_suffix(".json"), facts)


def staged(out: Path) -> Iterator[tuple[int, bool]]:
    """Slots that wait, ascending, each with whether it holds an episode (else a failure)."""
    found = (_SLOT.search(path.name) for path in (out / STAGING).glob("slot-*"))
    yield from sorted((int(match[1]), match[2] is None) for match in found if match)


def read_failure(out: Path, slot: int) -> dict[str, Any]:
    """What stage_failure noted."""
    return json.loads(slot_path(out, slot).with_suffix(".json").read_text(encoding="utf-8"))


class StagedEpisode:
    """A staged episode.

    Attributes:
        entry: ready for the dataset's writer.
        spec: what the episode needs its dataset to be.
        timing: seconds by stage.
        frames: its length.
    """

    def __init__(self, out: Path, slot: int) -> None:
        folder = slot_path(out, slot)
        facts = json.loads((folder / "episode.json").read_text(encoding="utf-8"))
        features = {name: Feature.from_json(entry) for name, entry in facts["features"].items()}
        self.timing: dict[str, float] = facts["timing"]
        self.frames: int = facts["length"]
        self.spec = DatasetSpec(
            fps=facts["fps"],
            robot_type=facts["robot_type"],
            source=facts["columns"]["source"],
            features=features,
            action_space=facts["action_space"],
        )

        def arrays():
            table = pq.read_table(folder / "frames.parquet")
            return {name: to_numpy(table[name], features[name]) for name in table.column_names}

        self.entry = Entry(
            length=facts["length"],
            arrays=arrays,
            sentences=facts.get("sentences") or [facts["sentence"]],  # the latter was written before 0.2
            frame_sentence=None if facts.get("frame_sentence") is None else np.array(facts["frame_sentence"]),
            clips={key: Clip(folder / f"{key}.mp4", 0, facts["length"]) for key in facts["video_bytes"]},
            video_bytes=facts["video_bytes"],
            stats=from_lists(facts["stats"]),
            extra=facts["columns"],
        )


def discard(out: Path, slot: int) -> None:
    """Remove a staged slot that has been committed."""
    folder = slot_path(out, slot)
    if folder.exists():
        shutil.rmtree(folder)
    folder.with_suffix(".json").unlink(missing_ok=True)


def clean_partial(out: Path) -> None:
    """Remove what a killed run left half written. Only while no worker runs."""
    for folder in (out / STAGING, out / "meta", out):
        for path in folder.glob(f"*{PARTIAL}"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def columns_of(episode: Episode, spec: DatasetSpec) -> dict[str, Any]:
    """Values of our columns in meta/episodes."""
    extra = {name: value for name, value in episode.extra.items() if name != "timing"}
    instructions = extra.pop("instructions", {})
    return {
        "task_name": episode.task or None,
        "source": extra.pop("source", spec.source),
        "success": None if episode.success is None else bool(episode.success),
        "seed": [int(word) for word in episode.seed],
        "slot": extra.pop("slot", None),
        "attempts": extra.pop("attempts", None),
        "failures": list(extra.pop("failures", [])),
        "instructions/seen": list(instructions.get("seen", [])),
        "instructions/unseen": list(instructions.get("unseen", [])),
        "record": canonical_json(episode.record),
        "extra": canonical_json(extra),
    }
