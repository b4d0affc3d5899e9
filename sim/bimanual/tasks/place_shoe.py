"""Place the shoe on the blue mat with its tip to the left.

Randomised: which shoe, its position and heading. Success: the shoe stands on the mat, within 5 cm of its middle
sideways and 2 cm in depth, its tip to the left within 8 degrees, and no gripper touches it.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _mats
from sim.bimanual.tasks._pick_place import pick_place
from sim.bimanual.world import World


class PlaceShoe(Task):
    limit = 500
    instructions = (
        "[put|place|set|stand] {A} on the [blue |]mat with its [tip|toe] to the left[| using {a}]",
        "[pick up|take|grab|lift] {A} [with {a} |]and [put|place|set] it on the mat, [tip|toe] to the left",
        "use {a} to [put|place|set|move] {A} onto the [blue |]mat so that it points to the left",
        "[move|bring|carry] {A} onto the mat and [point|turn] its [tip|toe] to the left",
        "with {a} [set|put|stand] {A} on the blue mat, [toe|tip] on the left",
        "{A} belongs on the mat with the [tip|toe] pointing left[| and {a} shall put it there]",
        "[stand|set] {A} on the mat, pointing left[| with {a}]",
    )

    def load_actors(self, scene: Scene) -> None:
        self.mat = _mats.lay_mat(scene, (0.13, 0.05), (0.0, -0.08), color="blue", keep_out=0.08)
        spot = scene.sample_xy((-0.25, 0.25), (-0.1, 0.05), apart=0.15, avoid=[(0.0, 0.0)])
        self.shoe = scene.add("shoe", scene.instance("shoe"), spot, scene.uniform(-np.pi, np.pi))
        self.side: Side = side_of(self.shoe)

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(
            self.shoe, self.mat.point("top"), "sole", yaw=[np.pi / 2], pre=0.08, touch=[self.mat, "table"]
        )
        pick_place(robot, self.side, self.shoe, goal, lift=0.08)

    def check_success(self, world: World) -> bool:
        toe = self.shoe.pose()[:3, 1]
        return world.aligned(toe, np.array([-1, 0, 0]), 8) and _mats.lies_on(world, self.shoe, self.mat, 0.05, 0.02)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.shoe, "a": self.side}
