"""What ``twinloom doctor`` looks at in this room: MuJoCo, rendering, video encoders, robot models."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterator
from fractions import Fraction
from types import ModuleType

from twinloom.doctor import Finding
from twinloom.errors import TwinloomError

MUJOCO = "4.0.0"
MUJOCO_PARTS = ("mujoco", "mujoco-core", "mujoco-studio")
ENCODERS = ("libsvtav1", "libx264", "h264_nvenc")


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


def _split(error: str) -> tuple[str, str]:
    """An error line of ours into what is wrong and what to do."""
    text, _, fix = error.rpartition("; ")
    return (text, fix) if text else (error, "")


CHECKS = (mujoco_version, rendering, encoders, robot_models)
