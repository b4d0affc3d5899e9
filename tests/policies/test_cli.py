"""``policies``: help says what there is, and a wrong word is answered in one line."""

from __future__ import annotations

import json

import pytest

from policies.cli import run
from twinloom.errors import TwinloomError


def text_of(capsys, *words):
    with pytest.raises(SystemExit) as end:
        run(list(words))
    assert not end.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["--help"], ["train", "--help"], ["eval", "-h"]])
def test_general_help(capsys, words):
    assert run(words) == 0
    assert "policies train bimanual/TASK" in capsys.readouterr().out


def test_every_command_has_help_of_its_own(capsys):
    assert "--data FOLDER" in text_of(capsys, "train", "bimanual/click_bell", "--help")
    assert "--episodes" in text_of(capsys, "eval", "expert:bimanual/click_bell", "--help")
    assert "--out FOLDER" in text_of(capsys, "export", "--help")
    assert "--token-file" in text_of(capsys, "serve", "x", "--help")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["trian"], 'unknown command "policies trian"; there are train, eval'),
        (["train"], "needs a target"),
        (["train", "click_bell"], '"click_bell" is not a target'),
        (["train", "bimanual/clik_bell", "--data", "x", "--out", "y"], "Did you mean click_bell"),
        (["eval"], "needs a policy"),
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
        run(words)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_kinds_are_listed(capsys):
    run(["list", "kinds"])
    assert {"imitation", "expert", "gaussian_actor"} <= {
        line.split()[0] for line in capsys.readouterr().out.splitlines()
    }


def test_an_evaluation_prints_and_writes_its_count(capsys, tmp_path):
    path = tmp_path / "result.json"
    assert run(["eval", "expert:bimanual/click_bell", "--episodes", "2", "--seed", "4", "--json", str(path)]) == 0
    assert "| 2 | 2 | 100.0% (34.2% to 100.0%) |" in capsys.readouterr().out
    results = json.loads(path.read_text())
    assert (results["rows"][0]["k"], results["rows"][0]["n"]) == (2, 2)
    assert [trial["success"] for trial in results["trials"]["expert:bimanual/click_bell"]] == [True, True]
    assert path.with_suffix(".md").exists()


def test_an_evaluation_writes_videos(tmp_path):
    assert run(["eval", "expert:bimanual/click_bell", "--episodes", "1", "--seed", "4", "--video", str(tmp_path)]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["episode_000_success.mp4"]
