"""The same stacks for ROS's launcher: a launch description from a stack file. Needs the packages launch and launch_ros.

Only ``launch/*.launch.py`` uses this, on computers that have ROS itself.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from real.stack import processes
from real.stack.runner import UNCURED, in_words
from real.stack.spec import NodeSpec, Stack, load_stack


def describe(path: Path) -> Any:
    """LaunchDescription of a stack: its arguments, its environment, its nodes.

    The nodes are those that ``real up`` starts with the same arguments; ``python:=`` chooses the interpreter.
    """
    from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable  # pyright: ignore

    from launch import LaunchDescription  # pyright: ignore

    stack = load_stack(path)
    python = DeclareLaunchArgument("python", default_value=interpreter(path), description="interpreter of the nodes")
    arguments = [
        DeclareLaunchArgument(argument.name, default_value=argument.default, description=argument.help)
        for argument in stack.args.values()
    ]
    variables = [SetEnvironmentVariable(name, value) for name, value in stack.environment().items()]
    return LaunchDescription([python, *arguments, *variables, OpaqueFunction(function=lambda c: _nodes(stack, c))])


def interpreter(stack: Path) -> str:
    """The Python that twinloom was installed into; the launcher itself may run in that of the system."""
    *_, prefix = stack.resolve().parents[:5]  # <prefix>/share/twinloom/launch/stacks/<name>.yaml
    python = prefix / "bin" / "python3"
    installed = [folder.name for folder in stack.resolve().parents[1:4]] == ["launch", "twinloom", "share"]
    return str(python) if installed and python.exists() else sys.executable


def _nodes(stack: Stack, context: Any) -> list[Any]:
    from launch.substitutions import LaunchConfiguration  # pyright: ignore

    given = {name: LaunchConfiguration(name).perform(context) for name in stack.args}
    python = LaunchConfiguration("python").perform(context)
    return [_node(node, python) for node in stack.resolve(given)]


def _node(node: NodeSpec, python: str, restarted: int = 0) -> Any:
    from launch_ros.actions import Node  # pyright: ignore
    from launch_ros.parameter_descriptions import ParameterValue  # pyright: ignore

    return Node(
        executable=python,
        exec_name=node.name,  # else every line begins with [python3-1], [python3-2] ...
        arguments=["-m", node.module],
        name=node.name,
        namespace=node.namespace,
        # with their types: the launcher would read the text "1" as a number
        parameters=[{name: ParameterValue(value, value_type=type(value)) for name, value in node.params.items()}],
        remappings=list(node.remap.items()),
        additional_env={processes.LAUNCHED: "1"},
        output="screen",
        emulate_tty=True,
        sigterm_timeout=str(node.stop_grace_s),
        on_exit=lambda event, context: _after(node, python, restarted, event.returncode, context.is_shutdown),
    )


def _after(node: NodeSpec, python: str, restarted: int, code: int, stopping: bool) -> list[Any] | None:
    """What follows the end of a node: the same as in `real up`.

    The launcher's own ``respawn`` starts a node again whatever its exit code was, so it is not used. ``on_exit`` is a
    function, since the launcher takes an empty list for one and fails.
    """
    from launch.actions import LogInfo, Shutdown, TimerAction  # pyright: ignore

    if stopping:
        return None
    if node.required:
        return [Shutdown(reason=f"{node.name} is required and ended with {in_words(code)}")]
    if code in UNCURED or restarted >= node.restarts:
        return [LogInfo(msg=f"{node.name} ended with {in_words(code)}; the stack goes on without it")] if code else None
    pause = node.backoff_s * 2**restarted
    text = f"{node.name} ended with {in_words(code)}; start {restarted + 1} of {node.restarts} in {pause:g} s"
    return [LogInfo(msg=text), TimerAction(period=pause, actions=[_node(node, python, restarted + 1)])]
