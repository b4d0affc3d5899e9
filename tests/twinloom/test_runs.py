"""Run folders and their logs: one process at a time, settings that differ are named, kills tear no log."""

from __future__ import annotations

import json
import math
import os
import signal
from pathlib import Path

import pytest

from twinloom.errors import TwinloomError
from twinloom.interrupt import Interrupt
from twinloom.jsonlines import JsonLines, read_rows
from twinloom.locks import is_held
from twinloom.runs import LOCK, claim, differences, locked


def test_a_folder_is_claimed_once_and_recognised_later(tmp_path):
    with locked(tmp_path / "run"):
        assert claim(tmp_path / "run", {"seed": 0}, "train")
        assert not claim(tmp_path / "run", {"seed": 0}, "train")
        with pytest.raises(TwinloomError, match=r"a run with seed 0 \(now 1\)"):
            claim(tmp_path / "run", {"seed": 1}, "train")


def test_a_folder_with_something_else_is_not_claimed(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with locked(tmp_path), pytest.raises(TwinloomError, match="not a run of train"):
        claim(tmp_path, {}, "train")


def test_two_processes_do_not_share_a_folder(tmp_path):
    with locked(tmp_path, "training"):
        assert is_held(tmp_path / LOCK)
        with (
            pytest.raises(TwinloomError, match=rf"another process \({os.getpid()}\) is training in"),
            locked(tmp_path, "training"),
        ):
            pass
    assert not is_held(tmp_path / LOCK)


@pytest.mark.parametrize(
    ("found", "wanted", "text"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b 1 (now 2)"]),
        ({"a": 1}, {}, ["a 1 (now None)"]),
        ({"tasks": ["x", "y"]}, {"tasks": ["y", "z"]}, ["tasks with x and without z"]),
        ({"tasks": [*map(str, range(50))]}, {"tasks": [*map(str, range(51))]}, ["tasks without 50"]),
        ({"order": ["x", "y"]}, {"order": ["y", "x"]}, ["order x, y (now y, x)"]),
        ({"a": 1}, {"a": 1}, []),
    ],
)
def test_differences_are_named(found, wanted, text):
    assert differences(found, wanted) == text


def test_a_log_goes_on_behind_its_step_and_without_a_torn_line(tmp_path: Path):
    path = tmp_path / "run" / "train.jsonl"
    with JsonLines(path) as log:
        for step in (1, 2, 3):
            log.write({"step": step, "loss": math.nan if step == 2 else 0.5})
    with path.open("a") as file:
        file.write('{"step": 4, "lo')
    with JsonLines(path, step=2) as log:
        log.write({"step": 3, "loss": 1.0})
    assert read_rows(path) == [{"step": 1, "loss": 0.5}, {"step": 2, "loss": None}, {"step": 3, "loss": 1.0}]
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_the_first_signal_is_a_request_and_the_second_acts():
    with Interrupt() as interrupt:
        assert not interrupt.wanted
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupt.wanted
        assert interrupt.signal == signal.SIGINT
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
