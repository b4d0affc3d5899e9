"""What the wheel installs for ROS: the data files of pyproject.toml, where the ament index looks for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from real.stack.launching import interpreter
from twinloom.machine import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    """An installation prefix with the data files of the wheel."""
    root = tmp_path_factory.mktemp("prefix")
    for folder, patterns in PROJECT["tool"]["setuptools"]["data-files"].items():
        files = [file for pattern in patterns for file in sorted(REPOSITORY.glob(pattern))]
        assert files, f"nothing matches {patterns}"
        (root / folder).mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy2(file, root / folder)
    return root


def test_versions_and_names_agree():
    package = ElementTree.parse(REPOSITORY / "package.xml").getroot()
    assert package.findtext("name") == PROJECT["project"]["name"]
    assert package.findtext("version") == PROJECT["project"]["version"]
    assert package.findtext("export/build_type") == "ament_python"


def test_every_launch_file_stack_and_robot_is_installed(prefix):
    launch = prefix / "share/twinloom/launch"
    for pattern in ("*.launch.py", "fastdds.xml", "stacks/*.yaml", "robots/*.yaml"):
        there = {file.relative_to(REPOSITORY / "launch") for file in (REPOSITORY / "launch").glob(pattern)}
        assert there == {file.relative_to(launch) for file in launch.glob(pattern)}


def test_executables_run_and_can_be_run(prefix):
    names = {file.name for file in (prefix / "lib/twinloom").iterdir()}
    assert names == {"sim_robot", "guard", "policy", "walker", "recorder", "teleop", "drive", "viewer"}
    for file in (prefix / "lib/twinloom").iterdir():
        assert os.access(file, os.X_OK)
        assert (REPOSITORY / "real/ros" / f"{file.name}.py").is_file()


def test_the_ament_index_finds_it(prefix):
    pytest.importorskip("ament_index_python", reason="comes with ROS: pip install 'twinloom[ros2]'")
    program = "from ament_index_python.packages import get_package_share_directory as g; print(g('twinloom'))"
    environment = {**os.environ, "AMENT_PREFIX_PATH": str(prefix)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.strip() == str(prefix / "share/twinloom"), done.stderr


def test_installed_launch_files_start_the_python_of_their_prefix(prefix):
    stack = prefix / "share/twinloom/launch/stacks/bringup.yaml"
    assert interpreter(stack) == sys.executable  # there is none in the prefix yet
    (prefix / "bin").mkdir()
    (prefix / "bin/python3").symlink_to(sys.executable)
    assert interpreter(stack) == str(prefix.resolve() / "bin/python3")
    assert interpreter(REPOSITORY / "launch/stacks/bringup.yaml") == sys.executable
