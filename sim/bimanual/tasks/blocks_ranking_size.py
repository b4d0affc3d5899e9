"""Arrange three blocks in a row from the largest on the left to the smallest on the right.

Randomised: colours, sizes, positions and headings of the blocks; the row. Success: the blocks stand side by side in
order of size, neighbours at most 13 cm apart and within 3 cm of one line, and no gripper touches them.
"""

from __future__ import annotations

from assets.objects.blocks import COLORS
from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _blocks
from sim.bimanual.world import World


class BlocksRankingSize(Task):
    limit = 1200
    differs = "no block starts within 9 cm of a place in the row"
    instructions = (
        "[arrange|line up|sort|put] the [blocks|cubes] in a row from largest to smallest, left to right",
        "[place|put|set] {A} on the left, {B} in the middle and {C} on the right[| in one row]",
        "[sort|order|arrange] {A}, {B} and {C} by size in a row, the largest on the left",
        "[arrange|line up|sort] the three [blocks|cubes] side by side by size, the [largest|biggest] on the left",
        "[move|bring|carry] {A} with {a}, {B} with {b} and {C} with {c} into a row, from left to right",
        "[form|make] a [row|line] of the [blocks|cubes] with the largest on the left and the smallest on the right",
        "[grasp|pick up|take] {A} with {a}, {B} with {b} and {C} with {c}, and line them up from left to right",
        "use {a} for {A}, {b} for {B} and {c} for {C} to [form|make] a row from [large to small|largest to smallest], "
        "left to right",
        "[with|using] {a}, {b} and {c} for {A}, {B} and {C}, [form|make] a row by size, largest on the left",
        "in a row, [put|place|set] {A} left with {a}, {B} in the middle with {b} and {C} right with {c}",
        "[put|place|set] {B} to the right of {A} and {C} to the right of {B}, all in one row",
        "with {a}, {b} and {c} in turn, [arrange|line up|place] {A}, {B} and {C} by size, the largest on the left",
        "from left to right, [arrange|place|line up] {A}, then {B}, then {C} side by side",
        "[sort|rank] the three [blocks|cubes] by size, the largest first, [in a row|side by side]",
        "make a row in which the [blocks|cubes] get smaller [from left to right|towards the right]",
        "the [biggest|largest] [block|cube] goes left, the smallest goes right, the third one in between",
        "[bring|get] {A}, {B} and {C} into one line, [largest|biggest] on the left",
    )

    def load_actors(self, scene: Scene) -> None:
        y = scene.uniform(-0.2, -0.1)
        xs = scene.uniform(-0.10, -0.09), scene.uniform(0.01, 0.02), scene.uniform(0.08, 0.09)
        self.spots = [(x, y) for x in xs]
        halves = scene.uniform(0.030, 0.033), scene.uniform(0.024, 0.027), scene.uniform(0.018, 0.021)
        colors = scene.order(sorted(COLORS), 3)
        self.blocks = _blocks.scatter(scene, colors, halves, from_center=0.10, free=self.spots)
        scene.keep_out_area((-0.19, 0.18), (y - 0.1, y + 0.1))
        self.sides = [side_of(b) for b in self.blocks]

    def expert(self, robot: Skills) -> None:
        _blocks.line_up(robot, self.blocks[::-1], self.spots[::-1])

    def check_success(self, world: World) -> bool:
        return _blocks.in_row(world, self.blocks)

    def slots(self) -> dict[str, Actor | str]:
        return {**dict(zip("ABC", self.blocks, strict=True)), **dict(zip("abc", self.sides, strict=True))}
