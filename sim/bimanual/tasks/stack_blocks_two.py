"""Stack the green block on the red block at the centre.

Randomised: both block positions and headings. Success: the green block lies on the red one, both lie still and free
of the grippers near the centre.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _blocks
from sim.bimanual.world import World


class StackBlocksTwo(Task):
    limit = 800
    instructions = (
        "[pick up|take|grasp] {A} with {a} and [put|place|set] it at the center, then stack {B} on it with {b}",
        "[stack|put|place|set] {B} on top of {A}[| at the center of the table]",
        "[move|bring] {A} to the [middle|center] and [stack|put|place] {B} on [it|top of it]",
    )

    def load_actors(self, scene: Scene) -> None:
        self.blocks = _blocks.scatter(scene, ("red", "green"), half=0.025, from_center=0.15)
        scene.keep_out((0.0, -0.13), 0.12)
        self.sides = [side_of(b) for b in self.blocks]

    def expert(self, robot: Skills) -> None:
        _blocks.stack(robot, self.blocks, np.array([0.0, -0.13]))

    def check_success(self, world: World) -> bool:
        red, green = self.blocks
        return _blocks.stacked(world, [red, green], step=0.05)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.blocks[0], "B": self.blocks[1], "a": self.sides[0], "b": self.sides[1]}
