"""Lift the rolling pin with both arms, one at each end.

Randomised: the rolling pin, its position and heading. Success: both hands hold it level and at least 6 cm above the
table.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _dual_lift
from sim.bimanual.world import World

LEVEL = 15.0  # degrees between the roller's axis and the table
EDGE = 0.32  # metres; both ends lie on the table


class GrabRoller(Task):
    limit = 400
    differs = "poses with an end beyond the table's edge are drawn anew"
    instructions = (
        "[lift|raise|pick up] {A} [with both arms|with both hands|by both ends|by its two handles]",
        "[take|grab|hold] {A} at [both ends|its two ends] and [lift|raise] it[| up| off the table]",
        "[use|move] [both arms|both hands] to [lift|raise] {A}[| up| off the table]",
        "[lift|raise] {A} [off|from] the table, one end [in each hand|with each arm]",
    )

    def load_actors(self, scene: Scene) -> None:
        asset, yaw = scene.instance("roller"), scene.uniform(-0.8, 0.8)
        dy = asset.extents[0] / 2 * np.sin(abs(yaw))
        spot = scene.sample_xy((-0.15, 0.15), (-0.25, -0.05), accept=lambda _, y: abs(y) + dy < EDGE)
        self.roller = scene.add("roller", asset, spot, yaw, keep_out=0.1)

    def expert(self, robot: Skills) -> None:
        _dual_lift.take(robot, self.roller, "left_end", "right_end", 0.10)

    def check_success(self, world: World) -> bool:
        level = abs(float(self.roller.pose()[2, 0])) < np.sin(np.radians(LEVEL))
        return level and _dual_lift.held_up(world, self.roller, 0.06)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.roller}
