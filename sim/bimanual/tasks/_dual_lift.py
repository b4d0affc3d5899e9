"""What the tasks share in which both hands take one object at its two ends and lift it."""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.skills import Skills
from sim.bimanual.world import World

LEAN = 0.4  # by how much the hands shall lean apart, as a share of the vertical


def take(robot: Skills, actor: Actor, left: str, right: str, height: float, width: float = np.inf) -> None:
    """Grasp an object with both hands at once and lift it by ``height`` metres.

    Args:
        left, right: the grasp groups of the two ends; the object's x axis points from one to the other.
        width: metres to which the fingers open at most while they approach.
    """
    down, across = np.array([0.0, 0.0, -1.0]), LEAN * actor.pose()[:3, 0]
    opening = min(1.0, width / robot.max_opening)
    first = robot.grasp("left", actor, left, lift=height, opening=opening, prefer=down + across)
    second = robot.grasp("right", actor, right, lift=height, opening=opening, prefer=down - across, meanwhile=first)
    robot.do(first, second)
    T = actor.pose()
    T[2, 3] += height
    robot.do(*robot.carry(actor, T))


def held_up(world: World, actor: Actor, height: float) -> bool:
    """Whether both hands hold an object more than ``height`` metres above the table."""
    held = world.held_by(actor, "left") and world.held_by(actor, "right")
    return held and world.height(actor) > height and not world.touching(actor, "table")
