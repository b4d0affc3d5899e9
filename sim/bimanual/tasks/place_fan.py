"""Place the fan on the coloured mat so that it blows towards the robot.

Randomised: which fan, the mat's colour, both positions on one side, the fan's heading. Success: the fan stands upright
on the mat, within 4 cm of its middle in x and y, facing the robot within 6 degrees, and no gripper touches it.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _mats
from sim.bimanual.tasks._pick_place import on_side, pick_place
from sim.bimanual.world import World


class PlaceFan(Task):
    limit = 400
    instructions = (
        "[put|place|set] {A} on {B} [with {a} |]so that it [faces|blows at] the robot",
        "[pick up|take|grab|lift] {A} and [put|stand] it on {B}, [facing|blowing towards] the robot",
        "use {a} to [put|place|set|stand] {A} on {B} with its front [to|towards] the robot",
        "[move|bring|carry] {A} onto {B} and [turn it to|let it] face the robot",
        "{A} goes on {B}, [facing|pointing at] the robot[| using {a}]",
        "with {a} [stand|set|put] {A} on {B} and point it at the robot",
        "the robot wants [air|some wind], so [put|stand] {A} on {B} facing it[| with {a}]",
        "let {A} blow [at|towards] the robot from {B}[| and use {a} for it]",
        "[set|place|put] {A} up on {B}, its front [to|towards] the robot[| with {a}]",
        "{A} should [stand|be] on {B} and [blow at|face] the robot",
        "[carry|bring|take] {A} to {B} and [point|turn] it at the robot[| with {a}]",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = (scene.uniform(-0.1, 0.1), scene.uniform(-0.15, -0.05))
        self.fan = scene.add("fan", scene.instance("fan"), spot, scene.uniform(-np.pi, np.pi), keep_out=0.08)
        self.side: Side = side_of(self.fan)
        at = scene.sample_xy(on_side(self.side, 0.15, 0.25), (-0.15, -0.05), apart=0.1, avoid=[self.fan])
        self.mat = _mats.lay_mat(scene, (0.05, 0.05), at, keep_out=0.08)

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(self.fan, self.mat.point("top"), "bottom", yaw="aligned", pre=0.05, touch=[self.mat, "table"])
        pick_place(robot, self.side, self.fan, goal)

    def check_success(self, world: World) -> bool:
        front = -self.fan.pose()[:3, 1]
        return world.aligned(front, np.array([0, -1, 0]), 6) and _mats.lies_on(world, self.fan, self.mat, 0.04, 0.04)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.fan, "B": self.mat, "a": self.side}
