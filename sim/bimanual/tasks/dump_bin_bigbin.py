"""Pour the balls of the desk bin into the big bin left of the table.

Randomised: which desk bin, side, position, heading, positions of the five balls. A bin on the right is first passed to
the middle by the right arm. Success: every ball lies in the big bin and the desk bin is still held by the left arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assets.objects.model import GraspPoint
from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Goal
from sim.bimanual.motion import Step
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Scene, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.spec import BlockSpec
from sim.bimanual.task import Task
from sim.bimanual.world import World
from sim.geometry import pose, rotation_about

BIG_BIN = (-0.45, 0.0)
BALLS = 5
RADIUS = 0.008
OVER = ((-0.45, 0.0, 0.90), (-0.42, -0.12, 0.96))  # where the desk bin's centre may be when it is poured out
TILT = (2.2, 2.1, 2.0)  # radians, best first: with less tilt a ball may stay in the bin
SIDEWAYS = np.pi / 2  # the held side of the rim need not go up: a hand that turns about its own approach tips it too
LEAN = (-1.0, 1.0)  # radians by which a hand on the rim may lean along it, so that it need not point up when pouring


class DumpBinBigbin(Task):
    limit = 600
    table_offset = (0.3, 0.0)
    instructions = (
        "[pour|dump|empty|tip] [the balls from |the contents of |]{A} into the [big|large] [bin|trash bin|dustbin]",
        "[pick up|lift|take|grab] {A} and [pour|dump|empty|tip] [it|its balls] into the [big bin|large bin|dustbin]",
        "[empty|dump] {A} into the [big bin|dustbin|trash bin] [on the left|left of the table|next to the table]",
    )

    def load_actors(self, scene: Scene) -> None:
        self.big = scene.add("big_bin", scene.instance("dustbin"), BIG_BIN, mode="static", z=0.0)
        spot = scene.sample_xy((-0.2, 0.2), (-0.2, -0.05), min_abs_x=0.05)
        yaw = scene.uniform(-np.pi / 8.5, np.pi / 8.5)
        self.bin = scene.add("bin", scene.instance("table_trash_bin"), spot, yaw, keep_out=0.08)
        self.side = side_of(self.bin)
        self.balls = []
        for i in range(BALLS):
            angle, reach = 2 * np.pi * i / BALLS, 0.022 + scene.uniform(-0.004, 0.004)
            xy = (spot[0] + reach * np.cos(angle), spot[1] + reach * np.sin(angle))
            spec = BlockSpec((RADIUS, RADIUS, RADIUS), (0.95, 0.55, 0.10, 1.0), "ball", density=300.0, ball=True)
            self.balls.append(scene.add_block(f"ball{i}", spec, xy, z=scene.table_z + 0.012 + RADIUS))
        scene.keep_out((0.0, -0.1), 0.12)

    def expert(self, robot: Skills) -> None:
        robot.carry_loose(self.balls)
        if self.side == "right":
            middle = robot.goal(self.bin, (0.0, -0.1, robot.world.table_z), pre=0.08)
            robot.do(robot.grasp("right", self.bin, "rim", then=[middle]))
            robot.do(robot.lift("right", 0.08))
            robot.do(robot.place("right", middle))
            robot.do(robot.home("right"))
        above = robot.goal(self.bin, np.array([pose(spot) for spot in OVER]), "center", pre=0.05, touch=[])
        steps, pours = self._grasp_to_pour(robot, above)
        robot.do(steps)
        robot.do(robot.lift("left", 0.15, speed=0.7))
        robot.do(robot.place("left", above, release=False, speed=0.7))
        robot.do(self._tip(robot, pours))
        robot.do(robot.wait("left", 0.6))

    def _tip(self, robot: Skills, pours: Sequence[Goal]) -> list[Step]:
        """Tip the bin as far as the arm can."""
        for pour in pours[:-1]:
            try:
                return robot.place("left", pour, release=False, speed=0.5)
            except PlanningError:  # less far, then
                continue
        return robot.place("left", pours[-1], release=False, speed=0.5)

    def _grasp_to_pour(self, robot: Skills, above: Goal) -> tuple[list[Step], list[Goal]]:
        """A grasp on the rim and the pouring goals that go with it: best the held side up, the balls leave opposite."""
        failure: PlanningError | None = None
        rim = self.bin.asset.grasps_in("rim")
        leaning = [replace(grasp, tilt=LEAN) for grasp in rim]
        for grasps, turns in ((rim, (0.0,)), (leaning, (SIDEWAYS, -SIDEWAYS))):
            for grasp in grasps:
                pours = [self._poured(robot, grasp, turns, tilt) for tilt in TILT]
                try:
                    return robot.grasp("left", self.bin, grasps=[grasp], then=[pours[0], above]), pours
                except PlanningError as error:
                    failure = failure or error
        raise failure or PlanningError("no feasible grasp", "the bin has no rim")

    def _poured(self, robot: Skills, grasp: GraspPoint, turns: Sequence[float], tilt: float) -> Goal:
        """The bin's centre above the big bin, tipped.

        Args:
            turns: radians from the grasped side of the rim to the side that goes up.
            tilt: radians by which it is tipped.
        """
        frames = []
        for turn in turns:
            x, y = rotation_about([0, 0, 1], turn)[:2, :2] @ grasp.T_object_hand[:2, 3]
            tipped = rotation_about([-y, x, 0.0], -tilt)
            headings = (rotation_about([0, 0, 1], h) @ tipped for h in np.linspace(0, 2 * np.pi, 24, endpoint=False))
            # the mouth looks along z: not towards the table, onto which balls could fly
            frames += [pose(spot, R) for R in headings if R[0, 2] < 0.35 for spot in OVER]
        return robot.goal(self.bin, np.array(frames), "center", yaw="aligned", pre=0.02, touch=[])

    def check_success(self, world: World) -> bool:
        return all(self._binned(ball) for ball in self.balls) and world.held_by(self.bin, "left")

    def _binned(self, ball: Actor) -> bool:
        d = ball.position - self.big.position
        ex, ey, ez = self.big.asset.extents
        return bool(abs(d[0]) < ex / 2 and abs(d[1]) < ey / 2 and 0.0 < d[2] < 0.7 * ez)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.bin}
