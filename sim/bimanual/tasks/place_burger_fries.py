"""Pick up burger and fries together and put both on the tray.

Randomised: tray, burger, fries, positions. Success: burger and fries rest upright on their halves of the
tray, released.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World


class PlaceBurgerFries(Task):
    limit = 500
    instructions = (
        "[put|place|set|serve] {A} and {C} on {B}[| together]",
        "[pick up|take|grab] {A} and {C} and [put|place|set|serve] [them|both] on {B}",
        "[pick up|take] {A} with the left arm and {C} with the right arm and [put|place|set] [them|both] on {B}",
        "[bring|carry|move] {A} and {C} [to|onto] {B}[| at the same time]",
        "[serve|prepare|arrange] {A} [and|together with|next to] {C} on {B}",
        "[serve|bring|place] a meal on {B}: {A} and {C}[| at the same time| with both arms]",
        "{A} [belongs|goes] on {B}, and so does {C}[|: use both arms]",
        "[take|grab] {A} in the left hand and {C} in the right hand and [set|put] both on {B}",
        "[lift|pick up] {A} and {C} at once and [put|lay|set] them on {B}",
    )

    def load_actors(self, scene: Scene) -> None:
        center = (0.0, scene.uniform(-0.15, -0.1))
        self.tray = scene.add("tray", scene.instance("tray"), center, mode="static", keep_out=0.06)
        spot = (scene.uniform(-0.3, -0.25), scene.uniform(-0.15, -0.07))
        self.burger = scene.add("burger", scene.instance("hamburger"), spot, clear=True)
        spot = (scene.uniform(0.2, 0.3), scene.uniform(-0.15, -0.07))
        self.fries = scene.add("fries", scene.instance("french_fries"), spot, clear=True)

    def expert(self, robot: Skills) -> None:
        pairs: dict[Side, Actor] = {"left": self.burger, "right": self.fries}
        goals = {
            side: robot.goal(food, self.tray.point(side), pre=0.10, above=0.004, touch=[self.tray])
            for side, food in pairs.items()
        }
        robot.do(*(robot.grasp(side, food, then=[goals[side]]) for side, food in pairs.items()))
        robot.do(robot.lift("left", 0.10), robot.lift("right", 0.10))
        robot.do(robot.place("left", goals["left"]))
        robot.do(robot.home("left"))
        robot.do(robot.place("right", goals["right"]))

    def check_success(self, world: World) -> bool:
        return (
            world.near(self.burger, self.tray.point("left"), xy=0.08, z=0.02)
            and world.near(self.fries, self.tray.point("right"), xy=0.08, z=0.02)
            and world.upright(self.burger, 15)
            and world.upright(self.fries, 15)
            and world.on(self.burger, self.tray)
            and world.on(self.fries, self.tray)
        )

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.burger, "B": self.tray, "C": self.fries}
