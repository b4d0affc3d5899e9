"""A worker process: takes slots, runs the expert until it succeeds, stages the episode, reports over a pipe."""

from __future__ import annotations

import contextlib
import ctypes
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from twinloom.processes import end_with_parent
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

    @property
    def batch(self) -> int:
        """How many slots the source likes to fill at once."""
        return self._world.batch

    def fill(self, jobs: Sequence[EpisodeJob]) -> None:
        """Fill slots together. Raises TwinloomError on what concerns the whole run, such as a full disk."""
        for done in _fill(jobs, self._world, self._settings, self._out, self._report):
            self._report(done)
            self._filled += 1
            if self._filled % TRIM == 0:
                _return_free_memory()


def run_worker(connection: Connection, source: str, settings: CollectConfig, out: Path) -> None:
    """Body of a worker process. The parent alone decides what an interrupt means: see LocalPool.

    Args:
        connection: gives EpisodeJob objects, takes what Worker reports, and Fatal.
        source, settings, out: see Worker.
    """
    end_with_parent()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone or done with us
        try:
            worker = Worker(source, settings, out, connection.send)
            while (job := connection.recv()) is not None:
                jobs = [job]
                while len(jobs) < worker.batch and connection.poll():
                    jobs.append(connection.recv())
                worker.fill([one for one in jobs if one is not None])
                if jobs[-1] is None:
                    break
        except TwinloomError as error:
            connection.send(Fatal(str(error)))


@dataclass
class _Slot:
    """A slot in work: what failed so far, seconds by stage, and the trace of the first exception."""

    job: EpisodeJob
    failures: list[str] = field(default_factory=list)
    timing: dict[str, float] = field(default_factory=dict)
    trace: str = ""


def _fill(
    jobs: Sequence[EpisodeJob], source: Source, settings: CollectConfig, out: Path, report: Report
) -> Iterator[Done]:
    """Try slots, attempt by attempt, until each has an episode or has used up its attempts."""
    open_slots = [_Slot(job) for job in jobs]
    for attempt in range(settings.attempts):
        trying = [slot for slot in open_slots if attempt not in slot.job.lost]
        for slot in open_slots:
            if attempt in slot.job.lost:
                slot.failures.append(slot.job.lost[attempt])
        while trying:  # more than once where an exception ended the batch
            rollouts = iter(_rollouts(trying, attempt, source, settings))
            while trying:
                slot = trying[0]
                report(Started(slot.job.slot, attempt))
                try:
                    done = _staged(slot, attempt, next(rollouts), source, settings, out, report)
                except Exception as error:  # a bug in one task must not stop the others; it is counted and shown
                    if isinstance(error, MemoryError) or _concerns_the_run(error):
                        raise
                    slot.failures.append(f"error: {type(error).__name__}")
                    where = f"{slot.job.task}, episode {slot.job.episode}, attempt {attempt}"
                    slot.trace = slot.trace or f"{where}\n{traceback.format_exc()}"
                    trying.pop(0)
                    break
                trying.pop(0)
                if done is not None:
                    open_slots.remove(slot)
                    yield done
        if not open_slots:
            return
    for slot in open_slots:
        stage_failure(out, slot.job.slot, slot.job.task, slot.failures, slot.timing)
        yield Done(slot.job.slot, False, slot.failures, trace=slot.trace)


def _rollouts(slots: Sequence[_Slot], attempt: int, source: Source, settings: CollectConfig) -> Iterator[Rollout]:
    attempts = [Attempt(slot.job.task, _seed(slot.job, attempt, settings)) for slot in slots]
    return source.rollouts(attempts, settings.robot, frozenset(settings.randomize), settings.fps)


def _seed(job: EpisodeJob, attempt: int, settings: CollectConfig) -> np.random.SeedSequence:
    return episode_seed(settings.seed, job.task, job.episode, attempt)


def _staged(
    slot: _Slot, attempt: int, rollout: Rollout, source: Source, settings: CollectConfig, out: Path, report: Report
) -> Done | None:
    """The outcome of a slot whose attempt succeeded; None if it failed, which is noted."""
    for stage, seconds in rollout.timing.items():
        slot.timing[stage] = slot.timing.get(stage, 0.0) + seconds
    if not rollout.success:
        slot.failures.append(rollout.reason)
        return None
    job, failures = slot.job, slot.failures
    episode, spec = compose(job.task, rollout, _seed(job, attempt, settings), source, settings)
    episode.extra |= {"failures": failures, "timing": slot.timing}
    episode.images = _with_signs_of_life(episode.images, report)
    flush_s = stage_episode(out, job.slot, episode, spec, codecs[settings.codec], len(failures) + 1)
    return Done(job.slot, True, failures, rollout.length, flush_s, slot.trace)


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
