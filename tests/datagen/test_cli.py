"""The command line: quick help, one line per mistake, exit codes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from datagen.account import Account, TaskAccount
from datagen.collect import collect
from datagen.settings import parse_size
from datagen.summary import heading, table, totals
from tests.datagen.conftest import FIXTURE, make_run, make_settings

ROOT = Path(__file__).parents[2]


def datagen(*words: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "datagen", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)


def test_help_loads_nothing_heavy():
    began = time.process_time()
    done = datagen("--help")
    assert done.returncode == 0
    for word in ("--tasks", "--randomize", "--episodes", "datagen verify", "datagen replay"):
        assert word in done.stdout
    assert time.process_time() - began < 1
    code = (
        "import sys, datagen.cli; "
        "print([m for m in ('mujoco', 'av', 'pyarrow', 'numpy', 'rich.progress') if m in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("verfy", "x"), 'unknown command "verfy"; there are verify, merge, edit'),
        (("--tasks", "turn_swich"), 'unknown task "turn_swich". Did you mean turn_switch? All tasks: sim list tasks'),
        (("--tasks", "9999"), "9999 tasks asked, there are"),
        (("--tasks", "none"), 'unknown task "none"'),
        (("--robot", "franka"), 'unknown robot "franka". Did you mean franka-panda?'),
        (("--robot", "franka-panda piper"), 'unknown robot "franka-panda piper"'),
        (("--cameras", "heat"), 'unknown camera "heat". Did you mean head?'),
        (("--randomize", "lightning"), 'unknown axis "lightning". Did you mean lighting?'),
        (("--tasks", "cascade/1"), "there are no experts to record in cascade; families with: bimanual"),
        (("--config", "demo_cleen"), 'unknown config "demo_cleen". Did you mean demo_clean?'),
        (("--seed", "99999999999999999999"), "--seed 99999999999999999999: a whole number from 0 to 2^63 - 1"),
        (("--workers", "1000000"), "--workers 1000000: 0 to "),
        (("--fps", "7"), "fps 7 does not divide the physics rate of 250 Hz; allowed: 1, 2, 5, 10, 25"),
        (("--size", "320"), '--size "320" is not of the form WIDTHxHEIGHT'),
        (("--episodes", "0", "--attempts", "0"), "--episodes 0: at least 1; --attempts 0: at least 1"),
        (("verify", "/nowhere"), "/nowhere is no folder"),
        (("verify", f"/{'a' * 300}"), "is no folder"),
        (("replay", f"/{'a' * 300}"), "info.json: File name too long"),
        (("merge", str(FIXTURE), str(FIXTURE), "--out", f"/{'a' * 300}"), "File name too long"),
        (("merge", "/nowhere", "/elsewhere", "--out", "x"), "/nowhere is no LeRobot dataset"),
        (("replay", "/nowhere"), "/nowhere is no LeRobot dataset"),
        (("report", "/nowhere"), "/nowhere"),
    ],
)
def test_mistakes_are_one_line(words, message):
    done = datagen(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_missing_meshes_are_noticed_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("TWINLOOM_CACHE", str(tmp_path / "nothing"))
    done = datagen("--out", str(tmp_path / "data"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: the meshes of franka-panda are not here; run: assets pull franka-panda\n"
    assert not (tmp_path / "data").exists()


def test_verify_says_what_it_found(tmp_path):
    done = datagen("verify", str(FIXTURE))
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == f"{FIXTURE}: 3 episodes, 300 frames: no problem found"
    assert all(line.startswith("note: ") for line in done.stdout.splitlines()[:-1])
    broken = tmp_path / "broken"
    shutil.copytree(FIXTURE, broken)
    (broken / "meta/stats.json").unlink()
    done = datagen("verify", str(broken), "--quick")
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if not line.startswith("note: ")] == [
        "meta/stats.json: the file is missing",
        f"{broken}: 3 episodes, 300 frames: 1 problem found",
    ]


def test_merge_prints_what_it_made(tmp_path):
    done = datagen("merge", str(FIXTURE), str(FIXTURE), "--out", str(tmp_path / "merged"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{tmp_path / 'merged'}: 6 episodes, 600 frames")


def test_sizes():
    assert parse_size("640X480") == (640, 480)


def test_the_words_around_a_run(tmp_path):
    run = make_run(tmp_path / "data", 3, 2, attempts=2, tasks=("calm", "hopeless"))
    lines = heading(make_settings(), 1, 2, Path("data/demo")).splitlines()
    assert " · 2 tasks x 1 episode · robot arm · engine fake 1.0 · 2 workers · out data/demo" in lines[0]
    assert lines[1] == "randomize lighting · cameras head left_wrist at 32x24, 25 Hz · seed 0"
    account = collect(run).account
    assert table(account).splitlines() == [
        "  calm      3/3  ✓",
        "  hopeless  0/3  ✗  6 attempts: 6 dropped",
    ]
    first, second = totals(account, run.out).splitlines()
    assert first.startswith("3 episodes kept of 6 asked, 9 attempts (6 dropped) · ")
    assert " frames x 2 cameras · " in first
    assert second.startswith("time: plan ")
    assert "episodes/hour on this machine" in second


def test_an_account_adds_up():
    account = Account({"a": TaskAccount(2), "b": TaskAccount(2)}, cameras=1)
    account.kept("a", ["dropped"], 10)
    account.failed("b", ["dropped", "hit"])
    assert (account.asked, account.made, account.attempts, account.frames) == (4, 1, 4, 10)
    assert account.to_json()["reasons"] == {"dropped": 2, "hit": 1}
