"""Files and folders that appear complete or not at all: write aside, flush, rename."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from twinloom.errors import TwinloomError

PARTIAL = ".partial"


def _sync_folder(folder: Path) -> None:
    """Make a rename durable: the folder entry reaches the disk before we go on."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def storage_error(path: Path, error: OSError) -> TwinloomError:
    """Translate an OSError about storage into one clear line (disk full, read-only, no permission)."""
    what = {
        errno.ENOSPC: "the disk is full; free some space or choose another folder",
        errno.EDQUOT: "the disk quota is used up; free some space or choose another folder",
        errno.EROFS: "the folder is read-only; choose another folder",
        errno.EACCES: "no permission to write there; choose another folder",
        errno.ENOTDIR: "a part of the path is a file; choose another folder",
    }.get(error.errno or 0, str(error))
    return TwinloomError(f"cannot write {path}: {what}")


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on a clean exit it is flushed and renamed to ``path``.

    Raises:
        TwinloomError: the disk is full, read-only or not permitted. Nothing is left behind.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}{PARTIAL}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise storage_error(path, error) from error
    finally:
        with contextlib.suppress(OSError):  # where nothing can be removed, nothing could be written
            temporary.unlink()


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``; on a clean exit it replaces ``path`` as a whole.

    Raises:
        TwinloomError: the disk is full, read-only or not permitted. Nothing is left behind.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}{PARTIAL}")
    replaced = path.with_name(f"{path.name}.{os.getpid()}.old{PARTIAL}")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        temporary.mkdir(parents=True)
        yield temporary
        for file in temporary.rglob("*"):
            if file.is_file():
                with file.open("rb") as handle:
                    os.fsync(handle.fileno())
        if path.exists():
            os.rename(path, replaced)  # deleting it in place would show half of it to whoever looks, or after a kill
        os.rename(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise storage_error(path, error) from error
    finally:
        if os.path.exists(replaced) and not os.path.exists(path):  # unlike Path's, they never raise
            os.rename(replaced, path)
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(replaced, ignore_errors=True)


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as UTF-8 JSON, atomically. Non-finite numbers are refused (ValueError): JSON has none."""
    with atomic_file(path) as temporary:
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text, atomically."""
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
