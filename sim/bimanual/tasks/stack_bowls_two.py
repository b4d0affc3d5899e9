"""Stack two bowls at the centre.

Randomised: which kind of bowl, both positions and headings. Success: one bowl stands upright on the table, the other
nests upright in it, and no gripper touches them.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _bowls
from sim.bimanual.world import World


class StackBowlsTwo(Task):
    limit = 900
    differs = "bowls at least their width and 1 cm apart (13 cm): ours are wider"
    instructions = (
        "[stack|pile up|nest] the two bowls[| at the center| in the middle of the table]",
        "[stack|nest] {A} and {B}[| at the center| in the middle]",
        "[put|place|set] {A} at the center and [stack|put|place|nest] {B} [in it|on top of it|inside it]",
        "[pick up|take|grab] {A} with {a}, [put|place|set] it at the center, then [stack|nest|put] {B} in it with {b}",
        "use {a} for {A} and {b} for {B} and [stack|nest] the bowls[| at the center]",
    )

    def load_actors(self, scene: Scene) -> None:
        self.bowls = _bowls.scatter(scene, 2)
        self.sides = [side_of(bowl) for bowl in self.bowls]

    def expert(self, robot: Skills) -> None:
        _bowls.stack(robot, self.bowls)

    def check_success(self, world: World) -> bool:
        return _bowls.stacked(world, self.bowls)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.bowls[0], "B": self.bowls[1], "a": self.sides[0], "b": self.sides[1]}
