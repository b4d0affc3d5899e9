"""Success rates of experts: many episodes over worker processes, nothing rendered or written."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sim.families import Family, family
from sim.source import Attempt
from twinloom.machine import cores, threads_shared_among
from twinloom.processes import end_with_parent
from twinloom.progress import Progress
from twinloom.seeding import episode_seed

if TYPE_CHECKING:
    from sim.source import Source

Trial = tuple[str, int]  # task, episode
Result = tuple[str, str, str, float]  # task, reason or "", detail, simulated seconds


def rollout_table(
    chosen: Family,
    tasks: Sequence[str],
    *,
    episodes: int,
    seed: int = 0,
    axes: Sequence[str] = (),
    robot: str = "",
    workers: int = 0,
    fps: int = 25,
) -> list[dict[str, Any]]:
    """One row per task: k successes of n first attempts, mean length, and the reasons of the failures.

    Episode k is the first attempt at the episode k that ``datagen`` would record with the same seed.

    Args:
        chosen: family; tasks: bare names.
        episodes: n, per task.
        seed: run seed.
        axes: randomisation axes.
        robot: robot name; the family's default if empty.
        workers: processes; 0 is one a core.

    Raises:
        TwinloomError: the family has no experts.
    """
    source: Source = chosen.get("source")()
    robot = robot or chosen.pick("robots")
    source.check(robot, fps)
    trials = [(task, episode) for episode in range(episodes) for task in tasks]
    batches = [trials[start : start + source.batch] for start in range(0, len(trials), source.batch)]
    results: dict[str, list[Result]] = {task: [] for task in tasks}
    count = min(workers or cores(), len(batches))
    settings = (chosen.name, robot, seed, frozenset(axes), fps)
    with (
        threads_shared_among(count),
        Progress(len(trials), "episode") as progress,
        multiprocessing.get_context("spawn").Pool(count, _start, settings) as pool,
    ):
        for found in pool.imap_unordered(_try, batches):
            for result in found:
                results[result[0]].append(result)
                progress.advance()
                if result[1]:
                    progress.log(f"{result[0]}: {result[2]}")
    return [_row(task, robot, found) for task, found in results.items()]


def _row(task: str, robot: str, found: list[Result]) -> dict[str, Any]:
    lengths = [seconds for _, reason, _, seconds in found if not reason]
    return {
        "task": task,
        "robot": robot,
        "k": len(lengths),
        "n": len(found),
        "seconds": round(sum(lengths) / len(lengths), 2) if lengths else None,
        "reasons": dict(sorted(Counter(reason for _, reason, _, _ in found if reason).items())),
    }


_worker: tuple[Source, str, int, frozenset[str], int] | None = None


def _start(name: str, robot: str, seed: int, axes: frozenset[str], fps: int) -> None:
    global _worker
    end_with_parent()
    source = family(name).get("source")()
    source.open("none")
    _worker = source, robot, seed, axes, fps


def _try(trials: list[Trial]) -> list[Result]:
    """One batch, in a worker process."""
    assert _worker is not None
    source, robot, seed, axes, fps = _worker
    attempts = [Attempt(task, episode_seed(seed, task, episode)) for task, episode in trials]
    rollouts = source.rollouts(attempts, robot, axes, fps)
    return [
        (attempt.task, rollout.reason, rollout.detail, rollout.length / fps)
        for attempt, rollout in zip(attempts, rollouts, strict=True)
    ]
