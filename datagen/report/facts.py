"""What a finished dataset says about itself: read once, kept as plain records that the page is written from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datagen.account import ACCOUNT, STAGES, read_timing
from datagen.lerobot.read import Dataset
from datagen.settings import SETTINGS


@dataclass
class TaskFacts:
    """One task.

    Attributes:
        name: registry name of the task, or the sentence in datasets of other origin.
        episodes: indices of its episodes in the dataset.
        asked: episodes that were asked for, None if unknown.
        attempts: tries including those that failed.
        reasons: why tries failed, with counts.
        lengths: frames of each episode.
        seconds: time spent on each episode, empty if not recorded.
        sentences: the instruction of each episode.
        seen, unseen: further instructions of the first episode.
        views: what the head camera saw of each episode that tells (docs/data.md).
    """

    name: str
    episodes: list[int] = field(default_factory=list)
    asked: int | None = None
    attempts: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    lengths: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    views: list[Mapping[str, float]] = field(default_factory=list)

    @property
    def made(self) -> int:
        """Episodes in the dataset."""
        return len(self.episodes)


@dataclass
class Facts:
    """A whole dataset.

    Attributes:
        root: its folder.
        tasks: by name, sorted.
        timing: seconds by stage ("plan", "render", ...) over all attempts, in the order of the stages; empty if the
            dataset does not tell.
        records: scene records of the episodes that have one, in episode order.
        account: content of meta/account.json; empty if there is none.
        settings: what the run was asked for; empty if unknown.
        bytes: size on disk.
    """

    root: Path
    tasks: dict[str, TaskFacts]
    timing: dict[str, float]
    records: list[dict[str, Any]]
    account: dict[str, Any]
    settings: dict[str, Any]
    bytes: int

    @property
    def asked(self) -> int | None:
        """Episodes asked for over all tasks, None if unknown."""
        known = [task.asked for task in self.tasks.values() if task.asked is not None]
        return sum(known) if len(known) == len(self.tasks) else None


def gather(dataset: Dataset, most_records: int = 20_000) -> Facts:
    """Read the facts of a dataset: one pass over its episode table, decoding at most ``most_records`` records."""
    root = dataset.root
    account, timing = _json(root / ACCOUNT), read_timing(root)
    settings = _json(root / SETTINGS).get("settings", {})
    facts = Facts(root, {}, _stages(account.get("seconds", {})), [], account, settings, _size(root))
    for row in dataset.episodes.to_pylist():
        task = _add_episode(facts.tasks, row)
        if seconds := timing.get(row.get("slot")):
            task.seconds.append(sum(seconds.values()))
        if row.get("record") and len(facts.records) < most_records:
            facts.records.append(json.loads(row["record"]))
    for name, entry in account.get("tasks", {}).items():
        _add_account(facts.tasks.setdefault(name, TaskFacts(name)), entry)
    facts.tasks = dict(sorted(facts.tasks.items()))
    return facts


def _add_episode(tasks: dict[str, TaskFacts], row: Mapping[str, Any]) -> TaskFacts:
    sentence = row["tasks"][0] if row["tasks"] else ""
    name = row.get("task_name") or sentence
    task = tasks.setdefault(name, TaskFacts(name))
    task.episodes.append(row["episode_index"])
    task.lengths.append(row["length"])
    task.sentences.append(sentence)
    task.attempts += row.get("attempts") or 1
    task.reasons.update(row.get("failures") or [])
    task.seen = task.seen or list(row.get("instructions/seen") or [])
    if views := json.loads(row.get("extra") or "{}").get("views"):
        task.views.append(views)
    task.unseen = task.unseen or list(row.get("instructions/unseen") or [])
    return task


def _stages(seconds: Mapping[str, float]) -> dict[str, float]:
    """Stages in the order they happen, others after them."""
    return {stage: seconds[stage] for stage in (*STAGES, *(seconds.keys() - set(STAGES))) if seconds.get(stage)}


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _add_account(task: TaskFacts, entry: Mapping[str, Any]) -> None:
    """The account knows what the episode table cannot: what was asked, and tries for episodes that never came."""
    task.asked = entry.get("asked", task.asked)
    task.attempts = entry.get("attempts", task.attempts)
    task.reasons = Counter(entry.get("reasons", task.reasons))


def _size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
