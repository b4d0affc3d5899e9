"""A file or folder is there completely or not at all: after an exception, a full disk, a kill at any moment."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from twinloom import atomic
from twinloom.atomic import PARTIAL, atomic_file, atomic_folder, write_json, write_text
from twinloom.errors import TwinloomError


class Interruption(Exception):  # noqa: N818
    """Anything that goes wrong half way through a write."""


def leftovers(folder):
    return [path.name for path in folder.rglob(f"*{PARTIAL}*")]


def test_a_failed_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "settings.json"
    write_json(path, {"a": 1})
    with contextlib.suppress(Interruption), atomic_file(path) as temporary:
        temporary.write_text("{")
        raise Interruption
    assert json.loads(path.read_text()) == {"a": 1}
    assert leftovers(tmp_path) == []


def test_a_failed_folder_keeps_the_old_folder(tmp_path):
    path = tmp_path / "episode"
    with atomic_folder(path) as temporary:
        (temporary / "data").write_text("old")
    with contextlib.suppress(Interruption), atomic_folder(path) as temporary:
        (temporary / "other").write_text("new")
        raise Interruption
    assert [file.name for file in path.iterdir()] == ["data"]
    with atomic_folder(path) as temporary:
        (temporary / "other").write_text("new")
    assert [file.name for file in path.iterdir()] == ["other"]
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_lacks_are_refused(tmp_path, value):
    write_json(tmp_path / "x.json", {"old": "größe"})
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "x.json", {"new": value})
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8")) == {"old": "größe"}


@pytest.mark.parametrize(
    ("code", "words"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "read-only"), (errno.EDQUOT, "quota")]
)
def test_storage_trouble_is_one_clear_line(tmp_path, monkeypatch, code, words):
    def refuse(descriptor):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(atomic.os, "fsync", refuse)
    with pytest.raises(TwinloomError, match=words) as caught:
        write_text(tmp_path / "x.txt", "x")
    assert str(tmp_path / "x.txt") in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_path_through_a_file_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TwinloomError, match="a part of the path is a file; choose another folder"):
        write_text(tmp_path / "file" / "folder" / "x.txt", "x")


def test_a_really_full_and_a_really_read_only_disk(tmp_path):
    """A one-megabyte file system, where we may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting a small tmpfs needs root")
    try:
        write_text(disk / "x.txt", "old")
        with pytest.raises(TwinloomError, match="disk is full"):
            write_text(disk / "x.txt", "x" * 2**21)
        assert (disk / "x.txt").read_text() == "old"
        assert leftovers(disk) == []
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(TwinloomError, match="the folder is read-only"):
            write_text(disk / "x.txt", "new")
        with pytest.raises(TwinloomError, match="the folder is read-only"), atomic_folder(disk / "episode"):
            pass
    finally:
        subprocess.run(["umount", str(disk)], check=True)


WRITER = """
import sys
from pathlib import Path
from twinloom.atomic import atomic_folder, write_json
folder = Path(sys.argv[1])
print("ready", flush=True)
for i in range(10**9):
    write_json(folder / "state.json", {"i": i, "fill": list(range(2000))})
    with atomic_folder(folder / f"episode{i % 3}") as temporary:
        for name in "ab":
            (temporary / name).write_text(str(i) * 5000)
"""


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_kill_at_any_moment_leaves_only_complete_files(tmp_path, stop):
    moments = random.Random(int(stop))
    for _ in range(4):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(0.05 + moments.random() * 0.2)
        child.send_signal(stop)
        child.communicate(timeout=30)
        with contextlib.suppress(FileNotFoundError):
            assert len(json.loads((tmp_path / "state.json").read_text())["fill"]) == 2000
        for episode in (f"episode{i}" for i in range(3)):
            if (tmp_path / episode).exists():
                texts = [(tmp_path / episode / name).read_text() for name in "ab"]
                assert texts[0] == texts[1]
                assert len(texts[0]) % 5000 == 0
    assert (tmp_path / "state.json").exists()
