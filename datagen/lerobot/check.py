"""What the checks of a dataset share: what has been read so far, and what was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datagen.lerobot import layout
from datagen.lerobot.histogram import Histograms
from datagen.lerobot.stats import Stats

EXAMPLES = 5  # problems of one kind in one file that are listed one by one


@dataclass(frozen=True)
class Problem:
    """Something wrong: in which file (relative to the dataset), in which episode if it is about one, and what."""

    file: str
    message: str
    episode: int | None = None

    def __str__(self) -> str:
        where = self.file if self.episode is None else f"{self.file}, episode {self.episode}"
        return f"{where}: {self.message}"


@dataclass
class Check:
    """A dataset under examination.

    Attributes:
        root, info: its folder and its info.json.
        rows: row of meta/episodes by episode, without statistics and without the long columns.
        stats: statistics of each episode in ``rows``, by feature.
        tasks: task index to sentence.
        used_tasks: task indices that some frame has, in order of first use.
        histograms: of the frames seen so far.
        lags: squared distance between action t and state t + lag, summed over the frames seen so far, by lag.
        statistics: whether statistics are compared with the frames.
        problems, notes: found so far.
    """

    root: Path
    info: dict[str, Any]
    rows: list[dict[str, Any]] = field(default_factory=list)
    stats: list[dict[str, Stats]] = field(default_factory=list)
    tasks: dict[int, str] = field(default_factory=dict)
    used_tasks: dict[int, None] = field(default_factory=dict)
    histograms: Histograms = field(default_factory=Histograms)
    lags: Counter[int] = field(default_factory=Counter)
    statistics: bool = True
    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._counts: dict[tuple[str, str], int] = {}

    @property
    def fps(self) -> int:
        """Frames per second."""
        return self.info["fps"]

    @property
    def ours(self) -> bool:
        """Whether datagen wrote the dataset, so that our additions must be there too."""
        return (self.root / "meta/twinloom.json").exists()

    def add(self, file: Path | str, message: str, episode: int | None = None, *, kind: str = "") -> None:
        """Note a problem. Of one ``kind`` in one file only the first few are kept."""
        name = file if isinstance(file, str) else file.as_posix()
        if kind:
            count = self._counts[name, kind] = self._counts.get((name, kind), 0) + 1
            if count == EXAMPLES + 1:
                message, episode = f"more problems of this kind ({kind})", None
            elif count > EXAMPLES:
                return
        self.problems.append(Problem(name, message, episode))

    def note(self, file: Path | str, message: str, episode: int | None = None, *, kind: str = "") -> None:
        """Note something that is not wrong. Of one ``kind`` only the first few are kept."""
        self._counts["", kind] = count = self._counts.get(("", kind), 0) + 1
        if kind and count > EXAMPLES:
            message, episode = f"more notes of this kind ({kind})", None
            if count > EXAMPLES + 1:
                return
        self.notes.append(Problem(str(file), message, episode))

    def data_file(self, row: dict[str, Any]) -> Path:
        """Data file of an episode, relative to the dataset."""
        numbers = {"chunk_index": row["data/chunk_index"], "file_index": row["data/file_index"]}
        return layout.inside(self.root, self.info["data_path"], **numbers).relative_to(self.root)

    def video_file(self, row: dict[str, Any], key: str) -> Path:
        """Video file of an episode, relative to the dataset."""
        chunk, file = row[f"videos/{key}/chunk_index"], row[f"videos/{key}/file_index"]
        path = layout.inside(self.root, self.info["video_path"], video_key=key, chunk_index=chunk, file_index=file)
        return path.relative_to(self.root)

    def cameras(self) -> list[str]:
        """Names of the video features."""
        return layout.camera_keys(layout.features_of(self.info))
