"""One schema for every source of data: what a recorded episode is, before and after it reaches the disk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Feature:
    """One per-frame array of a dataset, named as in LeRobot (``observation.state``, ``action``, ...).

    Attributes:
        dtype: NumPy name ("float32"), or "video".
        shape: per frame; (height, width, 3) for video.
        names: one per element, for example "left_joint1"; ("height", "width", "channels") for video.
        unit: what the numbers are ("rad", "m", ...; free text, may differ by element), kept in info.json.
    """

    dtype: str
    shape: tuple[int, ...]
    names: tuple[str, ...]
    unit: str = ""


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
        videos: camera key ("observation.images.head") to an iterable of T frames, each (H, W, 3) uint8; consumed once.
        success: measured success of the episode.
        seed: (run seed, task CRC, episode, attempt) as in sim.seeding.
        record: JSON-able randomisation record, enough to rebuild the scene exactly.
        extra: further JSON-able facts kept per episode (timing split, instruction lists, ...).
    """

    task: str
    instruction: str
    arrays: dict[str, np.ndarray]
    videos: dict[str, Iterable[np.ndarray]]
    success: bool
    seed: tuple[int, ...]
    record: dict[str, Any]
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Number of frames T."""
        return len(next(iter(self.arrays.values())))
