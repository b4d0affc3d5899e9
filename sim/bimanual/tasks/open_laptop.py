"""Open the lid of the laptop.

Randomised: the laptop, its position and heading; the arm follows from the heading. Success: the lid stands open by at
least 40 % of its range and the working hand holds it at its front edge.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side
from sim.bimanual.skills import Skills, Turn
from sim.bimanual.task import Task
from sim.bimanual.world import World
from twinloom.transforms import inverse

OPEN = 0.4  # fraction of the hinge's range
REACH = 0.05  # metres between the tool centre point and the lid's front edge


class OpenLaptop(Task):
    limit = 700
    instructions = (
        "[open|unfold|flip open|open up] {A} [with|using] {a}",
        "[open|unfold|open up|flip open] {A}[| now| on the table]",
        "[lift|raise] the [lid|screen] of {A}[| with {a}| until it is open]",
        "[use|move] {a} to [open|unfold|open up] {A}",
        "[take|grab|pinch] the [edge|lid] of {A} [with {a} |]and [open it|lift it up]",
        "[make|get] {A} ready for use by [opening|lifting] its lid[| with {a}]",
        "{A} is closed, [open it|lift its lid][| with {a}| using {a}]",
        "[swing|raise|turn] the lid of {A} up[| with {a}]",
        "with {a} [open|unfold] {A}",
        "let {a} [open|unfold|flip open] {A}",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.05, 0.05), (-0.1, 0.05))
        yaw = scene.uniform(-np.pi / 3, np.pi / 3)
        self.laptop = scene.add("laptop", scene.instance("laptop"), spot, yaw, mode="fixed", keep_out=0.08)
        self.side: Side = "left" if yaw < 0 else "right"  # the arm that the front edge looks to

    def expert(self, robot: Skills) -> None:
        robot.do(robot.grasp(self.side, self.laptop, "lid", lift=0.0, then=[Turn(self.laptop, "lid", 0.5)]))
        robot.do(robot.turn_joint(self.side, self.laptop, "lid", 0.5))

    def check_success(self, world: World) -> bool:
        _, y, z = (inverse(self.laptop.point("lid_edge")) @ world.tcp(self.side))[:3, 3]  # x runs along the edge
        at_edge = float(np.hypot(y, z)) < REACH and world.touched_by(self.laptop, self.side)
        return self.laptop.joint_fraction("lid") > OPEN and at_edge

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.laptop, "a": self.side}
