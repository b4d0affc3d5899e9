"""Logs of one JSON object a line, such as learning curves, that survive kills: a torn last line is left out."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from twinloom.atomic import storage_error, write_text
from twinloom.errors import TwinloomError


@contextlib.contextmanager
def _storage(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise storage_error(path, error) from error


class JsonLines:
    """Appends rows to a file; each is on disk when ``write`` returns.

    Args:
        path: the file, made with its folder if needed.
        step: rows behind this step, which a killed run wrote after its last checkpoint, are taken out first.

    Raises:
        TwinloomError: nothing can be written there, or what is there is no such log.
    """

    def __init__(self, path: Path, step: int | None = None) -> None:
        self._path = path
        if path.exists():  # also drops a torn line, which the next row would otherwise be appended to
            kept = [row for row in read_rows(path) if step is None or row.get("step", 0) <= step]
            write_text(path, "".join(json.dumps(row) + "\n" for row in kept))
        with _storage(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a", encoding="utf-8")

    def write(self, row: Mapping[str, Any]) -> None:
        """Append one row; a number that is not finite becomes null, JSON has nothing else."""
        text = json.dumps({key: _finite(value) for key, value in row.items()})
        with _storage(self._path):
            self._file.write(text + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with _storage(self._path):
            self._file.close()

    def __enter__(self) -> JsonLines:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a log; a line that a kill cut short is left out. A file that is not there has none.

    Raises:
        TwinloomError: it cannot be read as text.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise TwinloomError(f"the log {path} is damaged: {error}; move it away, and work goes on without it") from error
    rows = []
    for line in lines:
        with contextlib.suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict):
                rows.append(row)
    return rows


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
