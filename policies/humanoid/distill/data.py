"""What was collected so far: steps in a row; histories are put together, and mirrored, when a batch is drawn."""

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
            rest = {name: getattr(self, name) for name in ("first", "body", "masks", "descriptions")}
            np.savez(handle, **halves, **rest)

    @classmethod
    def load(cls, path: Path) -> Shard:
        """Read it."""
        with np.load(path) as arrays:
            return cls(**{name: _single(arrays[name]) for name in cls.__dataclass_fields__})


def _single(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if array.dtype.kind == "f" else array


class Dataset:
    """The newest shards as tensors, in half precision where they were measured."""

    def __init__(self, keep: int) -> None:
        """Empty; ``keep`` shards at most."""
        self._keep = keep
        self._shards: list[Shard] = []
        self._tables: dict[str, Tensor] = {}

    def __len__(self) -> int:
        return sum(len(shard.frames) for shard in self._shards)

    def add(self, shard: Shard) -> None:
        """Append a shard; the oldest one may leave."""
        self._shards = [*self._shards, shard][-self._keep :]
        self._tables = {}

    def table(self, name: str) -> Tensor:
        """All rows of one of Shard's arrays; rows and bodies are counted over all shards."""
        if name not in self._tables:
            counted = {"first": "frames", "body": "masks"}.get(name)
            parts, offset = [], 0
            for shard in self._shards:
                parts.append(getattr(shard, name) + offset if counted else getattr(shard, name))
                offset += len(getattr(shard, counted)) if counted else 0
            table = torch.from_numpy(np.concatenate(parts))
            self._tables[name] = table.half() if name in ROWS else table
        return self._tables[name]

    def batch(self, size: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Random rows: the network's inputs, and its goals ``actions`` and ``velocities``; half of them mirrored."""
        rows = torch.randint(len(self), (size,), generator=generator)
        back = torch.arange(HISTORY - 1, -1, -1)
        history = torch.maximum(rows[:, None] - back, self.table("first")[rows][:, None])
        body = self.table("body")[rows]
        batch = {
            "frames": self.table("frames")[history].float(),
            "task": self.table("tasks")[rows].float(),
            "actions": self.table("actions")[rows].float(),
            "velocities": self.table("velocities")[rows].float(),
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
