"""One writer per dataset: a lease, since advisory locks do not hold on every shared disk."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from datagen.staging import STAGING
from twinloom.atomic import storage_error
from twinloom.errors import TwinloomError

LOCK = STAGING / "lock"
RENEW_S = 10.0
LEASE_S = 60.0  # a lease that was not renewed for so long, by the clock of the disk, is given up


@dataclass(frozen=True)
class Lease:
    """Who writes: machine, process with the time it began (numbers are used again), and a word of its own."""

    host: str
    pid: int
    began: str
    token: str

    def alive(self, path: Path) -> bool:
        """Whether the holder still writes: on this machine its process is asked, elsewhere the lease is renewed."""
        if self.host == _host():
            return _began(self.pid) == self.began
        return _age(path) < LEASE_S


@contextlib.contextmanager
def writer_lock(out: Path) -> Iterator[None]:
    """Hold the lock of a dataset folder, which is made if needed. Nothing of it stays behind.

    Raises:
        TwinloomError: another process holds it, or the folder cannot be written.
    """
    path, mine = out / LOCK, Lease(_host(), os.getpid(), _began(os.getpid()), secrets.token_hex(8))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _take(path, mine, out)
    except OSError as error:
        raise storage_error(out, error) from error
    ended = threading.Event()
    renewal = threading.Thread(target=_renew, args=(path, mine, ended), name="lease", daemon=True)
    renewal.start()
    try:
        yield
    finally:
        ended.set()
        renewal.join()
        with contextlib.suppress(OSError):
            if _read(path) == mine:
                path.unlink()
            path.parent.rmdir()  # if nothing waits there


def is_locked(out: Path) -> bool:
    """Whether a run is writing the folder now."""
    holder = _read(out / LOCK)
    return holder is not None and holder.alive(out / LOCK)


def _take(path: Path, mine: Lease, out: Path) -> None:
    """Put our lease where none is; a complete file appears or none, by a link, which is atomic on shared disks too."""
    own = path.with_name(f"lock.{mine.token}")
    own.write_text(json.dumps(asdict(mine)), encoding="utf-8")
    try:
        while True:
            try:
                os.link(own, path)
                return
            except FileExistsError:
                holder = _read(path)
                if holder is not None and holder.alive(path):
                    where = f"process {holder.pid}" + ("" if holder.host == mine.host else f" on {holder.host}")
                    raise TwinloomError(
                        f"{out} is being written by another run ({where}); wait for it or choose another --out"
                    ) from None
                _remove(path, holder)
    finally:
        own.unlink(missing_ok=True)


def _remove(path: Path, holder: Lease | None) -> None:
    """Take a dead lease away; of several that try, one succeeds, and a living one that came meanwhile is put back."""
    aside = path.with_name(f"lock.{secrets.token_hex(8)}")
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return
    if _read(aside) != holder:
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
    aside.unlink()


def _read(path: Path) -> Lease | None:
    """The lease in a file; None where there is none, or the lock of an older version."""
    try:
        return Lease(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _renew(path: Path, mine: Lease, ended: threading.Event) -> None:
    while not ended.wait(RENEW_S):
        with contextlib.suppress(OSError):
            if _read(path) == mine:
                os.utime(path)


def _age(path: Path) -> float:
    """Seconds since a file was renewed, by the clock of its disk."""
    probe = path.with_name(f"clock.{secrets.token_hex(8)}")
    try:
        probe.touch()
        return probe.stat().st_mtime - path.stat().st_mtime
    except OSError:
        return 0.0
    finally:
        probe.unlink(missing_ok=True)


def _host() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id")
    return socket.gethostname() + (f" {boot.read_text().strip()[:8]}" if boot.exists() else "")


def _began(pid: int) -> str:
    """When a process began, "" if there is none (or the system does not say)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        with contextlib.suppress(OSError):
            os.kill(pid, 0)
            return "?"
        return ""
