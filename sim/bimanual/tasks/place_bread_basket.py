"""Put every bread (one or two) into the bread basket.

Randomised: basket and its heading, number and kind of breads, positions, headings. Success: every bread rests inside
the basket and no gripper touches bread or basket.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, other, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World

BASKET = (0.0, -0.15)
ACROSS = tuple(float(turn + swing) for turn in (0.0, np.pi) for swing in np.linspace(-0.4, 0.4, 5))
ROOM = 0.11  # metres across the basket; its x axis is the longer one, a bread's is the shorter one


class PlaceBreadBasket(Task):
    limit = 700
    differs = (
        "bread 20 to 30 cm off the midline (15 to 27), 12 cm apart (10), basket at y = -15 cm (-20): room "
        "for fingers beside basket and bread"
    )
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
                [(-0.3, -0.2), (0.2, 0.3)], (-0.2, 0.05), apart=0.12, avoid=[*self.breads], min_abs_x=0.15
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
            goal = self._goal(robot, bread)
            robot.do(robot.grasp(side, bread, then=[goal]))
            robot.do(robot.lift(side, 0.10))
            robot.do(robot.place(side, goal, retreat=0.12))

    def _both_arms(self, robot: Skills) -> None:
        """One bread in each hand; the left one goes in first and makes way."""
        by_side: dict[Side, Actor] = {side_of(bread): bread for bread in self.breads}
        goals = {side: self._goal(robot, bread) for side, bread in by_side.items()}
        robot.do(*(robot.grasp(s, b, then=[goals[s]], prefer=(0, 0, -1)) for s, b in by_side.items()))
        first = side_of(self.breads[0])
        robot.do(robot.lift(first, 0.10), robot.lift(other(first), 0.10))
        robot.do(robot.home(other(first)))  # out of the way, with its bread
        robot.do(robot.place(first, goals[first], retreat=0.12))
        robot.do(robot.home(first))
        robot.do(robot.place(other(first), self._goal(robot, by_side[other(first)]), retreat=0.12))

    def _goal(self, robot: Skills, bread: Actor):
        """The middle for one bread; for two, each its own half along the basket's length, and across it if it fits."""
        T = self.basket.point("inside")
        along = sorted(self.breads, key=lambda b: float(T[:3, 0] @ b.start[:3, 3]))
        shift = 0.045 * (2 * along.index(bread) - 1) if len(along) == 2 else 0.0
        T[:3, 3] += shift * T[:3, 0]
        yaw = ACROSS if len(along) == 2 and bread.asset.extents[1] < ROOM else "free"
        return robot.goal(bread, T, yaw=yaw, pre=0.12, above=0.015, touch=[self.basket, *self.breads])

    def check_success(self, world: World) -> bool:
        return (
            all(world.inside(bread, self.basket, margin=0.01) for bread in self.breads)
            and all(not world.touching(bread, "table") for bread in self.breads)
            and world.upright(self.basket, 10)
            and world.released(*self.breads, self.basket)
        )

    def slots(self) -> dict[str, Actor | str]:
        found: dict[str, Actor | str] = {"A": self.basket, "B": self.breads[0]}
        if len(self.breads) > 1:
            found["C"] = self.breads[1]
        return found
