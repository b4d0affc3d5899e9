"""What tasks with one pick and one place share."""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Goal
from sim.bimanual.motion import Step
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Range, Side
from sim.bimanual.skills import Skills
from twinloom.transforms import pose, rotation_about

TURNS = (0.5, 1.0)  # shares of the way to the heading of the goal by which a thing is turned, one after the other
LITTLE = 0.2  # radians; less of a turn does not help
SIGN: dict[Side, float] = {"left": -1.0, "right": 1.0}


def on_side(side: Side, near: float, far: float) -> Range:
    """Range of x on an arm's side, from ``near`` to ``far`` metres off the midline."""
    low, high = sorted((SIGN[side] * near, SIGN[side] * far))
    return low, high


def grasp_for(robot: Skills, side: Side, thing: Actor, goal: Goal, *groups: str, **grasp) -> list[Step]:
    """The grasp with which a thing gets to its goal; one that no grasp can turn that far is set down turned first.

    Args:
        grasp: options of Skills.grasp.

    Raises:
        PlanningError: "no feasible grasp", also after the thing was turned.
    """
    for share in TURNS:
        try:
            return robot.grasp(side, thing, *groups, then=[goal], **grasp)
        except PlanningError as failure:
            turned = _turned(robot, thing, goal, share)
            if turned is None:
                raise
            try:
                steps = robot.grasp(side, thing, *groups, then=[turned], **grasp)
            except PlanningError:
                raise failure from None
        robot.do(steps)
        robot.do(robot.lift(side, 0.05))
        robot.do(robot.place(side, turned))
    return robot.grasp(side, thing, *groups, then=[goal], **grasp)


def _turned(robot: Skills, thing: Actor, goal: Goal, share: float) -> Goal | None:
    """Where the thing stands, turned by a share of the way to its heading at the goal; None if that is very little."""
    now = thing.pose()
    turns = goal.object_poses()[:, :3, :3] @ now[:3, :3].T
    angles = np.arctan2(turns[:, 1, 0], turns[:, 0, 0])
    angle = share * angles[np.argmin(np.abs(angles))]
    if abs(angle) < LITTLE:
        return None
    return robot.goal(thing, pose(now[:3, 3], rotation_about([0, 0, 1], angle) @ now[:3, :3]), yaw="aligned", pre=0.05)


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
    robot.do(grasp_for(robot, side, thing, goal, *groups, lift=lift, **grasp))
    robot.do(robot.lift(side, lift))
    robot.do(robot.place(side, goal, opening=opening, retreat=retreat))
