"""Put the can into the basket, then lift the basket by its handle with the other arm.

Randomised: basket, can, side, positions. Success: basket and can have risen by more than 2 cm, the basket is
upright and held by its arm, the can is in it and touches neither table nor gripper.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _basket
from sim.bimanual.world import World


class PlaceCanBasket(Task):
    limit = 700
    side: Side
    instructions = (
        "[put|place|drop] {B} [into|in] {A} and [lift|raise] the basket[| with the other arm]",
        "[pick up|grab|take] {B} with {a}, [put|place|drop] it [into|in] {A}, then [lift|raise] the basket",
        "[put|place] {B} [into|inside] {A} [using|with] {a}, then [lift|pick up] {A}[| by its handle]",
    )

    def load_actors(self, scene: Scene) -> None:
        self.side = scene.side()
        self.basket = _basket.add_basket(scene, self.side)
        sign = -1 if self.side == "left" else 1
        spot = (sign * scene.uniform(0.2, 0.25), scene.uniform(0.0, 0.1))
        self.can = scene.add("can", scene.instance("can"), spot, scene.uniform(-3.1, 3.1), clear=True)

    def expert(self, robot: Skills) -> None:
        _basket.fill_and_lift(robot, self.side, self.can, self.basket)

    def check_success(self, world: World) -> bool:
        return _basket.filled_and_lifted(world, self.side, self.can, self.basket)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.basket, "B": self.can, "a": self.side}
