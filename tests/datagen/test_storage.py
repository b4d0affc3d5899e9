"""Disks that are full or read-only: one clear line each, and what was finished is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from datagen.lerobot.verify import verify
from tests.datagen.conftest import files_of

ROOT = Path(__file__).parents[2]


def run_fake(out: Path, episodes: int = 12, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "tests.datagen.run_fake", str(out), str(episodes), "1", "4"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120, env=os.environ | environment
    )


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """A file system of its own at ``folder``; needs root and the right to mount."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("mounting needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("room", ["24k", "130k", "350k"])  # while staging, while joining, at a later commit
def test_a_full_disk_is_one_line_and_the_run_continues_when_there_is_room(tmp_path, room):
    with mounted(tmp_path / "disk", f"size={room}") as disk:
        done = run_fake(disk / "data")
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") == 1
        assert "the disk is full; free some space or choose another folder" in done.stderr
        subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
        assert run_fake(disk / "data").returncode == 0
        assert verify(disk / "data").problems == []
        assert run_fake(tmp_path / "reference").returncode == 0
        assert files_of(disk / "data") == files_of(tmp_path / "reference")


def test_a_read_only_folder_is_one_line(tmp_path):
    with mounted(tmp_path / "disk", "ro,size=1m") as disk:
        done = run_fake(disk / "data")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "the folder is read-only; choose another folder" in done.stderr


def test_a_limit_on_file_sizes_is_one_line(tmp_path):
    """What a quota looks like without root: writing beyond the limit fails."""
    code = (
        "import resource, runpy, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)); "
        f"sys.argv = ['run_fake', {str(tmp_path / 'data')!r}, '12', '1', '4']; "
        "runpy.run_module('tests.datagen.run_fake', run_name='__main__', alter_sys=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: cannot write")
    assert "File too large" in done.stderr


def test_the_plain_c_locale_works_with_accents_in_the_path(tmp_path):
    done = run_fake(tmp_path / "données été", episodes=1, LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "données été" / "meta/info.json").exists()
