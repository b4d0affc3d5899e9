"""What the first lines of an edge list tell: where edges begin, what parts the columns, whether ids are integers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assets.networks.graph import MAX_NODES
from assets.networks.words import decode, separators, split
from twinloom.errors import TwinloomError

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?", re.ASCII)
_SIZE = re.compile("[0-9]{1,18}")  # of a matrix
_ANY = re.compile(r'[^\s,;"]+')
_MATRIX_MARKET = b"%%MatrixMarket"
_ROLES = {
    "source", "target", "src", "dst", "from", "to", "fromnodeid", "tonodeid", "node1", "node2", "id1", "id2", "u", "v",
    "user1", "user2", "head", "tail", "follower", "followee", "nodea", "nodeb",
}  # fmt: skip
_FORMATS = {
    "a web page or XML": rb"<",
    "JSON": rb"""\{|\[\s*([\[{"'\d-]|$)""",
    "GML or DOT": rb"(strict\s+)?(di)?graph\b[^,;\t]*[\[{]\s*$",
    "Pajek": rb"\*(vertices|network|arcs|edges)\b",
}
_FIRST = {name: re.compile(form, re.IGNORECASE) for name, form in _FORMATS.items()}


@dataclass(frozen=True)
class Matrix:
    """Head of a Matrix Market file; its ids are 1 .. nodes.

    Attributes:
        nodes: rows and columns.
        entries: lines that follow.
        symmetric: whether an entry (i, j) stands for (j, i) too.
    """

    nodes: int
    entries: int
    symmetric: bool


@dataclass(frozen=True)
class Start:
    """Where and how to read.

    Attributes:
        offset, line: byte and number of the first line of edges.
        comments, blanks: lines skipped before it.
        header: the line that names the columns, or None.
        words: whether ids are words.
        mark: what parts columns; None: white space, and for integers any separator.
        matrix: what the format declares (Matrix Market), or None.
    """

    offset: int
    line: int
    comments: int
    blanks: int
    header: str | None = None
    words: bool = False
    mark: str | None = None
    matrix: Matrix | None = None


@dataclass(frozen=True)
class _Line:
    """A line that is neither blank nor a comment, and what was skipped before it."""

    offset: int
    number: int
    text: str
    comments: int
    blanks: int


def sniff(content: bytes, columns: tuple[int, int], text: bool, header: bool | None) -> Start:
    """Examine the first two lines that hold something.

    Args:
        content: of the file.
        columns: of source and target.
        text: ids are words whatever they look like.
        header: whether the first line names the columns; None: find out.

    Raises:
        TwinloomError: another format, decimal ids, a matrix that is no network, or a table whose first column numbers
            the rows.
    """
    lines, end = _first_lines(content, 2)
    if not lines:
        return Start(len(content), end.number, end.comments, end.blanks, words=text)
    last, likely = lines[-1].text, separators(lines[-1].text)
    mark = next((m for m in likely if not text and _integers(last, columns, m)), likely[0] if likely else None)
    if not text and not _integers(last, columns, mark):
        cells = _ids(last, columns, None)
        if len(cells) == 2 and all(_INTEGER.fullmatch(cell) for cell in cells):
            mark = None  # "1 2,0.5": more than one kind of separator in a line
    matrix = _matrix(content, lines[0]) if content.startswith(_MATRIX_MARKET) else None
    titled = matrix is None and (_is_header(lines, columns, mark) if header is None else header)
    if titled and columns == (0, 1) and mark is not None and not split(lines[0].text, mark)[0]:
        raise TwinloomError(
            "the first column has no name, so it seems to number the rows; say which columns are source and target, "
            "for example columns=(1, 2) (--columns 1 2)"
        )
    first = [*lines, end][1 if titled or matrix is not None else 0]
    words = matrix is None and (text or not (first is end or _integers(first.text, columns, mark)))
    cells = _ids(first.text, columns, mark)
    if words and not text and cells and all(_DECIMAL.fullmatch(cell) for cell in cells):
        raise TwinloomError(f"line {first.number} has the ids {', '.join(cells)}: write integers, or say text (--text)")
    title = lines[0].text.strip() if titled else None
    return Start(first.offset, first.number, first.comments, first.blanks, title, words, mark, matrix)


def _first_lines(content: bytes, count: int) -> tuple[list[_Line], _Line]:
    """Up to ``count`` lines that hold something, and an empty one that stands for the position after them."""
    lines: list[_Line] = []
    offset, number, comments, blanks = 0, 1, 0, 0
    while offset < len(content) and len(lines) < count:
        end = content.find(b"\n", offset)
        end = len(content) if end < 0 else end
        raw = content[offset:end]
        if raw.lstrip()[:1] in (b"#", b"%"):
            comments += 1
        elif raw.strip():
            if not lines:
                refuse(raw)
            lines.append(_Line(offset, number, decode(raw, number), comments, blanks))
        else:
            blanks += 1
        offset, number = end + 1, number + 1
    return lines, _Line(offset, number, "", comments, blanks)


def _matrix(content: bytes, line: _Line) -> Matrix:
    kind, size = content[: content.find(b"\n")].lower().split(), line.text.split()
    if len(size) != 3 or size[0] != size[1] or not all(map(_SIZE.fullmatch, size)):
        raise TwinloomError(f"line {line.number}: only square matrices in coordinate form are networks")
    if not 1 <= int(size[0]) <= MAX_NODES:
        raise TwinloomError(f"line {line.number}: a network has 1 to {MAX_NODES:,} nodes, not {size[0]}")
    return Matrix(int(size[0]), int(size[2]), kind[-1] in (b"symmetric", b"skew-symmetric", b"hermitian"))


def _ids(line: str, columns: tuple[int, int], mark: str | None) -> list[str]:
    """The source and target cells of a line, as far as it has them."""
    cells = split(line, mark) if mark else _ANY.findall(line)
    return [cells[column] for column in columns if column < len(cells)]


def _integers(line: str, columns: tuple[int, int], mark: str | None) -> bool:
    """Whether the ids of a line are integers; a line too short for two counts as far as it goes."""
    cells = _ids(line, columns, mark)
    return bool(cells) and all(_INTEGER.fullmatch(cell) for cell in cells)


def _is_header(lines: list[_Line], columns: tuple[int, int], mark: str | None) -> bool:
    """Whether the first line names columns: words above integers or above a number, or two of the usual words."""
    if _integers(lines[0].text, columns, mark):
        return False
    if len(lines) > 1:
        above, below = (split(line.text, mark) for line in lines[:2])
        numbers = [k not in columns and bool(_DECIMAL.fullmatch(cell)) for k, cell in enumerate(below)]
        titles = [not _DECIMAL.fullmatch(cell) for cell in above]
        if _integers(lines[1].text, columns, mark) or (
            len(above) == len(below) and any(numbers) and all(t for t, n in zip(titles, numbers, strict=True) if n)
        ):
            return True
    cells = [re.sub(r"[^a-z0-9]", "", cell.lower()) for cell in _ids(lines[0].text, columns, mark)]
    roles = [cell if cell in _ROLES else re.sub("(id|name|node|user)s?$", "", cell) for cell in cells]
    return len(roles) == 2 and all(role in _ROLES for role in roles)


def refuse(line: bytes) -> None:
    """Raise TwinloomError if a file that begins with this line (comments left out) has another format."""
    for name, form in _FIRST.items():
        if form.match(line.strip()):
            raise TwinloomError(
                f"it is {name}, not a text of one edge a line; export the edges as two columns, source and target"
                + (", or download the data file itself" if line.lstrip()[:1] == b"<" else "")
            )
