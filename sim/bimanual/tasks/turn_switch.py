"""Press the rocker switch.

Randomised: the switch, its position and heading; the arm follows from where its front looks. Success: the rocker is
tipped to its end.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World

END = 0.05  # radians short of the upper limit that still count as pressed


class TurnSwitch(Task):
    limit = 400
    differs = "the switch stands on the table (RoboTwin: 7 to 10 cm above it)"
    instructions = (
        "[press|push|click|flip] {A} [with|using] {a}",
        "[press|push|click|tap|flip|toggle] {A}[| once| now]",
        "[use|move] {a} to [press|push|flip|click] {A}",
        "[reach for|go to|move to] {A} and [press|push|flip] it[| with {a}]",
        "[press|push] the [rocker|button] of {A}[| with {a}| until it flips]",
        "[switch|turn] {A} [on|over][| with {a}| using {a}]",
        "with {a} [press|push|flip] the rocker of {A}",
        "let {a} [press|push|click|flip] {A}",
        "{A} should be [flipped|pressed][| by {a}]",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, 0.25), (0.0, 0.1))
        yaw = scene.uniform(-0.785, 0.785)
        self.switch = scene.add("switch", scene.instance("switch"), spot, yaw, mode="fixed", joints={"rocker": 0.0})
        self.side: Side = "right" if yaw > 0 else "left"  # the front looks to -y turned by yaw
        scene.keep_out_area((-0.4, 0.4), (-0.2, 0.2))

    def expert(self, robot: Skills) -> None:
        front = -self.switch.point("rocker")[:3, 2]
        robot.do(robot.press(self.side, self.switch, "press", pre=0.05, beyond=0.016, prefer=front))

    def check_success(self, world: World) -> bool:
        return self.switch.joint("rocker") > self.switch.joint_limits("rocker")[1] - END

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.switch, "a": self.side}
