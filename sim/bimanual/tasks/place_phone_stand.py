"""Put the phone on the phone stand.

Randomised: which phone and stand, both positions on one side, the phone's heading. Success: the phone's lower edge
rests on the ledge, within 3 cm of its middle, the phone leans against the back within 10 degrees with its screen to
the front, and no gripper touches it.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.tasks._pick_place import on_side, pick_place
from sim.bimanual.world import World


class PlacePhoneStand(Task):
    limit = 400
    instructions = (
        "[put|place|set] {A} [on|onto] {B}[| with {a}| using {a}]",
        "[pick up|take|grab|lift] {A} [with {a} |]and [put|place|set] it on {B}",
        "use {a} to [put|place|set|stand] {A} [on|onto] {B}",
        "[lean|stand] {A} [against|on] {B}, screen to the front[| using {a}]",
        "[move|bring|carry] {A} to {B} and [lean|stand] it there",
        "with {a} [stand|set|put] {A} upright on {B}",
        "{A} belongs on {B}, [put|set] it there[| with {a}]",
        "{A} should [lean|stand|rest] on {B}[|, screen to the front]",
        "[take|carry] {A} to {B} and [lean|rest] it there[| with {a}]",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy([(-0.25, -0.05), (0.05, 0.25)], (-0.2, 0.0))
        self.phone = scene.add("phone", scene.instance("phone"), spot, scene.uniform(-0.7, 0.7))
        self.side: Side = side_of(self.phone)
        at = scene.sample_xy(on_side(self.side, 0.0, 0.15), (0.0, 0.2), apart=0.15, avoid=[self.phone])
        self.stand = scene.add("stand", scene.instance("phone_stand"), at, mode="static")

    def expert(self, robot: Skills) -> None:
        tray = self.stand.point("tray")
        along = (0.06 * tray[:3, 2] - 0.02 * tray[:3, 1]).tolist()  # over the ledge and clear of the back
        goal = robot.goal(self.phone, tray, "edge", yaw="aligned", pre=along, touch=[self.stand])
        pick_place(robot, self.side, self.phone, goal, lift=0.1)

    def check_success(self, world: World) -> bool:
        edge, tray = self.phone.point("edge"), self.stand.point("tray")
        leaning = world.aligned(edge[:3, 2], tray[:3, 2], 10) and world.aligned(edge[:3, 1], tray[:3, 1], 10)
        return leaning and world.near(edge, tray, xy=0.03, z=0.015) and world.on(self.phone, self.stand)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.phone, "B": self.stand, "a": self.side}
