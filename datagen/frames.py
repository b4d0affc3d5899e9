"""A LeRobot v3.0 dataset as a PyTorch dataset: a frame with its neighbours in time an item, for any DataLoader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset as TorchDataset

from datagen.lerobot.layout import BOOKKEEPING
from datagen.lerobot.read import Dataset
from twinloom.errors import InvalidSettingsError

TOLERANCE_S = 1e-4  # how far a time may be from that of a frame, as in LeRobot
PADDED = "_is_pad"


class FrameDataset(TorchDataset):
    """Frames of a dataset, in order, as LeRobot's ``LeRobotDataset`` gives them.

    An item is a dictionary: every feature as a tensor, images (channels, height, width) float32 in [0, 1], and "task",
    the sentence. A feature of ``delta_timestamps`` has the values at those times from its frame on, stacked along a new
    first axis; times outside the episode repeat its first or last frame, and ``<feature>_is_pad``, (K,) bool, says so.

    Numbers are held in memory, images are decoded on demand. Any start method of worker processes will do.

    Args:
        root: folder of the dataset.
        delta_timestamps: feature name to times in seconds relative to the frame, multiples of 1 / fps.
        image_transforms: applied to each (channels, height, width) float32 image, or stack of images.
        episodes: indices of the episodes to take; all if None.

    Raises:
        TwinloomError: no such dataset.
        InvalidSettingsError: a feature or an episode that it does not have, or times between its frames.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        delta_timestamps: Mapping[str, Sequence[float]] | None = None,
        image_transforms: Callable[[torch.Tensor], torch.Tensor] | None = None,
        episodes: Sequence[int] | None = None,
    ) -> None:
        self.source = Dataset(root)
        self.image_transforms = image_transforms
        self.episodes = list(range(len(self.source))) if episodes is None else list(episodes)
        wrong = [f"there is no episode {e}" for e in self.episodes if not 0 <= e < len(self.source)]
        if wrong:
            raise InvalidSettingsError(str(root), wrong)
        self.steps = _steps(self.source, delta_timestamps or {})
        lengths = self.source.rows["length"].to_numpy()[self.episodes].astype(np.int64)
        self._ends = np.cumsum(lengths)
        self._arrays: dict[str, np.ndarray] | None = None

    def __len__(self) -> int:
        """Number of frames."""
        return int(self._ends[-1]) if len(self._ends) else 0

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Frame ``index`` with its windows. Raises IndexError outside the dataset."""
        index = index + len(self) if index < 0 else index
        if not 0 <= index < len(self):
            raise IndexError(f"frame {index} of {len(self)}")
        place = int(np.searchsorted(self._ends, index, side="right"))
        first, end = int(self._ends[place - 1]) if place else 0, int(self._ends[place])
        item: dict[str, Any] = {}
        for name in [*self.source.features, *BOOKKEEPING]:
            wanted = index + self.steps.get(name, np.zeros(1, np.int64))
            rows = np.clip(wanted, first, end - 1)
            if name in self.source.cameras:
                frames = [self.source.frame(self.episodes[place], int(row - first), name) for row in rows]
                value = torch.from_numpy(np.stack(frames)).permute(0, 3, 1, 2)
                value = value.float() / 255 if value.dtype == torch.uint8 else value
            else:
                value = self._values(name, rows)
            item[name] = value if name in self.steps else value[0]
            if name in self.source.cameras and self.image_transforms is not None:
                item[name] = self.image_transforms(item[name])
            if name in self.steps:
                item[name + PADDED] = torch.from_numpy((wanted < first) | (wanted >= end))
        item["task"] = self.source.tasks[int(item["task_index"])]
        return item

    def __getstate__(self) -> dict[str, Any]:
        """Without the frames, which each worker process reads for itself."""
        return {**self.__dict__, "_arrays": None}

    def _values(self, name: str, rows: np.ndarray) -> Any:
        """Values of a feature at frames of this dataset; images kept in the data files come as float32 too."""
        if self._arrays is None:
            parts = [self.source.arrays(episode) for episode in self.episodes]
            self._arrays = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        values = self._arrays[name][rows]
        if values.dtype == object:
            return list(values)
        tensor = torch.from_numpy(np.ascontiguousarray(values))
        is_image = self.source.info["features"].get(name, {}).get("dtype") == "image"
        return tensor.permute(0, 3, 1, 2).float() / 255 if is_image else tensor


def _steps(source: Dataset, deltas: Mapping[str, Sequence[float]]) -> dict[str, np.ndarray]:
    """Times in seconds as whole numbers of frames."""
    problems, steps = [], {}
    for name, times in deltas.items():
        if name not in source.features and name not in BOOKKEEPING:
            problems.append(f'there is no feature "{name}"; there are {", ".join(source.features)}')
            continue
        exact = np.asarray(times, np.float64) * source.fps
        steps[name] = np.round(exact).astype(np.int64)
        off = np.abs(exact - steps[name]) / source.fps > TOLERANCE_S
        if off.any() or not len(exact):
            given = float(np.asarray(times)[off][0]) if off.any() else "nothing"
            problems.append(f'"{name}" at {given}: times are multiples of 1/{source.fps} s')
    if problems:
        raise InvalidSettingsError(f"delta_timestamps for {source.root}", problems)
    return steps
