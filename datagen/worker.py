"""A worker process: takes slots, runs the expert until it succeeds, stages the episode, reports over a pipe."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing as mp
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from datagen.episode import DatasetSpec, Episode
from datagen.lerobot.codec import codecs
from datagen.settings import CollectConfig
from datagen.staging import stage_episode, stage_failure
from sim.source import Attempt, Rollout, Source
from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.features import IMAGES
from twinloom.plugins import load
from twinloom.seeding import episode_seed

ALIVE_S = 1.0  # between signs of life while frames are rendered
TRIM = 16  # slots between two returns of free memory


@dataclass(frozen=True)
class EpisodeJob:
    """A slot to fill.

    Attributes:
        slot: its number.
        task, episode: what it is.
        lost: attempts at which a worker died, with the reason; they are not tried again.
    """

    slot: int
    task: str
    episode: int
    lost: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ready:
    """The worker can start. ``facts``: what Source.open returned."""

    facts: dict[str, str]


@dataclass(frozen=True)
class Started:
    """An attempt begins."""

    slot: int
    attempt: int


@dataclass(frozen=True)
class Alive:
    """A long rendering goes on."""


@dataclass(frozen=True)
class Done:
    """A slot is resolved and staged.

    Attributes:
        slot, made: which, and whether it holds an episode.
        failures: reason of each failed attempt.
        frames: length of the episode.
        flush_s: seconds until it was safe on the disk.
        trace: of the first exception.
    """

    slot: int
    made: bool
    failures: list[str]
    frames: int = 0
    flush_s: float = 0.0
    trace: str = ""


@dataclass(frozen=True)
class Fatal:
    """Something that no retry cures, such as a full disk: one line for the user."""

    message: str


@dataclass(frozen=True)
class Died:
    """A worker ended without being asked to.

    Attributes:
        jobs: what it had, the first being the one in progress.
        attempt: which attempt was in progress, None before the first.
        how: "killed by SIGSEGV", "exit code 1", "hung".
    """

    jobs: list[EpisodeJob]
    attempt: int | None
    how: str


Report = Callable[[Ready | Started | Alive | Done], None]


class Worker:
    """Fills slots in this process, and says what happens through a callable.

    Args:
        source: "module:class" of the source.
        settings: of the run; its render mode is resolved here.
        out: folder of the dataset.
        report: takes Ready at once, and Started, Alive and Done during `fill`.

    Raises:
        TwinloomError: this machine cannot run or render the source.
    """

    def __init__(self, source: str, settings: CollectConfig, out: Path, report: Report) -> None:
        self._world: Source = load(source)()
        facts = self._world.open(settings.render)
        self._settings, self._out, self._report = replace(settings, render=facts["render"]), out, report
        self._filled = 0
        report(Ready(facts))

    def fill(self, job: EpisodeJob) -> None:
        """Fill one slot. Raises TwinloomError on what concerns the whole run, such as a full disk."""
        self._report(_fill(job, self._world, self._settings, self._out, self._report))
        self._filled += 1
        if self._filled % TRIM == 0:
            _return_free_memory()


def run_worker(connection: Connection, source: str, settings: CollectConfig, out: Path) -> None:
    """Body of a worker process. The parent alone decides what an interrupt means: see LocalPool.

    Args:
        connection: gives EpisodeJob objects, takes what Worker reports, and Fatal.
        source, settings, out: see Worker.
    """
    _end_with_parent()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone or done with us
        try:
            worker = Worker(source, settings, out, connection.send)
            while (job := connection.recv()) is not None:
                worker.fill(job)
        except TwinloomError as error:
            connection.send(Fatal(str(error)))


def _fill(job: EpisodeJob, source: Source, settings: CollectConfig, out: Path, report: Report) -> Done:
    """Try a slot until an attempt succeeds or all are used up."""
    failures: list[str] = []
    timing: dict[str, float] = {}
    trace = ""
    for attempt in range(settings.attempts):
        if attempt in job.lost:
            failures.append(job.lost[attempt])
            continue
        report(Started(job.slot, attempt))
        seed = episode_seed(settings.seed, job.task, job.episode, attempt)
        try:
            attempts = [Attempt(job.task, seed)]
            (rollout,) = source.rollouts(attempts, settings.robot, frozenset(settings.randomize), settings.fps)
            for stage, seconds in rollout.timing.items():
                timing[stage] = timing.get(stage, 0.0) + seconds
            if rollout.success:
                episode, spec = compose(job.task, rollout, seed, source, settings)
                episode.extra |= {"failures": failures, "timing": timing}
                episode.images = _with_signs_of_life(episode.images, report)
                flush_s = stage_episode(out, job.slot, episode, spec, codecs[settings.codec], len(failures) + 1)
                return Done(job.slot, True, failures, rollout.length, flush_s, trace)
            failures.append(rollout.reason)
        except Exception as error:  # a bug in one task must not stop the others; it is counted and shown
            if isinstance(error, MemoryError) or _concerns_the_run(error):
                raise
            failures.append(f"error: {type(error).__name__}")
            trace = trace or f"{job.task}, episode {job.episode}, attempt {attempt}\n{traceback.format_exc()}"
    stage_failure(out, job.slot, job.task, failures, timing)
    return Done(job.slot, False, failures, trace=trace)


def _concerns_the_run(error: Exception) -> bool:
    """A full disk, a missing asset, no OpenGL: yes. An episode whose arrays are not what they should be: no."""
    return isinstance(error, TwinloomError) and not isinstance(error, InvalidSettingsError)


def compose(
    task: str, rollout: Rollout, seed: np.random.SeedSequence, source: Source, settings: CollectConfig
) -> tuple[Episode, DatasetSpec]:
    """A successful rollout as an episode whose images are still to be rendered, with the dataset it fits into."""
    images = source.images(settings.cameras, settings.size)
    features = {**rollout.features, **{IMAGES + camera: feature for camera, feature in images.items()}}
    spec = DatasetSpec(settings.fps, settings.robot, source.name, features, source.action_space)
    rendered = rollout.render(settings.cameras, settings.size, settings.render)
    episode = Episode(
        task=task,
        instruction=rollout.instruction,
        arrays=rollout.arrays,
        images=({IMAGES + camera: frame for camera, frame in frames.items()} for frames in rendered),
        success=rollout.success,
        seed=tuple(int(word) for word in np.atleast_1d(np.asarray(seed.entropy, dtype=object))),
        record=rollout.record,
        extra={**rollout.facts(), "instructions": rollout.instructions},
    )
    return episode, spec


def _with_signs_of_life(
    frames: Iterable[Mapping[str, np.ndarray]], report: Report
) -> Iterator[Mapping[str, np.ndarray]]:
    """Large or many images may take longer than a worker may be silent."""
    said = time.monotonic()
    for frame in frames:
        if time.monotonic() - said > ALIVE_S:
            report(Alive())
            said = time.monotonic()
        yield frame


def _return_free_memory() -> None:
    """After hundreds of scenes glibc would hold more freed memory than a worker uses."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # other C libraries have none
    if trim is not None:
        trim(0)


def _end_with_parent() -> None:
    """Never outlive the parent: Linux kills us with it; elsewhere a thread waits for its end."""
    parent = mp.parent_process()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if parent is not None:
        if os.getppid() != parent.pid:  # it died before the line above took effect
            os._exit(1)
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
