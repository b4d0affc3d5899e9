"""Parameters of every node, as data: name, default, allowed range and what it does. Loads no ROS.

The nodes declare them from here, and the runner checks a stack against them before it starts anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from twinloom.errors import InvalidSettingsError, UnknownNameError

Value = bool | int | float | str


@dataclass(frozen=True)
class Parameter:
    """One parameter of a node.

    Attributes:
        default: also fixes the type.
        doc: one line.
        low, high: bounds of a number, inclusive.
        allowed: the only values of a text; any if empty.
    """

    default: Value
    doc: str
    low: float | None = None
    high: float | None = None
    allowed: tuple[str, ...] = ()

    def problem(self, value: Any) -> str:
        """Why a value is not possible, "" if it is."""
        kind = type(self.default)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not kind:
            return f"{value!r} is not of type {kind.__name__}"
        if self.allowed and value not in self.allowed:
            return f'"{value}" is not allowed; allowed: {", ".join(self.allowed)}'
        if kind in (int, float) and self.low is not None and self.high is not None:
            number = float(value)
            if not math.isfinite(number) or not self.low <= number <= self.high:
                return f"{value} is not between {self.low:g} and {self.high:g}"
        return ""


LIFECYCLE = {
    "auto_activate": Parameter(True, "configure and activate at the start; false waits for a lifecycle manager"),
}
COMMON = {**LIFECYCLE, "executor": Parameter("events", "how messages are taken", allowed=("events", "single"))}
ROBOT = Parameter("franka-panda", "robot file: a name in launch/robots or a path to a YAML file")

PARAMETERS: dict[str, dict[str, Parameter]] = {
    "real.ros.sim_robot": {
        **LIFECYCLE,
        "robot": ROBOT,
        "task": Parameter("place_empty_cup", "task whose scene the robot stands in (sim list tasks)"),
        "seed": Parameter(0, "run seed of the scene", 0, 2**31 - 1),
        "episode": Parameter(0, "episode of that seed", 0, 2**31 - 1),
        "randomize": Parameter("none", "axes of randomisation: none, all or names with commas"),
        "cameras": Parameter("all", "which cameras of the robot file are rendered: all, none or names with commas"),
        "images": Parameter("raw", "what cameras publish", allowed=("raw", "jpeg", "both")),
        "until": Parameter("never", "success: end when the task is done", allowed=("never", "success")),
        "time_limit": Parameter(0.0, "s; fail where success has not come by then; 0: wait for ever", 0.0, 86400.0),
        "auto_arm": Parameter(False, "accept commands at once instead of after a call of ~/arm"),
        "report": Parameter("", "write timing of every tick and command to this .npz file at the end"),
        "sched_fifo": Parameter(0, "real-time priority of the control thread; 0 is the normal scheduler", 0, 20),
    },
    "real.ros.guard": {
        **LIFECYCLE,
        "robot": ROBOT,
        "prefix": Parameter("/guarded", "before the topics on which commands come"),
        "auto_arm": Parameter(False, "accept commands at once instead of after a call of ~/arm"),
        "report": Parameter("", "write timing of every tick and command to this .npz file at the end"),
        "sched_fifo": Parameter(0, "real-time priority of the control thread; 0 is the normal scheduler", 0, 20),
    },
    "real.ros.policy": {
        **COMMON,
        "robot": ROBOT,
        "policy": Parameter("", "checkpoint folder, expert:<task>, hold, wave or ws:// address of a policy server"),
        "seed": Parameter(0, "run seed, for experts", 0, 2**31 - 1),
        "episode": Parameter(0, "episode of that seed, for experts", 0, 2**31 - 1),
        "randomize": Parameter("none", "axes of randomisation, for experts"),
        "images": Parameter("raw", "which camera topics are read", allowed=("raw", "jpeg")),
        "window_s": Parameter(0.2, "how far ahead a trajectory command reaches, s", 0.02, 5.0),
        "n_action_steps": Parameter(0, "actions of a chunk used before the next inference; 0: as it was made", 0, 1000),
        "robot_node": Parameter("/robot", "node that has ~/mode and ~/arm"),
        "prefix": Parameter("", "put before the command topics; /guarded for a robot behind real.ros.guard"),
        "arm": Parameter(False, "arm the robot once at the start, without asking; after a stop a person arms"),
    },
    "real.ros.walker": {
        **COMMON,
        "robot": ROBOT,
        "policy": Parameter("", "folder of a walking network, model-based:humanoid, stand, or a foreign policy's YAML"),
        "truth": Parameter(False, "the robot is simulated: policies may read ~/truth of its node"),
        "cmd_vel": Parameter("/cmd_vel", "topic of velocity commands (geometry_msgs/Twist)"),
        "timeout_s": Parameter(0.5, "seconds after which an old velocity command is one to stand", 0.05, 10.0),
        "forward": Parameter(0.5, "commands are cut to this, m/s", 0.0, 3.0),
        "backward": Parameter(0.2, "commands are cut to this, m/s", 0.0, 3.0),
        "sideways": Parameter(0.15, "commands are cut to this, m/s", 0.0, 3.0),
        "turn": Parameter(0.4, "commands are cut to this, rad/s", 0.0, 3.0),
        "robot_node": Parameter("/robot", "node that has ~/mode and ~/arm"),
        "prefix": Parameter("", "put before the command topics; /guarded for a robot behind real.ros.guard"),
        "arm": Parameter(False, "arm the robot once at the start, without asking; after a stop a person arms"),
    },
    "real.ros.drive": {
        **COMMON,
        "device": Parameter("auto", "what is read", allowed=("auto", "keyboard", "joystick")),
        "cmd_vel": Parameter("/cmd_vel", "topic of velocity commands (geometry_msgs/Twist)"),
        "robot_node": Parameter("/robot", "node that has ~/arm"),
    },
    "real.ros.recorder": {
        **COMMON,
        "robot": ROBOT,
        "out": Parameter("", "bag to write (.mcap); named by date in the current folder if empty"),
        "images": Parameter("raw", "which camera topics are recorded", allowed=("raw", "jpeg", "none")),
        "task": Parameter("", "task name kept with the episode"),
        "instruction": Parameter("", "sentence kept with the episode"),
        "robot_node": Parameter("/robot", "node of the robot, whose mode and scene are kept"),
        "cmd_vel": Parameter("/cmd_vel", "topic of velocity commands, kept for robots on legs"),
        "policy_node": Parameter("/policy", "node of the policy, whose chunks and latencies are kept"),
        "prefix": Parameter("", "before the command topics that are recorded"),
    },
    "real.ros.viewer": {
        **COMMON,
        "robot": ROBOT,
        "images": Parameter("raw", "which camera topics are shown", allowed=("raw", "jpeg", "none")),
        "port": Parameter(8080, "of the page in the browser; 0 takes a free one", 0, 65535),
        "robot_node": Parameter("/robot", "node that has ~/mode and ~/sent"),
    },
    "real.ros.teleop": {
        **COMMON,
        "robot": ROBOT,
        "device": Parameter("auto", "what is read", allowed=("auto", "keyboard", "joystick")),
        "mode": Parameter("joint", "what keys move", allowed=("joint", "pose")),
        "robot_node": Parameter("/robot", "node that has ~/mode and ~/arm"),
        "prefix": Parameter("", "put before the command topics; /guarded for a robot behind real.ros.guard"),
        "step": Parameter(0.02, "joint step of one key press, rad", 0.001, 0.2),
        "step_m": Parameter(0.005, "pose step of one key press, m", 0.0005, 0.05),
    },
}


def coerce(module: str, name: str, text: str) -> Value:
    """A value from a command line or a stack, in the type of its parameter; left as text where it does not fit."""
    known = PARAMETERS[module]
    kind = type(known[name].default) if name in known else str
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return text
    return text


def check(module: str, values: Mapping[str, Any]) -> None:
    """Check the parameters that a stack gives to a node.

    Raises:
        UnknownNameError: no such parameter.
        InvalidSettingsError: values that are not allowed, all of them.
    """
    known = PARAMETERS[module]
    for name in values:
        if name not in known:
            raise UnknownNameError("parameter", name, known, f"docs/real/ros2.md, {module}")
    problems = [f"{n} {why}" for n, v in values.items() if (why := known[n].problem(v))]
    if problems:
        raise InvalidSettingsError(f"parameters of {module}", problems)
