"""Place the bowl or cup on the plate.

Randomised: kind of container and plate, side, both positions, heading. Success: the container stands upright on the
plate's centre, released.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World


class PlaceContainerPlate(Task):
    limit = 400
    side: Side
    instructions = (
        "[put|place|set] {B} [on|onto] {A}[| with {a}| using {a}]",
        "[pick up|take|grab|lift] {B}[| with {a}] and [put|place|set] it [on|onto|on top of] {A}",
        "use {a} to [put|place|set|move] {B} [on|onto] {A}",
    )

    def load_actors(self, scene: Scene) -> None:
        side = scene.side()
        sign = -1 if side == "left" else 1
        spot = (sign * scene.uniform(0.2, 0.28), scene.uniform(-0.1, 0.05))
        container = scene.instance(scene.choice(("bowl", "cup")))
        self.container = scene.add("container", container, spot, scene.uniform(-0.5, 0.5))
        center = (sign * 0.02 + scene.uniform(-0.03, 0.03), scene.uniform(-0.15, -0.1))
        self.plate = scene.add("plate", scene.instance("plate"), center, mode="static")
        self.side = side_of(self.container)

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(
            self.container, self.plate.point("inside"), pre=0.10, above=0.004, touch=[self.plate, "table"]
        )
        robot.do(robot.grasp(self.side, self.container, "rim", then=[goal]))
        robot.do(robot.lift(self.side, 0.10))
        robot.do(robot.place(self.side, goal))

    def check_success(self, world: World) -> bool:
        return (
            world.near(self.container, self.plate.point("inside"), xy=0.05, z=0.015)
            and world.upright(self.container, 10)
            and world.on(self.container, self.plate)
        )

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.plate, "B": self.container, "a": self.side}
