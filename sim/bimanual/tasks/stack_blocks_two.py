"""Stack the green block on the red block at the centre.

Randomised: both block positions and headings. Success: the green block lies on the red one, centred within 2.5 cm, at
the centre of the table, and no gripper touches them.
"""

from __future__ import annotations

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
        "[stack|put|place|set] {B} on top of {A} [at|in] the [center|middle] of the table",
        "[move|bring] {A} to the [middle|center] and [stack|put|place] {B} on [it|top of it]",
        "use {a} to [place|set] {A} in the [middle|center] and {b} to [place|set] {B} on top of it",
        "[build|make] a tower [at|in] the center with {A} at the bottom and {B} on top",
        "with {a} [move|bring] {A} to the center, and with {b} [lay|stack] {B} on it",
        "{A} goes to the [middle|center] of the table [using|with] {a}, {B} goes on top [using|with] {b}",
        "[put|stack] {B} on {A} after [moving|bringing] {A} to the [center|middle] of the table",
    )

    def load_actors(self, scene: Scene) -> None:
        self.blocks = _blocks.scatter(scene, ("red", "green"), half=0.025, from_center=0.15)
        scene.keep_out(_blocks.CENTER, 0.12)
        self.sides = [side_of(b) for b in self.blocks]

    def expert(self, robot: Skills) -> None:
        _blocks.stack(robot, self.blocks)

    def check_success(self, world: World) -> bool:
        return _blocks.stacked(world, self.blocks, step=0.05)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.blocks[0], "B": self.blocks[1], "a": self.sides[0], "b": self.sides[1]}
