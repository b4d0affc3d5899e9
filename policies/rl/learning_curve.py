"""Learning curves: one JSON object a line, and TensorBoard. Lines of steps that a kill undid are taken back."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter, Logger

from twinloom.atomic import storage_error
from twinloom.jsonlines import JsonLines, read_rows

CURVE = "train.jsonl"
SCALAR = (int, float, np.integer, np.floating)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """One line for a full disk, or something else in the place of the file."""
    try:
        yield
    except OSError as error:
        raise storage_error(path, error) from error


class Curve(KVWriter):
    """Appends one line for each dump.

    Raises:
        TwinloomError: nothing can be written there, or what is there is no learning curve.
    """

    def __init__(self, path: Path, step: int) -> None:
        self._lines = JsonLines(path, step)

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Scalars only."""
        scalars = {
            key: float(value)
            for key, value in sorted(key_values.items())
            if isinstance(value, SCALAR) or getattr(value, "shape", None) == ()
        }
        self._lines.write({"step": step} | scalars)

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


class TensorBoard(KVWriter):
    """Scalars for TensorBoard; steps behind ``step`` that an earlier process wrote are purged.

    Events are written here and now. The writer of TensorBoard has a thread for it, whose errors come late, and twice.

    Raises:
        TwinloomError: nothing can be written there.
    """

    def __init__(self, folder: Path, step: int) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # pyright: ignore[reportAttributeAccessIssue]
        from tensorboard.summary.writer.record_writer import RecordWriter

        self._folder, self._event = folder, Event
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}"
            self._records = RecordWriter((folder / name).open("ab"))
            self._add(Event(file_version="brain.Event:2", step=step))
            if step:
                self._add(Event(session_log=SessionLog(status=SessionLog.START), step=step))
            self._records.flush()

    def _add(self, event: Any) -> None:
        event.wall_time = time.time()
        self._records.write(event.SerializeToString())

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Scalars that are not meant for the file alone."""
        event = self._event(step=step)
        for key, value in key_values.items():
            if "tensorboard" not in (key_excluded.get(key) or ()) and isinstance(value, SCALAR):
                event.summary.value.add(tag=key, simple_value=float(value))
        with _writing(self._folder):
            self._add(event)
            self._records.flush()

    def close(self) -> None:
        """Close the event file."""
        with _writing(self._folder):
            self._records.close()


def logger(folder: Path, step: int) -> Logger:
    """Logger of a run folder that continues behind ``step``."""
    return Logger(str(folder), [Curve(folder / CURVE, step), TensorBoard(folder / "tensorboard", step)])


def read_curve(path: Path) -> list[dict[str, Any]]:
    """Rows of a learning curve, those with a step. Raises TwinloomError: it is not a text file."""
    return [row for row in read_rows(path) if isinstance(row.get("step"), int)]
