"""``sim doctor`` finds what is broken, says how to mend it, and never breaks itself."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib

import pytest

from sim import doctor
from twinloom import doctor as general
from twinloom import extras
from twinloom.machine import REPOSITORY


def run(*arguments, **environment):
    command = [sys.executable, "-m", "sim", "doctor", *arguments]
    env = os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)


def by_name(findings):
    return {finding.name: finding for finding in findings}


def test_a_working_machine_is_ready():
    done = run()
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].startswith("ready")


def test_json_says_the_same():
    findings = json.loads(run("--json").stdout)
    assert {"python", "cpu", "mujoco", "rendering", "video", "robots"} <= {f["name"] for f in findings}
    assert all(f["fix"] for f in findings if f["state"] == "fail")


def test_missing_meshes_fail_with_the_command_that_pulls_them(tmp_path):
    done = run(TWINLOOM_CACHE=str(tmp_path))
    assert done.returncode == 1
    assert re.search(r"FAIL +robots .*\n +fix: assets pull franka-panda\n", done.stdout)
    assert done.stdout.splitlines()[-1] == "1 to fix"


def test_broken_rendering_fails_with_the_packages():
    done = run(MUJOCO_GL="glfw", DISPLAY="")
    assert done.returncode == 1
    assert re.search(r"FAIL +rendering +no OpenGL.*\n +fix: ", done.stdout)


def test_a_mixed_mujoco_fails_with_the_repair(monkeypatch):
    real = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda n: "4.0.1" if n == "mujoco-core" else real(n))
    (finding,) = doctor.mujoco_version()
    assert finding.state == "fail"
    assert "mujoco-core 4.0.1" in finding.text
    assert finding.fix.startswith("pip install --force-reinstall --no-deps mujoco==")


def test_the_version_asked_for_is_the_pinned_one():
    pins = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {f"{part}=={doctor.MUJOCO}" for part in doctor.MUJOCO_PARTS} <= set(pins)


def test_every_extra_is_listed_and_has_a_purpose():
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {f"[{name}]" for name in declared} <= {finding.name for finding in general.optional_parts()}
    assert set(extras.PURPOSE) >= set(declared)


def test_a_missing_extra_is_a_note_with_the_command_that_works_here(monkeypatch):
    monkeypatch.setattr(extras, "requirements", lambda: {"viz": ["no-such-distribution>=1", "numpy"]})
    (finding,) = general.optional_parts()
    assert (finding.state, finding.text) == (
        "none",
        "no-such-distribution not installed (viewers in the browser, plots)",
    )
    assert finding.fix.startswith("pip install -e ")


def test_no_encoder_fails(monkeypatch):
    monkeypatch.setattr(doctor, "ENCODERS", ("no_such_encoder",))
    (finding,) = doctor.encoders()
    assert finding.state == "fail"
    assert finding.fix


def test_little_space_is_a_warning(monkeypatch, tmp_path):
    monkeypatch.setattr(general, "LEAST_DISK_GIB", 10**9)
    (finding,) = general.disk(tmp_path)
    assert (finding.state, finding.fix) == ("warn", "choose another place for data with --out")


@pytest.mark.parametrize("error", ["a; b; do this", "only one part"])
def test_an_error_line_is_split_into_what_and_fix(error):
    text, fix = doctor._split(error)
    assert (text, fix) == (("a; b", "do this") if ";" in error else (error, ""))
