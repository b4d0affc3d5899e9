"""State and action of a dual-arm robot, named as in datasets, without loading a simulator."""

from __future__ import annotations

from assets.robots.load import load_robot
from assets.robots.record import SIDES
from sim.bimanual.family import FAMILY
from twinloom.errors import TwinloomError
from twinloom.features import Feature

ROOM = "bimanual/"


def joint_feature(robot: str) -> Feature:
    """Left joints (rad), left gripper opening, right joints, right opening: a state, and equally an action.

    Raises:
        UnknownNameError: unknown robot.
    """
    joints = load_robot(robot).joints
    names = tuple(f"{side}_{name}" for side in SIDES for name in (*joints, "gripper"))
    return Feature("float32", (len(names),), names, "rad; gripper opening in [0, 1]")


def task_name(task: str) -> str:
    """``click_bell`` of "bimanual/click_bell" or "click_bell".

    Raises:
        UnknownNameError: no such task.
        TwinloomError: a target of another room.
    """
    name = task.removeprefix(ROOM)
    if "/" in name:
        raise TwinloomError(f'"{task}" is no dual-arm task; they are called {ROOM}TASK (sim list tasks)')
    return FAMILY.pick("tasks", name)
