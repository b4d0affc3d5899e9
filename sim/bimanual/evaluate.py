"""Success rates of the experts: many episodes over worker processes, nothing rendered or written."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Sequence
from typing import Any

from twinloom.machine import cores, threads_shared_among
from twinloom.progress import Progress
from twinloom.seeding import episode_seed

Trial = tuple[str, int]  # task, episode


def rollout_table(
    tasks: Sequence[str],
    *,
    episodes: int,
    seed: int = 0,
    axes: Sequence[str] = (),
    robot: str = "franka-panda",
    workers: int = 0,
    fps: int = 25,
) -> list[dict[str, Any]]:
    """One row per task: k successes of n first attempts, mean length, and the reasons of the failures.

    Episode k is the first attempt at the episode k that ``datagen`` would record with the same seed.

    Args:
        episodes: n, per task.
        seed: run seed.
        axes: randomisation axes.
        workers: processes; 0 is one a core.
    """
    trials = [(task, episode) for episode in range(episodes) for task in tasks]
    settings = (robot, seed, frozenset(axes), fps)
    results: dict[str, list[tuple[str, str, float]]] = {task: [] for task in tasks}
    count = min(workers or cores(), len(trials))
    with (
        threads_shared_among(count),
        Progress(len(trials), "episode") as progress,
        multiprocessing.get_context("spawn").Pool(count, _start, (settings,)) as pool,
    ):
        for task, reason, detail, seconds in pool.imap_unordered(_trial, trials):
            results[task].append((reason, detail, seconds))
            progress.advance()
            if reason:
                progress.log(f"{task}: {detail}")
    return [_row(task, robot, found) for task, found in results.items()]


def _row(task: str, robot: str, found: list[tuple[str, str, float]]) -> dict[str, Any]:
    lengths = [seconds for reason, _, seconds in found if not reason]
    return {
        "task": task,
        "robot": robot,
        "k": len(lengths),
        "n": len(found),
        "seconds": round(sum(lengths) / len(lengths), 2) if lengths else None,
        "reasons": dict(sorted(Counter(reason for reason, _, _ in found if reason).items())),
    }


_settings: tuple[str, int, frozenset[str], int] | None = None


def _start(settings: tuple[str, int, frozenset[str], int]) -> None:
    global _settings
    _settings = settings


def _trial(trial: Trial) -> tuple[str, str, str, float]:
    """(task, reason or "", detail, simulated seconds) of one episode, in a worker process."""
    from sim.bimanual.rollout import expert_rollout

    assert _settings is not None
    robot, seed, axes, fps = _settings
    task, episode = trial
    rollout = expert_rollout(task, robot, episode_seed(seed, task, episode), axes, fps, visuals="simple")
    return task, rollout.reason, rollout.detail, rollout.length / fps
