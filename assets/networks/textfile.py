"""A text file of any compression and encoding as UTF-8 bytes with ``\\n`` line ends, or one clear error."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path

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
