"""Which samples make up a batch: exact shares, no repetition within a pass over a source, any step at once.

A batch is a function of the seed and its number alone. So a run resumes at any step, and what the batch holds depends
neither on the number of workers nor on the number of processes that share it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from datagen.mixture.permutation import permuted
from twinloom.errors import InvalidSettingsError, TwinloomError


class MixtureSampler:
    """Batches of indices into the concatenation of all sources; a ``batch_sampler`` for a DataLoader.

    Args:
        lengths: number of samples of each source.
        shares: probability of each source; they sum to 1.
        batch_size: samples of all processes together in one step.
        seed: of the order.
        rank, world_size: this process takes every ``world_size``-th sample from ``rank`` on.
        steps: number of batches to yield; endless if None.

    Raises:
        InvalidSettingsError: shares that do not sum to 1, empty sources with a share, batches that cannot be shared.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        shares: Sequence[float],
        batch_size: int,
        seed: int = 0,
        *,
        rank: int = 0,
        world_size: int = 1,
        steps: int | None = None,
    ) -> None:
        self.lengths, self.shares = [int(n) for n in lengths], [float(share) for share in shares]
        self.batch_size, self.seed, self.rank, self.world_size = batch_size, seed, rank, world_size
        self.steps, self.step = steps, 0
        if problems := self._problems():
            raise InvalidSettingsError("mixture", problems)
        self._offsets = np.cumsum([0, *self.lengths[:-1]])

    def _problems(self) -> list[str]:
        problems = []
        if len(self.lengths) != len(self.shares) or not self.lengths:
            problems.append(f"{len(self.lengths)} sources with {len(self.shares)} shares")
        elif min(self.shares) < 0.0 or abs(sum(self.shares) - 1.0) > 1e-6:
            problems.append(f"shares {self.shares} must not be negative and sum to 1")
        else:
            empty = [k for k, (n, share) in enumerate(zip(self.lengths, self.shares, strict=True)) if share and n < 1]
            problems += [f"source {k} is empty and has the share {self.shares[k]:g}" for k in empty]
        if self.batch_size < 1 or self.world_size < 1 or not 0 <= self.rank < self.world_size:
            problems.append(f"batch_size {self.batch_size}, rank {self.rank} of {self.world_size}")
        elif self.batch_size % self.world_size:
            problems.append(f"batch_size {self.batch_size} cannot be shared by {self.world_size} processes")
        return problems

    def counts(self, samples: int) -> np.ndarray:
        """How many of the first so many samples come from each source, (sources,) int64.

        The sources are halved again and again, and each half gets its rounded share of its parent's count. Each count
        then never falls as ``samples`` grows, and of two sources it is never further than half a sample from exact.
        """
        out = np.zeros(len(self.lengths), np.int64)
        self._divide(int(samples), 0, len(self.lengths), out)
        return out

    def _divide(self, samples: int, begin: int, end: int, out: np.ndarray) -> None:
        if end - begin == 1 or not samples:
            out[begin] = samples
            return
        middle = (begin + end) // 2
        whole = sum(self.shares[begin:end])
        left = int(np.floor(samples * (sum(self.shares[begin:middle]) / whole) + 0.5)) if whole else 0
        self._divide(left, begin, middle, out)
        self._divide(samples - left, middle, end, out)

    def batch(self, step: int) -> np.ndarray:
        """Indices of all samples of a step, whoever takes them, (batch_size,) int64."""
        before, after = self.counts(self.batch_size * step), self.counts(self.batch_size * (step + 1))
        parts = []
        for source, (first, last) in enumerate(zip(before, after, strict=True)):
            draws, length = np.arange(first, last), self.lengths[source]
            for epoch in np.unique(draws // length) if len(draws) else []:
                inside = draws[draws // length == epoch] % length
                parts.append(self._offsets[source] + permuted(inside, length, (self.seed, source, int(epoch))))
        order = np.random.default_rng([self.seed, step, 1]).permutation(self.batch_size)
        return np.concatenate(parts)[order]

    def __iter__(self) -> Iterator[list[int]]:
        """This process's part of each batch, from ``step`` on."""
        while self.steps is None or self.step < self.steps:
            self.step += 1
            yield self.batch(self.step - 1)[self.rank :: self.world_size].tolist()

    def __len__(self) -> int:
        """Batches in all. Raises TypeError if endless."""
        if self.steps is None:
            raise TypeError("an endless sampler has no length")
        return self.steps

    def state_dict(self) -> dict[str, Any]:
        """What ``load_state_dict`` needs to go on; a DataLoader reads ahead, so set ``step`` to what was trained on."""
        return {
            "step": self.step,
            "seed": self.seed,
            "lengths": self.lengths,
            "shares": self.shares,
            "batch_size": self.batch_size,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on at the state's step. Raises TwinloomError if it is of another mixture."""
        mine = self.state_dict() | {"step": state.get("step")}
        differ = [f"{name} {state.get(name)} (now {mine[name]})" for name in mine if state.get(name) != mine[name]]
        if differ:
            raise TwinloomError(f"the run was begun with {'; '.join(differ)}")
        self.step = int(state["step"])


def source_shares(
    lengths: Sequence[int],
    is_target: Sequence[bool],
    p_target: float | None = None,
    temperature: float = 1.0,
    weights: Sequence[float | None] | None = None,
) -> list[float]:
    """Probability of each source.

    Args:
        lengths: number of samples of each source.
        is_target: which sources are target data.
        p_target: share of all target sources together; what plain concatenation gives if None.
        temperature: within a group a source counts n^(1/T): 1 for its size, infinity for equal shares.
        weights: replaces n^(1/T) for a source where it is not None.

    Raises:
        TwinloomError: p_target outside [0, 1], or a share for a group that has no source.
    """
    sizes = np.array(lengths, float)
    group = np.array(is_target, bool)
    if p_target is None:
        p_target = float(sizes[group].sum() / sizes.sum())
    if not 0.0 <= p_target <= 1.0:
        raise TwinloomError(f"p_target {p_target:g} must be from 0 to 1")
    for share, members, word in ((p_target, group, "target"), (1.0 - p_target, ~group, "source")):
        if share > 0.0 and not members.any():
            raise TwinloomError(f"p_target {p_target:g} needs {word} data, and there is none")
    relative = sizes ** (1.0 / temperature)
    for k, weight in enumerate(weights or ()):
        if weight is not None:
            relative[k] = weight
    shares = np.zeros(len(sizes))
    for share, members in ((p_target, group), (1.0 - p_target, ~group)):
        if share > 0.0:
            shares[members] = share * relative[members] / relative[members].sum()
    return shares.tolist()
