"""What tasks with one pick and one place share."""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Goal
from sim.bimanual.scene import Range, Side
from sim.bimanual.skills import Skills

SIGN: dict[Side, float] = {"left": -1.0, "right": 1.0}


def on_side(side: Side, near: float, far: float) -> Range:
    """Range of x on an arm's side, from ``near`` to ``far`` metres off the midline."""
    low, high = sorted((SIGN[side] * near, SIGN[side] * far))
    return low, high


def pick_place(
    robot: Skills,
    side: Side,
    thing: Actor,
    goal: Goal,
    *groups: str,
    lift: float = 0.06,
    opening: float = 1.0,
    retreat: float = 0.08,
    **grasp,
) -> None:
    """Take a thing with one arm, lift it, set it down at a goal and draw back.

    Args:
        groups: grasp groups to consider, all if none is given.
        lift: metres straight up before the way to the goal.
        opening: gripper opening when it lets go, 0..1.
        retreat: metres that the hand backs off afterwards.
        grasp: further options of Skills.grasp.
    """
    robot.do(robot.grasp(side, thing, *groups, lift=lift, then=[goal], **grasp))
    robot.do(robot.lift(side, lift))
    robot.do(robot.place(side, goal, opening=opening, retreat=retreat))
