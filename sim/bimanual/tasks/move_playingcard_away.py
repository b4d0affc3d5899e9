"""Move the box of playing cards outward, away from the centre.

Randomised: which box, side, position and heading. Success: the box lies flat on the table more than 23 cm off the
midline, on the side where it was, and no gripper touches it.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks._pick_place import SIGN, pick_place
from sim.bimanual.world import World

AWAY = 0.32  # metres off the midline where the expert puts the box


class MovePlayingcardAway(Task):
    limit = 400
    instructions = (
        "[move|bring|carry] {A} away from the [center|middle] of the table[| with {a}]",
        "[pick up|take|grab|lift] {A} [with {a} |]and [move|put|place] it [farther out|away from the center]",
        "use {a} to [move|shift|bring] {A} [outward|to the outside|away from the center]",
        "clear the [center|middle] of the table by [moving|taking] {A} to the {C}[| with {a}]",
        "[put|set|place] {A} [far out|far away from the middle] on the {C}",
        "with {a} [take|move] {A} to the {C}, away from the center",
        "[move|shift|slide] {A} [|far ]to the {C} of the table[| using {a}]",
        "{A} is too near the middle, [move|put] it to the {C}",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy([(-0.1, -0.05), (0.05, 0.1)], (-0.2, 0.05))
        cards = scene.instance("playing_cards")
        self.cards = scene.add("cards", cards, spot, scene.uniform(-np.pi, np.pi))
        self.side: Side = side_of(self.cards)
        scene.keep_out_area((-0.6, 0.6), (-0.3, 0.1))

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(self.cards, [SIGN[self.side] * AWAY, self.cards.position[1], robot.world.table_z], pre=0.04)
        pick_place(robot, self.side, self.cards, goal, lift=0.04)

    def check_success(self, world: World) -> bool:
        lying = world.upright(self.cards, 10) and abs(world.height(self.cards)) < 0.006
        outside = bool(SIGN[self.side] * self.cards.position[0] > 0.23)
        return outside and lying and world.on(self.cards, "table")

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.cards, "C": f"{self.side} side", "a": self.side}
