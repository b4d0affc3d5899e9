"""Datagen with the real simulator: tasks that raise or never end cost their own slots and nothing else."""

from __future__ import annotations

import time

import pytest

from datagen.cli import collect
from datagen.collect import ERRORS, Run
from datagen.lerobot.read import Dataset
from datagen.lerobot.verify import verify
from sim.bimanual.source import Bimanual

SOURCE = "tests.datagen.test_bimanual:Troubled"


class Troubled(Bimanual):
    """The tasks as they are, but one expert raises and one never comes back."""

    def rollouts(self, attempts, *request):
        from sim.bimanual.task import task_class

        for attempt in attempts:
            kind = task_class(attempt.task)
            kind.expert = {"click_bell": raises, "click_alarmclock": hangs}.get(attempt.task, kind.expert)
        return super().rollouts(attempts, *request)


def raises(task, skills) -> None:
    raise ZeroDivisionError("a bug in an expert")


def hangs(task, skills) -> None:
    time.sleep(600)


def run(tasks: str, out, monkeypatch, **options) -> int:
    """Exit code of the command."""
    monkeypatch.setattr("datagen.collect.Run", lambda *request: Run(*request[:4], SOURCE, **options))
    return collect(tasks=(tasks,), cameras=("head",), size="32x24", workers=1, attempts=1, episodes=2, out=out)


def test_an_expert_that_raises_is_counted_and_the_others_go_on(tmp_path, monkeypatch, capfd):
    out = tmp_path / "data"
    assert run("click_bell,beat_block_hammer", out, monkeypatch) == 1
    said = capfd.readouterr()
    assert "beat_block_hammer  2/2  ✓\n" in said.out
    assert "click_bell         0/2  ✗  2 attempts: 2 error: ZeroDivisionError\n" in said.out
    assert (
        said.err
        == f"unexpected error in click_bell: a bug; it counts as a failed attempt; traceback in {out / ERRORS}\n"
    )
    log = (out / ERRORS).read_text()
    assert log.startswith("click_bell, episode 0, attempt 0\nTraceback")
    assert "test_bimanual.py" in log
    assert "ZeroDivisionError: a bug in an expert" in log
    assert verify(out).problems == []
    with Dataset(out) as dataset:
        assert dataset.rows["task_name"].to_pylist() == ["beat_block_hammer"] * 2
        views = dataset.episode(0).extra["views"]
    assert views["objects"] == 1.0
    assert 0.0 < views["robot"] <= views["robot_95"] < 0.5


@pytest.mark.slow
def test_an_expert_that_never_ends_is_stopped_and_the_others_go_on(tmp_path, monkeypatch, capfd):
    assert run("click_alarmclock,beat_block_hammer", tmp_path / "data", monkeypatch, hung_s=20) == 1
    said = capfd.readouterr()
    assert "beat_block_hammer  2/2  ✓\n" in said.out
    assert "click_alarmclock   0/2  ✗  2 attempts: 2 worker hung\n" in said.out
    assert (
        "a worker ended (hung) during click_alarmclock, episode 0, attempt 1; this attempt counts as failed" in said.err
    )
    assert verify(tmp_path / "data").problems == []
