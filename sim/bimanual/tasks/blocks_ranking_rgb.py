"""Arrange the red, green and blue block in a row from left to right.

Randomised: size, positions and headings of the blocks; the row. Success: the blocks stand side by side in the order
red, green, blue, neighbours at most 13 cm apart and within 3 cm of one line, and no gripper touches them.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _blocks
from sim.bimanual.world import World


class BlocksRankingRgb(Task):
    limit = 1200
    differs = "no block starts within 9 cm of a place in the row"
    instructions = (
        "[arrange|line up|sort|put] {A}, {B} and {C} in a row from left to right",
        "[place|put|set] {A} on the left, {B} in the middle and {C} on the right[| in one row]",
        "[move|bring|carry] {A} with {a}, {B} with {b} and {C} with {c} into a row, from left to right",
        "[arrange|line up|sort] the three [blocks|cubes] side by side: red left, green in the middle, blue right",
        "[sort|order|arrange] the [blocks|cubes] in a row by color: red, green, blue from left to right",
        "[grasp|pick up|take] {A} with {a}, {B} with {b} and {C} with {c}, and line them up from left to right",
        "[form|make|build] a [row|line] that goes {A}, {B}, {C} from left to right",
        "[put|place|set] {B} to the right of {A} and {C} to the right of {B}, all in one row",
        "[with|using] {a}, {b} and {c} for {A}, {B} and {C}, [form|make] a row from left to right",
        "use {a} for {A}, {b} for {B} and {c} for {C} to [form|make] a row [|in this order, ]from left to right",
        "in a row, [put|place|set] {A} left with {a}, {B} in the middle with {b} and {C} right with {c}",
        "with {a}, {b} and {c} in turn, [arrange|line up|place] {A}, {B} and {C} side by side, left to right",
        "[put|place|set] the [blocks|cubes] side by side in a row: {A}, {B}, {C}, starting on the left",
        "from left to right, [arrange|place|line up] {A}, then {B}, then {C} side by side",
        "[have|let] {a}, {b} and {c} place {A}, {B} and {C} in a row, left to right",
        "let the order on the table be {A}, {B}, {C}, [read|counted] from left to right[| in a straight row]",
        "a straight row is wanted: {A} at the left end, {C} at the right end, {B} [between them|in between]",
        "[sort|rank] the three [blocks|cubes] by color, red first and blue last, [in a row|side by side]",
        "[bring|get] {A}, {B} and {C} into one line, [left to right|from the left to the right]",
    )

    def load_actors(self, scene: Scene) -> None:
        y = scene.uniform(-0.2, -0.1)
        xs = scene.uniform(-0.09, -0.08), scene.uniform(-0.01, 0.01), scene.uniform(0.08, 0.09)
        self.spots = [(x, y) for x in xs]
        half = scene.uniform(0.015, 0.025)
        self.blocks = _blocks.scatter(scene, ("red", "green", "blue"), half, from_center=0.10, free=self.spots)
        scene.keep_out_area((-0.18, 0.18), (y - 0.1, y + 0.1))
        self.sides = [side_of(b) for b in self.blocks]

    def expert(self, robot: Skills) -> None:
        _blocks.line_up(robot, self.blocks, self.spots)

    def check_success(self, world: World) -> bool:
        return _blocks.in_row(world, self.blocks)

    def slots(self) -> dict[str, Actor | str]:
        return {**dict(zip("ABC", self.blocks, strict=True)), **dict(zip("abc", self.sides, strict=True))}
