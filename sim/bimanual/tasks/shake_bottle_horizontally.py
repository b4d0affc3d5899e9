"""Pick up the bottle, hold it level and shake it.

Randomised: the bottle, its position and heading. Success: while a hand held it level (within 30 degrees) and clear of
the table, the bottle went back and forth with at least three reversals between strokes of 6 cm in 0.4 s; it is still
held level.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Goal
from sim.bimanual.motion import Step
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _bottles
from sim.bimanual.tasks._bottles import SIGN, Shaking
from sim.bimanual.world import World
from twinloom.transforms import pose, rotation_about

REVERSALS = 3
REACH = 0.06  # metres to either side


class ShakeBottleHorizontally(Task):
    limit = 700
    carry_speed = 2.0  # shaking is quick motion
    instructions = (
        "[pick up|grab|lift] {A} and shake it horizontally",
        "[pick up|grab|take] {A} with {a}, hold it level and shake it [back and forth|from side to side]",
        "[lift|raise] {A} off the table, keep it [horizontal|level] and [shake it|give it a good shake]",
        "use {a} to shake {A} [horizontally|while it lies level in the hand]",
        "shake {A} [in the air|above the table] with its axis [horizontal|level]",
        "[grasp|seize] {A} using {a}, lift it and [shake|swing] it horizontally",
        "[give|let {a} give] {A} a [few|couple of] horizontal shakes above the table",
        "with {a} [lift|pick up] {A} and shake it [quickly|firmly], lying level",
        "take {A} from the table and shake it on its side [several times|a few times][| with {a}]",
        "{A} needs to be shaken: [lift it|pick it up], keep it level and shake it[| with {a}]",
        "[hold|keep] {A} level in the air with {a} and move it quickly [back and forth|to and fro]",
        "[get|take] {A} and shake it horizontally [in the air|above the table]",
        "let {a} [pick up|lift|take] {A} and shake it horizontally",
        "[pick|take] {A} up, keep it [flat|level] and shake it hard",
        "with {a}, shake {A} [along its axis|to and fro] while it is level",
        "[lift|pick up] {A} and shake it [level|horizontally|lying on its side]",
        "{a} should [shake|swing] {A} while it is [level|horizontal]",
        "[move|swing] {A} quickly along its own axis [above the table|in the air][| with {a}]",
        "the contents of {A} need mixing: [lift it|hold it level] and shake it horizontally[| with {a}]",
        "[grab|seize] {A}, keep it level and give it [some|three] good shakes",
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
        robot.do(robot.grasp(side, self.bottle, "side"))
        robot.do(robot.lift(side, 0.1))
        robot.do(self._level_out(robot))
        along = self.bottle.up
        for step in (REACH, *3 * (-2 * REACH, 2 * REACH), -REACH):
            robot.do(robot.move_by(side, tuple(step * along), carry_speed=self.carry_speed))

    def _level_out(self, robot: Skills) -> list[Step]:
        """Hold the bottle across the table, its neck to whichever side is easier."""
        room = [pose([0, 0, z]) for z in (REACH, -REACH)]  # the bottle's axis is the hand's z axis
        neck = 1.0 if self.bottle.up[0] > 0 else -1.0
        try:
            return robot.place(self.side, self._hold(robot, neck), release=False, room=room)
        except PlanningError:
            return robot.place(self.side, self._hold(robot, -neck), release=False, room=room)

    def _hold(self, robot: Skills, neck: float) -> Goal:
        """The bottle level in the air, its neck towards ``neck`` times x."""
        spot = [0.15 * SIGN[self.side], -0.12, robot.world.table_z + 0.22]
        target = pose(spot, rotation_about([0, 1, 0], neck * np.pi / 2))
        return robot.goal(self.bottle, target, "center", pre=0.0)

    def observe(self, world: World) -> None:
        if _bottles.held(world, self.bottle) and self._level():
            self.shaking.update(self.bottle.point("top")[:3, 3], world.time)
        else:
            self.shaking.reset()

    def _level(self) -> bool:
        return abs(float(self.bottle.up[2])) < np.sin(np.radians(30))

    def check_success(self, world: World) -> bool:
        lifted = world.height(self.bottle.point("center")) > 0.08
        level = self._level() and _bottles.held(world, self.bottle)
        return self.shaking.reversals >= REVERSALS and lifted and level

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.bottle, "a": self.side}
