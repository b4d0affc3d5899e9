"""Pick up the microphone with one arm and hand it over to the other.

Randomised: the microphone and its position; the arm of its side gives. Success: it went from hand to hand in mid-air,
the taking hand holds it alone with its head at least 15 cm above the table and on its own side, the giver is open.
"""

from __future__ import annotations

from sim.bimanual.actor import Actor
from sim.bimanual.handover import Transfer, hand_over
from sim.bimanual.scene import Scene, Side, other, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World

HIGH = 0.15  # metres of the head above the table


class HandoverMic(Task):
    limit = 600
    instructions = (
        "[pick up|take|grab] {A} with {a} and [hand|pass|give] it to {b}",
        "[hand|pass|give] {A} from {a} to {b}",
        "[hand over|pass on] {A}[| in mid-air] from one arm to the other",
        "[use|let] {a} [take|lift|pick up] {A} and [hand it over|pass it] to {b}",
        "[pick up|take|grab|lift] {A} and [hand|pass|give] it [to the other arm|from hand to hand]",
        "[move|transfer] {A} from one hand [to|into] the other[| in mid-air| above the table]",
        "[lift|raise] {A} with one arm and [take|receive] it with the other",
        "give {A} from {a} to {b}[| without putting it down| above the table]",
        "{A} should [end|finish] in {b}, [handed over|passed on] by {a}",
        "take {A} with {a}, [meet|come together] in the middle and [pass|give] it to {b}",
        "let {a} [give|hand|pass] {A} to {b}",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy([(-0.2, -0.15), (0.15, 0.2)], (-0.05, 0.0))
        self.mic = scene.add("microphone", scene.instance("microphone"), spot)
        self.giver: Side = side_of(self.mic)
        self.taker: Side = other(self.giver)
        scene.keep_out_area((-0.35, 0.35), (-0.25, 0.1))
        self.transfer = Transfer(self.mic, self.giver)

    def expert(self, robot: Skills) -> None:
        lower, upper = self.mic.asset.grasps_in("lower"), self.mic.asset.grasps_in("upper")
        z = robot.world.table_z
        meeting = [(0.0, -0.05, z + 0.30), (0.0, 0.0, z + 0.34)]
        hand_over(robot, self.mic, self.giver, give=lower, take=upper, at=meeting, point="head")
        outward = -0.08 if self.taker == "left" else 0.08
        robot.do(robot.move_by(self.taker, (outward, 0.0, 0.0)))

    def observe(self, world: World) -> None:
        self.transfer.update(world)

    def check_success(self, world: World) -> bool:
        head = self.mic.point("head")
        alone = world.held_by(self.mic, self.taker) and not world.touched_by(self.mic, self.giver)
        ours = side_of(head[:3, 3]) == self.taker and world.height(head) > HIGH
        return self.transfer.done and alone and ours and world.gripper_open(self.giver)

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.mic, "a": self.giver, "b": self.taker}
