"""Training windows of a mixture, for any DataLoader: an observation, the actions that follow, and where they count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader
from torch.utils.data import Dataset as TorchDataset

from datagen.mixture.mixture import Mixture
from datagen.mixture.sampler import MixtureSampler
from twinloom.features import ACTION, IMAGES, STATE


class WindowDataset(TorchDataset):
    """Frame i of the concatenated sources with the actions from it on.

    An item is a dictionary of NumPy arrays and numbers; a batch is the same with a first axis B, as tensors.

    ======================  =======================  ================================================
    observation.state       (S,) float32             normalised; 0 where the source has no such element
    state_mask              (S,) bool                which elements the source has
    observation.images.*    (3, height, width) uint8 black where the source has no such camera
    image_mask              (cameras,) bool          which cameras the source has
    action                  (horizon, A) float32     normalised
    action_mask             (A,) bool                which elements the source has
    action_is_pad           (horizon,) bool          behind the end of the episode, where the last action is repeated
    domain                  int                      0 is the target
    source                  int                      which source
    progress                float32                  place in the episode, 0 to 1
    index                   int                      frame of the concatenation
    task                    str                      the sentence
    ======================  =======================  ================================================
    """

    def __init__(self, mixture: Mixture) -> None:
        """Normalises all numbers once."""
        self.mixture = mixture
        self._offsets = np.cumsum([0, *(len(source) for source in mixture.sources)])
        self._domains = [mixture.domains.index(source.domain) for source in mixture.config.sources]
        self._values = [
            {key: _filled(normalizer.normalized(mixture.spread(k, key))) for key, normalizer in by_key.items()}
            for k, by_key in enumerate(mixture.normalizers)
        ]
        width, height = mixture.config.image_size
        self._black = np.zeros((3, height, width), np.uint8)

    def __len__(self) -> int:
        """Frames of all sources."""
        return int(self._offsets[-1])

    def __getitem__(self, index: int) -> dict[str, Any]:
        """A window. Raises IndexError outside."""
        if not 0 <= index < len(self):
            raise IndexError(f"frame {index} of {len(self)}")
        k = int(np.searchsorted(self._offsets, index, side="right")) - 1
        source, values, masks = self.mixture.sources[k], self._values[k], self.mixture.masks[k]
        frame = index - int(self._offsets[k])
        episode = int(np.searchsorted(source.first, frame, side="right")) - 1
        begin, end = int(source.first[episode]), int(source.first[episode + 1])
        wanted = frame + np.arange(self.mixture.config.horizon)
        item: dict[str, Any] = {
            ACTION: values[ACTION][np.minimum(wanted, end - 1)],
            "action_mask": masks[ACTION],
            "action_is_pad": wanted >= end,
            "domain": self._domains[k],
            "source": k,
            "progress": np.float32((frame - begin) / max(end - begin - 1, 1)),
            "index": index,
            "task": source.tasks[episode],
            "image_mask": np.array([camera in source.images for camera in self.mixture.cameras], bool),
        }
        if STATE in values:
            item |= {STATE: values[STATE][frame], "state_mask": masks[STATE]}
        for camera in self.mixture.cameras:
            images = source.images.get(camera)
            shown = self._black if images is None else images[source.recorded[frame]].transpose(2, 0, 1)
            item[IMAGES + camera] = np.ascontiguousarray(shown)
        return item


def _filled(values: np.ndarray) -> np.ndarray:
    return np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf)


class MixtureLoader:
    """Batches of a mixture, the same whatever number of workers prepares them; begins at any step.

    Each batch has ``loss_weight`` (B,) float32 beside the keys of WindowDataset. It is 1, unless ``min_target`` asks
    for more target samples than p_target gives: then the weights of a batch bring the loss back to p_target.

    Args:
        mixture: loaded.
        workers: processes; 0 works in this one. Any start method will do.
        start_method: "fork" or "spawn"; the system's if None.
        rank, world_size: of the processes that share each batch.
    """

    def __init__(
        self, mixture: Mixture, workers: int = 0, start_method: str | None = None, rank: int = 0, world_size: int = 1
    ) -> None:
        self.mixture, self.dataset = mixture, WindowDataset(mixture)
        self.workers, self.start_method, self.rank, self.world_size = workers, start_method, rank, world_size
        config = mixture.config
        is_target = np.array([source.domain == config.target for source in config.sources])
        wanted = float(np.array(mixture.shares)[is_target].sum())
        floor = config.min_target / config.batch_size
        drawn = list(mixture.shares)
        self._factors = np.ones(len(drawn), np.float32)
        if 0.0 < wanted < floor:
            self._factors = np.where(is_target, wanted / floor, (1.0 - wanted) / max(1.0 - floor, 1e-9)).astype(
                np.float32
            )
            drawn = [share / factor for share, factor in zip(drawn, self._factors.tolist(), strict=True)]
        self.shares = [share / sum(drawn) for share in drawn]

    def sampler(self, step: int = 0, steps: int | None = None) -> MixtureSampler:
        """The order of the batches from a step on, up to ``steps`` in all."""
        lengths = [len(source) for source in self.mixture.sources]
        config = self.mixture.config
        chosen = MixtureSampler(
            lengths,
            self.shares,
            config.batch_size,
            config.seed,
            rank=self.rank,
            world_size=self.world_size,
            steps=steps,
        )
        chosen.step = step
        return chosen

    def batches(self, step: int = 0, steps: int | None = None) -> Iterator[dict[str, Any]]:
        """Batches from a step on."""
        loader = DataLoader(
            self.dataset,
            batch_sampler=self.sampler(step, steps),
            num_workers=self.workers,
            multiprocessing_context=self.start_method if self.workers else None,
            collate_fn=collate,
            persistent_workers=False,
        )
        factors = torch.from_numpy(self._factors)
        for batch in loader:
            yield batch | {"loss_weight": factors[batch["source"]]}


def collate(items: list[dict[str, Any]]) -> dict[str, Any]:
    """Items to a batch: arrays and numbers stacked as tensors, sentences as a list."""
    batch: dict[str, Any] = {}
    for key, first in items[0].items():
        values = [item[key] for item in items]
        if isinstance(first, str):
            batch[key] = values
        elif isinstance(first, np.ndarray):
            batch[key] = torch.from_numpy(np.stack(values))
        else:
            batch[key] = torch.as_tensor(np.array(values))
    return batch
