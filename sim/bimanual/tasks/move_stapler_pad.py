"""Move the stapler onto the coloured mat, along the mat.

Randomised: which stapler, the mat's colour, both positions on one side, the stapler's heading. Success: the stapler
lies flat on the mat, within 2 cm of its middle in x and y, along it within 5 degrees either way round, and no gripper
touches it.
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


class MoveStaplerPad(Task):
    limit = 400
    instructions = (
        "[move|bring|carry] {A} [with {a} |]onto {B}, [aligned|lined up] with it",
        "[pick up|take|grab|lift] {A} and [put|place|set] it on {B}, along its long side",
        "use {a} to [put|place|set|move] {A} [lengthways on|onto the middle of] {B}, aligned with the mat",
        "[put|place|lay] {A} [straight|lengthways] in the middle of {B}[| with {a}]",
        "{A} goes on {B}, aligned with the mat[| using {a}]",
        "with {a} [grab|take|lift] {A} and line it up on {B}",
        "align {A} with {B} and [leave it there|set it down on it]",
        "[transfer|shift] {A} to {B} [with {a} |]so that it lies along the mat",
        "have {a} [pick up|fetch|get] {A} and [lay|set] it along {B}",
        "[set|lay|put] {A} down on {B} so that both [point the same way|are in line][| with {a}]",
        "let {A} lie [straight|lengthways] on {B}[| and use {a} for it]",
        "[carry|move|bring] {A} to {B} and [turn|line] it up with the mat",
        "{B} is the place for {A}: [put|lay] it there, along the mat",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, 0.25), (-0.2, 0.0), min_abs_x=0.05)
        self.stapler = scene.add("stapler", scene.instance("stapler"), spot, scene.uniform(-np.pi, np.pi))
        self.side: Side = side_of(self.stapler)
        at = scene.sample_xy(on_side(self.side, 0.05, 0.25), (-0.2, 0.0), apart=0.1, avoid=[self.stapler])
        self.mat = _mats.lay_mat(scene, (0.055, 0.03), at)

    def expert(self, robot: Skills) -> None:
        lengthways = (np.pi / 2, -np.pi / 2)
        goal = robot.goal(self.stapler, self.mat.point("top"), yaw=lengthways, pre=0.06, touch=[self.mat, "table"])
        pick_place(robot, self.side, self.stapler, goal, "top")

    def check_success(self, world: World) -> bool:
        straight = _mats.along(world, self.stapler, (1, 0, 0), 5)
        return straight and _mats.lies_on(world, self.stapler, self.mat, x=0.02, y=0.02)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.stapler, "B": self.mat, "a": self.side}
