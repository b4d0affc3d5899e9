"""One writer per dataset."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from datagen.staging import STAGING
from twinloom.locks import exclusive, is_held

LOCK = STAGING / "lock"


def writer_lock(out: Path) -> AbstractContextManager[None]:
    """Hold the lock of a dataset folder, which is made if needed.

    Raises:
        TwinloomError: another process holds it, or the folder cannot be written.
    """
    busy = f"{out} is being written by another run (process {{holder}}); wait for it or choose another --out"
    return exclusive(out / LOCK, busy)


def is_locked(out: Path) -> bool:
    """Whether a run is writing the folder now."""
    return is_held(out / LOCK)
