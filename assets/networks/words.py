"""Edge lists whose ids are words: names, hashes, anything between separators."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Iterator

import numpy as np

from assets.networks.graph import HEAVIEST, LIGHTEST
from twinloom.errors import TwinloomError

_NUMBER = re.compile(r"\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def separators(line: str) -> list[str]:
    """What may part the columns of a line, the likeliest first; empty: white space.

    A tab; else commas and semicolons, the more frequent first. Semicolons win a tie: their columns may hold numbers
    with a decimal comma.
    """
    if "\t" in line:
        return ["\t"]
    return sorted((mark for mark in ";," if mark in line), key=lambda mark: -line.count(mark))


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
        mark: what parts columns, None: white space.

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
            w.append(_weight(number, cells[weight], mark))
    labels = np.array(list(known), dtype=str)
    order = np.argsort(labels)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place[a], place[b], labels[order], np.array(w) if weight is not None else None, width


def _weight(number: int, text: str, mark: str | None) -> float:
    decimal = text.replace(",", ".", 1) if mark == ";" else text
    value = float(decimal) if _NUMBER.fullmatch(decimal) else -1.0
    if value and not LIGHTEST <= value <= HEAVIEST:
        raise TwinloomError(f"line {number} {weight_problem(text)}")
    return value


def weight_problem(text: str) -> str:
    """Why a weight was refused, to follow the number of its line."""
    point = text.replace(",", ".")
    if text.count(",") == 1 and _NUMBER.fullmatch(point):
        return (
            f'has the weight "{text}": write it with a decimal point ({point}), or part the columns by semicolons, '
            "between which a decimal comma is understood"
        )
    if _NUMBER.fullmatch(text) and float(text) < float("inf"):
        return f'has the weight "{text}"; 0, or {LIGHTEST:.2g} to {HEAVIEST:.2g}, is allowed; rescale the column'
    return f'has the weight "{text}", not a number >= 0'
