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
from twinloom.transforms import inverse, pose, rotation_about

BIG_BIN = (-0.45, 0.0)
BALLS = 5
RADIUS = 0.008
OVER = ((-0.45, 0.0, 0.90), (-0.42, -0.12, 0.96))  # where the desk bin's centre may be when it is poured out
TILT = (2.2, 2.1, 2.0)  # radians, best first: with less tilt a ball may stay in the bin
HEADINGS = tuple(float(h) for h in np.linspace(0, 2 * np.pi, 24, endpoint=False))
SIDEWAYS = np.pi / 2  # the held side of the rim need not go up: a hand that turns about its own approach tips it too
ROCK = 0.35  # radians by which the bin is rocked, farther and back, where a ball is stuck in it
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
        steps, tips = self._grasp_to_pour(robot)
        robot.do(steps)
        robot.do(robot.lift("left", 0.15, speed=0.7))
        self._pour(robot, tips)
        robot.do(robot.wait("left", 0.6))
        self._shake_out(robot)

    def _grasp_to_pour(self, robot: Skills) -> tuple[list[Step], list[np.ndarray]]:
        """A grasp on the rim and the turns (3, 3) of the bin that pour it out, best first.

        Best the held side goes up and the balls leave opposite.
        """
        failure: PlanningError | None = None
        rim = self.bin.asset.grasps_in("rim")
        leaning = [replace(grasp, tilt=LEAN) for grasp in rim]
        for grasps, turns in ((rim, (0.0,)), (leaning, (SIDEWAYS, -SIDEWAYS))):
            for grasp in grasps:
                tips = [_tip(grasp, turn, tilt) for tilt in TILT for turn in turns]
                then = [self._poured(robot, tips[: len(turns)]), self._above(robot, HEADINGS)]
                try:
                    return robot.grasp("left", self.bin, grasps=[grasp], then=then), tips
                except PlanningError as error:
                    failure = failure or error
        raise failure or PlanningError("no feasible grasp", "the bin has no rim")

    def _pour(self, robot: Skills, tips: Sequence[np.ndarray]) -> None:
        """Bring the bin over the big one and tip it: best where the hand can turn on the spot, far if it can."""
        center = self.bin.asset.point("center").T_object_point
        T_bin_hand = inverse(self.bin.pose()) @ robot.tcp("left")
        for tip in tips:
            T = center @ pose((0, 0, 0), tip) @ inverse(center)
            turn = inverse(T_bin_hand) @ T @ T_bin_hand
            above = self._above(robot, [h for h in HEADINGS if _spares_table(h, tip)])
            try:
                robot.do(robot.place("left", above, release=False, speed=0.7, room=[turn]))
                now = robot.tcp("left")
                then = now @ turn
                way, rotation = (then - now)[:3, 3].tolist(), then[:3, :3] @ now[:3, :3].T
                robot.do(robot.move_by("left", way, rotation=rotation, speed=0.5))
                return
            except PlanningError:  # less far, or on any way
                continue
        robot.do(robot.place("left", self._above(robot, HEADINGS), release=False, speed=0.7))
        robot.do(robot.place("left", self._poured(robot, tips), release=False, speed=0.5))

    def _shake_out(self, robot: Skills) -> None:
        """Rock the bin while a ball is still in it."""
        up = self.bin.up
        axis = np.cross([0.0, 0.0, 1.0], up)
        axis /= max(float(np.linalg.norm(axis)), 1e-9)
        ways = [rotation_about(a, sign * ROCK) for a in (axis, up) for sign in (1.0, -1.0)]
        for R in (*ways, *ways):
            if not any(robot.world.inside(ball, self.bin) for ball in self.balls):
                return
            try:
                robot.do(robot.move_by("left", (0.0, 0.0, 0.02), rotation=R, detour=False))
                robot.do(robot.move_by("left", (0.0, 0.0, -0.02), rotation=R.T, detour=False))
            except PlanningError:  # no room to rock this way
                continue
            robot.do(robot.wait("left", 0.4))

    def _above(self, robot: Skills, headings: Sequence[float]) -> Goal:
        """The bin upright above the big bin."""
        frames = np.array([pose(spot) for spot in OVER])
        return robot.goal(self.bin, frames, "center", yaw=headings, pre=0.05, touch=[])

    def _poured(self, robot: Skills, tips: Sequence[np.ndarray]) -> Goal:
        """The bin tipped above the big bin, in one of several ways."""
        turned = [rotation_about([0, 0, 1], h) @ tip for tip in tips for h in HEADINGS if _spares_table(h, tip)]
        frames = np.array([pose(spot, R) for R in turned for spot in OVER])
        return robot.goal(self.bin, frames, "center", yaw="aligned", pre=0.02, touch=[])

    def check_success(self, world: World) -> bool:
        return all(self._binned(ball) for ball in self.balls) and world.held_by(self.bin, "left")

    def _binned(self, ball: Actor) -> bool:
        d = ball.position - self.big.position
        ex, ey, ez = self.big.asset.extents
        return bool(abs(d[0]) < ex / 2 and abs(d[1]) < ey / 2 and 0.0 < d[2] < 0.7 * ez)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.bin}


def _tip(grasp: GraspPoint, turn: float, tilt: float) -> np.ndarray:
    """(3, 3) turn of the bin in its own frame that tips it by ``tilt`` radians.

    Args:
        turn: radians from the grasped side of the rim to the side that goes up.
    """
    x, y = rotation_about([0, 0, 1], turn)[:2, :2] @ grasp.T_object_hand[:2, 3]
    return rotation_about([-y, x, 0.0], -tilt)


def _spares_table(heading: float, tip: np.ndarray) -> bool:
    """Whether the mouth, along z, does not look at the table, onto which balls could fly."""
    return (rotation_about([0, 0, 1], heading) @ tip)[0, 2] < 0.35
