"""A run of datagen: hand out slots, hear the workers, commit, show progress, end cleanly whatever happens."""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass, replace
from pathlib import Path

from datagen.account import ACCOUNT, Account
from datagen.executor import Executor, InProcess
from datagen.ledger import Ledger
from datagen.lock import writer_lock
from datagen.pool import HUNG_S, LocalPool
from datagen.settings import CollectConfig, check_settings, settle, write_settings
from datagen.staging import clean_partial
from datagen.worker import Died, Done, EpisodeJob, Ready
from sim.source import Source
from twinloom.atomic import storage_error, write_json
from twinloom.interrupt import Interrupt
from twinloom.plugins import load
from twinloom.progress import Progress

WINDOW = 1024  # slots that may be ahead of the first unresolved one, or wait, so that the staging folder stays small
REWRITTEN = 1  # a commit waits until at most so many old episodes are written again for each new one ...
COMMIT_SHARE = 50  # ... or until a commit as long as the last takes one part in so many of the time
DEATHS = 2  # workers that die at the same attempt before it counts as failed
ERRORS = Path("meta/errors.log")


@dataclass(frozen=True)
class Run:
    """A request.

    Attributes:
        settings: what decides the episodes.
        episodes: episodes per task.
        workers: processes; 0 runs everything in this one.
        out: folder of the dataset.
        source: "module:class" of a `sim.source.Source`; worker processes make one each.
        commit_slots, commit_s: a commit comes after so many finished slots or seconds; after more if files are large.
        hung_s: silence after which a worker is taken for hung.
    """

    settings: CollectConfig
    episodes: int
    workers: int
    out: Path
    source: str
    commit_slots: int = 64
    commit_s: float = 120.0
    hung_s: float = HUNG_S


@dataclass(frozen=True)
class Outcome:
    """How a run ended. ``signal`` is the number of the signal that ended it early, or 0."""

    account: Account
    settings: CollectConfig
    signal: int = 0


def check(run: Run) -> Run:
    """Find mistakes in a request before any work. Returns it with the settings that hold and the workers of use.

    Raises:
        TwinloomError: settings that are wrong or differ from those of the run in the folder, or missing assets.
    """
    check_settings(run.settings, run.episodes, run.workers)
    load(run.source)().check(run.settings.robot, run.settings.fps)
    workers = min(run.workers, run.episodes * len(run.settings.tasks))
    return replace(run, settings=settle(run.out, run.settings), workers=workers)


def collect(run: Run, progress: Progress | None = None) -> Outcome:
    """Make every slot of a run that is not resolved yet. A folder that holds part of the run is continued.

    Args:
        run: the request.
        progress: where to show it; a fresh one on standard error if None.

    Raises:
        TwinloomError: wrong settings, another run in the folder, or something that no retry cures (a full disk, no
            OpenGL). What was finished is kept.
    """
    run = check(run)
    with writer_lock(run.out), Interrupt() as stop:
        run = replace(run, settings=settle(run.out, run.settings))  # another run may have begun one meanwhile
        return _Collector(run, load(run.source)(), stop).work(progress)


