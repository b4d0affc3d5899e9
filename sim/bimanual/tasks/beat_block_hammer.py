"""Grab the hammer and beat the red block with it.

Randomised: the hammer, position and heading of the block. Success: the hammer's face, held by a hand, came down from at
least 3 cm above the block, and touches its top within 2 cm of the middle in x and y, facing down.
"""

from __future__ import annotations

import numpy as np

from assets.objects.blocks import COLORS
from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.spec import BlockSpec
from sim.bimanual.task import Task
from sim.bimanual.world import World

SIDES: tuple[Side, Side] = ("left", "right")


class BeatBlockHammer(Task):
    limit = 400
    differs = "no block starts under the hammer"
    instructions = (
        "[pick up|grab|take] {A} and [beat|hit|strike] the [red block|block]",
        "[pick up|grab|take] {A} with {a} and [beat|hit|strike] the red block with it",
        "use {a} to [beat|hit|strike] the block with {A}",
        "[beat|hit|strike|knock on] the red block with {A}",
        "[lift|raise] {A} and bring it down on the [red block|block]",
        "with {a} [lift|swing] {A} and hit the top of the red block",
        "[grasp|seize] {A} by the handle[| with {a}] and knock on the block",
        "let {a} [knock|beat] on the red block with {A}",
        "[hammer|hit] the top of the block using {A}[| in {a}]",
        "the red block needs a blow: [take|grab] {A} and hit it[| using {a}]",
        "[get|take] {A} off the table and [tap|strike] the block on its top",
        "with {A}, give the red block a [blow|knock][| from above]",
        "[swing|bring] {A} down [onto|on] the red [block|cube][| with {a}]",
        "[use|take] {A} to give the red [block|cube] [one knock|a tap]",
        "the red [block|cube] should be [hit|struck] by {A}[| held in {a}]",
    )

    def load_actors(self, scene: Scene) -> None:
        self.hammer = scene.add("hammer", scene.instance("hammer"), (0.0, -0.06), keep_out=0.10)
        half_x, half_y = np.asarray(self.hammer.asset.extents[:2]) / 2

        def beside(x: float, y: float) -> bool:
            return abs(x) > half_x + 0.045 or abs(y + 0.06) > half_y + 0.06

        spot = scene.sample_xy((-0.25, 0.25), (-0.05, 0.15), min_abs_x=0.05, accept=beside)
        spec = BlockSpec((0.025, 0.025, 0.025), (*COLORS["red"], 1.0))
        self.block = scene.add_block("block", spec, spot, scene.uniform(-0.5, 0.5), mode="static", keep_out=0.08)
        self.side: Side = side_of(self.block)
        self.raised = False

    def expert(self, robot: Skills) -> None:
        # a little into the block, so that the face surely meets it
        goal = robot.goal(self.hammer, self.block.point("top"), "face", pre=0.07, above=-0.004, touch=[self.block])
        robot.do(robot.grasp(self.side, self.hammer, "handle", then=[goal]))
        robot.do(robot.lift(self.side, 0.08))
        robot.do(robot.place(self.side, goal, release=False))

    def observe(self, world: World) -> None:
        above = float(world.offset(self.hammer.point("face"), self.block.point("top"))[2])
        self.raised |= above > 0.03 and self._held(world)

    def check_success(self, world: World) -> bool:
        face, top = self.hammer.point("face"), self.block.point("top")
        dx, dy, dz = world.offset(face, top)
        hit = max(abs(dx), abs(dy)) < 0.02 and abs(dz) < 0.01 and world.touching(self.hammer, self.block)
        return self.raised and hit and world.aligned(face[:3, 2], top[:3, 2], 20) and self._held(world)

    def _held(self, world: World) -> bool:
        return any(world.held_by(self.hammer, side) for side in SIDES)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.hammer, "a": self.side}
