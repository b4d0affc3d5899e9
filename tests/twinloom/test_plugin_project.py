"""A project outside of the repository adds a family, a kind of policy, a format and an object, and all commands know
them: found in a folder, and found as an installed distribution."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from datagen import Dataset
from twinloom.machine import REPOSITORY

PROJECT = REPOSITORY / "tests" / "fixtures" / "reach"
Run = Callable[..., str]


@pytest.fixture(scope="module", params=["folder", "distribution"])
def run(request, tmp_path_factory) -> Run:
    """run("datagen", "--tasks", …) -> its output, with the project in a folder of --plugins, or installed."""
    place = tmp_path_factory.mktemp("project")
    shutil.copytree(PROJECT, place / "source")
    if request.param == "folder":
        path, option = [], ["--plugins", str(place / "source")]
    else:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
        install += ["--target", str(place / "site"), str(place / "source")]
        done = subprocess.run(install, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        path, option = [str(place / "site")], []
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*path, str(REPOSITORY)])}

    def command(room: str, *words: str, code: str = "") -> str:
        line = [sys.executable, "-c", code] if code else [sys.executable, "-m", room, *option, *words]
        variable = {"TWINLOOM_PLUGINS": option[1]} if code and option else {}
        done = subprocess.run(
            line, env=env | variable, cwd=place, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    return command


@pytest.fixture(scope="module")
def recorded(run, tmp_path_factory) -> Path:
    """Twelve recorded episodes of the family."""
    out = tmp_path_factory.mktemp("data") / "reach"
    run("datagen", "--tasks", "reach/all", "--episodes", "6", "--workers", "2", "--out", str(out))
    return out


def test_it_is_listed_beside_the_projects_own(run):
    assert "reach" in run("sim", "list", "families")
    tasks = run("sim", "list", "tasks")
    assert "reach/near" in tasks
    assert "reach/far" in tasks
    assert "homing" in run("policies", "list", "kinds")
    assert "marble" in run("assets", "list", "objects")
    assert "slider" in run("real", "list", "robots")
    assert "twinloom" in run("twinloom", "version")


def test_it_has_environments(run):
    code = (
        "import sim; e = sim.make('reach/far-v0'); e.reset(seed=0); print(e.spec.max_episode_steps);"
        "v = sim.make_vec('reach/near-v0', 2); print(v.reset(seed=0)[0]['state'].shape); v.close()"
    )
    assert run("", code=code).split() == ["60", "(2,", "1)"]


def test_it_records_in_batches_and_verifies(run, recorded):
    with Dataset(recorded) as dataset:
        assert len(dataset) == 12
        assert dataset.cameras == []
        assert max(episode.record["batch"] for episode in dataset) > 1
    run("datagen", "verify", str(recorded))
    assert "succeeded" in run("datagen", "replay", str(recorded), "--episode", "3")


def test_it_trains_evaluates_and_runs_as_a_robot(run, recorded, tmp_path):
    small = ["--steps", "150", "--horizon", "4", "--n-action-steps", "1", "--width", "32", "--cameras", "none"]
    run("policies", "train", "reach/near", "--data", str(recorded), "--out", str(tmp_path / "clone"), *small)
    run("policies", "eval", str(tmp_path / "clone"), "--episodes", "5", "--json", str(tmp_path / "rows.json"))
    (row,) = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert row["n"] == 5
    code = (
        "import numpy as np; from real import make_robot; r = make_robot('sim:reach/near', lockstep=True); r.connect();"
        "[r.send_action(np.zeros(1)) for _ in range(40)]; print(r.success); r.disconnect()"
    )
    assert run("", code=code).strip() == "True"


def test_its_own_kind_of_policy_trains_and_evaluates(run, recorded, tmp_path):
    run("policies", "train", "homing", "reach/far", "--data", str(recorded), "--out", str(tmp_path / "homing"))
    run("policies", "eval", str(tmp_path / "homing"), "--episodes", "4", "--json", str(tmp_path / "rows.json"))
    (row,) = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert (row["k"], row["n"]) == (4, 4)
    words = ["--task", "reach/near", "--robot", "slider", "--episodes", "2", "--in-process"]
    assert "100.0%" in run("real", "trials", str(tmp_path / "homing"), *words)


def test_its_format_goes_there_and_back(run, recorded, tmp_path):
    run("datagen", "export", str(recorded), "--out", str(tmp_path / "csv"), "--format", "reach_csv")
    run("datagen", "import", str(tmp_path / "csv"), "--out", str(tmp_path / "again"))
    with Dataset(recorded) as one, Dataset(tmp_path / "again") as other:
        assert len(other) == len(one)
        for a, b in zip(one, other, strict=True):
            assert (a.arrays["action"] == b.arrays["action"]).all()


def test_nothing_of_the_projects_own_is_drawn_from_it(run):
    code = (
        "from assets.objects import library; from sim.families import select_tasks;"
        "print('marble' in library.categories(), any(n == 'marble' for n, _ in library._clutter_pool()));"
        "print(len(select_tasks('50')[1]), select_tasks('50')[0].name); print(library.load('marble', 2).key)"
    )
    assert run("", code=code).split() == ["True", "False", "50", "bimanual", "marble/2"]
