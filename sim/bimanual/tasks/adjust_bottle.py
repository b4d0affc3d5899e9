"""Pick up the bottle that lies on the table and hold it upright at its side of the table.

Randomised: the bottle, its side, position and heading. Success: a hand holds the bottle upright, at least 15 cm from
the midline on that side, clear of the table.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _bottles
from sim.bimanual.tasks._bottles import SIGN
from sim.bimanual.world import World
from twinloom.transforms import pose


class AdjustBottle(Task):
    limit = 400
    instructions = (
        "[pick up|grab|lift] {A} from the table and hold it upright on {s}",
        "[pick up|grab|take] {A} with {a} and [hold|keep] it upright on {s}",
        "[turn|set] {A} upright in the air with {a}, out on {s}",
        "{A} is lying down, [lift it|pick it up] and hold it upright on {s}",
        "use {a} to [lift|pick up|raise] {A} and bring it upright to {s}",
        "[raise|lift] {A} off the table, [head up|cap up], and keep it on {s}",
        "[grasp|seize|take hold of] {A} using {a}, and [hold|keep] it with the cap up on {s}",
        "[adjust|correct] {A} so that it is [upright|head up] in the hand, on {s} of the table",
        "with {a} [straighten|raise] {A} to an upright pose and move it to {s}",
        "[move|bring|carry] {A} to {s} and hold it upright [there|above the table]",
        "[take|lift] the lying bottle with {a}, turn it [upright|cap up] and hold it on {s}",
        "[pick up|lift] the lying bottle and hold it [upright|cap up] on {s} of the table",
        "on {s}, hold {A} [upright|head up] above the table[| with {a}]",
        "[get|take] {A} off the table, [set|turn] it upright and keep it on {s}",
        "let {a} [pick up|take|grab] {A} and hold it upright on {s}",
        "[bring|get] {A} into an upright pose, [held|kept] on {s}",
        "[reach for|go to] {A} and hold it up straight, [cap|neck] pointing to the ceiling, on {s}",
        "[please|now] [lift|pick up] {A} and keep it vertical on {s}[| with {a}]",
        "{A} should end [upright|vertical] in {a}, [above the table|off the table] on {s}",
        "[stand|hold] {A} up on {s}, [in the hand|in the air]",
    )

    def load_actors(self, scene: Scene) -> None:
        self.side: Side = scene.side()
        sign = SIGN[self.side]
        spot = (sign * scene.uniform(0.08, 0.12), scene.uniform(-0.13, -0.08))
        heading = (np.pi if sign > 0 else 0.0) + scene.uniform(-0.4, 0.4)  # the neck points to the midline
        self.bottle = _bottles.lying_bottle(scene, scene.instance("bottle"), spot, heading, keep_out=0.1)
        scene.keep_out((sign * 0.25, -0.12), 0.1)

    def expert(self, robot: Skills) -> None:
        x, z = 0.25 * SIGN[self.side], robot.world.table_z + 0.24
        goal = robot.goal(self.bottle, np.array([pose([x, y, z]) for y in (-0.12, 0.0, 0.1)]), "center", pre=0.0)
        robot.do(robot.grasp(self.side, self.bottle, "side", then=[goal]))
        robot.do(robot.lift(self.side, 0.1))
        robot.do(robot.place(self.side, goal, release=False))

    def check_success(self, world: World) -> bool:
        center = self.bottle.point("center")
        outward = SIGN[self.side] * float(center[0, 3])
        lifted = world.height(center) > _bottles.LIFTED
        return outward > 0.15 and lifted and world.upright(self.bottle, 15) and _bottles.held(world, self.bottle)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.bottle, "a": self.side, "s": f"the {self.side} side"}