class _Collector:
    def __init__(self, run: Run, source: Source, stop: Interrupt) -> None:
        self.run, self.stop = run, stop
        self.settings = run.settings
        self.tasks = run.settings.tasks
        self.ledger = Ledger(run.out, run.settings, source)
        self.account = self.ledger.account(run.episodes)
        slots = range(run.episodes * len(self.tasks))
        self.pending = deque(slot for slot in slots if not self.ledger.resolved(slot))
        self.open = len(self.pending)
        self.lost: dict[int, dict[int, str]] = {}
        self.deaths: Counter[tuple[int, int]] = Counter()
        self.troubled: set[str] = set()
        self.batch = source.batch
        self.made_now = 0

    def work(self, progress: Progress | None) -> Outcome:
        asked = self.run.episodes * len(self.tasks)
        began = time.monotonic()
        facts: dict[str, str] = {}
        if self.open:
            self.progress = progress or Progress(asked, "episode", done=asked - self.open)
            with self.progress, self._executor() as executor:
                facts = self._loop(executor)
            clean_partial(self.run.out)  # of workers that had to be stopped
        self.ledger.commit()
        account = self.ledger.account(self.run.episodes)
        account.made_now, account.wall_s = self.made_now, time.monotonic() - began
        account.facts = {"engine": self.settings.engine, **facts}
        if facts:
            write_json(self.run.out / ACCOUNT, account.to_json())
        return Outcome(account, self.settings, self.stop.signal)

    def _executor(self) -> Executor:
        """Worker processes, or with none this process itself."""
        if not self.run.workers:
            return InProcess(self.run.source, self.settings, self.run.out)
        workers = min(self.run.workers, self.open)
        return LocalPool(workers, self.run.source, self.settings, self.run.out, self.run.hung_s)

    def _loop(self, pool: Executor) -> dict[str, str]:
        """Until every slot is resolved or a signal came. Returns the facts that the first worker reported."""
        facts: dict[str, str] = {}
        committed, took = time.monotonic(), 0.0
        while self.open and not self.stop.signal:
            self._feed(pool)
            for event in pool.events(timeout=0.5):
                if isinstance(event, Ready) and not facts:
                    facts = event.facts
                    self.settings = replace(self.settings, render=facts["render"])
                    write_settings(self.run.out, self.settings)
                elif isinstance(event, Done):
                    self._done(event)
                elif isinstance(event, Died):
                    self._died(event)
            ready, since = self.ledger.ready, time.monotonic() - committed
            enough = min(max(self.run.commit_slots, self.ledger.open_episodes // REWRITTEN), WINDOW)
            if ready >= enough or (ready and since > max(self.run.commit_s, COMMIT_SHARE * took)):
                began = time.monotonic()
                self.ledger.commit()
                committed = time.monotonic()
                took = committed - began
            self.progress.tick()
        return facts

    def _feed(self, pool: Executor) -> None:
        # A second slot in the pipe bridges our commits; near the end it would keep slots from idle workers.
        depth = self.batch * (2 if len(self.pending) > 2 * self.batch * self.run.workers else 1)
        limit = self.ledger.unresolved + WINDOW
        while self.pending and self.pending[0] < limit and pool.hungry(depth):
            slot = self.pending.popleft()
            pool.give(EpisodeJob(slot, self._task(slot), slot // len(self.tasks), self.lost.get(slot, {})))

    def _task(self, slot: int) -> str:
        return self.tasks[slot % len(self.tasks)]

    def _done(self, event: Done) -> None:
        self.ledger.add(event.slot, event.made, event.flush_s)
        self.open -= 1
        task = self._task(event.slot)
        if event.made:
            self.made_now += 1
            entry = self.account.kept(task, event.failures, event.frames)
        else:
            entry = self.account.failed(task, event.failures)
        tries = _tries(event)
        self.progress.log(f"  {task:<28}{entry.made:>5}/{entry.asked}  {'✓' if event.made else '✗'}{tries}")
        if event.trace:
            path = self.run.out / ERRORS
            try:
                with path.open("a", encoding="utf-8") as file:
                    file.write(event.trace + "\n")
            except OSError as error:
                raise storage_error(path, error) from error
            if task not in self.troubled:
                self.troubled.add(task)
                text = f"unexpected error in {task}: a bug; it counts as a failed attempt; traceback in {path}"
                self.progress.log(text, important=True)
        self.progress.advance()

    def _died(self, event: Died) -> None:
        """Queue the slots of a dead worker again; one that keeps killing workers loses that attempt."""
        self.pending.extendleft(job.slot for job in reversed(event.jobs))
        if not event.jobs or event.attempt is None:
            self.progress.log(f"a worker ended ({event.how}); another takes its place", important=True)
            return
        slot, attempt = event.jobs[0].slot, event.attempt
        self.deaths[slot, attempt] += 1
        what = "trying again"
        if self.deaths[slot, attempt] >= DEATHS:
            self.lost.setdefault(slot, {})[attempt] = f"worker {event.how}"
            what = "this attempt counts as failed"
        where = f"{self._task(slot)}, episode {slot // len(self.tasks)}, attempt {attempt + 1}"
        self.progress.log(f"a worker ended ({event.how}) during {where}; {what}", important=True)


def _tries(event: Done) -> str:
    """ " (2nd attempt: no feasible grasp before)" or "" when the first attempt succeeded."""
    if not event.failures:
        return ""
    reasons = ", ".join(f"{n} {r}" if n > 1 else r for r, n in Counter(event.failures).most_common())
    if not event.made:
        return f" ({len(event.failures)} attempts: {reasons})"
    number = len(event.failures) + 1
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return f" ({number}{suffix} attempt; before: {reasons})"
