"""Lift the skillet with one arm and put the bread into it with the other.

Randomised: skillet, bread, sides, positions, headings. Success: the skillet is held above the table by its arm and
level, the bread lies in its pan, released.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Goal
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Scene, Side, other
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World
from twinloom.transforms import pose

SIGN = {"left": -1.0, "right": 1.0}
APART = (0.13, 0.08, 0.03, 0.18)  # metres from the midline, best first: arms that keep apart or do not reach as far
LEAN = 0.6  # by how much the holding hand shall lean away from the pan, as a share of the vertical
NEAR = -0.05  # y of a skillet that can only be gripped with the hand over the pan, where the bread has to go
HOLD = 0.08  # metres above the table at which the pan waits for the bread


class PlaceBreadSkillet(Task):
    limit = 500
    side: Side
    instructions = (
        "[lift|pick up|hold|raise] {A} [with {a} |]and [put|place|drop] {B} [into|in] it",
        "[pick up|grab] {A} with {a} and [put|place|set] {B} in the pan with the other arm",
        "[put|place|drop] {B} [into|inside] {A} while [holding|lifting] the skillet[| above the table]",
        "hold {A} [with {a} |]above the table and [put|place|drop] {B} [into|in] it",
    )

    def load_actors(self, scene: Scene) -> None:
        self.side = scene.side()
        sign = -1 if self.side == "left" else 1
        spot = (sign * scene.uniform(0.15, 0.25), scene.uniform(-0.2, 0.05))
        yaw = scene.uniform(-np.pi / 6, np.pi / 6)
        self.skillet = scene.add("skillet", scene.instance("skillet"), spot, yaw)
        spot = (-sign * scene.uniform(0.2, 0.28), scene.uniform(-0.2, 0.05))
        self.bread = scene.add("bread", scene.instance("bread"), spot, scene.uniform(-np.pi / 4, np.pi / 4))
        scene.keep_out((0.0, -0.05), 0.18)
        scene.keep_out((sign * 0.15, -0.02), 0.2)  # where the pan is held, or set down first

    def expert(self, robot: Skills) -> None:
        holder, placer = self.side, other(self.side)
        if self.skillet.position[1] < NEAR:
            self._push_away(robot)
        held = self._held(robot, APART)
        handle = self.skillet.asset.grasps_in("handle")[0]
        drop = robot.goal(self.bread, held.targets, pre=0.10, above=0.02)
        towards_pan = self.skillet.point("pan")[:3, 3] - self.skillet.grasp_pose(handle)[:3, 3]
        leaning = LEAN * towards_pan / np.linalg.norm(towards_pan) - [0, 0, 1]  # back over the handle, not over the pan
        robot.do(
            robot.grasp(holder, self.skillet, "handle", then=[held], prefer=leaning),
            robot.grasp(placer, self.bread, then=[drop], prefer=(0, 0, -1)),
        )
        robot.do(robot.lift(holder, 0.10), robot.lift(placer, 0.15))
        failure: PlanningError | None = None
        for x in APART:
            try:
                robot.do(robot.place(holder, self._held(robot, [x]), release=False))
                drop = robot.goal(self.bread, self.skillet.point("pan"), pre=0.10, above=0.012, touch=[self.skillet])
                robot.do(robot.place(placer, drop, retreat=0.10))
                return
            except PlanningError as error:
                failure = failure or error
        assert failure is not None
        raise failure

    def _push_away(self, robot: Skills) -> None:
        """Set the skillet down where it can be gripped from behind."""
        sign, turns = SIGN[self.side], np.linspace(-0.5, 0.5, 5).tolist()
        spots = [(sign * x, y, self.skillet.position[2]) for x in (0.2, 0.24) for y in (0.02, -0.02)]
        away = robot.goal(self.skillet, np.array([pose(spot) for spot in spots]), yaw=turns, pre=0.03)
        robot.do(robot.grasp(self.side, self.skillet, "handle", then=[away]))
        robot.do(robot.lift(self.side, 0.04))
        robot.do(robot.place(self.side, away))

    def _held(self, robot: Skills, spots: Sequence[float]) -> Goal:
        """The pan over the table at one of several distances from the midline, on its arm's side."""
        sign, z = SIGN[self.side], robot.world.table_z + HOLD
        yaws = [sign * a for a in np.linspace(0.5, 1.6, 12)]  # handle outward, so that the arms keep apart
        frames = np.array([pose((sign * x, -0.03, z)) for x in spots])
        return robot.goal(self.skillet, frames, "pan", yaw=yaws, pre=0.04, touch=[])

    def check_success(self, world: World) -> bool:
        return (
            world.near(self.bread, self.skillet.point("pan"), xy=0.045, z=0.03)
            and world.touching(self.bread, self.skillet)
            and world.held_by(self.skillet, self.side)
            and world.height(self.skillet) > 0.02
            and world.upright(self.skillet, 15)
            and world.released(self.bread)
        )

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.skillet, "B": self.bread, "a": self.side}
