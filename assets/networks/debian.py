"""A network of people from public records: who maintains Debian packages together.

``python -m assets.networks.debian FOLDER [Sources.xz]`` reads the source index of Debian 12.15, the last release of
bookworm (9 MB), from that file or from a mirror that apt is configured for, and writes
FOLDER/debian_maintainers.txt.gz. Two people are joined if a package names both of them as maintainer or uploaders. Only
numbers are written, no names; addresses that several people share are left out.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import lzma
import re
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from email.utils import getaddresses
from pathlib import Path

from twinloom.atomic import atomic_file
from twinloom.command import run_command
from twinloom.errors import TwinloomError

SHA256 = "92d11a035571df011f06f28c61cb9825130ef1d92abb2f2e0525e8674dc44af8"
PATH = "dists/bookworm/main/source"
APT = Path("/etc/apt")
_ACTIVE = re.compile(r"\s*(deb|deb-src|URIs:)\s", re.IGNORECASE)
_HINT = f"give the index as a file: Sources.xz of {PATH}, Debian 12.15"
NAME = "debian_maintainers"
GROUPS = re.compile(r"\b(team|group|maintainers?|developers|project|packaging)\b", re.IGNORECASE)
SHARED = re.compile(r"@(lists|tracker|packages)\.|@.*\balioth", re.IGNORECASE)


def people(paragraph: str) -> set[str]:
    """Names, in lower case, of the people whom one entry of a source index names; nobody for other text."""
    unfolded = re.sub(r"\n[ \t]+", " ", paragraph)
    fields = dict(line.split(": ", 1) for line in unfolded.splitlines() if ": " in line)
    given = getaddresses([fields.get("Maintainer", ""), fields.get("Uploaders", "")])
    return {name.strip().lower() for name, at in given if name and not GROUPS.search(name) and not SHARED.search(at)}


def edges(index: str) -> list[tuple[int, int]]:
    """Pairs of people of a source index, each once; people are numbered in the order in which pairs need them."""
    numbers: dict[str, int] = {}
    pairs = {pair for paragraph in index.split("\n\n") for pair in itertools.combinations(sorted(people(paragraph)), 2)}
    return [(_number(a, numbers), _number(b, numbers)) for a, b in sorted(pairs)]


def _number(name: str, numbers: dict[str, int]) -> int:
    return numbers.setdefault(name, len(numbers))


def mirrors(folder: Path) -> list[str]:
    """Addresses of Debian archives in the configuration of apt, each once; no security or third-party archives."""
    files = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*.list"))]
    files += sorted((folder / "sources.list.d").glob("*.sources"))
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file()]
    lines = [line for text in texts for line in text.splitlines() if _ACTIVE.match(line)]
    found = [word.rstrip("/") for line in lines for word in line.split()]
    return list(dict.fromkeys(word for word in found if re.match("https?://", word) and word.endswith("/debian")))


def read_index(file: Path | None) -> str:
    """The source index, from a file or from a mirror of this machine.

    Raises:
        TwinloomError: it cannot be had, or is not the one that is meant.
    """
    if file is not None:
        try:
            return _unpack(file.read_bytes(), str(file))
        except OSError as error:
            raise TwinloomError(f"cannot read {file}: {error.strerror}; {_HINT}") from error
    problems = []
    for address in mirrors(APT):
        url = f"{address}/{PATH}/by-hash/SHA256/{SHA256}"
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:
                return _unpack(answer.read(), url)
        except OSError as error:
            problems.append(f"{url} cannot be fetched: {error}")
    raise TwinloomError(f"{'; '.join(problems) or f'{APT} names no mirror of Debian'}; {_HINT}")


def _unpack(packed: bytes, where: str) -> str:
    if (found := hashlib.sha256(packed).hexdigest()) != SHA256:
        raise TwinloomError(f"{where} has checksum {found}, not {SHA256}; {_HINT}")
    return lzma.decompress(packed).decode("utf-8")


def lines(found: list[tuple[int, int]]) -> Iterator[str]:
    """An edge list."""
    yield "# people who maintain packages of Debian 12.15 together\n"
    yield from (f"{a} {b}\n" for a, b in found)


def main(words: Sequence[str]) -> int:
    """Body of the command."""
    if not 1 <= len(words) <= 2 or words[0].startswith("-"):
        raise TwinloomError("usage: python -m assets.networks.debian FOLDER [Sources.xz]")
    file = Path(words[0]) / f"{NAME}.txt.gz"
    text = "".join(lines(edges(read_index(Path(words[1]) if len(words) > 1 else None))))
    with atomic_file(file) as temporary:
        temporary.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(file)
    return 0


if __name__ == "__main__":
    run_command(lambda: main(sys.argv[1:]))
