"""meta/SHA256SUMS: the checksum of every file, in the format of sha256sum (``sha256sum -c meta/SHA256SUMS``)."""

from __future__ import annotations

import hashlib
from pathlib import Path

from datagen.lerobot.layout import CHECKSUMS

# Files in meta beside the dataset proper, which come and go
FREE = {"meta/account.json", "meta/timing.jsonl", "meta/errors.log", CHECKSUMS.as_posix()}


def listed(root: Path) -> list[Path]:
    """Files of a dataset that its manifest must list, relative to it, sorted."""
    found = [
        p.relative_to(root) for part in ("data", "meta", "videos") for p in (root / part).rglob("*") if p.is_file()
    ]
    return sorted(path for path in found if path.as_posix() not in FREE)


def sha256(path: Path) -> str:
    """Hexadecimal checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Manifest:
    """Checksums by path relative to the dataset."""

    def __init__(self, sums: dict[str, str] | None = None) -> None:
        self.sums = dict(sums or {})

    @classmethod
    def load(cls, root: Path) -> Manifest:
        """Read the manifest of a dataset; empty where there is none (LeRobot writes none)."""
        path = root / CHECKSUMS
        if not path.is_file():
            return cls()
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        return cls({name: digest for digest, _, name in (line.partition("  ") for line in lines)})

    def copy(self) -> Manifest:
        """Independent copy."""
        return Manifest(self.sums)

    def add(self, folder: Path, path: Path) -> None:
        """Take in the file ``folder / path`` under the name ``path``."""
        self.sums[path.as_posix()] = sha256(folder / path)

    def text(self) -> bytes:
        """Content of the file, sorted by path."""
        return "".join(f"{digest}  {name}\n" for name, digest in sorted(self.sums.items())).encode()
