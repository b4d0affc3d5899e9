"""Shared memory of Fast DDS: each process has 32 MB with our profile, and leaves them behind when it is killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from pathlib import Path

FOLDER = Path("/dev/shm")
LOCK = re.compile(r"^fastdds_[0-9a-z]{16}_[es]l$")


def dead(folder: Path = FOLDER) -> list[Path]:
    """Lock files of segments whose process is gone: a living one holds the lock."""
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if LOCK.match(path.name) and not _held(path)]


def clean(folder: Path = FOLDER) -> int:
    """Remove segments whose process is gone. Returns how many."""
    removed = 0
    for lock in dead(folder):
        segment = lock.with_name(lock.name[:-3])
        for path in (segment, lock):
            with contextlib.suppress(FileNotFoundError, PermissionError):  # another cleaner, another user
                path.unlink()
        removed += 1
    return removed


def _held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:  # gone meanwhile, or of another user
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
