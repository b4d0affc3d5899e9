"""Put two cans into the plastic box, one with each arm.

Randomised: box, cans, their positions. Success: both cans rest inside the box, released, and the box stands upright.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World


class PlaceCansPlasticbox(Task):
    limit = 800
    instructions = (
        "[put|place|drop] [both cans|the two cans|the cans] [into|in] {B}",
        "[put|place|set] {A} and {C} [into|in|inside] {B}",
        "[pick up|grab|take] {A} and {C} and [put|place|set] [both|them] [into|in] {B}",
        "[pick up|take] {A} with the left arm and {C} with the right arm and [put|place] [both|them] [into|in] {B}",
        "[move|collect|gather] [the cans|both cans|{A} and {C}] [into|inside] {B}",
    )

    def load_actors(self, scene: Scene) -> None:
        center = (0.0, scene.uniform(-0.15, -0.1))
        self.box = scene.add("box", scene.instance("plastic_box"), center, keep_out=0.08)
        self.cans = [
            scene.add(
                f"{side}_can",
                scene.instance("can"),
                (sign * scene.uniform(0.15, 0.25), scene.uniform(-0.15, -0.07)),
                scene.uniform(-3.1, 3.1),
                clear=True,
            )
            for side, sign in (("left", -1), ("right", 1))
        ]

    def expert(self, robot: Skills) -> None:
        left, right = self.cans
        goals = [
            robot.goal(can, self.box.point(half), pre=0.14, above=0.02, touch=[self.box, other])
            for can, half, other in ((left, "left", right), (right, "right", left))
        ]
        robot.do(
            robot.grasp("left", left, "top", "side", then=[goals[0]], prefer=(0, 0, -1)),
            robot.grasp("right", right, "top", "side", then=[goals[1]], prefer=(0, 0, -1)),
        )
        robot.do(robot.lift("left", 0.15), robot.lift("right", 0.15))
        robot.do(robot.place("left", goals[0], retreat=0.14))
        robot.do(robot.home("left"))
        robot.do(robot.place("right", goals[1], retreat=0.14))

    def check_success(self, world: World) -> bool:
        return (
            all(world.inside(can, self.box, margin=0.01) for can in self.cans)
            and all(world.touching(can, self.box) for can in self.cans)
            and world.upright(self.box, 10)
            and world.released(*self.cans, self.box)
        )

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.cans[0], "B": self.box, "C": self.cans[1]}
