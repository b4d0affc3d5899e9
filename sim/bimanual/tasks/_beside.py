"""What the two tasks share that put one thing to the left or right of another."""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.tasks._pick_place import SIGN, on_side, pick_place
from sim.bimanual.world import World

THINGS = (
    "mouse",
    "stapler",
    "bell",
    "toy_car",
    "rubiks_cube",
    "bread",
    "phone",
    "playing_cards",
    "wooden_block",
    "soap",
    "tea_box",
    "coffee_box",
)
DISTANCE = 0.14  # metres between the middles that the expert aims at
NEAR, FAR = 0.08, 0.20  # metres between the middles that count as beside each other
LEVEL = 0.05  # metres by which one may be farther forward than the other


def scatter(scene: Scene, where: Side) -> tuple[Actor, Actor]:
    """The thing to move and the thing that stays, of two categories, with room on the ``where`` side of the latter."""
    kinds = scene.order(THINGS, 2)
    first = scene.sample_xy((-0.22, 0.22), (-0.2, 0.0))
    thing = scene.add("thing", scene.instance(kinds[0]), first, scene.uniform(-np.pi, np.pi))
    far_side: Side = "right" if where == "left" else "left"  # there the goal lies towards the midline, within reach
    x = on_side(far_side, 0.18, 0.23) if side_of(thing) == far_side else (-0.1, 0.1)
    spot = scene.sample_xy(x, (-0.2, 0.0), apart=0.1, avoid=[thing], accept=lambda _, y: abs(y - first[1]) >= 0.1)
    landmark = scene.add("landmark", scene.instance(kinds[1]), spot, scene.uniform(-np.pi, np.pi))
    scene.keep_out((spot[0] + SIGN[where] * DISTANCE, spot[1]), 0.1)
    return thing, landmark


def put_beside(robot: Skills, side: Side, thing: Actor, landmark: Actor, where: Side) -> None:
    """Pick the thing up and set it down on the ``where`` side of the landmark."""
    x, y, _ = landmark.position
    goal = robot.goal(thing, [x + SIGN[where] * DISTANCE, y, robot.world.table_z])
    pick_place(robot, side, thing, goal, "top", "side", lift=0.08)


def is_beside(world: World, thing: Actor, landmark: Actor, where: Side) -> bool:
    """Whether the thing stands on the table on the ``where`` side of the landmark and no gripper touches either."""
    dx, dy, _ = world.offset(thing, landmark)
    beside = SIGN[where] * dx > 0 and NEAR < np.hypot(dx, dy) < FAR and abs(dy) < LEVEL
    standing = all(abs(world.height(a)) < 0.006 and world.upright(a, 10) for a in (thing, landmark))
    return bool(beside) and standing and world.on(thing, "table") and world.released(landmark)
