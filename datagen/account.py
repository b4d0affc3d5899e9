"""What was asked, what was made, how often it was tried, why tries failed, and where the time went."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twinloom.atomic import storage_error
from twinloom.machine import commit, cpu_model

ACCOUNT = Path("meta/account.json")
TIMING = Path("meta/timing.jsonl")
STAGES = ("build", "plan", "simulate", "render", "encode", "write")


@dataclass
class TaskAccount:
    """One task: episodes asked for and made, tries, and the reasons of failed tries with their counts."""

    asked: int
    made: int = 0
    attempts: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


@dataclass
class Account:
    """A run.

    Attributes:
        tasks: by name.
        frames: frames of all episodes made.
        cameras: number of cameras.
        seconds: by stage, over all slots and their failed tries.
        made_now, wall_s: episodes made by this run of the command, and how long it took.
        facts: "renderer", "render", "engine", ... for the report.
    """

    tasks: dict[str, TaskAccount]
    cameras: int
    frames: int = 0
    seconds: Counter[str] = field(default_factory=Counter)
    made_now: int = 0
    wall_s: float = 0.0
    facts: dict[str, str] = field(default_factory=dict)

    def kept(self, task: str, failures: Iterable[str], frames: int) -> TaskAccount:
        """An episode was made after these failed tries."""
        account = self.tasks[task]
        account.made += 1
        account.attempts += 1
        self.frames += frames
        return self.failed(task, failures)

    def failed(self, task: str, failures: Iterable[str]) -> TaskAccount:
        """Tries that failed."""
        account = self.tasks[task]
        reasons = list(failures)
        account.attempts += len(reasons)
        account.reasons.update(reasons)
        return account

    @property
    def asked(self) -> int:
        """Episodes asked for."""
        return sum(task.asked for task in self.tasks.values())

    @property
    def made(self) -> int:
        """Episodes made, by earlier runs too."""
        return sum(task.made for task in self.tasks.values())

    @property
    def attempts(self) -> int:
        """All tries."""
        return sum(task.attempts for task in self.tasks.values())

    @property
    def reasons(self) -> Counter[str]:
        """Reasons of all failed tries."""
        return sum((task.reasons for task in self.tasks.values()), Counter())

    def to_json(self) -> dict[str, Any]:
        """For meta/account.json."""
        return {
            "asked": self.asked,
            "made": self.made,
            "attempts": self.attempts,
            "reasons": dict(self.reasons.most_common()),
            "frames": self.frames,
            "cameras": self.cameras,
            "seconds": {stage: round(self.seconds[stage], 3) for stage in STAGES if stage in self.seconds},
            "last_run": {"made": self.made_now, "wall_s": round(self.wall_s, 3)},
            "tasks": {
                name: {
                    "asked": task.asked,
                    "made": task.made,
                    "attempts": task.attempts,
                    "reasons": dict(task.reasons.most_common()),
                }
                for name, task in self.tasks.items()
            },
            "machine": cpu_model(),
            "commit": commit(),
            **self.facts,
        }


def write_timing(out: Path, rows: Iterable[tuple[int, dict[str, float]]]) -> None:
    """Append the seconds by stage of slots. These differ from run to run, so they lie apart from the episodes.

    Raises:
        TwinloomError: the disk is full or not writable.
    """
    path = out / TIMING
    text = "".join(
        json.dumps({"slot": slot} | {stage: round(seconds, 4) for stage, seconds in timing.items()}) + "\n"
        for slot, timing in rows
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise storage_error(path, error) from error


def read_timing(out: Path) -> dict[int, dict[str, float]]:
    """Slot to seconds by stage. A line cut off by a kill is left out; of a slot noted twice, the last counts."""
    path = out / TIMING
    rows: dict[int, dict[str, float]] = {}
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
                rows[row.pop("slot")] = row
            except (ValueError, KeyError):
                continue
    return rows
