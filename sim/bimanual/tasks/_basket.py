"""What the two tasks with a carried basket share: one arm fills it, the other lifts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Goal
from sim.bimanual.motion import Step
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Scene, Side, other
from sim.bimanual.skills import Skills
from sim.bimanual.world import World

DROPS = (0.03, 0.06, 0.09)  # metres above the basket where the thing is let go, best first
RISE = 0.02  # metres above where they would rest


def add_basket(scene: Scene, side: Side) -> Actor:
    """A basket near the middle, a little on the side away from the object that goes in."""
    sign = -1 if side == "left" else 1
    spot = (-sign * scene.uniform(0.0, 0.02), scene.uniform(-0.08, -0.05))
    return scene.add("basket", scene.instance("basket"), spot, mass=0.5, keep_out=0.08)


def fill_and_lift(robot: Skills, side: Side, thing: Actor, basket: Actor) -> None:
    """Drop ``thing`` beside the basket's handle with one arm, lift the basket with the other."""
    halves = sorted(("left", "right"), key=lambda half: abs(basket.point(half)[0, 3] - thing.position[0]))
    failure: PlanningError | None = None
    for half in halves:
        drops = [robot.goal(thing, basket.point(half), pre=0.16, above=above, touch=[]) for above in DROPS]
        try:
            steps = robot.grasp(side, thing, then=drops[:1])
            break
        except PlanningError as error:
            failure = failure or error
    else:
        raise failure or PlanningError("no feasible grasp")
    robot.do(steps)
    robot.do(robot.lift(side, 0.16))
    robot.do(_drop(robot, side, drops, replace(drops[0], touch=frozenset({basket.name}))))
    lifter = other(side)
    robot.do(robot.home(side))
    robot.do(robot.grasp(lifter, basket, "handle"))
    robot.do(robot.lift(lifter, 0.06))


def _drop(robot: Skills, side: Side, drops: Sequence[Goal], last: Goal) -> list[Step]:
    """Let go as low as the hand gets without touching the basket; ``last`` is the way if it always does."""
    for drop in drops:
        try:
            return robot.place(side, drop, retreat=0.14)
        except PlanningError:  # a broad hand does not fit between the walls: from higher up, then
            continue
    return robot.place(side, last, retreat=0.14)


def filled_and_lifted(world: World, side: Side, thing: Actor, basket: Actor) -> bool:
    """Whether the other arm carries the upright basket with the thing in it."""
    return (
        world.height(basket) > RISE
        and world.height(thing) > RISE
        and world.upright(basket, 45)
        and world.held_by(basket, other(side))
        and world.inside(thing, basket)
        and world.touching(thing, basket)
        and not world.touching(thing, "table")
        and world.released(thing)
    )
