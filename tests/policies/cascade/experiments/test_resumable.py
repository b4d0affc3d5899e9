"""Cells: computed once, in order, named after their settings; failures and interruptions leave the others alone."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from policies.cascade.experiments import resumable
from policies.cascade.experiments.resumable import ExperimentCell
from twinloom.errors import TwinloomError

HERE = "cell_work"
WORK = """
import json, time
from pathlib import Path
from twinloom.errors import TwinloomError

def note(arguments, folder):
    with (folder.parent / "order.txt").open("a") as log:
        log.write(arguments["name"] + "\\n")
    return {"twice": 2 * arguments["value"]}

def read(arguments, folder):
    return json.loads((folder.parent / arguments["file"]).read_text())["result"]["twice"] + 1

def fail(arguments, folder):
    raise TwinloomError("this cannot be")

def wait(arguments, folder):
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    (tmp_path / "cell_work.py").write_text(WORK)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path.cwd())]))
    monkeypatch.setattr(resumable, "POLL_S", 0.02)


def note(name: str, value: int = 1, **more) -> ExperimentCell:
    return ExperimentCell(name, f"{HERE}:note", {"name": name, "value": value}, 0.1, **more)


def test_cells_wait_for_those_they_read_and_are_computed_once(tmp_path, capsys):
    work = tmp_path / "work"
    first = note("first", 4)
    second = ExperimentCell("second", f"{HERE}:read", {"file": f"{first.stem()}.json"}, 0.1, (first.name,))
    resumable.run([second, first], work, jobs=2)
    assert (resumable.result(first, work), resumable.result(second, work)) == ({"twice": 8}, 9)
    resumable.run([second, first], work)
    assert (work / "order.txt").read_text() == "first\n"
    assert "2 cells, 2 of them finished" in capsys.readouterr().out
    record = json.loads((work / f"{first.stem()}.json").read_text())
    assert record["arguments"] == {"name": "first", "value": 4}
    assert record["processor_s"] >= 0


def test_other_settings_are_another_cell(tmp_path):
    assert note("a", 1).stem() != note("a", 2).stem()
    with pytest.raises(TwinloomError, match="missing or damaged"):
        resumable.result(note("a", 1), tmp_path)


def test_a_failure_is_reported_after_the_others_and_holds_back_what_needs_it(tmp_path, capsys):
    work = tmp_path / "work"
    bad = ExperimentCell("bad", f"{HERE}:fail", {}, 0.1)
    with pytest.raises(TwinloomError, match=r"1 cells failed \(bad\)"):
        resumable.run([bad, note("after", after=("bad",)), note("good")], work)
    assert resumable.finished(note("good"), work)
    assert not resumable.finished(note("after", after=("bad",)), work)
    assert "this cannot be" in next(work.glob("bad-*.log")).read_text()


def test_a_dry_run_computes_nothing(tmp_path, capsys):
    resumable.run([note("a")], tmp_path / "work", dry=True)
    assert "a: about 0:06" in capsys.readouterr().out
    assert not (tmp_path / "work").exists()


def test_an_interruption_ends_the_running_cells(tmp_path):
    program = (
        "from pathlib import Path\nfrom twinloom.command import run_command\n"
        "from policies.cascade.experiments import resumable\n"
        f"cell = resumable.ExperimentCell('slow', 'cell_work:wait', {{}}, 1.0)\n"
        f"run_command(lambda: resumable.run([cell], Path({str(tmp_path / 'work')!r})))"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE)
    while not list((tmp_path / "work").glob("*.lock")):
        assert parent.poll() is None
        time.sleep(0.05)
    parent.send_signal(signal.SIGINT)
    _, error = parent.communicate(timeout=30)
    assert parent.returncode == 130
    assert b"interrupted" in error
    assert not list((tmp_path / "work").glob("*.json"))


def test_two_processes_do_not_compute_one_cell(tmp_path):
    import fcntl

    cell = note("a")
    (tmp_path / "work").mkdir()
    with (tmp_path / "work" / f"{cell.stem()}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(TwinloomError, match="1 cells failed"):
            resumable.run([cell], tmp_path / "work")
    assert "another process is computing a" in next((tmp_path / "work").glob("*.log")).read_text()


@pytest.mark.parametrize("damage", ["", "{damaged", "[]", "5", "{}", "\x00"])
def test_a_damaged_result_is_computed_again(damage, tmp_path):
    cell = note("a", 3)
    (tmp_path / f"{cell.stem()}.json").write_text(damage)
    assert not resumable.finished(cell, tmp_path)
    resumable.run([cell], tmp_path)
    assert resumable.result(cell, tmp_path) == {"twice": 6}


@pytest.mark.parametrize("jobs", [0, -1])
@pytest.mark.parametrize("dry", [True, False])
def test_without_jobs_nothing_is_begun(jobs, dry, tmp_path):
    with pytest.raises(TwinloomError, match=f"--jobs {jobs} must be at least 1"):
        resumable.run([note("a")], tmp_path / "work", jobs, dry)
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("name", ["jensen", "hubs", "valley", "transfer"])
@pytest.mark.parametrize("option", ["--jobs", "--seeds", "--steps", "--episodes"])
def test_counts_of_experiments_are_at_least_one(name, option, tmp_path):
    main = importlib.import_module(f"policies.cascade.experiments.{name}").main
    with pytest.raises(TwinloomError, match=f"{option} 0 must be at least 1"):
        main([option, "0", "--dry", "--work", str(tmp_path)])


def test_graphs_of_the_optimism_are_known_and_those_without_files_left_out(tmp_path, monkeypatch, capsys):
    from policies.cascade.experiments import jensen

    monkeypatch.delenv("TWINLOOM_NETWORKS", raising=False)
    with pytest.raises(TwinloomError, match="Did you mean lastfm_asia"):
        jensen.main(["--graphs", "lastfm_asi", "--dry", "--work", str(tmp_path)])
    with pytest.raises(TwinloomError, match="no graph is left"):
        jensen.main(["--graphs", "lastfm_asia", "--dry", "--work", str(tmp_path)])
    jensen.main(["--seeds", "1", "--dry", "--work", str(tmp_path)])
    shown = capsys.readouterr().out
    assert "facebook_combined is left out" in shown
    assert "eval-renewal-s0-barabasi_albert" in shown
    assert "eval-renewal-s0-facebook" not in shown
