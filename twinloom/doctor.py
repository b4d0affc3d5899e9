"""``twinloom doctor``: what this machine has and lacks, one fix a line. Runs with half the dependencies missing.

Rooms bring checks of their own: functions without arguments that yield findings, listed in CHECKS.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from twinloom import extras
from twinloom.machine import commit, cores, cpu_model, memory_gib

LEAST_MEMORY_GIB = 4.0
LEAST_DISK_GIB = 2.0
CHECKS = ("sim.doctor:CHECKS",)  # "module:attribute" of further checks, loaded when the doctor runs

State = Literal["ok", "warn", "fail", "none"]
MARKS: dict[State, str] = {"ok": "ok", "warn": "WARN", "fail": "FAIL", "none": "-"}


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        name: what was looked at.
        state: "ok"; "warn" works but badly; "fail" does not work; "none" is optional and absent.
        text: what was found.
        fix: what to do about it, one command or sentence; empty if nothing.
    """

    name: str
    state: State
    text: str
    fix: str = ""


Check = Callable[[], Iterator[Finding]]


def examine() -> list[Finding]:
    """Look at everything; a check that fails does not keep the others from running."""
    checks: list[Check] = [python, hardware, disk]
    for reference in CHECKS:
        module, _, attribute = reference.partition(":")
        checks += getattr(importlib.import_module(module), attribute)
    return [finding for check in [*checks, optional_parts] for finding in check()]


def python() -> Iterator[Finding]:
    """Interpreter and the version of this package."""
    version = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= (3, 11)
    yield Finding("python", "ok" if good else "fail", version, "" if good else "install Python 3.11 or newer")
    try:
        yield Finding("twinloom", "ok", f"{importlib.metadata.version('twinloom')}, commit {commit()}")
    except importlib.metadata.PackageNotFoundError:
        yield Finding("twinloom", "fail", "runs from a folder that is not installed", "make setup, or pip install -e .")


def hardware() -> Iterator[Finding]:
    """Processor, memory, GPU."""
    yield Finding("cpu", "ok", f"{cpu_model()}, {cores()} cores for this process")
    memory = memory_gib()
    enough = memory >= LEAST_MEMORY_GIB
    fix = "" if enough else "use --workers 1"
    yield Finding("memory", "ok" if enough else "warn", f"{memory:.1f} GiB", fix)
    if not Path("/proc/driver/nvidia/version").exists():
        yield Finding("gpu", "none", "no NVIDIA driver; everything runs on the CPU")
    else:
        yield Finding("gpu", "ok", "NVIDIA driver present")


def disk(folder: Path | None = None) -> Iterator[Finding]:
    """Free space where data is written by default."""
    folder = folder or Path.cwd()
    free = shutil.disk_usage(folder).free / 2**30
    writable = os.access(folder, os.W_OK)
    text = f"{free:,.1f} GiB free in {folder}" + ("" if writable else ", not writable")
    state: State = "ok" if free >= LEAST_DISK_GIB and writable else "warn"
    yield Finding("disk", state, text, "" if state == "ok" else "choose another place for data with --out")


def optional_parts() -> Iterator[Finding]:
    """Every extra, with what it is for and how to get it here."""
    for extra in extras.requirements():
        purpose, absent = extras.PURPOSE.get(extra, ""), extras.missing(extra)
        purpose = f" ({purpose})" if purpose else ""
        if absent:
            text = f"{', '.join(absent)} not installed{purpose}"
            yield Finding(f"[{extra}]", "none", text, extras.install_line(extra))
        else:
            yield Finding(f"[{extra}]", "ok", f"installed{purpose}")


def report(findings: list[Finding]) -> str:
    """Aligned lines, a fix below each line that has one, and a verdict."""
    width = max(len(finding.name) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{MARKS[finding.state]:<4}  {finding.name:<{width}}  {finding.text}")
        if finding.fix and finding.state != "none":
            lines.append(f"{'':<{6 + width}}  fix: {finding.fix}")
        elif finding.fix:
            lines[-1] += f": {finding.fix}"
    failures = sum(finding.state == "fail" for finding in findings)
    lines.append("")
    lines.append(f"{failures} to fix" if failures else "ready: datagen --tasks 50 --randomize all")
    return "\n".join(lines)


def doctor(as_json: bool = False) -> int:
    """Print the report; returns exit code 1 if something must be fixed, else 0."""
    findings = examine()
    print(json.dumps([asdict(finding) for finding in findings], indent=2) if as_json else report(findings))
    return int(any(finding.state == "fail" for finding in findings))
