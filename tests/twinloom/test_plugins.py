"""Plug-ins of a folder: the family of docs/extend.md works as it stands there, broken ones are one line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from twinloom.machine import REPOSITORY
from twinloom.plugins import PluginError, take_option

PAGE = (REPOSITORY / "docs" / "extend.md").read_text(encoding="utf-8")
ENVIRONMENT = """
import gymnasium
import numpy as np

class ReachEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (1,))
    action_space = gymnasium.spaces.Box(-1, 1, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action):
        return np.zeros(1, np.float32), 0.0, True, False, {"is_success": True}
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    blocks = re.findall(r"```(toml|python)\n(.*?)```", PAGE.partition("## A task of")[0], re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(blocks[0][1])
    (tmp_path / "reach_family.py").write_text(blocks[1][1])
    (tmp_path / "reach_env.py").write_text(ENVIRONMENT)
    return tmp_path


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)} | environment
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, env=env, timeout=300, check=False)


def test_the_family_of_the_page_is_listed(folder):
    done = run("-m", "sim", "--plugins", str(folder), "list", "families")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^reach +a point that is to reach another$", done.stdout, re.MULTILINE)


def test_its_environment_has_an_id(folder):
    code = "import sim; env = sim.make('reach/line-v0'); env.reset(seed=0); print(env.spec.max_episode_steps)"
    done = run("-c", code, TWINLOOM_PLUGINS=str(folder))
    assert (done.returncode, done.stdout.strip()) == (0, "50"), done.stderr


def test_a_broken_plugin_is_one_line_and_takes_nothing_with_it(folder):
    (folder / "reach_family.py").write_text("import no_such_module")
    done = run("-m", "sim", "--plugins", str(folder), "list", "families")
    assert done.returncode == 0
    assert "bimanual" in done.stdout
    (line,) = done.stderr.splitlines()
    assert '"reach"' in line
    assert "no_such_module" in line


@pytest.mark.parametrize("words", [["--plugins"], ["--plugins", "/no/such/folder"], ["--plugins=/no/such/folder"]])
def test_a_folder_without_plugins_is_refused(words):
    with pytest.raises(PluginError, match="--plugins"):
        take_option(["list", *words])


def test_a_robot_of_a_plugin_does_the_projects_tasks(tmp_path):
    own = (REPOSITORY / "assets" / "robots" / "ARX-X5.toml").read_text()
    (tmp_path / "my-arms.toml").write_text(own)
    (tmp_path / "my-arms.xml").write_text((REPOSITORY / "assets" / "robots" / "ARX-X5.xml").read_text())
    (tmp_path / "my_robots.py").write_text('from pathlib import Path\nPATH = Path(__file__).parent / "my-arms.toml"\n')
    entries = '[project.entry-points."twinloom.robots"]\nmy-arms = "my_robots:PATH"\n'
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"\nversion = "1"\n' + entries)
    listed = run("-m", "assets", "--plugins", str(tmp_path), "list", "robots")
    assert "my-arms" in listed.stdout, listed.stderr
    rolled = [
        "rollout",
        "--expert",
        "--tasks",
        "click_bell",
        "--episodes",
        "1",
        "--robot",
        "my-arms",
        "--randomize",
        "none",
    ]
    done = run("-m", "sim", "--plugins", str(tmp_path), *rolled)
    assert done.returncode == 0, done.stderr
    assert "100.0%" in done.stdout
