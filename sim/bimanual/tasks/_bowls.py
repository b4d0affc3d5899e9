"""What the two bowl-stacking tasks share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, other, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.world import World

CENTER = (0.0, -0.1)
NEST = (0.004, 0.035)  # metres between neighbouring origins when bowls of one kind nest


def scatter(scene: Scene, count: int) -> list[Actor]:
    """Equal bowls around the centre, nearest to it first."""
    asset = scene.instance("bowl")
    spots: list[tuple[float, float]] = []
    for _ in range(count):
        spots.append(
            scene.sample_xy(
                [(-0.3, -0.09), (0.09, 0.3)],
                (-0.15, 0.15),
                apart=max(0.13, asset.extents[0] + 0.01),
                avoid=[*spots, CENTER],
                accept=lambda x, y: y <= 0 or abs(x) >= 0.15,
            )
        )
    spots.sort(key=lambda s: np.hypot(s[0] - CENTER[0], s[1] - CENTER[1]))
    scene.keep_out(CENTER, 0.15)
    return [scene.add(f"bowl{i}", asset, spot, scene.uniform(-np.pi, np.pi)) for i, spot in enumerate(spots)]


def stack(robot: Skills, bowls: Sequence[Actor]) -> None:
    """First bowl to the centre, the others into it."""
    last: Side | None = None
    for i, bowl in enumerate(bowls):
        side = side_of(bowl)
        if i == 0:
            target, touch = np.array([*CENTER, robot.world.table_z]), ["table"]
        else:
            target, touch = bowls[i - 1].position + np.array([0, 0, 0.012]), [*bowls[:i], "table"]
        # let go a little high: the outer finger must not push the bowl below aside, and bowls centre each other
        goal = robot.goal(bowl, target, pre=0.10, above=0.011 if i else 0.004, touch=touch)
        away = robot.home(other(side)) if last == other(side) else []
        robot.do(robot.grasp(side, bowl, "rim", then=[goal], deeper=-0.008, meanwhile=away), away)
        robot.do(robot.lift(side, 0.10))
        robot.do(robot.place(side, goal, retreat=0.10))
        last = side
    if last is not None:
        robot.do(robot.home(last))


def stacked(world: World, bowls: Sequence[Actor]) -> bool:
    """Whether the bowls stand upright in each other on the table, in any order, and no gripper touches them."""
    tower = sorted(bowls, key=lambda b: b.position[2])
    for below, above in pairwise(tower):
        d = world.offset(above, below)
        if max(abs(d[0]), abs(d[1])) > 0.04 or not NEST[0] < d[2] < NEST[1] or not world.touching(below, above):
            return False
    standing = all(world.upright(b, 10) for b in bowls)
    return standing and abs(world.height(tower[0])) < 0.01 and world.released(*bowls)
