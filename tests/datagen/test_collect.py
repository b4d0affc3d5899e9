"""Runs: what is recorded depends on the settings alone, and whatever goes wrong is counted, named and survived."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from datagen.account import ACCOUNT, read_timing
from datagen.collect import ERRORS, REWRITTEN, collect
from datagen.ledger import FAILED, Ledger
from datagen.lerobot.read import Dataset
from datagen.lerobot.verify import verify
from datagen.lock import is_locked, writer_lock
from datagen.pool import LocalPool, default_workers
from datagen.settings import read_settings, write_settings
from tests.datagen.conftest import files_of, make_run
from tests.datagen.fake import label, read_number
from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.progress import Progress

TASKS = ("calm", "flaky", "tiny")


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Path:
    """Six episodes of three tasks, made by one worker in one commit."""
    out = tmp_path_factory.mktemp("reference") / "data"
    assert collect(make_run(out, 6, 1, tasks=TASKS)).account.made == 18
    return out


def test_worker_count_and_commits_change_no_byte(reference, tmp_path):
    collect(make_run(tmp_path / "data", 6, 3, tasks=TASKS, run={"commit_slots": 2}))
    assert files_of(tmp_path / "data") == files_of(reference)


def test_more_episodes_later_are_only_appended(reference, tmp_path):
    out = tmp_path / "data"
    for episodes in (4, 6):
        outcome = collect(make_run(out, episodes, 2, tasks=TASKS))
        assert outcome.account.made == 3 * episodes
    assert files_of(out) == files_of(reference)
    assert collect(make_run(out, 2, 1, tasks=TASKS)).account.made == 6  # fewer were asked: nothing to do
    assert files_of(out) == files_of(reference)


def test_this_process_makes_the_same_as_worker_processes(reference, tmp_path):
    """A second executor behind the same protocol."""
    run = make_run(tmp_path / "data", 1, workers=0, tasks=("bug", "calm"))
    collect(run)
    collect(make_run(tmp_path / "other", 1, workers=1, tasks=("bug", "calm")))
    assert files_of(tmp_path / "data") == files_of(tmp_path / "other")


def test_the_dataset_is_sound_and_every_frame_belongs_to_its_episode(reference):
    assert verify(reference).problems == []
    assert not (reference / ".staging").exists()
    with Dataset(reference) as dataset:
        assert dataset.rows["task_name"].to_pylist() == list(TASKS) * 6
        assert dataset.rows["slot"].to_pylist() == list(range(18))
        for episode in range(len(dataset)):
            mark = label(dataset.row(episode)["seed"])
            for camera in dataset.cameras:
                for index, frame in enumerate(dataset.images(episode, camera)):
                    assert read_number(frame) == mark << 8 | index
        details = dataset.episodes.to_pylist()
    assert json.loads(details[0]["record"])["seed"] == details[0]["seed"]
    assert details[0]["instructions/seen"][0] == details[0]["tasks"][0]
    assert details[0]["success"] is True
    assert details[0]["source"] == "fake"


def test_the_account_says_what_happened(reference):
    account = json.loads((reference / ACCOUNT).read_text())
    assert (account["asked"], account["made"]) == (18, 18)
    flaky = account["tasks"]["flaky"]
    assert flaky["attempts"] == 6 + flaky["reasons"]["dropped"]
    assert account["renderer"] == "crayon"
    timing = read_timing(reference)
    assert sorted(timing) == list(range(18))
    assert {"plan", "simulate", "render", "encode", "write"} <= timing[0].keys()
    assert account["seconds"]["plan"] == pytest.approx(0.001 * account["attempts"])


def test_failures_are_counted_and_named(tmp_path, capfd):
    tasks = ("bug", "calm", "deadly", "hopeless", "nan")
    outcome = collect(make_run(tmp_path / "data", 2, 2, tasks=tasks, attempts=3))
    made = {name: task.made for name, task in outcome.account.tasks.items()}
    assert made == {"bug": 0, "calm": 2, "deadly": 2, "hopeless": 0, "nan": 0}
    reasons = {name: dict(task.reasons) for name, task in outcome.account.tasks.items()}
    assert reasons == {
        "bug": {"error: ZeroDivisionError": 6},
        "calm": {},
        "deadly": {"worker killed by SIGSEGV": 2},
        "hopeless": {"dropped": 6},
        "nan": {"error: InvalidSettingsError": 6},
    }
    failed = [json.loads(line) for line in (tmp_path / "data" / FAILED).read_text().splitlines()]
    assert [entry["slot"] for entry in failed] == [0, 3, 4, 5, 8, 9]
    log = (tmp_path / "data" / ERRORS).read_text()
    assert "ZeroDivisionError: a bug in a task" in log
    assert '"action" is not finite at frame' in log
    assert capfd.readouterr().err.count("unexpected error in bug") == 1
    assert verify(tmp_path / "data").problems == []
    again = collect(make_run(tmp_path / "data", 2, 1, tasks=tasks, attempts=3))
    assert again.account.to_json()["tasks"] == outcome.account.to_json()["tasks"]


def test_a_run_in_which_everything_fails_makes_no_dataset_and_can_be_repeated(tmp_path):
    for _ in range(2):
        outcome = collect(make_run(tmp_path / "data", 2, 1, tasks=("hopeless",), attempts=2))
        assert (outcome.account.made, outcome.account.attempts) == (0, 4)
    assert not (tmp_path / "data/meta/info.json").exists()


def test_other_settings_are_refused_by_name(reference):
    run = make_run(reference, 6, 1, tasks=("calm", "tiny"), seed=1, size=(64, 48), fps=10, randomize=())
    with pytest.raises(InvalidSettingsError) as caught:
        collect(run)
    assert caught.value.problems == [
        "tasks is calm, flaky, tiny there and calm, tiny now",
        "seed is 0 there and 1 now",
        "size is 32, 24 there and 64, 48 now",
        "fps is 25 there and 10 now",
        "randomize is lighting there and none now. Repeat its settings to continue it, or choose another --out",
    ]
    with pytest.raises(InvalidSettingsError, match=r"engine is fake 1\.0 there and fake 2\.0 now"):
        collect(make_run(reference, 6, 1, tasks=TASKS, engine="fake 2.0"))


def test_all_wrong_numbers_are_named_at_once(tmp_path):
    with pytest.raises(InvalidSettingsError) as caught:
        collect(make_run(tmp_path / "data", 0, 0, attempts=0, seed=-1, fps=0, cameras=(), size=(0, 9)))
    assert len(caught.value.problems) == 5
    assert not (tmp_path / "data").exists()


def test_settings_bind_only_once_something_is_finished(tmp_path, settings):
    out = tmp_path / "data"
    write_settings(out, replace(settings, seed=1, size=(8192, 8192)))
    with pytest.raises(TwinloomError, match="holds no episode yet; continue its run"):
        Dataset(out)
    assert collect(make_run(out)).account.made == 6
    assert read_settings(out) == replace(settings, render="fast")
    with pytest.raises(InvalidSettingsError, match="seed is 0 there and 1 now"):
        collect(make_run(out, seed=1))


def test_slots_that_all_fail_do_not_stop_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr("datagen.collect.WINDOW", 4)  # no dataset begins before an episode is made
    outcome = collect(make_run(tmp_path / "data", 9, 1, tasks=("hopeless",), attempts=1))
    assert outcome.account.attempts == 9


def test_files_are_not_written_again_and_again(reference, tmp_path, monkeypatch):
    rewritten, commits = [], Ledger.commit

    def commit(ledger: Ledger) -> int:
        rewritten.append(ledger.open_episodes)
        return commits(ledger)

    monkeypatch.setattr(Ledger, "commit", commit)
    collect(make_run(tmp_path / "data", 6, 2, tasks=TASKS, run={"commit_slots": 1}))
    assert sum(rewritten[:-1]) <= REWRITTEN * 18  # the last commit must not wait
    assert len(rewritten) >= 3
    assert files_of(tmp_path / "data") == files_of(reference)


def test_leftovers_of_killed_writes_are_removed(tmp_path):
    out = tmp_path / "data"
    for name in ("report.html.7.partial", "meta/account.json.7.partial", ".staging/slot-000009.json.7.partial"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("{")
    (out / "report.html.7.partial").rename(tmp_path / "later")  # before a run begins, it is not ours to remove
    collect(make_run(out, 1))
    (tmp_path / "later").rename(out / "report.html.7.partial")
    collect(make_run(out, 2))
    assert list(out.rglob("*.partial")) == []


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda out: out.write_text("a file"), "is a file; --out names a folder"),
        (lambda out: (out / "photos").mkdir(parents=True), "is not empty and holds no dataset"),
        (lambda out: (out / "meta").mkdir(parents=True) or (out / "meta/info.json").write_text("{}"), "did not begin"),
        (
            lambda out: (out / "meta").mkdir(parents=True) or (out / "meta/twinloom.json").write_text("{"),
            "is not the settings of a run",
        ),
    ],
)
def test_folders_that_hold_something_else_are_left_alone(tmp_path, prepare, message):
    out = tmp_path / "data"
    prepare(out)
    before = sorted(out.rglob("*"))
    with pytest.raises(TwinloomError, match=message):
        collect(make_run(out))
    assert sorted(out.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "message"), [("a" * 300, "File name too long"), ("caf\udce9", "is not a UTF-8 name; choose another --out")]
)
def test_names_no_folder_can_have(tmp_path, name, message):
    with pytest.raises(TwinloomError, match=message):
        collect(make_run(tmp_path / name))


def test_a_second_run_in_the_folder_is_refused_and_a_dead_one_is_not_waited_for(tmp_path):
    out = tmp_path / "data"
    with writer_lock(out):
        assert is_locked(out)
        with pytest.raises(TwinloomError, match=rf"another run \(process {os.getpid()}\)"):
            collect(make_run(out))
    assert not is_locked(out)
    code = (
        f"import os; from pathlib import Path; from datagen.lock import writer_lock\n"
        f"with writer_lock(Path({str(out)!r})): os.kill(os.getpid(), 9)"
    )
    dead = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False)
    assert dead.returncode == -signal.SIGKILL
    with writer_lock(out):
        pass


def test_a_hung_worker_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_SLEEP", "60")
    run = make_run(tmp_path / "data", 1, 1, tasks=("slow",), attempts=1, run={"hung_s": 0.5})
    outcome = collect(run)
    assert dict(outcome.account.reasons) == {"worker hung": 1}


def test_a_long_rendering_is_not_taken_for_hung(tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_FRAME_SLEEP", "0.8")
    monkeypatch.setenv("FAKE_SLEEP", "0")
    outcome = collect(make_run(tmp_path / "data", 1, 1, tasks=("slow",), attempts=1, run={"hung_s": 3}))
    assert outcome.account.made == 1


def test_workers_that_die_while_starting_end_the_run(tmp_path, settings):
    with pytest.raises(TwinloomError, match=r"die while they start \(exit code 1\); see: sim doctor"):
        collect(replace(make_run(tmp_path / "data"), source="tests.datagen.test_collect:Unstartable"))


class Unstartable:
    """A source that only the parent can load."""

    batch = 1
    name = "fake"
    action_space = ""

    def __init__(self) -> None:
        if "worker" in __import__("multiprocessing").current_process().name:
            raise ImportError("no such library")

    def check(self, robot: str, fps: int) -> None:
        pass


def test_a_worker_that_cannot_render_ends_the_run_with_its_reason(tmp_path):
    with pytest.raises(TwinloomError, match="no OpenGL here"):
        collect(replace(make_run(tmp_path / "data"), source="tests.datagen.test_collect:Blind"))


class Blind:
    name = "fake"
    batch = 1
    action_space = ""

    def check(self, robot: str, fps: int) -> None:
        pass

    def open(self, render: str) -> dict[str, str]:
        raise TwinloomError("no OpenGL here")


def test_folders_with_spaces_and_accents(reference, tmp_path):
    out = tmp_path / "été dans l'île" / "données 1"
    collect(make_run(out, 6, 1, tasks=TASKS))
    assert files_of(out) == files_of(reference)


def test_libraries_in_workers_use_one_thread(tmp_path, monkeypatch, settings):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    started = []
    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", lambda self: started.append(dict(os.environ)))
    pool = LocalPool(2, "", settings, tmp_path)
    pool._start()
    assert started[0]["OMP_NUM_THREADS"] == "1"
    assert started[0]["MKL_NUM_THREADS"] == "3"
    assert "OMP_NUM_THREADS" not in os.environ
    assert 1 <= default_workers() <= (os.cpu_count() or 1)
    assert default_workers(pixels=10**12) == 1


def test_progress_is_quiet_without_a_terminal(tmp_path, capfd):
    run = make_run(tmp_path / "data", 2, 1)
    collect(run, Progress(4, "episode"))
    assert capfd.readouterr().err == ""
