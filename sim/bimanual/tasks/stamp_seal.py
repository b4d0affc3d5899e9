"""Stamp the seal on the coloured square.

Randomised: which seal, the square's colour, both positions on one side, the seal's heading. Success: the seal stands
upright on the square, within 1 cm of its middle in x and y, and no gripper touches it.
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


class StampSeal(Task):
    limit = 400
    instructions = (
        "stamp [the middle of |]{B} with {A}[| using {a}] and [leave it standing there|let go of it]",
        "[pick up|take|grab|lift] {A} [with {a} |]and [stamp it on|press it onto] {B}",
        "use {a} to [stamp|put|place|set] {A} [on|in the middle of] {B}",
        "[put|place|set|stand] {A} upright [on|in the center of] {B}[| with {a}]",
        "with {a} [take|grab|lift] {A} and stamp {B}",
        "let {A} stand on {B} [as if stamping it|like a stamp]",
        "[move|bring|carry] {A} to {B} and stamp the square with it",
        "[stamp|mark] {B} with {A}[| and leave the seal on it]",
        "have {a} [pick up|fetch] {A} and [stamp|set it on] {B}",
        "[carry|bring|take] {A} to {B} and [stand|leave] it in the middle[| with {a}]",
        "{A} should [stand|end up] in the middle of {B}[| as a stamp]",
        "[make|put] a stamp on {B} [with|using] {A}[| and {a}]",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, 0.25), (-0.05, 0.05), min_abs_x=0.05)
        self.seal = scene.add("seal", scene.instance("seal"), spot, scene.uniform(-np.pi, np.pi))
        self.side: Side = side_of(self.seal)
        at = scene.sample_xy(on_side(self.side, 0.05, 0.25), (-0.05, 0.05), apart=0.1, avoid=[self.seal])
        self.square = _mats.lay_mat(scene, (0.035, 0.035), at, noun="square")

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(self.seal, self.square.point("top"), "bottom", above=0.002, touch=[self.square, "table"])
        pick_place(robot, self.side, self.seal, goal, "top")

    def check_success(self, world: World) -> bool:
        return _mats.lies_on(world, self.seal, self.square, x=0.01, y=0.01)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.seal, "B": self.square, "a": self.side}
