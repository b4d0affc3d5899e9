"""``sim doctor``: what this machine has, what it lacks, and one fix a line. Runs with half the dependencies missing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Literal

from twinloom.errors import TwinloomError
from twinloom.machine import commit, cores, cpu_model, install_line, memory_gib

MUJOCO = "4.0.0"
MUJOCO_PARTS = ("mujoco", "mujoco-core", "mujoco-studio")
LEAST_MEMORY_GIB = 4.0
LEAST_DISK_GIB = 2.0
ENCODERS = ("libsvtav1", "libx264", "h264_nvenc")
EXTRAS = {  # those that something here uses
    "viz": ("viser", "browser viewer of sim view"),
    "bench": ("mink", "peers of make bench"),
}

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


def examine() -> list[Finding]:
    """Look at everything; a check that fails does not keep the others from running."""
    checks: list[Callable[[], Iterator[Finding]]] = [
        python,
        hardware,
        disk,
        mujoco_version,
        rendering,
        encoders,
        robot_models,
        extras,
    ]
    return [finding for check in checks for finding in check()]


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


def mujoco_version() -> Iterator[Finding]:
    """MuJoCo and its two companions, which must agree exactly."""
    fix = "pip install --force-reinstall --no-deps " + " ".join(f"{part}=={MUJOCO}" for part in MUJOCO_PARTS)
    found = {}
    for part in MUJOCO_PARTS:
        try:
            found[part] = importlib.metadata.version(part)
        except importlib.metadata.PackageNotFoundError:
            found[part] = "missing"
    if set(found.values()) != {MUJOCO}:
        text = ", ".join(f"{part} {version}" for part, version in found.items())
        yield Finding("mujoco", "fail", f"{text}; all must be {MUJOCO}", fix)
        return
    try:
        from sim.engine.gl import load_mujoco

        load_mujoco()
        yield Finding("mujoco", "ok", MUJOCO)
    except (ImportError, OSError) as error:
        yield Finding("mujoco", "fail", f"does not load: {error}".splitlines()[0], fix)
    except TwinloomError as error:
        yield Finding("mujoco", "fail", *_split(str(error)))


def rendering() -> Iterator[Finding]:
    """Renders in a child process, which may crash without harm."""
    from sim.engine.gl import render_mode
    from sim.engine.probe import probe

    found = probe()
    if found.error:
        yield Finding("rendering", "fail", *_split(found.error))
    else:
        mode = render_mode("auto", found.renderer).name
        text = f"{found.renderer}, {found.frame_ms} ms for an empty 320x240 frame, render mode {mode}"
        yield Finding("rendering", "ok", text)


def encoders() -> Iterator[Finding]:
    """Encodes a few frames with each video encoder that datasets may use."""
    try:
        import av
    except ImportError as error:
        yield Finding("video", "fail", f"PyAV does not load: {error}", "pip install 'av>=14,<20'")
        return
    working = [name for name in ENCODERS if _encodes(av, name)]
    if working:
        yield Finding("video", "ok", f"PyAV {av.__version__}: {', '.join(working)}")
    else:
        fix = "pip install --force-reinstall 'av>=14,<20'"
        yield Finding("video", "fail", f"PyAV {av.__version__} has none of {', '.join(ENCODERS)}", fix)


def _encodes(av: ModuleType, name: str) -> bool:
    """Whether an encoder really turns frames into packets here."""
    os.environ.setdefault("SVT_LOG", "1")  # errors only
    try:
        codec = av.CodecContext.create(name, "w")
        codec.width, codec.height, codec.pix_fmt, codec.time_base = 256, 256, "yuv420p", Fraction(1, 25)
        frames = []
        for time in range(3):
            frame = av.VideoFrame(256, 256, "yuv420p")
            frame.pts = time
            frames += codec.encode(frame)
        return bool(frames + codec.encode(None))
    except (av.FFmpegError, ValueError):  # not built in; built in but without its hardware
        return False


def robot_models() -> Iterator[Finding]:
    """Meshes of each robot: the default one is needed, the others are offered."""
    try:
        from assets.robots import DEFAULT_ROBOT, load_robot, robots
        from assets.robots.meshes import mesh_file
    except ImportError as error:
        yield Finding("robots", "fail", f"cannot be read: {error}", "make setup")
        return
    missing = [name for name in robots() if (r := load_robot(name)).meshes and not mesh_file(r).is_file()]
    present = [name for name in robots() if name not in missing]
    if DEFAULT_ROBOT in missing:
        yield Finding("robots", "fail", f"the meshes of {DEFAULT_ROBOT} are missing", f"assets pull {DEFAULT_ROBOT}")
    elif present:
        yield Finding("robots", "ok", ", ".join(present))
    if others := [name for name in missing if name != DEFAULT_ROBOT]:
        yield Finding("robots", "none", f"not pulled: {', '.join(others)}", f"assets pull {' '.join(others)}")


def extras() -> Iterator[Finding]:
    """Optional parts, each with what it is for and how to get it."""
    for extra, (module, purpose) in EXTRAS.items():
        if importlib.util.find_spec(module):
            yield Finding(f"[{extra}]", "ok", f"{module} ({purpose})")
        else:
            yield Finding(f"[{extra}]", "none", f"{module} not installed ({purpose})", install_line(extra))


def _split(error: str) -> tuple[str, str]:
    """An error line of ours into what is wrong and what to do."""
    text, _, fix = error.rpartition("; ")
    return (text, fix) if text else (error, "")


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
