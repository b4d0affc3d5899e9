"""The error texts in docs/troubleshooting.md are those that are really raised, and each is raised here."""

from __future__ import annotations

import errno
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from twinloom.atomic import storage_error
from twinloom.errors import TwinloomError, UnknownNameError, require
from twinloom.machine import REPOSITORY

PAGE = REPOSITORY / "docs" / "troubleshooting.md"
HEADINGS = re.findall(r"^### (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def no_opengl(folder: Path, monkeypatch) -> None:
    from sim.engine.gl import NoOpenGLError

    monkeypatch.setenv("MUJOCO_GL", "egl")
    raise NoOpenGLError("Cannot initialize a EGL device display. This likely means")


def wrong_backend(folder: Path, monkeypatch) -> None:
    from sim.engine.gl import NoOpenGLError

    monkeypatch.setenv("MUJOCO_GL", "glfw")
    raise NoOpenGLError("no display")


def forked(folder: Path, monkeypatch) -> None:
    import mujoco

    from sim.engine import gl

    monkeypatch.setattr(gl, "_drawing_process", [1])
    gl.open_renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 8, 8)


def no_meshes(folder: Path, monkeypatch) -> None:
    from assets.robots import load_robot
    from assets.robots.meshes import load_meshes

    monkeypatch.setenv("TWINLOOM_CACHE", str(folder))
    load_meshes(load_robot())


def no_network(folder: Path, monkeypatch) -> None:
    from assets.pull import download
    from assets.robots import load_robot

    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    download(load_robot().sources[0], folder)


def unknown_task(folder: Path, monkeypatch) -> None:
    raise UnknownNameError("task", "stak_blocks_two", ["stack_blocks_two"], "sim list tasks")


def settings():
    from datagen.settings import CollectConfig

    return CollectConfig(
        ("a",), "franka-panda", 0, ("head",), (320, 240), 25, (), 5, "h264", "fast", "sim/mujoco", "mujoco 4"
    )


def other_settings(folder: Path, monkeypatch) -> None:
    from datagen.lerobot.layout import INFO
    from datagen.settings import settle, write_settings

    write_settings(folder, settings())
    (folder / INFO).write_text("{}")  # settings bind once something is finished
    settle(folder, replace(settings(), seed=1))


def locked(folder: Path, monkeypatch) -> None:
    from datagen.lock import writer_lock

    with writer_lock(folder), writer_lock(folder):
        pass


def disk_full(folder: Path, monkeypatch) -> None:
    raise storage_error(folder, OSError(errno.ENOSPC, "full"))


def read_only(folder: Path, monkeypatch) -> None:
    raise storage_error(folder, OSError(errno.EROFS, "read-only"))


def no_dataset(folder: Path, monkeypatch) -> None:
    from datagen.lerobot.read import Dataset

    Dataset(folder)


def young_dataset(folder: Path, monkeypatch) -> None:
    from datagen.lerobot.read import Dataset
    from datagen.settings import write_settings

    write_settings(folder, settings())
    Dataset(folder)


def old_dataset(folder: Path, monkeypatch) -> None:
    from datagen.lerobot.read import Dataset

    (folder / "meta").mkdir()
    (folder / "meta" / "info.json").write_text(json.dumps({"codebase_version": "v2.1"}))
    Dataset(folder)


def odd_fps(folder: Path, monkeypatch) -> None:
    from sim.bimanual.simulation import Simulation
    from sim.bimanual.spec import SceneSpec

    Simulation(SceneSpec("franka-panda"), fps=30)


def missing_extra(folder: Path, monkeypatch) -> None:
    require("no_such_module", "viz")


CAUSES = [
    no_opengl,
    wrong_backend,
    forked,
    no_meshes,
    no_network,
    unknown_task,
    other_settings,
    locked,
    disk_full,
    read_only,
    no_dataset,
    young_dataset,
    old_dataset,
    odd_fps,
    missing_extra,
]


def pattern(heading: str) -> str:
    return ".+?".join(re.escape(part) for part in heading.split("…"))


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.__name__)
def test_what_is_raised_is_documented(cause, tmp_path, monkeypatch):
    with pytest.raises(TwinloomError) as caught:
        cause(tmp_path, monkeypatch)
    message = str(caught.value)
    assert "\n" not in message
    assert [h for h in HEADINGS if re.fullmatch(pattern(h), message)], message


def test_everything_documented_is_raised_above():
    assert len(HEADINGS) == len(set(HEADINGS)) == len(CAUSES)
