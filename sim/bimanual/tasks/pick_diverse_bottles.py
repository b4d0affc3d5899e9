"""Pick up two different bottles, one with each arm, and hold both in front.

Randomised: the two bottles, their positions and headings. Success: each hand holds its bottle upright, in front and
clear of the table.
"""

from __future__ import annotations

from assets.objects import library
from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks import _bottles
from sim.bimanual.world import World


class PickDiverseBottles(Task):
    limit = 400
    instructions = (
        "[pick up|grab|take|lift] {A} and {B}, one with each arm, and hold them in front",
        "[pick up|grab|take|lift] {A} with {a} and {B} with {b}, and [hold|keep] both bottles upright in front",
        "[use|with] both arms [to lift|lift] {A} and {B} from the table and hold them in front of the robot",
        "[hold|bring] {A} and {B} next to each other in front, [one in each hand|each in its own hand]",
        "[lift|raise] {A} using {a} and {B} using {b}, and bring them to the [front|middle]",
        "let {a} [take|lift] {A} while {b} [takes|lifts] {B}, and hold them side by side in front",
        "[pick up|lift|grab] the two bottles, one per arm, and [hold|keep] them upright in front of the robot",
        "[grasp|seize] {A} by {a} and {B} by {b}, then [hold|keep] both in the air in front",
        "both arms work at once: {a} [picks up|lifts] {A}, {b} [picks up|lifts] {B}, and both hold them in front",
        "[raise|lift] {A} and {B} together and [hold|keep] them upright in front, one in each hand",
        "at the same time, [pick up|lift] {A} with {a} and {B} with {b} and hold them in front of the robot",
        "[take|pick up] two bottles, {A} and {B}, [one per hand|one with each arm], and hold them in front, upright",
        "[get|take] {A} and {B} off the table, one in each hand, and [show|present] them upright in front of the robot",
        "[lift|raise] both bottles at once and [hold|keep] them upright in front, one per arm",
        "{A} goes into {a} and {B} into {b}: [lift|raise] both and hold them in front",
        "[show|hold up] {A} and {B} in front of the robot, [one in each hand|one per arm]",
        "[take|grab] {A} with {a} and {B} with {b} [together|at once] and [lift|bring] them to the front",
        "both hands [take|lift] a bottle, {A} on the left and {B} on the right, and hold them [up|upright] in front",
        "[lift|pick up] {A} on the left and {B} on the right and [hold|keep] them in front",
    )

    def load_actors(self, scene: Scene) -> None:
        left, right = scene.order(range(library.instances("bottle")), 2)
        assets = {"left": library.load("bottle", left), "right": library.load("bottle", right)}
        self.bottles = _bottles.standing_pair(scene, assets)  # type: ignore[arg-type]

    def expert(self, robot: Skills) -> None:
        _bottles.lift_pair(robot, self.bottles)

    def check_success(self, world: World) -> bool:
        return _bottles.pair_lifted(world, self.bottles)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.bottles["left"], "B": self.bottles["right"], "a": "left", "b": "right"}
