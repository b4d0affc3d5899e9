"""Turn the sign with the QR code to face the robot.

Randomised: which sign, its position and heading, facing away from the robot. Success: the sign stands upright on the
table, its code towards the robot within 6 degrees, and no gripper touches it.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks._pick_place import SIGN, pick_place
from sim.bimanual.world import World


class RotateQrcode(Task):
    limit = 400
    instructions = (
        "[turn|rotate] {A} [with {a} |]so that [its QR code|the code] faces the robot",
        "[pick up|take|grab|lift] {A}[| with {a}], turn it around and [set it down|put it back] facing the robot",
        "use {a} to [turn|rotate|spin] {A} [around |]until it faces the robot",
        "[turn|rotate] {A} to show its QR code to the robot[| with {a}]",
        "[turn|rotate] {A} so that the robot can [see|read] its code[| and use {a}]",
        "with {a} [lift|pick up] {A} and [turn|rotate] its front to the robot",
        "{A} shows its back, [turn|rotate] it to face the robot[| using {a}]",
        "[make|let] {A} face the robot by turning it[| with {a}]",
        "turn {A} [by half a turn|right round] [with {a} |]so that the robot sees its front",
        "have {a} [pick up|grab] {A} and set it down [with the code|facing] towards the robot",
        "the [robot|robot's camera] cannot see the code of {A}, [turn it round|rotate it]",
        "[turn|rotate] the front of {A} [to|towards] the robot[| with {a}| using {a}]",
        "[pick up|lift] {A} and [turn|rotate] it so that its QR code faces the robot[| with {a}]",
        "the QR code of {A} should face the robot, so [turn|rotate] the sign[| with {a}]",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, 0.25), (-0.2, 0.0), min_abs_x=0.05)
        self.sign = scene.add("sign", scene.instance("payment_sign"), spot, np.pi + scene.uniform(-0.7, 0.7))
        self.side: Side = side_of(self.sign)
        self.spot = (0.2 * SIGN[self.side], -0.15)
        scene.keep_out(self.spot, 0.1)

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(self.sign, [*self.spot, robot.world.table_z], yaw="aligned", pre=0.06)
        pick_place(robot, self.side, self.sign, goal)

    def check_success(self, world: World) -> bool:
        front = -self.sign.pose()[:3, 1]
        standing = world.upright(self.sign, 6) and abs(world.height(self.sign)) < 0.005
        return standing and world.aligned(front, np.array([0, -1, 0]), 6) and world.on(self.sign, "table")

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.sign, "a": self.side}
