"""Which slots are resolved, and the commits that move resolved slots from the staging folder into the dataset.

A run is tasks x episodes. Slot s is episode ``s // len(tasks)`` of task ``s % len(tasks)``: asking for more episodes
later only adds slots at the end. A slot is resolved when it holds an episode or every attempt at it has failed.
Episodes enter the dataset in slot order, so their index there is their rank among the slots that hold one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from datagen.account import Account, TaskAccount, read_timing, write_timing
from datagen.episode import DatasetSpec
from datagen.lerobot.codec import codecs
from datagen.lerobot.entry import canonical_json
from datagen.lerobot.layout import INFO, Limits, features_of, read_info
from datagen.lerobot.read import Dataset
from datagen.lerobot.write import Writer
from datagen.settings import SETTINGS, CollectConfig
from datagen.staging import StagedEpisode, clean_partial, discard, read_failure, staged
from sim.source import Source
from twinloom.errors import TwinloomError

FAILED = Path("meta/failed.jsonl")


class Ledger:
    """Resolved slots of one dataset folder. Only the process that holds the writer's lock may have one.

    Args:
        out: folder of the dataset, with its settings written.
        settings: of the run.
        source: for the description of the dataset.

    Attributes:
        next: the first slot that is not committed.
    """

    def __init__(self, out: Path, settings: CollectConfig, source: Source) -> None:
        self.out, self.settings, self._source = out, settings, source
        clean_partial(out)
        self._failed: dict[int, dict[str, Any]] = _read_failed(out)
        self._waiting: dict[int, bool] = {}
        self._flush_s: dict[int, float] = {}
        self._writer: Writer | None = None
        kept: set[int] = set()
        if (out / INFO).exists():
            self._writer = self._open(None)
            with Dataset(out) as dataset:
                kept = set(dataset.rows["slot"].to_pylist())
        self.next = 0
        while self.next in kept or self.next in self._failed:
            self.next += 1
        self._unresolved = self.next
        for slot, made in list(staged(out)):
            if slot in kept or slot in self._failed:
                discard(out, slot)
            else:
                self._waiting[slot] = made

    def resolved(self, slot: int) -> bool:
        """Whether a slot needs no more work."""
        return slot < self.next or slot in self._waiting or slot in self._failed

    def add(self, slot: int, made: bool, flush_s: float = 0.0) -> None:
        """A worker has staged a slot, and that took ``flush_s`` seconds more than the slot itself knows."""
        self._waiting[slot] = made
        self._flush_s[slot] = flush_s

    @property
    def unresolved(self) -> int:
        """The first slot that is not resolved."""
        while self._unresolved in self._waiting or self._unresolved in self._failed:
            self._unresolved += 1
        return self._unresolved

    @property
    def ready(self) -> int:
        """How many staged slots could be committed now: those before the first unresolved one."""
        return self.unresolved - self.next

    @property
    def open_episodes(self) -> int:
        """Committed episodes in files that are not full, which the next commit has to write again."""
        return self._writer.state.open_episodes if self._writer else 0

    def commit(self) -> int:
        """Move the slots that are ready into the dataset.

        Returns:
            How many episodes were added.

        Raises:
            TwinloomError: the disk is full or not writable. Nothing is lost.
        """
        slots = range(self.next, self.unresolved)
        if not slots or (self._writer is None and not any(map(self._waiting.get, slots))):
            return 0  # a dataset begins with its first episode
        episodes = {slot: StagedEpisode(self.out, slot) for slot in slots if self._waiting.get(slot)}
        failures = {s: read_failure(self.out, s) for s in slots if self._waiting.get(s) is False}
        if self._writer is None:
            self._writer = self._open(next(iter(episodes.values())).spec)
        timing = {slot: episode.timing for slot, episode in episodes.items()}
        timing |= {slot: failure.pop("timing") for slot, failure in failures.items()}
        for slot, seconds in timing.items():
            seconds["write"] = seconds.get("write", 0.0) + self._flush_s.pop(slot, 0.0)
        write_timing(self.out, sorted(timing.items()))
        failed = self._failed | failures
        sidecars = {
            SETTINGS: (self.out / SETTINGS).read_bytes(),
            FAILED: ("\n".join(canonical_json(failed[slot]) for slot in sorted(failed)) + "\n").encode(),
        }
        self._writer.append([episode.entry for episode in episodes.values()], sidecars)
        self._failed = failed
        self.next = slots.stop
        for slot in slots:
            discard(self.out, slot)
            self._waiting.pop(slot, None)
        return len(episodes)

    def account(self, episodes: int) -> Account:
        """Account of everything resolved so far among the first ``episodes`` episodes of each task."""
        tasks = self.settings.tasks
        account = Account({name: TaskAccount(episodes) for name in tasks}, cameras=len(self.settings.cameras))
        asked = episodes * len(tasks)
        if self._writer is not None:
            with Dataset(self.out) as dataset:
                for row in dataset.rows.select(["slot", "task_name", "failures", "length"]).to_pylist():
                    if row["slot"] < asked:
                        account.kept(row["task_name"], row["failures"], row["length"])
        timing = read_timing(self.out)
        for slot, made in self._waiting.items():
            if made and slot < asked:
                episode = StagedEpisode(self.out, slot)
                account.kept(episode.entry.extra["task_name"], episode.entry.extra["failures"], episode.frames)
                timing[slot] = episode.timing
        failures = [read_failure(self.out, slot) for slot, made in self._waiting.items() if not made]
        for failure in [*self._failed.values(), *failures]:
            if failure["slot"] < asked:
                account.failed(failure["task"], failure["failures"])
        for slot, seconds in timing.items():
            if slot < asked:
                account.seconds.update(seconds)
        return account

    def _open(self, spec: DatasetSpec | None) -> Writer:
        settings = self.settings
        if spec is None:
            info = read_info(self.out)
            spec = DatasetSpec(
                settings.fps, settings.robot, self._source.name, features_of(info), self._source.action_space
            )
        codec = codecs[settings.codec]
        videos = {
            name: codec.info(feature.shape[1], feature.shape[0], settings.fps)
            for name, feature in spec.features.items()
            if feature.dtype == "video"
        }
        return Writer(self.out, spec, videos, Limits(data_mb=settings.data_mb, video_mb=settings.video_mb))


def _read_failed(out: Path) -> dict[int, dict[str, Any]]:
    """Slots whose attempts all failed, one JSON object a line."""
    path = out / FAILED
    if not path.is_file():
        return {}
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        return {row["slot"]: row for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise TwinloomError(f"{path} is not readable: {error}; see: datagen verify {out}") from error
