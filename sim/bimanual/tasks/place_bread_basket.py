"""Put every bread (one or two) into the bread basket.

Randomised: basket and its heading, number and kind of breads, positions, headings. Success: every bread rests inside
the basket, or there on the other one, and no gripper touches bread or basket.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Goal
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Scene, Side, other, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World
from twinloom.transforms import pose

BASKET = (0.0, -0.2)
ALONG = tuple(float(turn + swing) for turn in (np.pi / 2, -np.pi / 2) for swing in np.linspace(-0.3, 0.3, 5))
LOW, HIGH = 0.015, 0.05  # metres above the basket's floor where a bread is let go; the second is above another bread
HEAP = 0.03  # metres by which the middle of a bread may be above the rim: on the other one, if both are long
SLACK = 0.006  # metres between an opened finger and the bread
REACH = 0.088  # metres from the middle of the basket to its end; its x axis is the longer one, a bread's the shorter


def _beside_basket(x: float, y: float) -> bool:
    return float(np.hypot(x - BASKET[0], y - BASKET[1])) > 0.2


class PlaceBreadBasket(Task):
    limit = 700
    differs = "bread at least 20 cm from the middle of the basket (10): room for fingers between them"
    instructions = (
        "[put|place|set|drop] [all|all of] the bread [into|in] {A}[| on the table]",
        "[collect|gather|move] the bread [into|in] {A}",
        "[pick up|take|grab] {B} [and {C} |]and [put|place|drop] [it|everything] [into|in] {A}",
        "[pick up|take|grab] every bread and [put|place|drop] it [into|in|inside] {A}",
    )

    def load_actors(self, scene: Scene) -> None:
        yaw = scene.uniform(-np.pi, np.pi)
        self.basket = scene.add("basket", scene.instance("bread_basket"), BASKET, yaw, keep_out=0.08)
        self.breads: list[Actor] = []
        for i in range(scene.choice((1, 2))):
            spot = scene.sample_xy(
                [(-0.27, -0.15), (0.15, 0.27)], (-0.2, 0.05), apart=0.1, avoid=self.breads, accept=_beside_basket
            )
            yaw = scene.uniform(-np.pi / 4, np.pi / 4)
            self.breads.append(scene.add(f"bread{i}", scene.instance("bread"), spot, yaw))
        self.breads.sort(key=lambda bread: bread.position[1])

    def expert(self, robot: Skills) -> None:
        sides: list[Side] = [side_of(bread) for bread in self.breads]
        if len(set(sides)) == 2:
            self._both_arms(robot)
            return
        for bread, side in zip(self.breads, sides, strict=True):
            robot.do(robot.grasp(side, bread, then=[self._goal(robot, bread)]))
            robot.do(robot.lift(side, 0.10))
            self._put(robot, side, bread)

    def _both_arms(self, robot: Skills) -> None:
        """One bread in each hand; the one nearer to the robot goes in first."""
        by_side: dict[Side, Actor] = {side_of(bread): bread for bread in self.breads}
        goals = {side: self._goal(robot, bread) for side, bread in by_side.items()}
        robot.do(*(robot.grasp(s, b, then=[goals[s]], prefer=(0, 0, -1)) for s, b in by_side.items()))
        first = side_of(self.breads[0])
        robot.do(robot.lift(first, 0.10), robot.lift(other(first), 0.10))
        robot.do(robot.home(other(first)))  # out of the way, with its bread
        self._put(robot, first, by_side[first])
        robot.do(robot.home(first))
        self._put(robot, other(first), by_side[other(first)])

    def _put(self, robot: Skills, side: Side, bread: Actor) -> None:
        """Lay a bread down where the hand touches nothing, else let it fall from above the other one."""
        width = bread.asset.extents[0] + 2 * SLACK
        failure: PlanningError | None = None
        for above, touch in ((LOW, []), (HIGH, []), (HIGH, [self.basket])):
            try:
                goal = self._goal(robot, bread, above, touch)
                robot.do(robot.place(side, goal, retreat=0.12, opening=min(1.0, width / robot.max_opening)))
                return
            except PlanningError as error:
                failure = failure or error
        assert failure is not None
        raise failure

    def _goal(self, robot: Skills, bread: Actor, above: float = LOW, touch: Sequence[Actor] | None = None) -> Goal:
        """The middle for one bread; for two, each its own half along the basket's length, with fingers beside it."""
        T, touch = self.basket.point("inside"), [self.basket] if touch is None else touch
        if len(self.breads) == 1:
            return robot.goal(bread, T, pre=0.12, above=above, touch=touch)
        along = sorted(self.breads, key=lambda b: float(T[:3, 0] @ b.start[:3, 3]))
        half, shift = 2 * along.index(bread) - 1, min(0.045, REACH - bread.asset.extents[1] / 2)
        targets = np.array([T @ pose((half * shift, y, 0.0)) for y in (0.0, -0.01, 0.01)])
        return robot.goal(bread, targets, yaw=ALONG, pre=0.12, above=above, touch=touch)

    def check_success(self, world: World) -> bool:
        return (
            all(world.inside(bread, self.basket, margin=0.01, heap=HEAP) for bread in self.breads)
            and all(not world.touching(bread, "table") for bread in self.breads)
            and world.upright(self.basket, 10)
            and world.released(*self.breads, self.basket)
        )

    def slots(self) -> dict[str, Actor | str]:
        found: dict[str, Actor | str] = {"A": self.basket, "B": self.breads[0]}
        if len(self.breads) > 1:
            found["C"] = self.breads[1]
        return found
