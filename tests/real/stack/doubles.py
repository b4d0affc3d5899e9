"""Stand-ins for ROS's packages launch and launch_ros, which exist only where a ROS is installed.

Each class keeps what it was given under the names of the original's parameters, checked against its signature
(launch 3.7, launch_ros 0.28; those of Jazzy are the same), so that a wrong keyword fails here too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any


class LaunchContext:
    """Launch configurations by name."""

    def __init__(self, given: dict[str, str]) -> None:
        self.launch_configurations = dict(given)
        self.is_shutdown = False


class LaunchDescription:
    def __init__(self, initial_entities: list[Any]) -> None:
        self.entities = initial_entities


class DeclareLaunchArgument:
    def __init__(self, name: str, *, default_value: str | None = None, description: str | None = None) -> None:
        assert default_value is None or isinstance(default_value, str)
        self.name, self.default_value, self.description = name, default_value, description


class SetEnvironmentVariable:
    def __init__(self, name: str, value: str) -> None:
        self.name, self.value = name, value


class OpaqueFunction:
    def __init__(self, *, function: Callable[[LaunchContext], list[Any] | None]) -> None:
        self.function = function


class Shutdown:
    def __init__(self, *, reason: str = "reason not given") -> None:
        self.reason = reason


class LogInfo:
    def __init__(self, *, msg: str) -> None:
        self.msg = msg


class TimerAction:
    def __init__(self, *, period: float, actions: list[Any], cancel_on_shutdown: bool = True) -> None:
        self.period, self.actions = period, actions


class LaunchConfiguration:
    def __init__(self, variable_name: str) -> None:
        self.variable_name = variable_name

    def perform(self, context: LaunchContext) -> str:
        return context.launch_configurations[self.variable_name]


class ParameterValue:
    def __init__(self, value: Any, *, value_type: type | None = None) -> None:
        assert value_type in (None, bool, int, float, str)
        self.value, self.value_type = value, value_type


class Node:
    def __init__(
        self,
        *,
        executable: str,
        package: str | None = None,
        name: str | None = None,
        namespace: str | None = None,
        parameters: list[Any] | None = None,
        remappings: list[tuple[str, str]] | None = None,
        arguments: list[str] | None = None,
        exec_name: str | None = None,
        additional_env: dict[str, str] | None = None,
        output: str = "log",
        emulate_tty: bool = False,
        sigterm_timeout: str = "5",
        respawn: bool = False,
        respawn_delay: float | None = None,
        respawn_max_retries: int = -1,
        on_exit: list[Any] | Callable[[Any, LaunchContext], list[Any] | None] | None = None,
    ) -> None:
        self.__dict__.update({key: value for key, value in locals().items() if key != "self"})

    def exits(self, returncode: int, stopping: bool = False) -> list[Any]:
        """What the launcher does at the end of the process, as its class OnActionEventBase: anything that is not a list
        with something in it is called."""
        context = LaunchContext({})
        context.is_shutdown = stopping
        if isinstance(self.on_exit, list) and self.on_exit:
            return self.on_exit
        if self.on_exit is None:
            return []
        assert callable(self.on_exit), "the launcher fails here, which ends the whole stack"
        return self.on_exit(SimpleNamespace(action=self, returncode=returncode), context) or []


def run(description: LaunchDescription, given: dict[str, str]) -> list[Any]:
    """What a launcher would do: arguments by default or as given, then the actions that result."""
    declared = {e.name: e.default_value for e in description.entities if isinstance(e, DeclareLaunchArgument)}
    assert not given.keys() - declared.keys()
    context = LaunchContext(declared | given)
    results: list[Any] = []
    for entity in description.entities:
        results += entity.function(context) or [] if isinstance(entity, OpaqueFunction) else [entity]
    return results


@contextmanager
def installed() -> Iterator[None]:
    """The stand-ins under the names of the originals."""
    modules = {
        "launch": [LaunchDescription],
        "launch.actions": [
            DeclareLaunchArgument,
            LogInfo,
            OpaqueFunction,
            SetEnvironmentVariable,
            Shutdown,
            TimerAction,
        ],
        "launch.substitutions": [LaunchConfiguration],
        "launch_ros": [],
        "launch_ros.actions": [Node],
        "launch_ros.parameter_descriptions": [ParameterValue],
    }
    before = {name: sys.modules.get(name) for name in modules}
    for name, contents in modules.items():
        module = ModuleType(name)
        for item in contents:
            setattr(module, item.__name__, item)
        sys.modules[name] = module
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
