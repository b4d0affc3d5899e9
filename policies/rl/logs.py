"""Learning curves: one JSON object a line, and TensorBoard. Lines of steps that a kill undid are taken back."""

from __future__ import annotations

import contextlib
import json
import math
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter, Logger

from twinloom.atomic import storage_error, write_text
from twinloom.errors import TwinloomError

CURVE = "train.jsonl"
SCALAR = (int, float, np.integer, np.floating)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """One line for a full disk, or something else in the place of the file."""
    try:
        yield
    except OSError as error:
        raise storage_error(path, error) from error


class JsonLines(KVWriter):
    """Appends one line for each dump.

    Raises:
        TwinloomError: nothing can be written there, or what is there is no learning curve.
    """

    def __init__(self, path: Path, step: int) -> None:
        self._path = path
        if path.exists():
            write_text(path, "".join(json.dumps(row) + "\n" for row in read_curve(path) if row["step"] <= step))
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a", encoding="utf-8")

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Scalars only; what is not finite becomes null, JSON has nothing else."""
        row: dict[str, Any] = {"step": step}
        for key, value in sorted(key_values.items()):
            if isinstance(value, SCALAR) or getattr(value, "shape", None) == ():
                number = float(value)
                row[key] = number if math.isfinite(number) else None
        with _writing(self._path):
            self._file.write(json.dumps(row) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with _writing(self._path):
            self._file.close()


class TensorBoard(KVWriter):
    """Scalars for TensorBoard; steps behind ``step`` that an earlier process wrote are purged.

    Events are written here and now. The writer of TensorBoard has a thread for it, whose errors come late, and twice.

    Raises:
        TwinloomError: nothing can be written there.
    """

    def __init__(self, folder: Path, step: int) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
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
    return Logger(str(folder), [JsonLines(folder / CURVE, step), TensorBoard(folder / "tensorboard", step)])


def read_curve(path: Path) -> list[dict[str, Any]]:
    """Rows of a learning curve; a last line that a kill cut short is left out.

    Raises:
        TwinloomError: it is not a text file.
    """
    rows = []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        text = f"the learning curve {path} is damaged: {error}; move it away: training goes on without it"
        raise TwinloomError(text) from error
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("step"), int):
            rows.append(row)
    return rows
