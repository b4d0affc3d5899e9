"""Put the object into the basket, then lift the basket with the other arm and move it outward.

Randomised: basket, object (toy car or card box), side, positions. Success: basket and object have risen by more than 2
cm, the basket is upright and held by its arm, the object is in it and touches neither table nor gripper.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, other
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _basket
from sim.bimanual.world import World


class PlaceObjectBasket(Task):
    limit = 700
    side: Side
    instructions = (
        "[put|place|drop] {B} [into|in] {A} and [lift|raise|pick up] the basket[| with the other arm]",
        "[pick up|grab|take] {B} with {a}, [put|place|drop] it [into|in] {A}, then [lift|raise] the basket with {b}",
        "use {a} to [put|place] {B} [into|inside] {A} and {b} to [lift|pick up] the basket",
        "[put|place] {B} [into|inside] {A}, then [lift|carry|move] {A}[| by its handle] to the side",
    )

    def load_actors(self, scene: Scene) -> None:
        self.side = scene.side()
        self.basket = _basket.add_basket(scene, self.side)
        sign = -1 if self.side == "left" else 1
        spot = (sign * scene.uniform(0.2, 0.25), scene.uniform(-0.1, 0.1))
        thing = scene.instance(scene.choice(("playing_cards", "toy_car")))
        self.thing = scene.add("thing", thing, spot, scene.uniform(-0.52, 0.52), clear=True)

    def expert(self, robot: Skills) -> None:
        _basket.fill_and_lift(robot, self.side, self.thing, self.basket)
        outward = 0.05 if self.side == "left" else -0.05
        robot.do(robot.move_by(other(self.side), (outward, 0.0, 0.0)))

    def check_success(self, world: World) -> bool:
        return _basket.filled_and_lifted(world, self.side, self.thing, self.basket)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.basket, "B": self.thing, "a": self.side, "b": other(self.side)}
