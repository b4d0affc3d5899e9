"""Edge lists whose ids are words: names, hashes, anything between separators."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator

import numpy as np

from assets.errors import TwinloomError


def separator(line: str) -> str | None:
    """What parts the columns of a line: a tab, else a comma, else a semicolon, else (None) white space."""
    return next((mark for mark in "\t,;" if mark in line), None)


def split(line: str, mark: str | None) -> list[str]:
    """The columns of a line; quotes around one may hold separators."""
    if mark is None:
        return line.split()
    cells = line.split(mark)
    if '"' in line:
        with contextlib.suppress(csv.Error):  # a quote that opens nothing is a character like any other
            cells = next(csv.reader([line], delimiter=mark, skipinitialspace=True))
    return [cell.strip() for cell in cells]


def decode(raw: bytes, number: int) -> str:
    """Text of a line without its line end. Raises TwinloomError, naming the line, if it is not UTF-8."""
    try:
        return raw.rstrip(b"\r\n").decode()
    except UnicodeDecodeError as error:
        raise TwinloomError(f"line {number} is not UTF-8 text; convert the file, for example with iconv") from error


def read_words(
    lines: Iterator[tuple[int, str]], columns: tuple[int, int], weight: int | None, mark: str | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None, int]:
    """Read edges between words.

    Args:
        lines: numbers and texts of the lines that hold edges.
        columns: of source and target, counted from 0.
        weight: column of the weight, or None.
        mark: see `separator`.

    Returns:
        Source and target int64 [E] as positions in the third, the sorted labels; weights float64 [E] or None; number of
        columns.

    Raises:
        TwinloomError: a line has another number of columns, an empty id, or a weight that is no number >= 0.
    """
    known: dict[str, int] = {}
    a: list[int] = []
    b: list[int] = []
    w: list[float] = []
    width = -1
    for number, line in lines:
        cells = split(line, mark)
        if width < 0:
            width = len(cells)
            if width <= max(*columns, weight or 0):
                raise TwinloomError(f"line {number} has {width} columns: {line.strip()!r}")
        if len(cells) != width:
            raise TwinloomError(f"line {number} has {len(cells)} columns, the lines before it have {width}")
        source, target = cells[columns[0]], cells[columns[1]]
        if not source or not target:
            raise TwinloomError(f"line {number} has an empty id: {line.strip()!r}")
        a.append(known.setdefault(source, len(known)))
        b.append(known.setdefault(target, len(known)))
        if weight is not None:
            w.append(_weight(number, cells[weight]))
    labels = np.array(list(known), dtype=str)
    order = np.argsort(labels)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place[a], place[b], labels[order], np.array(w) if weight is not None else None, width


def _weight(number: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise TwinloomError(f"line {number}: weight {text!r} is not a number >= 0")
    return value
