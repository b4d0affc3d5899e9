"""Where jobs run: what `datagen.collect` asks of an executor, and the one that runs them in its own process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol

from datagen.settings import CollectConfig
from datagen.worker import Alive, Died, Done, EpisodeJob, Ready, Started, Worker

Event = Ready | Started | Done | Died


class Executor(Protocol):
    """Runs jobs somewhere that shares the dataset's folder; a context manager that leaves nothing running.

    `datagen.pool.LocalPool` is one, for worker processes of this machine. Its workers call `datagen.worker.Worker.fill`
    and send what that reports to the parent; a cluster's would do the same over its own wire.
    """

    def __enter__(self) -> Executor: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def hungry(self, depth: int) -> int:
        """How many jobs the ready workers could take to have ``depth`` each."""
        ...

    def give(self, job: EpisodeJob) -> None:
        """Hand over one job, while somebody is hungry."""
        ...

    def events(self, timeout: float) -> Iterator[Event]:
        """What happened since the last call; waits for at most about ``timeout`` seconds where nothing did.

        Raises:
            TwinloomError: something that concerns the whole run, such as a full disk.
        """
        ...


class InProcess:
    """Runs jobs in the calling process, as many at a time as the source likes: for tests, debuggers and profilers."""

    def __init__(self, source: str, settings: CollectConfig, out: Path) -> None:
        self._happened: list[Event] = []
        self._arguments = (source, settings, out)
        self._worker: Worker | None = None
        self._jobs: list[EpisodeJob] = []

    def __enter__(self) -> InProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._worker = None

    def hungry(self, depth: int) -> int:
        """See Executor.hungry."""
        return max(0, depth - len(self._jobs)) if self._worker is not None else 0

    def give(self, job: EpisodeJob) -> None:
        """See Executor.give."""
        self._jobs.append(job)

    def events(self, timeout: float) -> Iterator[Event]:
        """See Executor.events; the job is done meanwhile, however long it takes."""
        if self._worker is None:
            self._worker = Worker(*self._arguments, report=self._report)
        elif self._jobs:
            jobs, self._jobs = self._jobs[: self._worker.batch], self._jobs[self._worker.batch :]
            self._worker.fill(jobs)
        happened, self._happened = self._happened, []
        yield from happened

    def _report(self, event: Ready | Started | Alive | Done) -> None:
        if not isinstance(event, Alive):
            self._happened.append(event)
