"""Open the drawer of the cabinet with one arm and put the object inside with the other.

Randomised: the cabinet, the object, both positions, the object's heading; the arm of the object's side carries it and
the other one pulls. Success: the object lies in the drawer, let go.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, other, side_of
from sim.bimanual.skills import Skills, Turn
from sim.bimanual.task import Task
from sim.bimanual.world import World
from twinloom.transforms import inverse, pose

CATEGORIES = (
    "mouse", "stapler", "toy_car", "rubiks_cube", "bread", "phone", "playing_cards", "tea_box", "coffee_box", "soap",
)  # fmt: skip
PULL = 0.85  # fraction of the drawer's travel
FORWARD, SIDEWAYS = (0.025, 0.04), (0.0, -0.04, 0.04)  # metres from the middle of the drawer where it may be put
ROOM = 0.1  # metres between the object and the side of the drawer, for the hand
INSIDE = np.array([0.11, 0.09, 0.06])  # metres from the middle of the drawer's floor: sideways, lengthwise, up


class PutObjectCabinet(Task):
    limit = 700
    differs = "objects keep 10 cm from the cabinet's side: room for the hand"
    instructions = (
        "[open|pull open] the drawer of {B} with {b} and [put|place] {A} [inside|in it] with {a}",
        "[open|pull open] the drawer of {B} and [put|place|drop] {A} [inside|in it|into it]",
        "[put|place|store] {A} in the drawer of {B}[| after opening it| which has to be opened first]",
        "[use|take] {b} to open the drawer of {B}, then [put|place] {A} in [it|the drawer] with {a}",
        "[pick up|take|grab] {A} with {a}, pull the drawer open with {b} and [put|place] it [inside|in the drawer]",
        "[pick up|take|grab] {A}, open the drawer of {B} and [put|place] it [inside|in the drawer]",
        "{A} belongs in the drawer of {B}: [open it|pull it open] and put it inside",
        "with {b} [open|pull out] the drawer of {B}, with {a} [put|lay|drop] {A} into it",
        "{a} [puts|lays|drops] {A} into the drawer of {B}, which {b} [opens|pulls open]",
    )

    def load_actors(self, scene: Scene) -> None:
        cabinet, x = scene.instance("cabinet"), scene.uniform(-0.05, 0.05)
        self.cabinet = scene.add("cabinet", cabinet, (x, 0.155), mode="fixed", keep_out=0.03)
        beside = cabinet.extents[0] / 2 + ROOM
        spot = scene.sample_xy([(-0.32, -0.2), (0.2, 0.32)], (-0.2, -0.1), accept=lambda at, _: abs(at - x) > beside)
        yaw = scene.uniform(-np.pi / 3, np.pi / 3)
        self.object = scene.add("object", scene.instance(scene.choice(CATEGORIES)), spot, yaw)
        self.side: Side = side_of(self.object)
        scene.keep_out_area((-0.25, 0.25), (-0.3, 0.06))

    def expert(self, robot: Skills) -> None:
        side, opener, cabinet = self.side, other(self.side), self.cabinet
        turn = Turn(cabinet, "drawer", PULL)
        robot.do(robot.grasp(opener, cabinet, "handle", lift=0.0, then=[turn]))
        robot.do(robot.turn_joint(opener, cabinet, "drawer", PULL))
        robot.do(robot.open(opener))
        robot.do(robot.retreat(opener))
        floor = cabinet.point("drawer")[:3, 3]
        spots = np.array([pose(floor + np.array([x, -y, 0.0])) for y in FORWARD for x in SIDEWAYS])
        goal = robot.goal(self.object, spots, pre=0.07, above=0.05, touch=())
        away = robot.home(opener)
        robot.do(robot.grasp(side, self.object, "top", then=[goal], meanwhile=away), away)
        robot.do(robot.lift(side, 0.06))
        robot.do(robot.place(side, goal))

    def check_success(self, world: World) -> bool:
        where = (inverse(self.cabinet.point("drawer")) @ self.object.pose())[:3, 3]
        inside = bool((np.abs(where) < INSIDE).all())
        return inside and world.on(self.object, self.cabinet) and not world.touching(self.object, "table")

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.object, "B": self.cabinet, "a": self.side, "b": other(self.side)}
