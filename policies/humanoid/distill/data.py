"""What was collected so far: steps in a row, histories put together when a batch is drawn, left and right exchanged by chance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from policies.humanoid import mirror
from policies.humanoid.networks import HISTORY
from twinloom.atomic import atomic_file

ROWS = ("frames", "tasks", "actions", "velocities")


@dataclass
class Shard:
    """The samples of one iteration.

    Attributes:
        frames, tasks, actions, velocities: (n, ...) float32, episodes one after the other.
        first: (n,) int32, the row at which the episode of each row begins.
        body: (n,) int32, into ``masks`` and ``descriptions``.
        masks, descriptions: (bodies, ...) float32.
    """

    frames: np.ndarray
    tasks: np.ndarray
    actions: np.ndarray
    velocities: np.ndarray
    first: np.ndarray
    body: np.ndarray
    masks: np.ndarray
    descriptions: np.ndarray

    def save(self, path: Path) -> None:
        """Write it, all or nothing; measured values keep half precision."""
        with atomic_file(path) as temporary, temporary.open("wb") as handle:
            halves = {name: getattr(self, name).astype(np.float16) for name in ROWS}
            np.savez(handle, **halves, **{name: getattr(self, name) for name in ("first", "body", "masks", "descriptions")})  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> Shard:
        """Read it."""
        with np.load(path) as arrays:
            return cls(**{name: _single(arrays[name]) for name in cls.__dataclass_fields__})


def _single(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if array.dtype.kind == "f" else array


class Dataset:
    """All shards as tensors."""

    def __init__(self) -> None:
        """Empty."""
        self._parts: dict[str, list[Tensor]] = {name: [] for name in Shard.__dataclass_fields__}
        self._rows = self._bodies = 0
        self._tables: dict[str, Tensor] = {}

    def __len__(self) -> int:
        return self._rows

    def add(self, shard: Shard) -> None:
        """Append a shard."""
        for name in Shard.__dataclass_fields__:
            value = torch.from_numpy(getattr(shard, name))
            offset = {"first": self._rows, "body": self._bodies}.get(name, 0)
            self._parts[name].append(value + offset if offset else value)
        self._rows += len(shard.frames)
        self._bodies += len(shard.masks)
        self._tables = {}

    def table(self, name: str) -> Tensor:
        """All rows of one of Shard's arrays."""
        if name not in self._tables:
            self._parts[name] = [torch.cat(self._parts[name])]
            self._tables[name] = self._parts[name][0]
        return self._tables[name]

    def batch(self, size: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Random rows: the network's inputs, and its goals ``actions`` and ``velocities``; half of them mirrored."""
        rows = torch.randint(len(self), (size,), generator=generator)
        back = torch.arange(HISTORY - 1, -1, -1)
        history = torch.maximum(rows[:, None] - back, self.table("first")[rows][:, None])
        body = self.table("body")[rows]
        batch = {
            "frames": self.table("frames")[history],
            "task": self.table("tasks")[rows],
            "actions": self.table("actions")[rows],
            "velocities": self.table("velocities")[rows],
            "mask": self.table("masks")[body],
            "description": self.table("descriptions")[body],
        }
        half = size // 2
        for name, (index, sign) in MIRRORS.items():
            batch[name][:half] = batch[name][:half][..., index] * sign
        return batch


MIRRORS = {
    name: (torch.from_numpy(index), torch.from_numpy(sign))
    for name, (index, sign) in {
        "frames": mirror.FRAME,
        "task": mirror.TASK,
        "actions": mirror.ACTION,
        "velocities": mirror.VELOCITY,
    }.items()
}
