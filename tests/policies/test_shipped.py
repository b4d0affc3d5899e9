"""The checkpoint that comes with the project does what the documentation says it does."""

from __future__ import annotations

import shutil

import pytest

from twinloom.machine import REPOSITORY

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import policies
from policies.bimanual.evaluate import trials
from policies.bimanual.report import EvaluatedPolicy, default_path

FOLDER = REPOSITORY / "assets" / "checkpoints" / "click_bell"


def test_the_shipped_policy_presses_the_bell():
    policy = policies.load(FOLDER)
    assert policy.spec.extra["data"]["seeds"] == [0]
    found = list(trials(policy, "click_bell", "franka-panda", episodes=4, seed=1, render=policy.spec.render))
    assert sum(trial.success for trial in found) >= 3


def test_it_is_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 2e6
    assert sorted(file.name for file in FOLDER.iterdir()) == ["model.safetensors", "policy.json"]


def test_its_evaluation_is_not_written_beside_it(tmp_path):
    def path(name: str) -> str:
        return str(
            default_path([EvaluatedPolicy(name, policies.load(FOLDER), "click_bell", "franka-panda")], "none_seed1")
        )

    assert path(str(FOLDER)) == "runs/click_bell/eval/click_bell_franka-panda_none_seed1.json"
    run = tmp_path / "bell"
    shutil.copytree(FOLDER, run / "last")
    assert path(str(run)) == str(run / "eval" / "click_bell_franka-panda_none_seed1.json")
