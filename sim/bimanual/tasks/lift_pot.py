"""Lift the pot by its two handles, one with each arm.

Randomised: the pot, its position and heading. Success: each hand holds its handle, and the pot is level and at least
8 cm above the table.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _dual_lift
from sim.bimanual.world import World

HANDLES = {"left": "left_handle", "right": "right_handle"}
WIDTH = 0.036  # metres between the open fingers: one goes between the bar and the pot
NEAR = 0.03  # metres between the tool centre point and the handle, across its bar
LEVEL = 20.0  # degrees


class LiftPot(Task):
    limit = 400
    instructions = (
        "[lift|raise|pick up] {A} [with both arms|with both hands|by both handles|by its two handles]",
        "[take|grab|hold] {A} by [both|its two] handles and [lift|raise] it[| up| off the table]",
        "[use|move] [both arms|both hands] to [lift|raise] {A}[| up| off the table]",
        "[lift|raise] {A} [off|from] the table, one handle [in each hand|with each arm]",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.05, 0.05), (-0.05, 0.05))
        yaw = scene.uniform(-np.pi / 8, np.pi / 8)
        self.pot = scene.add("pot", scene.instance("kitchen_pot"), spot, yaw, keep_out=0.1)

    def expert(self, robot: Skills) -> None:
        _dual_lift.take(robot, self.pot, HANDLES["left"], HANDLES["right"], 0.12, WIDTH)

    def check_success(self, world: World) -> bool:
        at_handles = all(self._distance(world, side) < NEAR for side in HANDLES)
        return at_handles and world.upright(self.pot, LEVEL) and _dual_lift.held_up(world, self.pot, 0.08)

    def _distance(self, world: World, side: str) -> float:
        """Metres between a hand and the nearest grasp point of its handle."""
        points = [self.pot.grasp_pose(g)[:3, 3] for g in self.pot.asset.grasps_in(HANDLES[side])]
        return float(np.linalg.norm(np.array(points) - world.tcp(side)[:3, 3], axis=1).min())

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.pot}
