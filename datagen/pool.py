"""The worker processes of a run: start, feed, hear, notice deaths, replace, stop.

Every worker has its own pipe and the parent hands out the slots, so there is no lock that a killed worker could keep.
"""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Any

from datagen.settings import CollectConfig
from datagen.worker import Alive, Died, Done, EpisodeJob, Fatal, Ready, Started, run_worker
from twinloom.errors import TwinloomError
from twinloom.machine import cores, threads_shared_among

HUNG_S = 600.0  # a worker that says nothing for so long is taken for hung; rendering and every attempt say something
STARTS = 3  # workers that may die in a row before one has become ready
MEMORY_GIB = 1.2  # per worker: MuJoCo, one scene with textures, small frames on their way to the encoder
MEMORY_PIXEL = 48  # bytes per worker for every pixel of a frame: copies on their way, and what the encoder looks at


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    jobs: list[EpisodeJob] = field(default_factory=list)
    attempt: int | None = None
    ready: bool = False
    heard: float = 0.0
    hung: bool = False


class LocalPool:
    """Worker processes of one run; a context manager that leaves none behind.

    Args:
        count: number of workers.
        source: "module:class" of the source.
        settings: of the run.
        out: folder of the dataset.
        hung_s: seconds of silence after which a worker is killed and replaced.
    """

    def __init__(self, count: int, source: str, settings: CollectConfig, out: Path, hung_s: float = HUNG_S) -> None:
        self._count, self._source, self._settings, self._out, self._hung_s = count, source, settings, out, hung_s
        self._context = mp.get_context("spawn")
        self._workers: list[_Worker] = []
        self._failed_starts = 0

    def __enter__(self) -> LocalPool:
        for _ in range(self._count):
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            if worker.ready and not worker.jobs:
                worker.connection.close()  # idle: the end of the pipe tells it to leave
            else:
                worker.process.kill()  # what it has in hand is not staged yet; nothing half written is ever used
        for worker in self._workers:
            worker.process.join(5)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.connection.close()
        self._workers.clear()

    def hungry(self, depth: int) -> int:
        """How many jobs the ready workers could take to have ``depth`` each."""
        return sum(max(0, depth - len(w.jobs)) for w in self._workers if w.ready)

    def give(self, job: EpisodeJob) -> None:
        """Hand a job to the ready worker with the fewest."""
        worker = min((w for w in self._workers if w.ready), key=lambda w: len(w.jobs))
        worker.jobs.append(job)
        worker.heard = max(worker.heard, time.monotonic()) if len(worker.jobs) == 1 else worker.heard
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has died: events() will return the job
            worker.connection.send(job)

    def events(self, timeout: float) -> Iterator[Ready | Started | Done | Died]:
        """What happened since the last call; waits for at most ``timeout`` seconds.

        Raises:
            TwinloomError: a worker met something that concerns the whole run, or none can be started.
        """
        readable = wait([w.connection for w in self._workers], timeout)
        for worker in list(self._workers):
            if worker.connection in readable:
                yield from self._listen(worker)
            elif worker.jobs and time.monotonic() - worker.heard > self._hung_s:
                worker.hung = True
                worker.process.kill()

    def _listen(self, worker: _Worker) -> Iterator[Ready | Started | Done | Died]:
        try:
            while worker.connection.poll():
                message: Any = worker.connection.recv()
                worker.heard = time.monotonic()
                if isinstance(message, Fatal):
                    raise TwinloomError(message.message)
                if isinstance(message, Ready):
                    worker.ready, self._failed_starts = True, 0
                elif isinstance(message, Started):
                    worker.attempt = message.attempt
                    worker.jobs.sort(key=lambda job: job.slot != message.slot)  # the one in progress first
                elif isinstance(message, Done):
                    worker.jobs = [job for job in worker.jobs if job.slot != message.slot]
                    worker.attempt = None
                if not isinstance(message, Alive):
                    yield message
        except (EOFError, ConnectionResetError, BrokenPipeError):
            yield self._bury(worker)

    def _bury(self, worker: _Worker) -> Died:
        """Replace a dead worker."""
        worker.process.join()
        worker.connection.close()
        self._workers.remove(worker)
        how = "hung" if worker.hung else _how(worker.process.exitcode)
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= STARTS:
                raise TwinloomError(f"worker processes die while they start ({how}); see: sim doctor")
        self._start()
        return Died(worker.jobs, worker.attempt, how)

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        arguments = (theirs, self._source, self._settings, self._out)
        process = self._context.Process(target=run_worker, args=arguments, name="datagen worker", daemon=True)
        with threads_shared_among(self._count), _signals_blocked():
            process.start()
        theirs.close()  # so that the worker's end closes with the worker
        self._workers.append(_Worker(process, ours, heard=time.monotonic()))


def default_workers(pixels: int = 0) -> int:
    """One worker per core that this process may use, fewer where memory is short.

    Args:
        pixels: of one frame of all cameras together.
    """
    each = MEMORY_GIB + pixels * MEMORY_PIXEL / 2**30
    return max(1, min(cores(), int(_available_gib() / each)))


def _available_gib() -> float:
    """Memory that is free for us, in GiB: what the system reports, and what a container leaves."""
    amounts = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        lines = meminfo.read_text().splitlines()
        amounts += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    limit, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    if limit.exists() and used.exists() and limit.read_text().strip().isdecimal():
        amounts.append(int(limit.read_text()) - int(used.read_text()))
    return min(amounts) / 2**30


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    """Children that are started inside never see a SIGINT or SIGTERM of the process group; ours arrive afterwards."""
    resource_tracker.ensure_running()  # it would be started with the first child, and unblocks these signals then
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _how(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        try:
            return f"killed by {signal.Signals(-exitcode).name}"
        except ValueError:
            return f"killed by signal {-exitcode}"
    return f"exit code {exitcode}"
