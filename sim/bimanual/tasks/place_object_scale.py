"""Put the object on the kitchen scale.

Randomised: a mouse, stapler or bell and which scale, both positions on one side and headings. Success: the object lies
flat on the scale, within 3.5 cm of the plate's middle, and no gripper touches it.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks._pick_place import on_side, pick_place
from sim.bimanual.world import World


class PlaceObjectScale(Task):
    limit = 400
    differs = "poses in which object and scale would overlap are drawn anew"
    instructions = (
        "[put|place|set] {B} [on|onto] {A}[| with {a}| using {a}]",
        "[pick up|take|grab|lift] {B} [with {a} |]and [put|place|set] it on {A}",
        "use {a} to [put|place|set|move] {B} [on|onto] {A}",
        "weigh {B} [on|with] {A}[| and use {a}]",
        "[move|bring|carry] {B} onto {A}[| to weigh it]",
        "with {a} [lay|set|put] {B} on the plate of {A}",
        "how heavy is {B}? [put|set] it on {A}[| with {a}]",
        "{B} [has to go|belongs] on {A}[| and {a} shall put it there]",
        "{A} shall [weigh|carry] {B}: [put|set] it on the plate[| with {a}]",
        "[bring|carry|take] {B} to {A} and [leave|set] it on top",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, 0.25), (-0.2, 0.05), min_abs_x=0.02)
        kind = scene.choice(("mouse", "stapler", "bell"))
        self.thing = scene.add("thing", scene.instance(kind), spot, scene.uniform(-np.pi, np.pi))
        self.side: Side = side_of(self.thing)
        at = scene.sample_xy(on_side(self.side, 0.02, 0.25), (-0.2, 0.05), apart=0.15, avoid=[self.thing])
        self.scale = scene.add(
            "scale", scene.instance("electronic_scale"), at, scene.uniform(-np.pi, np.pi), clear=True
        )

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(self.thing, self.scale.point("top")[:3, 3], pre=0.06, touch=[self.scale])
        pick_place(robot, self.side, self.thing, goal, "top", lift=0.1)

    def check_success(self, world: World) -> bool:
        return (
            world.near(self.thing, self.scale.point("top"), xy=0.035, z=0.006)
            and world.upright(self.thing, 10)
            and world.on(self.thing, self.scale)
        )

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.scale, "B": self.thing, "a": self.side}
