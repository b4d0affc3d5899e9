"""Robots by name: "sim:bimanual/click_bell", "mock:franka-panda", "ros:franka-pair"."""

from __future__ import annotations

import importlib
from typing import Any

from real.robots.base import Robot
from twinloom.errors import TwinloomError
from twinloom.registry import Registry

#: kind of robot -> "module:class", which takes the text after the colon and options
KINDS: Registry[str] = Registry("kind of robot", "real list robots")
KINDS.register("sim", "real.robots.sim:SimRobot")
KINDS.register("mock", "real.robots.mock:MockRobot")
KINDS.register("ros", "real.ros.ros_robot:RosRobot")
KINDS.register("unitree", "real.robots.unitree:UnitreeRobot")


def make_robot(what: str, **options: Any) -> Robot:
    """A robot by "kind:which": "sim:bimanual/click_bell", "mock:franka-panda", "ros:franka-pair".

    Args:
        what: kind and which, which may be left out where the kind has a default.
        options: arguments of the kind's class.

    Raises:
        UnknownNameError: no such kind, task or robot.
        TwinloomError: an option that the kind does not know.
    """
    kind, _, which = what.partition(":")
    module, _, attribute = KINDS[kind].partition(":")
    try:
        factory = getattr(importlib.import_module(module), attribute)
        return factory(which, **options) if which else factory(**options)
    except TypeError as error:
        if "argument" not in str(error):
            raise
        raise TwinloomError(f"robot {what}: {str(error).partition('() ')[2] or error}") from error
