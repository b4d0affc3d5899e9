"""Facts about the machine, the code and its dependencies that every published number is printed with."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
CODE = ("*.py", "*.toml", "*.yaml", "*.xml", "Makefile")  # untracked files of these kinds count as changes


@functools.cache
def cpu_model() -> str:
    """Marketing name of the processor, or the architecture where the system does not tell."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine()


def cores() -> int:
    """Processors this process may use, which a container or SLURM may make fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def threads_shared_among(workers: int) -> Iterator[None]:
    """Worker processes started inside get one thread for numerical libraries, whose idle threads would spin and take
    the cores from other workers, and a fair share of the cores for the software renderer. What the user set stays."""
    single = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    limits = dict.fromkeys(single, "1") | {"LP_NUM_THREADS": str(max(1, cores() // workers))}
    added = {name: value for name, value in limits.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def memory_gib() -> float:
    """Physical memory in GiB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def machine() -> dict[str, str | int | float]:
    """Processor, cores, memory and system as one JSON-able record."""
    return {
        "cpu": cpu_model(),
        "cores": cores(),
        "memory_gib": round(memory_gib(), 1),
        "system": f"{platform.system()} {platform.machine()}",
    }


def commit(folder: Path = REPOSITORY) -> str:
    """Short hash of the commit of ``folder``, "unknown" outside a checkout; with "+changes" if files differ from it or
    code is not in it, other than results, which one measurement after the other writes."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        short = git("rev-parse", "--short=10", "HEAD")
        if not short:
            return "unknown"
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/results")
        unknown = git("ls-files", "--others", "--exclude-standard", "--", *CODE)
        return short + ("+changes" if changed or unknown else "")
    except FileNotFoundError:  # no git on this machine
        return "unknown"


def versions(*packages: str) -> dict[str, str]:
    """Installed versions of Python, twinloom and the given distributions; those not installed are left out."""
    found = {"python": platform.python_version()}
    for name in ("twinloom", *packages):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
