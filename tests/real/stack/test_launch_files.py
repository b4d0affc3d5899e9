"""Every launch file gives ROS's launcher the processes that ``real up`` starts: same module, names, parameters."""

from __future__ import annotations

import importlib.util
import signal
import sys
from pathlib import Path

import pytest

from real.stack import load_stack, stacks
from real.stack.runner import CURABLE, command_line
from tests.real.stack import doubles
from twinloom.machine import REPOSITORY

FOLDER = REPOSITORY / "launch"
FILES = sorted(FOLDER.glob("*.launch.py"))
ARGUMENTS = {
    "bringup": [
        {},
        {"policy": "hold", "record": "run.mcap", "auto_arm": "true", "seed": "7"},
        {"use_mock_hardware": "false", "policy": "ws://localhost:8765", "record": "run.mcap"},
    ],
    "humanoid": [{}, {"policy": "runs/g1", "record": "g1.mcap"}],
}
CASES = [(file, given) for file in FILES for given in ARGUMENTS.get(file.name.split(".")[0], [{}])]


def load(file: Path):
    spec = importlib.util.spec_from_file_location(file.name.replace(".", "_"), file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_is_a_launch_file_for_each_stack():
    assert [file.name.split(".")[0] for file in FILES] == stacks()


@pytest.mark.parametrize(("file", "given"), CASES, ids=lambda value: getattr(value, "name", None) or str(len(value)))
def test_the_graph_is_that_of_the_runner(file, given, monkeypatch):
    for name in ("ROS_AUTOMATIC_DISCOVERY_RANGE", "FASTDDS_DEFAULT_PROFILES_FILE"):
        monkeypatch.delenv(name, raising=False)
    stack = load_stack(file.name.split(".")[0])
    with doubles.installed():
        actions = doubles.run(load(file).generate_launch_description(), given)
    launched = [action for action in actions if isinstance(action, doubles.Node)]
    nodes = stack.resolve(given)
    assert [node.name for node in launched] == [node.name for node in nodes]
    for action, node in zip(launched, nodes, strict=True):
        words = command_line(node, Path("params.yaml"))
        assert (
            [action.executable, *action.arguments]
            == words[: words.index("--ros-args")]
            == [
                sys.executable,
                "-m",
                node.module,
            ]
        )
        assert f"__node:={action.name}" in words
        assert f"__ns:={action.namespace}" in words
        assert {name: value.value for name, value in action.parameters[0].items()} == node.params
        assert all(value.value_type is type(value.value) for value in action.parameters[0].values())
        assert action.remappings == list(node.remap.items())
        assert action.exec_name == node.name
        assert not action.respawn
        assert importlib.util.find_spec(node.module) is not None
    environment = {a.name: a.value for a in actions if isinstance(a, doubles.SetEnvironmentVariable)}
    assert environment == stack.environment()
    assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert Path(environment["FASTDDS_DEFAULT_PROFILES_FILE"]).is_file()


def test_the_launcher_goes_on_or_ends_as_the_runner_does():
    with doubles.installed():
        actions = doubles.run(load(FOLDER / "bringup.launch.py").generate_launch_description(), {"policy": "hold"})
        robot, policy = (a for a in actions if isinstance(a, doubles.Node))
        assert [type(a).__name__ for a in robot.exits(1)] == ["Shutdown"]
        assert [type(a).__name__ for a in robot.exits(0)] == ["Shutdown"]
        assert policy.exits(0) == []
        assert robot.exits(1, stopping=True) == []
        assert [type(a).__name__ for a in policy.exits(CURABLE)] == ["LogInfo"]
        pauses, node = [], next(n for n in load_stack("bringup").resolve({"policy": "hold"}) if n.name == "policy")
        for _ in range(node.restarts):
            said, again = policy.exits(-signal.SIGKILL)
            assert "SIGKILL" in said.msg
            pauses.append(again.period)
            (policy,) = again.actions
            assert policy.name == "policy"
        assert pauses == [node.backoff_s * 2**k for k in range(node.restarts)]
        assert [type(a).__name__ for a in policy.exits(-signal.SIGKILL)] == ["LogInfo"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_arguments_are_declared_with_help(file):
    with doubles.installed():
        entities = load(file).generate_launch_description().entities
    declared = {e.name: e for e in entities if isinstance(e, doubles.DeclareLaunchArgument)}
    stack = load_stack(file.name.split(".")[0])
    assert declared.keys() == {"python", *stack.args}
    assert all(argument.description for argument in declared.values())


def test_bringup_drives_hardware_only_behind_the_guard():
    nodes = {
        node.name: node for node in load_stack("bringup").resolve({"use_mock_hardware": "false", "policy": "hold"})
    }
    assert nodes["robot"].module == "real.ros.guard"
    assert nodes["policy"].params["prefix"] == "/guarded"
    mock = {node.name: node for node in load_stack("bringup").resolve({"policy": "hold"})}
    assert mock["robot"].module == "real.ros.sim_robot"
    assert "prefix" not in mock["policy"].params


@pytest.mark.skipif(importlib.util.find_spec("launch_ros") is None, reason="needs ROS's launch_ros (a system ROS)")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_real_launcher_shows_the_arguments(file):
    import subprocess

    program = f"from ros2launch.api import print_arguments_of_launch_file as p; p(launch_file_path={str(file)!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "'robot'" in done.stdout
