"""The ``sim`` command from outside: lists, refusals, and one real rollout with its result file."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sim.bimanual.family import CAMERAS
from sim.bimanual.spec import DEFAULT_CAMERAS, WRIST_CAMERAS
from twinloom.errors import TwinloomError


def sim(*arguments):
    command = [sys.executable, "-m", "sim", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=False)


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("tasks", "bimanual/stack_blocks_two"),
        ("robots", "franka-panda"),
        ("cameras", "left_wrist"),
        ("axes", "lighting"),
        ("tasks", "cascade/adopt_profit"),
        ("families", "cascade"),
    ],
)
def test_lists(what, expected):
    done = sim("list", what)
    assert done.returncode == 0, done.stderr
    assert expected in [line.split()[0] for line in done.stdout.splitlines()]


def test_every_camera_of_a_scene_is_described():
    assert tuple(CAMERAS) == (*DEFAULT_CAMERAS, *WRIST_CAMERAS)


def test_a_missing_viewer_is_noticed_before_the_expert_works(monkeypatch):
    from sim.bimanual import view

    monkeypatch.setitem(sys.modules, "viser", None)
    monkeypatch.setattr(view, "expert_rollout", lambda *args: pytest.fail("worked for nothing"))
    with pytest.raises(TwinloomError, match="viser is not installed"):
        view.view("stack_blocks_two", robot="franka-panda")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "view stak_blocks_two",
            'unknown task "stak_blocks_two". Did you mean stack_blocks_two? All tasks: sim list tasks',
        ),
        ("view stack_blocks_two --robot franka-pnda", 'unknown robot "franka-pnda". Did you mean franka-panda?'),
        ("view stack_blocks_two --camera haed", 'unknown camera "haed". Did you mean head?'),
        ("rollout --expert --randomize lightning", 'unknown axis "lightning". Did you mean lighting?'),
        ("rollout --expert --tasks 51000", "51000 tasks asked, there are "),
        ("rollout --episodes 0", "--expert is missing"),
        ("rollout --expert --episodes 0", "--episodes 0 must be at least 1"),
        ("rollout --expert --seed -1", "--seed -1 must not be negative"),
        ("view stack_blocks_two --episode -1", "--episode -1 must not be negative"),
        ("view stack_blocks_two --video video.avi", "--video video.avi: the name must end in .mp4"),
        ("view cascade/escap", 'unknown task "escap". Did you mean escape? All tasks: sim list tasks'),
        ("view cascades/escape", 'unknown family "cascades". Did you mean cascade? All families: sim list families'),
        ("view cascade/escape", "a cascade is shown in a file: give --video FILE.mp4 for a video"),
        ("view cascade/escape-v0", "a cascade is shown in a file"),
        ("rollout --expert --tasks cascade/all", "there are no experts to record in cascade; families with: bimanual"),
        ("rollout --expert --tasks click_bell escape", "tasks of bimanual and cascade do not go together"),
        ("view cascade/escape --on nowhere --out x.png", 'unknown network "nowhere"'),
        ("view cascade/escape --out video.mp4", "--out video.mp4: the name must end in .png"),
    ],
)
def test_refusals_are_one_line_with_exit_code_2(arguments, message):
    done = sim(*arguments.split())
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr


def test_rollout_counts_and_writes_results(tmp_path):
    file = tmp_path / "out.json"
    done = sim(
        "rollout", "--expert", "--tasks", "stack_blocks_two", "--episodes", "2", "--workers", "1", "--json", str(file)
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(file.read_text(encoding="utf-8"))
    (row,) = results["rows"]
    assert (row["task"], row["n"]) == ("stack_blocks_two", 2)
    assert row["k"] + sum(row["reasons"].values()) == 2
    assert results["command"].startswith("sim rollout --expert --tasks stack_blocks_two")
    comment = "<!-- generated from the JSON file of the same name; do not edit -->\n\n"
    table = file.with_suffix(".md").read_text(encoding="utf-8")
    assert table.replace(comment, "").rstrip() == done.stdout.rstrip() != table.rstrip()
