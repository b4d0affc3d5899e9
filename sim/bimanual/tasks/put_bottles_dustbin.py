"""Throw three bottles into the dustbin left of the table; the right arm hands its bottles to the left one.

Randomised: the bottles, their positions and headings. Success: all bottles are in the dustbin and no gripper touches
them.
"""

from __future__ import annotations

import numpy as np

from assets.objects import library
from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Goal
from sim.bimanual.handover import hand_over
from sim.bimanual.scene import Scene, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _bottles
from sim.bimanual.world import World
from twinloom.transforms import pose

BIN = (-0.45, 0.0)
UPPER, LOWER = 0.115, 0.04  # metres above a bottle's bottom, where the right and the left hand hold it


class PutBottlesDustbin(Task):
    limit = 1700
    table_offset = (0.3, 0.0)
    instructions = (
        "[throw|put|drop] {A}, {B} and {C} into {D}",
        "[throw|put|drop] the three bottles into {D}[| left of the table]",
        "[clear|clean up] the table: [throw|put|drop] {A}, {B} and {C} into {D}",
        "[pick up|grab|take] {A}, {B} and {C} one by one and [throw|put|drop] them into {D}",
        "{A}, {B} and {C} are rubbish, [throw|drop|put] them into {D}",
        "[move|bring|carry] all bottles from the table into {D}",
        "[get rid of|dispose of] {A}, {B} and {C} in {D}",
        "[throw|put|drop] all bottles into {D} with the left arm, the right arm [hands|passes] it those on the right",
        "[collect|gather] {A}, {B} and {C} and [throw|drop] them into {D} beside the table",
        "let the right arm [hand|pass] its bottles to the left arm, which [throws|drops|puts] every bottle into {D}",
        "no bottle should be left on the table: [throw|put|drop] {A}, {B} and {C} into {D}",
        "[fill|feed] {D} with {A}, {B} and {C}",
        "{D} is for rubbish: [throw|put|drop] {A}, {B} and {C} into it[| one by one]",
        "[toss|sort] {A}, {B} and {C} into {D}",
        "{A}, {B} and {C} [belong|go] into {D}[|, one after the other]",
        "[take|carry] {A}, {B} and {C} to {D} and [drop|throw] them in",
        "all three bottles [must go|go|belong] into {D}",
        "[tidy|clear] the table by [throwing|dropping] {A}, {B} and {C} into {D}",
        "[drop|put] {A} into {D}, then {B}, then {C}",
        "[empty|clear] the table into {D}: {A}, {B} and {C}",
    )

    def load_actors(self, scene: Scene) -> None:
        self.bin = scene.add("dustbin", scene.instance("dustbin"), BIN, mode="static", z=0.0)
        kinds = scene.order(range(library.instances("plastic_bottle")), 3)
        self.bottles: list[Actor] = []
        for i, kind in enumerate(kinds):
            spot = scene.sample_xy((-0.25, 0.3), (0.03, 0.23), apart=0.13, avoid=self.bottles, min_abs_x=0.05)
            asset = library.load("plastic_bottle", kind)
            bottle = scene.add(f"bottle{i}", asset, spot, scene.uniform(-np.pi, np.pi))
            self.bottles.append(bottle)
            scene.keep_out_area((spot[0] - 0.18, spot[0] + 0.18), (spot[1] - 0.18, spot[1] + 0.08))
        scene.keep_out_area((-0.3, 0.3), (-0.25, 0.05))
        # those on the left first, the nearest first
        self.bottles.sort(key=lambda b: (side_of(b) == "right", b.position[1]))

    def expert(self, robot: Skills) -> None:
        for bottle in self.bottles:
            drop = self._drop(robot, bottle)
            if side_of(bottle) == "left":
                away = robot.home("right")
                robot.do(robot.grasp("left", bottle, "side", then=[drop], meanwhile=away), away)
                robot.do(robot.lift("left", 0.1))
                robot.do(robot.place("left", drop))
            else:
                robot.do(robot.home("left"))
                self._pass_on(robot, bottle, drop)

    def _pass_on(self, robot: Skills, bottle: Actor, drop: Goal) -> None:
        """Hand a bottle from right to left, and drop it while the right arm goes home."""
        z = robot.world.table_z
        meeting = [(0.0, -0.08, z + 0.24), (-0.05, -0.05, z + 0.28), (0.05, -0.12, z + 0.3)]
        give, take = _bottles.side_grasps(bottle, UPPER), _bottles.side_grasps(bottle, LOWER)
        hand_over(robot, bottle, "right", give=give, take=take, at=meeting, then=[drop])
        away = robot.home("right")
        robot.do(robot.place("left", drop, meanwhile=away), away)

    def _drop(self, robot: Skills, bottle: Actor) -> Goal:
        """Above the open half of the bin that the table does not cover."""
        target = pose([BIN[0] - 0.03, BIN[1] - 0.08, robot.world.table_z + 0.16])
        return robot.goal(bottle, target, "center", pre=0.05, touch=[])

    def check_success(self, world: World) -> bool:
        return all(world.inside(b, self.bin, margin=0.01) for b in self.bottles) and world.released(*self.bottles)

    def slots(self) -> dict[str, Actor | str]:
        return {**dict(zip("ABC", self.bottles, strict=True)), "D": self.bin}
