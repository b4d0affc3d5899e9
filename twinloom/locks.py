"""Locks that end with the process that holds them, however it ends, so that none is ever stale."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from twinloom.atomic import storage_error
from twinloom.errors import TwinloomError


@contextlib.contextmanager
def exclusive(path: Path, busy: str) -> Iterator[None]:
    """Hold the lock file ``path``, which is made with its folder if needed; the number in it is for people.

    Args:
        path: the lock file.
        busy: the error text when another process holds it; "{holder}" in it becomes that process's number.

    Raises:
        TwinloomError: another process holds it, or the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise storage_error(path.parent, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise storage_error(path, error) from error
            holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            raise TwinloomError(busy.replace("{holder}", holder)) from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock file; a file that is not there is held by nobody."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
