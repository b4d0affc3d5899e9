"""Replacing several files of a dataset at once, so that a kill at any moment leaves the old state or the new one.

The new files are built aside. Once all of them and the new SHA256SUMS are on the disk, they are renamed into place,
``meta/info.json`` last: what info.json counts is what the dataset holds. Files may for a moment hold more rows than
that; readers ignore the surplus. If the renaming is interrupted, ``recover`` finishes it, so that no file is left
whose checksum differs for any other reason than damage.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from datagen.lerobot.layout import CHECKSUMS, INFO
from datagen.lerobot.manifest import Manifest, sha256
from twinloom.atomic import storage_error

COMMIT = Path(".staging/commit")


@contextlib.contextmanager
def commit(root: Path, manifest: Manifest) -> Iterator[Path]:
    """Yield a folder; on a clean exit the files in it replace those of the dataset, and the manifest lists them.

    Raises:
        TwinloomError: the disk is full or not writable. Files and manifest are as they were.
    """
    aside, before, moving = root / COMMIT, dict(manifest.sums), False
    shutil.rmtree(aside, ignore_errors=True)
    try:
        yield aside
        for path in sorted(p.relative_to(aside) for p in aside.rglob("*") if p.is_file()):
            manifest.add(aside, path)
            _sync(aside / path)
        write(aside / CHECKSUMS, manifest.text())
        _sync(aside / CHECKSUMS)
        moving = True
        _move(root)
    except BaseException as error:
        manifest.sums = before
        if not moving:  # else recover() finishes what was begun
            shutil.rmtree(aside, ignore_errors=True)
        if isinstance(error, OSError):
            raise storage_error(root, error) from error
        raise


def recover(root: Path) -> None:
    """Finish an interrupted commit if all its files are there, else remove what it left."""
    aside = root / COMMIT
    if not aside.is_dir():
        return
    sums = Manifest.load(aside if (aside / CHECKSUMS).is_file() else root).sums
    old = Manifest.load(root).sums
    waiting = {p.relative_to(aside).as_posix() for p in aside.rglob("*") if p.is_file()} - {CHECKSUMS.as_posix()}
    changed = {name for name, digest in sums.items() if old.get(name) != digest} | waiting
    places = {name: (aside if name in waiting else root) / name for name in changed}
    if INFO.as_posix() in waiting and all(
        path.is_file() and sha256(path) == sums.get(name) for name, path in places.items()
    ):
        _move(root)
    shutil.rmtree(aside, ignore_errors=True)


def write(path: Path, content: bytes) -> None:
    """Write a file and the folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _move(root: Path) -> None:
    aside = root / COMMIT
    there = {p.relative_to(aside) for p in aside.rglob("*") if p.is_file()}
    paths = sorted(there - {CHECKSUMS, INFO}) + [p for p in (CHECKSUMS, INFO) if p in there]
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if path == INFO:  # all else is on the disk before the commit counts
            for folder in sorted({(root / p).parent for p in paths}):
                _sync(folder)
        os.replace(aside / path, target)
    _sync((root / INFO).parent)
    shutil.rmtree(aside, ignore_errors=True)


def _sync(path: Path) -> None:
    """Flush a file or the entries of a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
