"""``policies``: help says what there is, and a wrong word is answered in one line."""

from __future__ import annotations

import json

import pytest

from policies.cli import app
from twinloom.errors import TwinloomError


def text_of(capsys, *words):
    with pytest.raises(SystemExit) as end:
        app.run(list(words))
    assert not end.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--help"], "experiment"),
        (["train", "--help"], "policies train KIND --help"),
        (["eval", "-h"], "policies eval POLICY --help"),
        (["view", "-h"], "policies view POLICY --help"),
        (["experiment", "-h"], "policies list experiments"),
    ],
)
def test_help_of_a_command_is_its_own(capsys, words, text):
    assert text in text_of(capsys, *words)


def test_every_command_has_help_of_its_own(capsys):
    assert "--data FOLDER" in text_of(capsys, "train", "bimanual/click_bell", "--help")
    assert "--data FOLDER" in text_of(capsys, "train", "click_bell", "--help")
    assert "--data FOLDER" in text_of(capsys, "train", "imitation", "--help")
    assert "--algo" in text_of(capsys, "train", "cascade/escape", "--help")
    assert "--episodes" in text_of(capsys, "eval", "expert:bimanual/click_bell", "--help")
    assert "--out FOLDER" in text_of(capsys, "export", "--help")
    assert "--token-file" in text_of(capsys, "serve", "x", "--help")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["train", "imitaton"], 'unknown task or kind "imitaton". Did you mean imitation?'),
        (["train", "expert"], "expert is no kind that is trained by itself"),
        (["train", "bimanual/clik_bell", "--data", "x", "--out", "y"], "Did you mean bimanual/click_bell"),
        (["eval", "nothing"], 'unknown policy "nothing". All policies: policies list policies'),
        (["eval", "click_bel"], "Did you mean click_bell?"),
        (["view", "click_bell"], "a video: policies eval click_bell --episodes 1 --video FOLDER"),
        (["experiment", "valey"], 'unknown experiment "valey". Did you mean valley?'),
        (["eval", "expert:bimanual/clik_bell"], "Did you mean click_bell"),
        (["eval", "expert:bimanual/click_bell", "--episodes", "0"], "must be at least 1"),
        (["eval", "expert:bimanual/click_bell", "--n-action-steps", "99"], "a chunk of this policy has 16"),
        (["eval", "expert:bimanual/click_bell", "--robot", "franka"], "Did you mean franka-panda"),
        (["eval", "expert:bimanual/click_bell", "--video", "pyproject.toml"], "is a file; give a folder"),
        (["eval", "."], "is not a policy"),
        (["serve", "nowhere"], "there is no folder nowhere"),
        (["serve", "nowhere", "--host", "0.0.0.0"], "give a --token-file"),
        (["serve", "nowhere", "--token-file", "none.txt"], "cannot read the token"),
    ],
)
def test_mistakes_are_answered_in_one_line(words, text):
    with pytest.raises(TwinloomError) as caught:
        app.run(words)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_kinds_are_listed(capsys):
    app.run(["list", "kinds"])
    assert {"imitation", "expert", "gaussian_actor"} <= {
        line.split()[0] for line in capsys.readouterr().out.splitlines()
    }


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("targets", {"bimanual/click_bell", "cascade/escape"}),
        ("policies", {"click_bell", "adopt_profit", "null", "expert:bimanual/TASK"}),
        ("experiments", {"valley"}),
    ],
)
def test_what_can_be_named_is_listed(capsys, what, expected):
    app.run(["list", what])
    assert expected <= {line.split()[0] for line in capsys.readouterr().out.splitlines()}


@pytest.mark.parametrize("words", [["trian"], ["train"], ["eval", "--episodes", "1"]])
def test_a_command_without_its_first_word_is_refused(capsys, words):
    with pytest.raises(SystemExit) as end:
        app.run(words)
    assert end.value.code == 2


def test_an_evaluation_prints_and_writes_its_count(capsys, tmp_path):
    path = tmp_path / "result.json"
    assert app.run(["eval", "expert:bimanual/click_bell", "--episodes", "2", "--seed", "4", "--json", str(path)]) == 0
    assert "| 2 | 2 | 100.0% (34.2% to 100.0%) |" in capsys.readouterr().out
    results = json.loads(path.read_text())
    assert (results["rows"][0]["k"], results["rows"][0]["n"]) == (2, 2)
    assert [trial["success"] for trial in results["trials"]["expert:bimanual/click_bell"]] == [True, True]
    assert path.with_suffix(".md").exists()


def test_an_evaluation_writes_videos(tmp_path):
    assert (
        app.run(["eval", "expert:bimanual/click_bell", "--episodes", "1", "--seed", "4", "--video", str(tmp_path)]) == 0
    )
    assert [file.name for file in tmp_path.iterdir()] == ["episode_000_success.mp4"]
