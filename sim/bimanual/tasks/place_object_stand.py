"""Place the object on the display stand.

Randomised: which object and stand, side, both positions and headings. Success: the object stands on top of the stand,
within 3 cm of its middle in x and y, and no gripper touches it.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks._pick_place import SIGN, pick_place
from sim.bimanual.world import World

THINGS = ("mouse", "stapler", "bell", "rubiks_cube", "toy_car", "remote_control")


class PlaceObjectStand(Task):
    limit = 400
    instructions = (
        "[put|place|set] {A} [on|onto] {B}[| with {a}| using {a}]",
        "[pick up|take|grab|lift] {A} [with {a} |]and [put|place|set] it on {B}",
        "use {a} to [put|place|set|move] {A} [on|onto] {B}",
        "[display|show|present] {A} on {B}[| using {a}]",
        "[move|bring|carry] {A} onto {B}[| to show it]",
        "with {a} [lay|set|put] {A} on top of {B}",
        "{A} belongs on {B}, [put|set] it there[| with {a}]",
        "{B} is for {A}: [put|set|place] it on top[| with {a}]",
        "[take|carry] {A} to {B} and [leave|set] it on top[| using {a}]",
    )

    def load_actors(self, scene: Scene) -> None:
        self.side: Side = scene.side()
        sign = SIGN[self.side]
        spot = (sign * scene.uniform(0.2, 0.28), scene.uniform(-0.05, 0.05))
        turn = np.pi / 3
        self.thing = scene.add("thing", scene.instance(scene.choice(THINGS)), spot, scene.uniform(-turn, turn))
        at = (sign * scene.uniform(0.0, 0.05), scene.uniform(-0.15, -0.1))
        self.stand = scene.add("stand", scene.instance("display_stand"), at, scene.uniform(-np.pi / 6, np.pi / 6))

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(self.thing, self.stand.point("inside")[:3, 3], pre=0.06, touch=[self.stand])
        pick_place(robot, self.side, self.thing, goal, "top", lift=0.1)

    def check_success(self, world: World) -> bool:
        dx, dy, dz = world.offset(self.thing, self.stand.point("inside"))
        on_top = bool(abs(dx) < 0.03 and abs(dy) < 0.03 and abs(dz) < 0.006)
        return on_top and world.upright(self.thing, 10) and world.on(self.thing, self.stand)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.thing, "B": self.stand, "a": self.side}
