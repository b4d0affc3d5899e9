"""One writer per dataset: a lock that ends with the process that holds it, however that ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from assets.atomic import storage_error
from assets.errors import TwinloomError
from datagen.staging import STAGING

LOCK = STAGING / "lock"


@contextlib.contextmanager
def writer_lock(out: Path) -> Iterator[None]:
    """Hold the lock of a dataset folder, which is made if needed.

    The system releases the lock when its process dies, so none is ever stale; the number in the file is for people.

    Raises:
        TwinloomError: another process holds it, or the folder cannot be written.
    """
    path = out / LOCK
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise storage_error(out, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise storage_error(path, error) from error
            holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            raise TwinloomError(
                f"{out} is being written by another run (process {holder}); wait for it or choose another --out"
            ) from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def is_locked(out: Path) -> bool:
    """Whether a run is writing the folder now."""
    try:
        descriptor = os.open(out / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
