"""Errors name what was given, what is allowed and the next step."""

from __future__ import annotations

import pickle
import shlex
import sys

import pytest

from sim.engine.gl import NoOpenGLError
from twinloom import extras
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError, require
from twinloom.extras import install_line
from twinloom.machine import REPOSITORY
from twinloom.registry import Registry


@pytest.mark.parametrize(
    ("given", "suggested"),
    [("stak_blocks_two", "stack_blocks_two"), ("UR5-WSG", "ur5-wsg"), ("franka", "franka-panda")],
)
def test_unknown_name_suggests_the_nearest(given, suggested):
    error = UnknownNameError("thing", given, ["stack_blocks_two", "ur5-wsg", "franka-panda"], "sim list things")
    assert f'unknown thing "{given}"' in str(error)
    assert f"Did you mean {suggested}?" in str(error)
    assert "sim list things" in str(error)


def test_nothing_is_suggested_when_nothing_is_near():
    assert "Did you mean" not in str(UnknownNameError("task", "qqqq", ["stack_blocks_two"], "sim list tasks"))


def test_the_list_of_axes_is_not_one_of_axiss():
    assert "All randomisation axes: sim list axes" in str(
        UnknownNameError("randomisation axis", "x", [], "sim list axes")
    )
    assert "All robots or objects: " in str(UnknownNameError("robot or object", "x", [], "assets list"))


def test_every_problem_is_reported_at_once():
    error = InvalidSettingsError("datagen settings", ["fps 7 does not divide 250", "episodes must be positive"])
    assert str(error) == "datagen settings: fps 7 does not divide 250; episodes must be positive"
    assert isinstance(error, TwinloomError)


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError("task", "a", ["b"], "sim list tasks"),
        InvalidSettingsError("datagen settings", ["fps 7", "episodes 0"]),
        NoOpenGLError("no EGL device. Try this"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_the_way_out_of_a_worker_process(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_missing_optional_dependency_names_a_command_that_installs_it(monkeypatch, tmp_path):
    """The distribution is on no index, so the command must name this checkout, from wherever it is given."""
    monkeypatch.chdir(REPOSITORY)
    with pytest.raises(TwinloomError, match=r"pip install -e '\.\[ray\]'"):
        require("no_such_module_anywhere", "ray")
    monkeypatch.chdir(tmp_path)
    assert install_line("ray") == f"pip install -e {shlex.quote(f'{REPOSITORY}[ray]')}"
    monkeypatch.setattr("twinloom.extras.REPOSITORY", tmp_path)  # an installed wheel: no checkout around it
    monkeypatch.setattr(extras, "requirements", lambda: {"viz": ["viser>=1.0,<2", "matplotlib"]})
    assert install_line("viz") == "pip install 'viser>=1.0,<2' matplotlib"


def test_a_missing_dependency_of_an_optional_dependency_is_not_mistaken_for_it(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import no_such_module_anywhere")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_module_anywhere"):
        require("half_installed", "ray")
    assert require("json", "viz") is sys.modules["json"]


def test_registry_refuses_a_second_owner_of_a_name():
    registry: Registry[int] = Registry("task", "sim list tasks")
    registry.register("b", 2)
    registry.register("a", 1)
    with pytest.raises(ValueError, match="registered twice"):
        registry.register("a", 3)
    assert registry["a"] == 1
    assert list(registry) == ["b", "a"]
    assert registry.names() == ["a", "b"]
    assert "c" not in registry
    assert len(registry) == 2
    with pytest.raises(UnknownNameError, match="sim list tasks"):
        registry["c"]
