"""Pick up the red block with the left arm, pass it to the right arm and stand it on the blue pad.

Randomised: position and heading of the block, position of the pad. Success: the block went from the left hand to the
right one in mid-air, and stands upright on the pad, within 3 cm of its middle in x and y, with no gripper touching it.
"""

from __future__ import annotations

import numpy as np

from assets.objects.blocks import COLORS
from sim.bimanual.actor import Actor
from sim.bimanual.handover import Transfer, hand_over
from sim.bimanual.scene import Scene
from sim.bimanual.skills import Skills
from sim.bimanual.spec import BlockSpec
from sim.bimanual.task import Task
from sim.bimanual.world import World

UPPER, LOWER = 0.8, 0.3  # of the block's height, where the left and the right hand hold it


class HandoverBlock(Task):
    limit = 800
    instructions = (
        "[pick up|grab|take|lift] {A} with {a}, [hand|pass] it to {b} and [place|put|set] it on {B}",
        "use {a} to [grab|pick up] {A}, [hand it over|give it] to {b}, and [put|stand] it on {B}",
        "[hand|pass] {A} from {a} to {b} and [place|put|set] it on {B}",
        "{a} [passes|hands] {A} to {b}, which [places|puts|stands] it on {B}",
        "[move|bring|carry] {A} to {B} by handing it from {a} to {b}",
        "after a handover from {a} to {b}, {A} should stand on {B}",
        "[transfer|pass] {A} in the air from {a} to {b}, then [stand|place] it on {B}",
        "let {a} lift {A} and {b} [take|receive] it and [set|put] it down on {B}",
        "{A} must change hands from {a} to {b} before it is [put|placed|set] on {B}",
        "with {a} [pick up|lift] {A}, with {b} [take|receive] it and [put|place] it on {B}",
        "{A} travels from {a} to {b} in mid-air and [ends up|lands|comes to stand] on {B}",
        "give {A} from {a} to {b} [without setting it down|in the air] and [stand|put|place] it on {B}",
        "[start|begin] with {a}: lift {A}, pass it to {b}, and have {b} [stand|set|place] it on {B}",
    )

    def load_actors(self, scene: Scene) -> None:
        bar = BlockSpec((0.03, 0.03, 0.10), (*COLORS["red"], 1.0), grasp_heights=(LOWER, UPPER))
        spot = scene.sample_xy((-0.25, -0.05), (0.0, 0.25))
        self.block = scene.add_block("block", bar, spot, np.radians(22) + scene.uniform(-0.2, 0.2))
        mat = BlockSpec((0.05, 0.05, 0.005), (*COLORS["blue"], 1.0), "pad")
        at = scene.sample_xy((0.1, 0.25), (0.15, 0.2), apart=0.15, avoid=[self.block])
        self.pad = scene.add_block("pad", mat, at, mode="static")
        scene.keep_out_area((spot[0] - 0.18, spot[0] + 0.18), (spot[1] - 0.18, spot[1] + 0.08))
        scene.keep_out_area((at[0] - 0.1, at[0] + 0.18), (at[1] - 0.18, at[1] + 0.08))
        scene.keep_out_area((-0.2, 0.2), (-0.2, 0.05))
        self.transfer = Transfer(self.block, "left")

    def expert(self, robot: Skills) -> None:
        block, z = self.block, robot.world.table_z
        goal = robot.goal(block, self.pad.point("top"), "bottom", yaw="quarter", pre=0.06, touch=[self.pad])
        give, take = block.asset.grasps_in("side_1"), block.asset.grasps_in("side_0")
        meeting = [(0.0, -0.08, z + 0.26), (0.0, 0.0, z + 0.26)]
        hand_over(robot, block, "left", give=give, take=take, at=meeting, then=[goal])
        away = robot.home("left")
        robot.do(robot.place("right", goal, meanwhile=away), away)

    def observe(self, world: World) -> None:
        self.transfer.update(world)

    def check_success(self, world: World) -> bool:
        dx, dy, dz = world.offset(self.block.point("bottom"), self.pad.point("top"))
        centred = max(abs(dx), abs(dy)) < 0.03 and abs(dz) < 0.01
        placed = centred and world.upright(self.block, 10) and world.on(self.block, self.pad)
        return placed and self.transfer.done

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.block, "B": self.pad, "a": "left", "b": "right"}
