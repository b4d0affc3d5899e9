"""What the tasks share in which both hands take one object at its two ends and lift it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.motion import Step
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Side
from sim.bimanual.skills import Skills
from sim.bimanual.world import World

AWAY = (0.0, 0.08, 0.14)  # metres away from the robot on the way up, if straight up there is something above
LEAN = 0.4  # by how much the hands shall lean apart, as a share of the vertical


def take(robot: Skills, actor: Actor, left: str, right: str, height: float, width: float = np.inf) -> None:
    """Grasp an object with both hands at once and lift it by ``height`` metres.

    Args:
        left, right: the grasp groups of the two ends; the object's x axis points from one to the other.
        width: metres to which the fingers open at most while they approach.
    """
    down, across = np.array([0.0, 0.0, -1.0]), LEAN * actor.pose()[:3, 0]
    opening = min(1.0, width / robot.max_opening)
    ends: dict[Side, tuple[str, np.ndarray]] = {"left": (left, down + across), "right": (right, down - across)}

    raised = np.repeat(actor.pose()[None], len(AWAY), 0)
    raised[:, :3, 3] += [(0.0, away, height) for away in AWAY]
    up = robot.goal(actor, raised, yaw="aligned", pre=0.0, above=0.0, touch=[])

    def grasp(side: Side, meanwhile: Sequence[Step] = ()) -> list[Step]:
        group, prefer = ends[side]
        return robot.grasp(side, actor, group, lift=0.0, then=[up], opening=opening, prefer=prefer, meanwhile=meanwhile)

    try:
        first = grasp("left")
        second = grasp("right", first)
    except PlanningError:  # the hand that has less choice should choose first
        first = grasp("right")
        second = grasp("left", first)
    robot.do(first, second)
    failure: PlanningError | None = None
    for T in raised:
        try:
            robot.do(*robot.carry(actor, T))
            return
        except PlanningError as error:
            failure = failure or error
    assert failure is not None
    raise failure


def held_up(world: World, actor: Actor, height: float) -> bool:
    """Whether both hands hold an object more than ``height`` metres above the table."""
    held = world.held_by(actor, "left") and world.held_by(actor, "right")
    return held and world.height(actor) > height and not world.touching(actor, "table")
