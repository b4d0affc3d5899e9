"""Stack the green block on the red block and the blue block on the green one at the centre.

Randomised: positions and headings of the three blocks. Success: each block lies on the one below it, centred within
2.5 cm, the tower stands at the centre of the table, and no gripper touches it.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _blocks
from sim.bimanual.world import World


class StackBlocksThree(Task):
    limit = 1200
    instructions = (
        "[place|put|set] {A} at the [center|middle], [stack|put] {B} on it and [stack|put] {C} on top",
        "[build|make] a tower at the [center|middle] of the table from {A}, {B} and {C}, bottom to top",
        "[pick up|take|grasp] {A} with {a} and set it at the center, add {B} with {b}, then {C} with {c}",
        "use {a} for {A}, {b} for {B} and {c} for {C} to [build|make] a tower in the [center|middle], in this order",
        "in the [center|middle] of the table, stack {C} on {B} and {B} on {A}",
        "[move|bring] {A} to the center with {a}, [stack|lay] {B} on it with {b}, and [stack|lay] {C} on {B} with {c}",
        "[stack|pile up] the three [blocks|cubes] at the [center|middle]: red at the bottom, green next, blue on top",
        "[put|place|set] {B} on {A} and {C} on {B}, [at|in] the [center|middle] of the table",
        "with {a} [move|bring] {A} to the middle, with {b} put {B} on top, and with {c} [finish|complete] it with {C}",
        "[from bottom to top|from the table up], the tower in the middle is {A}, {B}, {C}",
        "[put|stack] {C} on {B}, {B} on {A}, and {A} in the [center|middle] of the table",
        "[use|take] {A} as the base of a tower in the middle, then add {B}, then {C}",
        "{A} is the base, {B} goes on it, {C} [goes|belongs] on top: [build|make] this tower in the middle",
    )

    def load_actors(self, scene: Scene) -> None:
        self.blocks = _blocks.scatter(scene, ("red", "green", "blue"), half=0.025, from_center=0.15)
        scene.keep_out(_blocks.CENTER, 0.12)
        self.sides = [side_of(b) for b in self.blocks]

    def expert(self, robot: Skills) -> None:
        _blocks.stack(robot, self.blocks)

    def check_success(self, world: World) -> bool:
        return _blocks.stacked(world, self.blocks, step=0.05)

    def slots(self) -> dict[str, Actor | str]:
        return {**dict(zip("ABC", self.blocks, strict=True)), **dict(zip("abc", self.sides, strict=True))}
