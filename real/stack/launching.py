"""The same stacks for ROS's launcher: a launch description from a stack file. Needs the packages launch and launch_ros.

Only ``launch/*.launch.py`` uses this, on computers that have ROS itself.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from real.stack import NodeSpec, Stack, load_stack


def describe(path: Path) -> Any:
    """LaunchDescription of a stack: its arguments, its environment, its nodes.

    The nodes are those that ``real up`` starts with the same arguments; ``python:=`` chooses the interpreter.
    """
    from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable  # pyright: ignore

    from launch import LaunchDescription

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


def _node(node: NodeSpec, python: str) -> Any:
    from launch.actions import Shutdown  # pyright: ignore
    from launch_ros.actions import Node  # pyright: ignore
    from launch_ros.parameter_descriptions import ParameterValue  # pyright: ignore

    return Node(
        executable=python,
        arguments=["-m", node.module],
        name=node.name,
        namespace=node.namespace,
        # with their types: the launcher would read the text "1" as a number
        parameters=[{name: ParameterValue(value, value_type=type(value)) for name, value in node.params.items()}],
        remappings=list(node.remap.items()),
        output="screen",
        emulate_tty=True,
        sigterm_timeout=str(node.stop_grace_s),
        respawn=node.restarts > 0,
        respawn_delay=node.backoff_s,
        respawn_max_retries=node.restarts,
        on_exit=[Shutdown(reason=f"{node.name} is required and ended")] if node.required else [],
    )
