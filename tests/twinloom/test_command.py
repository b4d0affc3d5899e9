"""Exit codes and what is printed when a command fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from twinloom.machine import REPOSITORY

PROGRAM = """
import os, sys, time
from twinloom.command import run_command
from twinloom.errors import TwinloomError
def body():
    what = sys.argv[1]
    if what == "fine": print("größe ✓")
    if what == "short": return 1
    if what == "user": raise TwinloomError("unknown task “x”; all tasks: sim list tasks")
    if what == "bug": raise KeyError("boom")
    if what == "wait": print("ready", flush=True); time.sleep(30)
    if what == "pipe":
        for _ in range(10**6): print("y" * 100)
run_command(body)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("command") / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def run(program, what, **environment):
    command = [sys.executable, str(program), what]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", env=os.environ | environment, timeout=60, check=False
    )


@pytest.mark.parametrize(("what", "code"), [("fine", 0), ("short", 1), ("user", 2)])
def test_exit_codes(program, what, code):
    assert run(program, what).returncode == code


def test_a_users_error_is_one_line_without_traceback(program):
    done = run(program, "user")
    assert done.stderr == "error: unknown task “x”; all tasks: sim list tasks\n"
    assert done.stdout == ""


def test_a_bug_keeps_its_traceback(program):
    done = run(program, "bug")
    assert done.returncode == 1
    assert "KeyError: 'boom'" in done.stderr


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_output_is_utf8_in_any_locale(program, locale):
    # PYTHONPATH: an editable install in a folder with accents is not found when Python may not use UTF-8 at all
    ascii_only = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(REPOSITORY)}
    done = run(program, "fine", LC_ALL=locale, **ascii_only)
    assert (done.returncode, done.stdout) == (0, "größe ✓\n")


def test_interrupt_exits_with_130_and_one_line(program):
    child = subprocess.Popen(
        [sys.executable, str(program), "wait"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert (child.returncode, errors) == (130, "interrupted\n")


def test_a_reader_that_goes_away_is_no_failure(program):
    command = f"'{sys.executable}' '{program}' pipe | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
