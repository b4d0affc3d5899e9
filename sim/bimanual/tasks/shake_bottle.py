"""Pick up the bottle and shake it.

Randomised: the bottle, its position and heading. Success: while a hand held it clear of the table, the top of the
bottle went back and forth with at least three reversals between strokes of 6 cm in 0.4 s; it is still held.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _bottles
from sim.bimanual.tasks._bottles import SIGN, Shaking
from sim.bimanual.world import World
from twinloom.transforms import pose, rotation_about

REVERSALS = 3
TILT = 0.9  # radians to either side


class ShakeBottle(Task):
    limit = 700
    carry_speed = 2.0  # shaking is quick motion
    instructions = (
        "[pick up|grab|lift] {A} and shake it",
        "[pick up|grab|take] {A} with {a} and shake it [back and forth|well|from side to side]",
        "[lift|raise] {A} off the table and [shake it|give it a good shake|shake it several times]",
        "use {a} to [shake|pick up and shake] {A}",
        "shake {A} [in the air|above the table][| a few times]",
        "[grasp|seize] {A} using {a}, lift it and [shake it|swing it back and forth]",
        "[give|let {a} give] {A} a [few|couple of] shakes above the table",
        "with {a} [lift|pick up] {A} and shake it [quickly|firmly]",
        "take {A} from the table and [mix|stir up] its contents by shaking it[| with {a}]",
        "{A} needs [a shake|to be shaken]: [lift it|pick it up] and shake it[| with {a}]",
        "[hold|keep] {A} in the air with {a} and swing it [back and forth|to and fro]",
        "[get|take] {A} and shake it [in the air|above the table]",
        "let {a} [pick up|lift|take] {A} and shake it",
        "[pick|take] {A} up and shake it hard",
        "[lift|pick up] {A} and shake it [hard|quickly|well]",
        "{a} should [shake|swing] {A} [in the air|above the table]",
        "[move|swing] {A} quickly back and forth [above the table|in the air][| with {a}]",
        "the contents of {A} need mixing: [lift it and shake it|shake it in the air][| with {a}]",
        "[grab|seize] {A} and give it [some|three] good shakes",
    )

    def load_actors(self, scene: Scene) -> None:
        sign = SIGN[scene.side()]
        spot = (sign * scene.uniform(0.1, 0.15), scene.uniform(-0.15, -0.05))
        heading = np.pi / 2 + scene.uniform(-np.pi / 4, np.pi / 4)
        self.bottle = _bottles.lying_bottle(scene, scene.instance("bottle"), spot, heading, keep_out=0.1)
        self.side: Side = side_of(self.bottle)
        self.shaking = Shaking()

    def expert(self, robot: Skills) -> None:
        side = self.side
        x, z = 0.15 * SIGN[side], robot.world.table_z + 0.27
        hold = robot.goal(self.bottle, np.array([pose([x, y, z]) for y in (-0.12, 0.0)]), "center", pre=0.0)
        robot.do(robot.grasp(side, self.bottle, "side", then=[hold]))
        robot.do(robot.lift(side, 0.1))
        room = [pose([0, 0, 0], rotation_about([1, 0, 0], angle)) for angle in (TILT, -TILT)]
        robot.do(robot.place(side, hold, release=False, room=room))
        axis = robot.tcp(side)[:3, 0]  # the hand rolls about its own approach
        for angle, height in ((TILT, 0.03), (-2 * TILT, 0.0), (2 * TILT, 0.0), (-2 * TILT, 0.0), (TILT, -0.03)):
            robot.do(
                robot.move_by(side, (0, 0, height), rotation=rotation_about(axis, angle), carry_speed=self.carry_speed)
            )

    def observe(self, world: World) -> None:
        if _bottles.held(world, self.bottle):
            self.shaking.update(self.bottle.point("top")[:3, 3], world.time)
        else:
            self.shaking.reset()

    def check_success(self, world: World) -> bool:
        lifted = world.height(self.bottle.point("center")) > 0.08
        return self.shaking.reversals >= REVERSALS and lifted and _bottles.held(world, self.bottle)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.bottle, "a": self.side}
