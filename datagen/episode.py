"""One schema for every source of data: what a recorded episode is, before and after it reaches the disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    """

    fps: int
    robot_type: str
    source: str
    features: dict[str, Feature]
    action_space: str


@dataclass
class Episode:
    """One recorded episode, ready to be written.

    Attributes:
        task: registry name of the task ("hanging_mug").
        instruction: the sentence stored as LeRobot's language task.
        arrays: feature name to (T, ...) array for everything that is not video.
        images: T times camera key ("observation.images.head") to frame, (H, W, 3) uint8; consumed once, so that frames
            are rendered only while they are encoded.
        success: measured success of the episode.
        seed: (run seed, task CRC, episode, attempt) as in twinloom.seeding.
        record: JSON-able randomisation record, enough to rebuild the scene exactly.
        extra: further JSON-able facts kept per episode (timing split, instruction lists, ...).
    """

    task: str
    instruction: str
    arrays: dict[str, np.ndarray]
    images: Iterable[Mapping[str, np.ndarray]]
    success: bool
    seed: tuple[int, ...]
    record: dict[str, Any]
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Number of frames T."""
        return len(next(iter(self.arrays.values())))


__all__ = ["DatasetSpec", "Episode", "Feature"]
