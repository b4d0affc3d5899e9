"""Progress of long work: a live display on a terminal, one line a minute anywhere else."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

INTERVAL_S = 60.0


class Progress:
    """Counts finished items and says how fast they come and when the last is due. Use as a context manager.

    Args:
        total: items asked for.
        unit: what an item is, in the singular ("episode").
        done: items finished by earlier runs; they do not count for the rate.
        stream: where to write; standard error if None.
        clock: seconds, monotonic.
        interval: seconds between lines where there is no terminal.
    """

    def __init__(
        self,
        total: int,
        unit: str = "item",
        *,
        done: int = 0,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        interval: float = INTERVAL_S,
    ) -> None:
        self.total, self.unit, self.done = total, unit, done
        self._stream = sys.stderr if stream is None else stream
        self._clock, self._interval = clock, interval
        self._earlier = done
        self._began = self._spoke = clock()
        self._status = ""
        self._live: RichProgress | None = None
        self._bar: TaskID | None = None

    def __enter__(self) -> Progress:
        self._began = self._spoke = self._clock()
        if self._stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown"):  # those cannot redraw a line
            self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
        elif self._clock() - self._began >= self._interval:
            self._line(self.text())

    def advance(self, count: int = 1) -> None:
        """``count`` more items are finished."""
        self.done += count
        self.tick()

    def status(self, text: str) -> None:
        """What is going on now, in a few words."""
        self._status = text
        self.tick()

    def log(self, text: str, *, important: bool = False) -> None:
        """A line that stays. Without a terminal only important ones are written: logs of batch jobs stay short."""
        if self._live is not None:
            self._live.console.print(text, highlight=False, markup=False)
        elif important:
            self._line(text)

    def tick(self) -> None:
        """Refresh what is shown; call it now and then while nothing finishes."""
        if self._live is not None and self._bar is not None:
            self._live.update(self._bar, completed=self.done, note=self._note())
        elif self._clock() - self._spoke >= self._interval:
            self._spoke = self._clock()
            self._line(self.text())

    def rate(self) -> float:
        """Items per second of this run, 0 before the first."""
        elapsed = self._clock() - self._began
        return (self.done - self._earlier) / elapsed if elapsed > 0 else 0.0

    def text(self) -> str:
        """One line: ``12/50 episodes  4.1/min  eta 9:16  (hanging_mug)``."""
        return f"{self.done}/{self.total} {self.unit}s  {self._note()}"

    def _note(self) -> str:
        rate = self.rate()
        parts = []
        if rate > 0:
            parts.append(f"{rate * 60:.1f}/min" if rate < 1 else f"{rate:.1f}/s")
        if self.done < self.total:
            parts.append(f"eta {duration((self.total - self.done) / rate) if rate > 0 else '-'}")
        if self._status:
            parts.append(f"({self._status})")
        return "  ".join(parts)

    def _line(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Rich

        self._live = Rich(
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(file=self._stream),
            transient=True,
            expand=True,
        )
        self._bar = self._live.add_task(self.unit, total=self.total, completed=self.done, note=self._note())
        self._live.start()


def duration(seconds: float) -> str:
    """Seconds as ``0:07``, ``12:30`` or ``3:05:10``."""
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
