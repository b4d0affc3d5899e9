"""Place the empty cup on the coaster.

Randomised: cup and coaster, their positions, the cup's heading. Success: the cup stands upright on the coaster, its
middle within 3.5 cm of the coaster's, and no gripper touches it.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World


class PlaceEmptyCup(Task):
    limit = 500
    instructions = (
        "[place|put|set] {A} on {B}",
        "[pick up|grab|take] {A} with {a} and [place|put|set] it on {B}",
        "[move|bring|carry] {A} onto {B}[| and leave it there]",
        "use {a} to [move|bring|carry] {A} onto {B}",
        "[grasp|lift] {A} by its rim using {a} and set it down on {B}",
        "[let|have] {A} stand on {B}",
        "{A} belongs on {B}, [put|move] it there[| with {a}]",
        "[pick up|grab|take] {A} and [stand|place] it upright on {B}",
        "with {a} [stand|place|put] {A} in the middle of {B}",
        "let {a} [place|put|set] {A} on {B}",
        "[transfer|shift] {A} from the table to {B}[| with {a}]",
        "{B} is for {A}, [set|place] it there[| using {a}]",
        "[take|get] {A} and [set|put] it down on {B}",
        "[put|place|set] {A} upright [onto|in the middle of] {B}",
        "have {a} [pick up|grab] {A} and [release|leave] it on {B}",
        "[put|set] {A} down on {B}, [open side up|upright][| with {a}]",
        "{A} should [stand|be|end up] on {B}[| upright]",
        "[carry|lift] {A} over to {B} and [let it stand|leave it] there[| using {a}]",
        "[use|put] {B} [under|below] {A}: [set|place] the cup on it",
    )

    def load_actors(self, scene: Scene) -> None:
        self.side: Side = scene.side()
        sign = -1.0 if self.side == "left" else 1.0
        x_cup, x_coaster = sorted((0.15 * sign, 0.3 * sign)), sorted((-0.05 * sign, 0.1 * sign))
        spot = scene.sample_xy((x_cup[0], x_cup[1]), (-0.2, 0.05))
        self.cup = scene.add("cup", scene.instance("cup"), spot, scene.uniform(-np.pi, np.pi), keep_out=0.08)
        at = scene.sample_xy((x_coaster[0], x_coaster[1]), (-0.2, 0.05), apart=0.1, avoid=[self.cup])
        coaster = scene.instance("coaster")
        self.coaster = scene.add(
            "coaster", coaster, at, scene.uniform(-np.pi, np.pi), mode="static", keep_out=0.06, clear=True
        )

    def expert(self, robot: Skills) -> None:
        goal = robot.goal(self.cup, self.coaster.point("top"), "bottom", pre=0.06, touch=[self.coaster, "table"])
        robot.do(robot.grasp(self.side, self.cup, "rim", opening=0.6, then=[goal]))
        robot.do(robot.lift(self.side, 0.08))
        robot.do(robot.place(self.side, goal, opening=0.6))

    def check_success(self, world: World) -> bool:
        bottom, top = self.cup.point("bottom"), self.coaster.point("top")
        placed = world.near(bottom, top, xy=0.035, z=0.015) and world.on(self.cup, self.coaster)
        return placed and world.upright(self.cup, 10)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.cup, "B": self.coaster, "a": self.side}
