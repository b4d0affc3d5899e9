"""One schema for every source of data: what a recorded episode is, before and after it reaches the disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from twinloom.features import Feature


@dataclass(frozen=True)
class DatasetSpec:
    """What all episodes of one dataset share.

    Attributes:
        fps: frames per second, an integer because LeRobot's info.json has no other.
        robot_type: robot name.
        source: which world the data comes from: "sim/mujoco", "sim/sapien", "real/<robot>".
        features: name to Feature; per-frame bookkeeping columns are added by the writer.
        action_space: what is commanded ("joint position targets + gripper opening in [0, 1]").
        videos: codec facts of each camera, as info.json has them, where episodes bring coded frames (`Episode.clips`).
    """

    fps: int
    robot_type: str
    source: str
    features: dict[str, Feature]
    action_space: str
    videos: Mapping[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Clip:
    """Frames ``start`` to ``start + length`` of a video file; the first of them is a key frame."""

    path: Path
    start: int
    length: int


@dataclass
class Episode:
    """One recorded episode, ready to be written.

    Attributes:
        task: registry name of the task ("hanging_mug"); "" where there is none.
        instruction: the sentence stored as LeRobot's language task.
        arrays: feature name to (T, ...) array for everything that is not video.
        images: T times camera key ("observation.images.head") to frame, (H, W, 3) uint8; consumed once, so that frames
            are rendered only while they are encoded.
        success: measured success of the episode; None where nobody measured it.
        seed: (run seed, task CRC, episode, attempt) as in twinloom.seeding.
        record: JSON-able randomisation record, enough to rebuild the scene exactly.
        extra: further JSON-able facts kept per episode; "instructions", "attempts", "failures", "slot" and "source"
            have columns of their own, "timing" goes into the account.
        frame_instructions: the sentence of each frame, where it changes within the episode.
        clips: camera key to the coded frames, where they are there: they are copied and ``images`` is left alone.
        stats: statistics of the cameras, where they are known.
    """

    task: str
    instruction: str
    arrays: dict[str, np.ndarray]
    images: Iterable[Mapping[str, np.ndarray]]
    success: bool | None
    seed: tuple[int, ...]
    record: dict[str, Any]
    extra: dict[str, Any] = field(default_factory=dict)
    frame_instructions: Sequence[str] | None = None
    clips: Mapping[str, Clip] = field(default_factory=dict)
    stats: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)

    @property
    def sentences(self) -> tuple[list[str], np.ndarray | None]:
        """Its sentences in order of first use, and which of them each frame has; None where there is one."""
        if self.frame_instructions is None:
            return [self.instruction], None
        used = list(dict.fromkeys(self.frame_instructions))
        return used, np.array([used.index(sentence) for sentence in self.frame_instructions])

    @property
    def length(self) -> int:
        """Number of frames T."""
        return len(next(iter(self.arrays.values())))


__all__ = ["Clip", "DatasetSpec", "Episode", "Feature"]
