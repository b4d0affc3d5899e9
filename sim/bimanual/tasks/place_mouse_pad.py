"""Place the computer mouse on the coloured mat, along the mat.

Randomised: which mouse, the mat's colour, both positions on one side, the mouse's heading. Success: the mouse lies flat
on the mat, within 1.5 cm of its middle sideways and 1.2 cm lengthways, along it within 10 degrees either way round, and
no gripper touches it.
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


class PlaceMousePad(Task):
    limit = 400
    instructions = (
        "[put|place|set|lay] {A} [on|in the middle of] {B}, [lined up|aligned] with it",
        "[pick up|take|grab|lift] {A} [with {a} |]and [put|place|lay] it on {B}, along its long side",
        "[move|bring|carry] {A} to the [middle|center] of {B}[| with {a}] and line it up with the mat",
        "use {a} to [put|place|set|center] {A} [straight|lengthways] on {B}",
        "{A} belongs [straight on|lengthways on] {B}, [put|place] it there[| using {a}]",
        "with {a} [put|lay|center] {A} on {B}, straight along the mat",
        "center {A} on {B} so that both point the same way",
        "{A} should [lie|be] in the middle of {B}, [lengthways|lined up with it]",
        "[carry|take] {A} to {B} and [lay|set] it down straight[| with {a}]",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, 0.25), (-0.2, 0.0), min_abs_x=0.05)
        self.mouse = scene.add("mouse", scene.instance("mouse"), spot, scene.uniform(-np.pi, np.pi))
        self.side: Side = side_of(self.mouse)
        at = scene.sample_xy(on_side(self.side, 0.05, 0.25), (-0.2, 0.0), apart=0.1, avoid=[self.mouse])
        self.mat = _mats.lay_mat(scene, (0.035, 0.065), at)

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(self.mouse, self.mat.point("top"), yaw="half", pre=0.06, touch=[self.mat, "table"])
        pick_place(robot, self.side, self.mouse, goal)

    def check_success(self, world: World) -> bool:
        straight = _mats.along(world, self.mouse, (0, 1, 0), 10)
        return straight and _mats.lies_on(world, self.mouse, self.mat, x=0.015, y=0.012)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.mouse, "B": self.mat, "a": self.side}
