"""Put the can beside the pot, on the side where the can stands.

Randomised: pot and can, the pot's heading, the can's position and heading; the arm of the can's side works. Success:
the can stands upright on the table close beside the pot on its own side, level with it and let go.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World

BESIDE = 0.18  # metres between the axes of pot and can


class MoveCanPot(Task):
    limit = 400
    instructions = (
        "[pick up|take|grab] {B} [with {a} |]and [put|place|set] it beside {A}, on its {s}",
        "[move|bring|carry] {B} to the {s} of {A}[| with {a}| using {a}]",
        "[put|place|set] {B} [close to|next to] {A} on the {s}[| with {a}]",
        "[use|move] {a} to [put|place] {B} on the {s} of {A}",
        "[lift|carry] {B} over to {A} and [put|set] it down on the {s} of it[| with {a}]",
        "[stand|place|leave] {B} [right|close] at the {s} of {A}",
        "{B} [goes|belongs] [close to|next to] {A}, on the {s}",
        "[place|put|set] {B} upright to the {s} of {A}[| with {a}]",
        "let {a} [carry|bring|move] {B} to {A} and leave it on the {s}",
        "I want {B} [beside|next to] {A}, on its {s}[| standing upright]",
        "[take|get] {B} and [stand|set] it near {A}, on the {s}",
        "{A} and {B} should stand [side by side|next to each other], {B} on the {s}",
    )

    def load_actors(self, scene: Scene) -> None:
        self.pot = scene.add("pot", scene.instance("kitchen_pot"), (0.0, 0.0), scene.uniform(-np.pi / 8, np.pi / 8))
        spot = scene.sample_xy([(-0.3, -0.2), (0.2, 0.3)], (0.05, 0.15), apart=0.3, avoid=[self.pot])
        yaw = scene.uniform(-np.pi / 4, np.pi / 4)
        self.can = scene.add("can", scene.instance("sauce_can"), spot, yaw)
        self.side: Side = side_of(self.can)
        self.sign = -1.0 if self.side == "left" else 1.0
        scene.keep_out((self.sign * BESIDE, 0.0), 0.08)

    def expert(self, robot: Skills) -> None:
        x, y, _ = self.pot.position
        goal = robot.goal(self.can, (x + self.sign * BESIDE, y, robot.world.table_z))
        robot.do(robot.grasp(self.side, self.can, then=[goal]))
        robot.do(robot.lift(self.side, 0.07))
        robot.do(robot.place(self.side, goal))

    def check_success(self, world: World) -> bool:
        dx, dy, _ = world.offset(self.can, self.pot)
        beside = 0.1 < self.sign * dx < 0.2 and abs(dy) < 0.035
        return beside and world.upright(self.pot) and world.upright(self.can) and world.on(self.can, "table")

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.pot, "B": self.can, "a": self.side, "s": f"{self.side} side"}
