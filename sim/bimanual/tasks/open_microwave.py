"""Open the door of the microwave.

Randomised: the microwave and its position. Success: the door stands open by at least 60 % of its range.
"""

from __future__ import annotations

from collections.abc import Sequence

from sim.bimanual.actor import Actor
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Scene, Side
from sim.bimanual.skills import Skills, Turn
from sim.bimanual.task import Task
from sim.bimanual.world import World

OPEN = 0.6  # fraction of the hinge's range
AIM = 0.67  # fraction to which the expert turns it
SPARE = 0.07  # fraction farther than needed that a grasp must allow, for it is never exact
FOLLOW = (1.0, 0.7, 0.4, 0.2, 0.0, -0.15, -0.3)  # the round bar may turn between the fingers


class OpenMicrowave(Task):
    limit = 1500
    instructions = (
        "[open|open up|pull open] {A} [with|using] {a}",
        "[open|open up|pull open] {A}[| by its handle| at its handle]",
        "[pull|swing|open] the door of {A}[| open] [with {a}|using {a}|by the handle|by its handle]",
        "[use|move] {a} to [open|pull open] {A}",
        "[take|grab|hold] the handle of {A} [with {a} |]and [pull the door open|open the door|open it]",
        "{A} is shut, [open it|open its door|pull its door open][| with {a}]",
        "let {a} [open|pull open|swing open] [{A}|the door of {A}]",
        "[pull|draw] on the handle of {A} until the door [is open|stands open][| with {a}]",
        "with {a} [open|pull open|swing open] the door of {A}",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.12, -0.02), (0.15, 0.2))
        self.microwave = scene.add("microwave", scene.instance("microwave"), spot, mode="fixed", keep_out=0.03)
        self.side: Side = "left"  # the hinge is on the left, the door swings towards this arm
        scene.keep_out_area((-0.35, 0.25), (-0.3, 0.2))

    def expert(self, robot: Skills) -> None:
        fraction = self._grasp(robot, "handle", (AIM, 0.25, 0.3, 0.35, 0.45))
        robot.do(robot.turn_joint(self.side, self.microwave, "door", fraction, follow=FOLLOW, speed=0.4))
        if self.microwave.joint_fraction("door") <= OPEN:  # the arm cannot go all the way with the handle: push on
            robot.do(robot.open(self.side))
            robot.do(robot.retreat(self.side, touch=[self.microwave]))
            self._grasp(robot, "door_edge", (AIM,), opening=0.0, verify=False)
            robot.do(robot.turn_joint(self.side, self.microwave, "door", AIM, follow=FOLLOW))

    def _grasp(self, robot: Skills, group: str, fractions: Sequence[float], **options) -> float:
        """Take the door where it can be turned farthest; returns the fraction that it can be turned to."""
        failure: PlanningError | None = None
        for fraction in fractions:
            turn = Turn(self.microwave, "door", fraction + SPARE, FOLLOW)
            try:
                steps = robot.grasp(self.side, self.microwave, group, lift=0.0, then=[turn], **options)
            except PlanningError as error:
                failure = failure or error
                continue
            robot.do(steps)
            return fraction
        assert failure is not None
        raise failure

    def check_success(self, world: World) -> bool:
        return self.microwave.joint_fraction("door") > OPEN

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.microwave, "a": self.side}
