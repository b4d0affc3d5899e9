"""What the tasks share in which closed fingers push on one spot of an object, once."""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Side
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World

FORCE = 1.0  # newtons; a touch in passing is weaker
CLOSED = 0.2  # measured gripper opening below which the fingers count as closed


class PressTask(Task):
    """A task that is done once the spot has been pushed; subclasses place ``target`` and name the grasp ``group``.

    Attributes:
        group: grasp group of the target that holds the spot.
        reach: metres from the spot within which the fingers must push.
        target, side: what is pressed, and with which arm.
        pressed: whether it has happened.
    """

    limit = 400
    group: str
    reach: float = 0.025
    target: Actor
    side: Side
    pressed: bool = False

    def expert(self, robot: Skills) -> None:
        robot.do(robot.press(self.side, self.target, self.group, prefer=(0, 0, -1)))

    def observe(self, world: World) -> None:
        if self.pressed or world.opening(self.side) > CLOSED:
            return
        spot = self.target.grasp_pose(self.target.asset.grasps_in(self.group)[0])[:3, 3]
        for finger in (f"{self.side}_finger1", f"{self.side}_finger2"):
            points = world.contact_points(finger, self.target)
            near = bool((np.linalg.norm(points - spot, axis=1) < self.reach).any())
            if near and world.contact_force(finger, self.target) > FORCE:
                self.pressed = True

    def check_success(self, world: World) -> bool:
        return self.pressed

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.target, "a": self.side}
