"""Put the two shoes into the shoe box, tips to the left.

Randomised: pair of shoes, box, positions, headings. Success: both shoes stand on their soles in the box, the left one
in the half nearer to the robot, both pointing to the left within 8 degrees, released.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks._pick_place import grasp_for
from sim.bimanual.world import World

LEFTWARD = np.array([-1.0, 0.0, 0.0])


class PlaceDualShoes(Task):
    limit = 600
    differs = "table at the usual height (10 cm lower), box at y = -10 cm (-13)"
    instructions = (
        "[put|place|pack|set] [both shoes|the two shoes|the pair of shoes] [into|in] {B}[|, tips to the left]",
        "[pick up|take|grab] both shoes, one per arm, and [put|place|pack] them [into|in] {B}, tips to the left",
        "[put|place|pack] the pair of shoes [into|in] {B} with [their tips|their toes|both tips|both toes] to the left",
        "[pack|arrange] the shoes [in|inside] {B} so that their [tips|toes] point to the left",
    )

    def load_actors(self, scene: Scene) -> None:
        self.box = scene.add("box", scene.instance("shoe_box"), (0.0, -0.1), mode="static", keep_out=0.06)
        asset = scene.instance("shoe")
        self.shoes = {}
        for side, sign in (("left", -1), ("right", 1)):
            spot = (sign * scene.uniform(0.2, 0.3), scene.uniform(-0.1, 0.05))
            self.shoes[side] = scene.add(f"{side}_shoe", asset, spot, scene.uniform(-np.pi, np.pi), clear=True)

    def expert(self, robot: Skills) -> None:
        goals = {
            side: robot.goal(
                shoe, self.box.point(side), "sole", yaw="aligned", pre=0.10, above=0.004,
                touch=[self.box, *self.shoes.values()],
            )
            for side, shoe in self.shoes.items()
        }  # fmt: skip
        robot.do(*(grasp_for(robot, side, shoe, goals[side]) for side, shoe in self.shoes.items()))
        aside = robot.move_by("right", (0.06, -0.03, 0.12), touch=["table"], shares=(1.0, 0.6, 0.3))
        robot.do(robot.lift("left", 0.12), aside)
        for side in ("left", "right"):
            robot.do(robot.place(side, goals[side], retreat=0.12))
            robot.do(robot.home(side))

    def check_success(self, world: World) -> bool:
        return world.released(*self.shoes.values()) and all(
            world.near(shoe.point("sole"), self.box.point(side), xy=0.05, z=0.015)
            and world.upright(shoe, 8)
            and world.aligned(shoe.point("sole")[:3, 1], LEFTWARD, 8)
            and world.touching(shoe, self.box)
            for side, shoe in self.shoes.items()
        )

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.shoes["left"], "B": self.box}
