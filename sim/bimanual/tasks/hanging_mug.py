"""Move the mug to the middle with the left arm, then hang it on the rack by its handle with the right arm.

Randomised: mug and rack, their positions and headings. Success: the mug hangs still on the peg by its handle, off the
table and let go.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World

MIDDLE = (0.0, -0.12)  # where the mug changes hands
NEARLY = tuple(float(turn) for turn in np.linspace(-0.9, 0.9, 7))  # radians from its heading on the peg
BEFORE = 0.08  # metres in front of its place on the peg from which the handle is threaded
PLAY = 0.007  # metres over the peg at which it is threaded
LET_GO = 0.035  # metres between the fingers when they let go of the rim: more would push against mug and post
ALONG, ASIDE = 0.02, 0.02  # metres of the handle's middle from the middle of the peg, along it and across


class HangingMug(Task):
    limit = 900
    differs = "the handle's middle within 2 cm along the peg and 2 cm across it (RoboTwin: 2 cm in x and y)"
    instructions = (
        "[hang|put|hang up] {A} on {B}[| by its handle| with its handle]",
        "[pick up|take|grab] {A} and [hang it|put it] on {B}[| by its handle]",
        "[move|bring] {A} to the [middle|center] of the table, then [hang|put] it on {B}",
        "[hang|put] {A} on the peg of {B}[| with its handle| by its handle]",
        "[move|bring|carry] {A} over with one arm and hang it on {B} with the other",
        "[put|slip|slide] the handle of {A} [over|onto] the peg of {B}",
        "{A} [belongs|goes] on {B}[| by its handle], [hang it there|put it there]",
        "[let|make] {A} hang [on|from] {B}[| by its handle]",
        "first [bring|move|carry] {A} to the middle, then [hang|put] it on {B} by its handle",
        "{A} should hang [from|on] {B}, [off the table|above the table]",
        "[take|lift] {A} off the table and [thread|slip|guide] its handle onto {B}",
        "with the left arm [move|bring] {A} to the middle, with the right arm hang it on {B}",
        "{B} is for {A}: [hang|put] it there [by its handle|with the handle over the peg]",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, -0.1), (-0.05, 0.05))
        self.mug = scene.add("mug", scene.instance("mug"), spot, scene.uniform(-1.57, 1.57))
        spot = scene.sample_xy((0.1, 0.3), (0.13, 0.17))
        yaw = scene.uniform(-0.2, 0.2)
        self.rack = scene.add("rack", scene.instance("mug_rack"), spot, yaw, mode="static")
        scene.keep_out_area((-0.15, 0.3), (-0.3, 0.2))

    def expert(self, robot: Skills) -> None:
        mug, rack = self.mug, self.rack
        come = (BEFORE * rack.point("tip")[:3, 0]).tolist()
        hung = robot.goal(mug, rack.point("peg"), "handle", yaw="half", pre=come, above=PLAY, touch=[rack])
        heading = [float(np.arctan2(T[1, 0], T[0, 0])) for T in hung.object_poses()]
        yaws = [h + turn for h in heading for turn in NEARLY]
        middle = robot.goal(mug, (*MIDDLE, robot.world.table_z), yaw=yaws, pre=0.05)
        robot.do(robot.grasp("left", mug, "rim", then=[middle]))
        robot.do(robot.lift("left", 0.08))
        robot.do(robot.place("left", middle))
        away = robot.home("left")
        robot.do(away, robot.grasp("right", mug, "rim", then=[hung], meanwhile=away))
        robot.do(robot.lift("right", 0.1))
        robot.do(robot.place("right", hung, release=False))
        robot.do(robot.move_by("right", (0.0, 0.0, 0.003 - PLAY), touch=[rack], check=False, shares=(1.0, 0.5, 0.0)))
        robot.do(robot.open("right", min(1.0, LET_GO / robot.max_opening)))
        robot.do(robot.retreat("right", 0.1, touch=[mug, rack]))

    def check_success(self, world: World) -> bool:
        where = world.offset(self.mug.point("handle"), self.rack.point("peg"))
        along = self.rack.point("tip")[:3, 0]
        depth = float(where @ along)
        aside = float(np.linalg.norm(where - depth * along))
        threaded = abs(depth) < ALONG and aside < ASIDE
        return threaded and world.on(self.mug, self.rack) and not world.touching(self.mug, "table")

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.mug, "B": self.rack}
