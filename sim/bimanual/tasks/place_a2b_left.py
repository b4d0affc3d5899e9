"""Place one object to the left of another.

Randomised: two kinds of objects, both positions and headings. Success: object A stands on the table to the left of
B, their middles 8 to 20 cm apart and at most 5 cm farther forward or back, and no gripper touches them.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _beside
from sim.bimanual.world import World


class PlaceA2bLeft(Task):
    limit = 400
    instructions = (
        "[put|place|set] {A} [to|on] the left of {B}",
        "[put|place|set] {A} left of {B} [using|with] {a}",
        "[pick up|take|grab|lift] {A} [with {a} |]and [put|place|set] it to the left of {B}",
        "use {a} to [put|place|set|move] {A} [to the left of|on the left side of] {B}",
        "[move|bring|carry] {A} to the left [side |]of {B}",
        "with {a} [put|set|place] {A} beside {B}, on its left side",
        "{A} belongs [to the left of|on the left side of] {B}, [put|place] it there[| with {a}]",
        "[set|put] {A} down next to {B} on the left",
        "I want {A} to the left of {B}[| and {a} should do it]",
        "{B} should have {A} on its left[| side]",
        "[carry|take|lift] {A} over and [leave|set] it on the left of {B}[| using {a}]",
        "the place for {A} is [left of|on the left of] {B}",
    )

    def load_actors(self, scene: Scene) -> None:
        self.thing, self.landmark = _beside.scatter(scene, "left")
        self.side: Side = side_of(self.thing)

    def expert(self, robot: Skills) -> None:
        _beside.put_beside(robot, self.side, self.thing, self.landmark, "left")

    def check_success(self, world: World) -> bool:
        return _beside.is_beside(world, self.thing, self.landmark, "left")

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.thing, "B": self.landmark, "a": self.side}
