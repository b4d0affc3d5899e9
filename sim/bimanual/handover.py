"""Passing an object from hand to hand in mid-air: how the experts do it, and how a check knows that it happened."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.objects.model import GraspPoint
from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Goal
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Side, other
from sim.bimanual.skills import Skills
from sim.bimanual.world import World
from twinloom.transforms import pose

INWARD: dict[Side, tuple[float, float, float]] = {"left": (1.0, 0.4, 0.0), "right": (-1.0, 0.4, 0.0)}


def hand_over(
    robot: Skills,
    actor: Actor,
    giver: Side,
    *,
    give: Sequence[GraspPoint],
    take: Sequence[GraspPoint],
    at: Sequence[Sequence[float]],
    point: str = "center",
    then: Sequence[Goal] = (),
) -> None:
    """Pick an object up with one hand and pass it to the other in mid-air; the giver lets go and backs off.

    Args:
        give, take: grasp points for the hand that gives and the one that takes, on different parts of the object.
        at: places (3,) in the world where the object's ``point`` may be while it changes hands, best first.
        then: goals that the taking hand must be able to reach with its grasp.

    Raises:
        PlanningError: no way to pick it up, to meet, or to take it.
    """
    taker = other(giver)
    goals = [robot.goal(actor, pose(place), point, pre=0.0) for place in at]
    anywhere = robot.goal(actor, np.array([pose(place) for place in at]), point, pre=0.0)
    robot.do(robot.grasp(giver, actor, grasps=give, then=[anywhere]))
    robot.do(robot.lift(giver, 0.1))
    failure: PlanningError | None = None
    for goal in goals:
        try:
            # hands that come from outside leave each other room
            robot.do(robot.place(giver, goal, release=False, prefer=INWARD[giver]))
            robot.do(robot.grasp(taker, actor, grasps=take, lift=0.0, then=then, prefer=INWARD[taker]))
        except PlanningError as error:
            failure = failure or error
            continue
        robot.do(robot.open(giver))
        robot.do(robot.retreat(giver, 0.1, touch=[actor]))
        return
    assert failure is not None
    raise failure


class Transfer:
    """Remembers whether an object went from one hand to the other in mid-air.

    For that the giver held it alone, then both hands did, then the taker alone; and all the while nothing else touched
    it, neither the table nor what lies there. A hand that takes an object from where the other one has set it down
    proves nothing.

    Args:
        actor: the object.
        giver: the hand that must hold it first.
    """

    def __init__(self, actor: Actor, giver: Side) -> None:
        self.actor, self.giver, self.taker = actor, giver, other(giver)
        self.done = False
        self._given = self._shared = False

    def update(self, world: World) -> None:
        """Look at the present contacts; call it after every control step."""
        if world.touching_besides_arms(self.actor):
            self._given = self._shared = False
            return
        gives, takes = world.held_by(self.actor, self.giver), world.held_by(self.actor, self.taker)
        if gives and not world.touched_by(self.actor, self.taker):
            self._given, self._shared = True, False
        elif gives and takes:
            self._shared = self._given
        elif self._shared and takes and not world.touched_by(self.actor, self.giver):
            self.done = True
