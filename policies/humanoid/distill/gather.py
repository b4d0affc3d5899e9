"""The samples of one iteration: new random bodies, each tried with the teacher first, in a few processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from policies.humanoid.bodies import random_walker, real_walker
from policies.humanoid.distill.collect import Samples, collect
from policies.humanoid.distill.data import Shard
from sim.humanoid.walking.episode import Trial, walk

TRIAL = Trial(velocity=0.3, yaw_rate=0.3, duration=6.0)
"""What a body's teacher must survive, on a flat floor with true state, for the body to be learned from."""


@dataclass(frozen=True)
class BodyResult:
    """What one body gave; no samples if its teacher fell in the trial."""

    mask: np.ndarray
    description: np.ndarray
    samples: list[Samples]


@dataclass(frozen=True)
class Job:
    """One body's part of an iteration; ``robot`` is empty for random body ``body``."""

    robot: str
    body: int
    seed: int
    weights: Path | None
    beta: float
    hardship: float
    episodes: int
    seconds: float


def gather_body(job: Job) -> BodyResult:
    """Sample a body, try its teacher, run its episodes."""
    import torch

    from policies.humanoid.student import load_network

    torch.set_num_threads(1)
    one = real_walker(job.robot) if job.robot else random_walker(job.body, job.seed)
    samples = []
    if walk(one.body, one.gains, TRIAL).survived >= TRIAL.duration:
        student = None if job.weights is None else load_network(job.weights)
        for episode in range(job.episodes):
            rng = np.random.default_rng([job.seed, job.body, episode])
            hardship = job.hardship * rng.random()  # easy worlds stay among the hard ones
            samples.append(collect(one, student, job.beta, hardship, job.seconds, rng))
    return BodyResult(one.senses.mask, one.description, samples)


def gather(pool: Executor, jobs: Sequence[Job]) -> Iterator[BodyResult]:
    """Results of all jobs, in their order."""
    yield from pool.map(gather_body, jobs)


def shard(results: Sequence[BodyResult]) -> Shard | None:
    """All samples of an iteration in a row; None if there are none."""
    columns: dict[str, list[np.ndarray]] = {name: [] for name in ("frames", "tasks", "actions", "velocities")}
    first, body, row = [], [], 0
    for index, result in enumerate(results):
        for samples in result.samples:
            count = len(samples.actions)
            if not count:
                continue
            for name, rows in columns.items():
                rows.append(getattr(samples, name))
            first.append(np.full(count, row, np.int32))
            body.append(np.full(count, index, np.int32))
            row += count
    if not first:
        return None
    stacked = {name: np.concatenate(rows).astype(np.float32) for name, rows in columns.items()}
    return Shard(
        **stacked,
        first=np.concatenate(first),
        body=np.concatenate(body),
        masks=np.array([result.mask for result in results], np.float32),
        descriptions=np.array([result.description for result in results], np.float32),
    )
