"""What an edge list file is: unpacked text, where its edges begin, what parts the columns, whether ids are integers."""

from __future__ import annotations

import bz2
import codecs
import contextlib
import csv
import gzip
import lzma
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assets.networks.graph import MAX_NODES
from twinloom.errors import TwinloomError

_COMPRESSED: dict[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", gzip.decompress),
    b"BZh": ("bzip2", bz2.decompress),
    b"\xfd7zXZ\x00": ("xz", lzma.decompress),
}
_ARCHIVES = {
    b"PK\x03\x04": "zip archive",
    b"(\xb5/\xfd": "zstd file",
    b"7z\xbc\xaf": "7z archive",
    b"Rar!": "RAR archive",
}
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


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


def read_text(path: Path) -> bytes:
    """The content of a plain, gzip, bzip2 or xz file; told by its first bytes, whatever it is called.

    A byte order mark is removed, UTF-16 becomes UTF-8, and ``\\r`` alone, the line end of old Macintoshes, ``\\n``. A
    file whose lines all end in ``\\r\\n`` keeps them.

    Raises:
        TwinloomError: the file is missing, unreadable, damaged, an archive or binary.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise TwinloomError(
            f"{path} does not exist; give the path of an edge list (.txt, .csv, .tsv, also .gz)"
        ) from None
    except OSError as error:
        raise TwinloomError(f"cannot read {path}: {error.strerror}; an edge list is one file") from error
    except ValueError as error:  # a null character
        raise TwinloomError(f"cannot read {str(path)!r}: {error}") from error
    for magic, (kind, unpack) in _COMPRESSED.items():
        if content.startswith(magic):
            try:
                content = unpack(content)
            except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
                raise TwinloomError(f"{path} is a damaged {kind} file ({error}); download it again") from error
    for magic, kind in _ARCHIVES.items():
        if content.startswith(magic):
            raise TwinloomError(f"{path} is a {kind}; unpack it and give the edge list inside")
    if content[257:262] == b"ustar":
        raise TwinloomError(f"{path} is a tar archive; unpack it and give the edge list inside")
    for mark, encoding in _UTF16.items():
        if content.startswith(mark):
            content = content[2:].decode(encoding, "replace").encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    if b"\0" in content[:65536]:
        raise TwinloomError(f"{path} is binary, not a text of one edge a line")
    if b"\r" not in content or content.count(b"\r") == content.count(b"\r\n"):
        return content
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


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
