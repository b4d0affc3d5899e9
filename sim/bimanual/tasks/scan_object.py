"""Pick up the scanner and the box with separate arms and scan the box.

Randomised: scanner, box, sides, positions, headings. Success: both are held off the table by their arms, and the
scanner looks at the box: the box's centre lies within 2.5 cm of the line of sight, its surface at most 7 cm away.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side, other
from sim.bimanual.skills import Skills
from sim.bimanual.task import Task
from sim.bimanual.world import World
from twinloom.transforms import pose

FARTHEST = 0.07  # metres between window and box
OFF_AXIS = 0.025


class ScanObject(Task):
    limit = 500
    differs = "poses in which scanner and box would overlap are drawn anew"
    side: Side
    instructions = (
        "[scan|read] {B} with {A}",
        "[pick up|take|grab] {A} and {B} and scan [the box|it]",
        "[pick up|take|grab|hold] {A} with {a} and {B} with {b} and scan [the box|it]",
        "[use|take] {A} [in|with] {a} to scan {B} held [in|by] {b}",
        "hold {B} up and [scan|point the scanner at] it[| with {A}]",
        "[lift|raise|hold up] {B} [with {b} |]and [scan|read] [it|its code] with {A}",
        "[point|aim] {A} at {B} and scan it[| while holding both][| above the table]",
        "let {a} [scan|read] {B} with {A} while {b} [holds|shows] it",
        "[bring|hold] {A} and {B} together so that the box is [scanned|read]",
        "with {a} [hold|point] {A} at {B}, which {b} [holds|shows]",
        "{B} has to be [scanned|read]: [lift|hold] it with {b} and [aim|point] {A} at it with {a}",
        "[lift|pick up] both, {A} and {B}, and scan the box",
    )

    def load_actors(self, scene: Scene) -> None:
        self.side = scene.side()
        sign = -1 if self.side == "left" else 1
        spot = (sign * scene.uniform(0.05, 0.25), scene.uniform(-0.15, -0.05))
        self.scanner = scene.add("scanner", scene.instance("scanner"), spot, scene.uniform(-1.2, 1.2))
        spot = (-sign * scene.uniform(0.05, 0.25), scene.uniform(-0.2, 0.0))
        self.box = scene.add("box", scene.instance("tea_box"), spot, scene.uniform(-1.2, 1.2), clear=True)

    def expert(self, robot: Skills) -> None:
        holder = other(self.side)
        sign = -1 if self.side == "left" else 1
        spot = np.array([-sign * 0.14, -0.05, robot.world.table_z + 0.20])
        shown = robot.goal(self.box, spot, "center", pre=0.02, touch=[])
        aim = self._aim(robot, spot, sign)
        robot.do(
            robot.grasp(self.side, self.scanner, "handle", then=[aim]),
            robot.grasp(holder, self.box, "top", "side", then=[shown], prefer=(sign, 0, -1)),
        )
        robot.do(robot.lift(self.side, 0.15), robot.lift(holder, 0.15))
        robot.do(robot.place(holder, shown, release=False))
        aim = self._aim(robot, self.box.point("center")[:3, 3], sign)
        robot.do(robot.place(self.side, aim, release=False))

    def _aim(self, robot: Skills, center: np.ndarray, sign: int):
        """The scanner's window 5 cm before the box, looking at its centre from the scanner's side."""
        half = self.box.asset.extents[0] / 2
        frames = []
        for turn in np.linspace(-0.9, 0.9, 13):
            back = np.array([sign * np.cos(turn), np.sin(turn), 0.0])  # from the box to the scanner
            x = np.cross([0.0, 0.0, 1.0], back)
            R = np.column_stack([x, np.cross(back, x), back])
            frames.append(pose(center + (half + 0.05) * back, R))
        pre = (0.06 * sign, 0.0, 0.0)
        return robot.goal(self.scanner, np.array(frames), "window", yaw=(0.0, np.pi), pre=pre, above=0.0, touch=[])

    def check_success(self, world: World) -> bool:
        window, center = self.scanner.point("window"), self.box.point("center")[:3, 3]
        look = -window[:3, 2]
        distance = float((center - window[:3, 3]) @ look)
        off = np.linalg.norm(center - window[:3, 3] - distance * look)
        surface = distance - self.box.asset.extents[0] / 2
        lifted = min(world.height(self.box), world.height(self.scanner)) > 0.05
        return bool(
            lifted
            and 0.0 < surface < FARTHEST
            and off < OFF_AXIS
            and world.held_by(self.scanner, self.side)
            and world.held_by(self.box, other(self.side))
        )

    def slots(self) -> dict[str, Actor | str]:
        return {"A": self.scanner, "B": self.box, "a": self.side, "b": other(self.side)}
