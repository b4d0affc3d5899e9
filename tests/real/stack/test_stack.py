"""Stack files: read, filled in, and refused with one line where they are wrong."""

from __future__ import annotations

import pytest

from real.stack import load_stack, parse_arguments, stacks
from real.stack.parameters import PARAMETERS, check, coerce
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError

GOOD = """
description: test
args: {task: {default: click_bell, help: which}, record: {default: "", help: bag}}
env: {ROS_AUTOMATIC_DISCOVERY_RANGE: LOCALHOST}
nodes:
  - {name: robot, module: real.ros.sim_robot, params: {task: $(task), seed: 3}, required: true}
  - {name: recorder, module: real.ros.recorder, when: $(record), params: {out: $(record)},
     restart: {max: 2, backoff_s: 0.5}}
"""


def stack(tmp_path, text=GOOD):
    path = tmp_path / "test.yaml"
    path.write_text(text)
    return load_stack(path)


def test_arguments_fill_parameters_in_their_types(tmp_path):
    robot, recorder = stack(tmp_path).resolve({"task": "stack_blocks_two", "record": "1"})
    assert robot.params == {"task": "stack_blocks_two", "seed": 3}
    assert robot.required
    assert recorder.params == {"out": "1"}
    assert (recorder.restarts, recorder.backoff_s) == (2, 0.5)


@pytest.mark.parametrize("off", ["", "false", "none", "0"])
def test_when_leaves_a_node_out(tmp_path, off):
    assert [node.name for node in stack(tmp_path).resolve({"record": off})] == ["robot"]


def test_an_unknown_argument_is_guessed(tmp_path):
    with pytest.raises(UnknownNameError, match=r'unknown argument "taks"\. Did you mean task\?'):
        stack(tmp_path).resolve({"taks": "x"})


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"robot": "franka-pand"}, "unknown robot .* Did you mean franka-panda"),
        ({"task": "click_bel"}, "unknown task .* Did you mean click_bell"),
        ({"policy": "expert:click_bel"}, "unknown task .* Did you mean click_bell"),
        ({"policy": "expert:click_bel", "use_mock_hardware": "false"}, "unknown task"),
    ],
)
def test_robots_and_tasks_are_looked_up_before_anything_starts(given, line):
    with pytest.raises(UnknownNameError, match=line):
        load_stack("bringup").resolve(given)


def test_the_task_of_a_real_robot_is_free():
    nodes = load_stack("bringup").resolve({"task": "fold towel", "use_mock_hardware": "false", "record": "a.mcap"})
    assert nodes[1].params["task"] == "fold towel"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("real.ros.sim_robot", "real.ros.robot", "real.ros.robot is no node; nodes are: real.ros.sim_robot"),
        ("seed: 3", "sead: 3", "real.ros.sim_robot has no parameter sead"),
        ("$(task)", "$(job)", r"\$\(job\) is no argument of this stack"),
        ("required: true", "needed: true", "unknown key needed"),
        ("help: which", "doc: which", "argument task must be"),
        ("env:", "environment:", "unknown key environment"),
        ("{max: 2, backoff_s: 0.5}", "3", "restart must be"),
        ("- {name: robot, ", "- {", "name is missing"),
    ],
)
def test_a_wrong_stack_is_refused(tmp_path, old, new, line):
    with pytest.raises(InvalidSettingsError, match=line):
        stack(tmp_path, GOOD.replace(old, new))


def test_values_out_of_range_are_refused(tmp_path):
    with pytest.raises(InvalidSettingsError, match="seed -1 is not between"):
        stack(tmp_path, GOOD.replace("seed: 3", "seed: -1")).resolve({})


def test_an_unknown_stack_is_named():
    with pytest.raises(UnknownNameError, match="Did you mean bringup"):
        load_stack("bringpu")


@pytest.mark.parametrize("word", ["task=click_bell", ":=x", "task"])
def test_arguments_look_like_those_of_ros(word):
    with pytest.raises(TwinloomError, match="arguments look like task:=click_bell"):
        parse_arguments([word])


@pytest.mark.parametrize("name", stacks())
def test_shipped_stacks_resolve(name):
    for node in load_stack(name).resolve({}):
        check(node.module, node.params)


@pytest.mark.parametrize("module", PARAMETERS)
def test_defaults_are_allowed(module):
    check(module, {name: parameter.default for name, parameter in PARAMETERS[module].items()})


@pytest.mark.parametrize(
    ("name", "value"),
    [("window_s", float("nan")), ("window_s", float("inf")), ("window_s", 99.0), ("executor", "multi"), ("arm", "yes")],
)
def test_impossible_values_are_refused(name, value):
    with pytest.raises(InvalidSettingsError, match=name):
        check("real.ros.policy", {name: value})


def test_text_becomes_what_the_parameter_is():
    assert coerce("real.ros.policy", "arm", "True") is True
    assert coerce("real.ros.policy", "seed", "12") == 12
    assert coerce("real.ros.policy", "seed", "x") == "x"
    assert coerce("real.ros.policy", "policy", "12") == "12"
