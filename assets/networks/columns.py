"""The columns of an edge list as arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assets.networks.file_format import Matrix, Start, decode, read_text, sniff, split
from assets.networks.graph import HEAVIEST, LIGHTEST
from twinloom.errors import TwinloomError

_BRACES = re.compile(rb"\{[^{}\n]*['\"]weight['\"]\s*:\s*([^\s,{}]+)[^{}\n]*\}")  # edge attributes of networkx
_CLAIM = re.compile(r"\b(nodes|edges)\s*[:=]\s*([0-9]{1,18})(?![,.]?[0-9])", re.IGNORECASE)
_NUMBER = re.compile(r"\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True, eq=False)
class Columns:
    """What an edge list says, before anything is merged.

    Attributes:
        source, target: int64 [E] ids, or positions in ``words``.
        words: sorted labels if ids are words, or None.
        weights: float64 [E] >= 0, or None.
        comments, blanks: lines skipped.
        header: text of the header, or None.
        columns: in a line; 0 without edges.
        matrix: what the format itself declares (Matrix Market), or None.
        named: columns that the header names, where something other than white space parts them, or None.
        attributes: lines whose weight stands in braces, as networkx writes it, and was not asked for.
        claims: numbers of "nodes" and "edges" that comments mention.
    """

    source: np.ndarray
    target: np.ndarray
    words: np.ndarray | None
    weights: np.ndarray | None
    comments: int
    blanks: int
    header: str | None
    columns: int
    matrix: Matrix | None
    named: int | None
    attributes: int
    claims: dict[str, int]


def read_columns(path: Path, columns: tuple[int, int], weight: int | None, text: bool, header: bool | None) -> Columns:
    """Read the columns of a file; see `assets.networks.load.read_edges` for the arguments.

    Raises:
        TwinloomError: the file cannot be read, or a line is not an edge.
    """
    content, attributes = read_text(path), 0
    if b"{" in content and weight is None:
        attributes = len(_BRACES.findall(content))
    elif b"{" in content:
        content = _BRACES.sub(rb"\1", content)
    start = sniff(content, columns, text, header)
    if start.words:
        lines = _Lines(content, start)
        a, b, words, weights, width = read_texts(iter(lines), columns, weight, start.mark)
        comments, blanks = lines.comments, lines.blanks
    else:
        words = None
        a, b, weights, width, comments, blanks = _read_integers(content, start, columns, weight)
    if start.matrix is not None and len(a) != start.matrix.entries:
        raise TwinloomError(
            f"its head announces {start.matrix.entries:,} entries, {len(a):,} follow; download it again"
        )
    named = len(split(start.header, start.mark)) if start.header and start.mark else None
    if weight is not None and named is not None and len(a) and named != width:
        raise TwinloomError(
            f"the header names {named} columns, the lines have {width}, so the weight may stand elsewhere; "
            "write weights with a decimal point, and a name for every column"
        )
    return Columns(
        a, b, words, weights, start.comments + comments, start.blanks + blanks, start.header, max(width, 0),
        start.matrix, named, attributes, _claims(content),
    )  # fmt: skip


def _read_integers(
    content: bytes, start: Start, columns: tuple[int, int], weight: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, int, int, int]:
    """Source, target, weights; number of columns, comment lines, blank lines."""
    from assets.networks import integer_scanner as scanner

    room = content.count(b"\n", start.offset) + 1
    a, b = np.empty(room, np.int64), np.empty(room, np.int64)
    w = np.empty(room if weight is not None else 0)
    bytes_, mark = np.frombuffer(content, np.uint8), ord(start.mark) if start.mark else 0
    edges, comments, blanks, width, problem, line, first, last = scanner.scan(
        bytes_, start.offset, start.line, mark, *columns, -1 if weight is None else weight, a, b, w
    )
    if problem != scanner.FINE:
        token = content[first:last].decode("utf-8", "replace")
        reasons = {
            scanner.NOT_INTEGER: f'has the id "{token}", not an integer like those before it; if ids are words, say so '
            "with text (--text)",
            scanner.TOO_LARGE: f"has the id {token}, more than 64 bits; take ids as words with text (--text)",
            scanner.TOO_FEW: f"has {first} column{'' if first == 1 else 's'}; source and target should stand in the "
            f"columns {columns[0]} and {columns[1]}"
            + ("" if weight is None else f", the weight in {weight}")
            + " (counted from 0)",
            scanner.RAGGED: f"has {first} columns, the lines before it {width}; an edge list has one edge a line",
            scanner.NOT_WEIGHT: weight_problem(token),
        }
        raise TwinloomError(f"line {line} {reasons[problem]}")
    return a[:edges], b[:edges], w[:edges] if weight is not None else None, width, comments, blanks


class _Lines:
    """The lines that hold edges, with their numbers; comments and blank lines are counted on the way."""

    def __init__(self, content: bytes, start: Start) -> None:
        self._content, self._start = content, start
        self.comments = self.blanks = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        rest = self._content[self._start.offset :]
        for number, raw in enumerate(rest.removesuffix(b"\n").split(b"\n") if rest else [], self._start.line):
            if raw.lstrip()[:1] in (b"#", b"%"):
                self.comments += 1
            elif raw.strip():
                yield number, decode(raw, number)
            else:
                self.blanks += 1


def _claims(content: bytes) -> dict[str, int]:
    """Numbers of nodes and edges in the comments at the beginning of a file, such as SNAP's "# Nodes: 5 Edges: 8"."""
    claims: dict[str, int] = {}
    for raw in content[:65536].split(b"\n"):
        if raw.lstrip()[:1] in (b"#", b"%"):
            claims |= {key.lower(): int(value) for key, value in _CLAIM.findall(raw.decode("utf-8", "replace"))}
    return claims


def read_texts(
    lines: Iterator[tuple[int, str]], columns: tuple[int, int], weight: int | None, mark: str | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None, int]:
    """Read edges between ids that are texts: names, hashes, anything between separators.

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
