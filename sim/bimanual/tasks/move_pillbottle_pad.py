"""Place the pill bottle on the pad.

Randomised: the bottle, its position and heading, the position of the blue pad on the same side. Success: the bottle
stands upright on the pad, within 3 cm of its middle in x and y, and no gripper touches it.
"""

from __future__ import annotations

import numpy as np

from assets.objects.blocks import COLORS
from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.spec import BlockSpec
from sim.bimanual.task import Task
from sim.bimanual.world import World


class MovePillbottlePad(Task):
    limit = 400
    instructions = (
        "[place|put|set] {A} on {B}",
        "[pick up|grab|take] {A} with {a} and [place|put|set] it on {B}",
        "[move|bring|carry] {A} onto {B}[| and let it stand there]",
        "use {a} to [move|bring|carry] {A} onto {B}",
        "{A} belongs on {B}, [put|move] it there",
        "[lift|grasp] {A} using {a} and [set it down|stand it] in the middle of {B}",
        "let {A} stand [upright|] on {B}",
        "with {a} [stand|place|put] {A} upright on {B}",
        "[transfer|shift] {A} from the table to {B}[| with {a}]",
        "[pick up|grab|take] {A} and [stand|place] it upright on {B}",
        "have {a} [pick up|grab] {A} and [release|leave] it on {B}",
        "[take|get] {A} and [set|stand] it down on {B}",
        "let {a} [put|place|set] {A} onto {B}",
        "[put|place|set] {A} upright [onto|in the middle of] {B}",
        "{B} is where {A} should [stand|go]",
        "[place|put|stand] {A} on the middle of {B}[| with {a}| using {a}]",
        "{A} should [stand|be|end up] on {B}[| upright]",
        "[grab|take|lift] {A} off the table and [stand|put] it on {B}",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, 0.25), (-0.1, 0.1), min_abs_x=0.05)
        self.bottle = scene.add("pill_bottle", scene.instance("pill_bottle"), spot, scene.uniform(-np.pi, np.pi))
        self.side: Side = side_of(self.bottle)
        x = (-0.25, -0.05) if self.side == "left" else (0.05, 0.25)
        pad = BlockSpec((0.04, 0.04, 0.0005), (*COLORS["blue"], 1.0), "pad")
        at = scene.sample_xy(x, (-0.2, 0.1), apart=0.1, avoid=[self.bottle])
        self.pad = scene.add_block("pad", pad, at, mode="static", keep_out=0.06)

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(self.bottle, self.pad.point("top"), "bottom", pre=0.06, touch=[self.pad, "table"])
        robot.do(robot.grasp(self.side, self.bottle, then=[goal]))
        robot.do(robot.lift(self.side, 0.06))
        robot.do(robot.place(self.side, goal))

    def check_success(self, world: World) -> bool:
        dx, dy, dz = world.offset(self.bottle.point("bottom"), self.pad.point("top"))
        centred = max(abs(dx), abs(dy)) < 0.03 and abs(dz) < 0.005
        return centred and world.upright(self.bottle, 10) and world.on(self.bottle, self.pad)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.bottle, "B": self.pad, "a": self.side}
