"""What the bottle tasks share: bottles that lie, bottles held by each hand, and measuring whether one is shaken."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np

from assets.objects.model import GraspPoint, ObjectAsset
from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, Side
from sim.bimanual.skills import Skills
from sim.bimanual.world import World
from twinloom.transforms import pose

SIGN: dict[Side, float] = {"left": -1.0, "right": 1.0}
FRONT = {"left": (-0.06, -0.105), "right": (0.06, -0.105)}  # where a pair is held; tolerance 0.1 in x and y
LIFTED = 0.15  # metres of a bottle's centre above the table: clearly more than of one that stands


def lying_bottle(scene: Scene, asset: ObjectAsset, spot: tuple[float, float], heading: float, keep_out: float) -> Actor:
    """A bottle on its side whose neck points along ``heading`` (radians from +x)."""
    return scene.add("bottle", asset, spot, heading - np.pi / 2, quat=asset.stable_quats[1], keep_out=keep_out)


def held(world: World, bottle: Actor) -> bool:
    """Whether one of the hands holds the bottle and nothing else carries it."""
    by_hand = any(world.held_by(bottle, side) for side in SIGN)
    return by_hand and not world.touching(bottle, "table")


def standing_pair(scene: Scene, assets: dict[Side, ObjectAsset]) -> dict[Side, Actor]:
    """One bottle for each arm, standing at the back of the table."""
    bottles: dict[Side, Actor] = {}
    for side, asset in assets.items():
        near, far = sorted((0.05 * SIGN[side], 0.25 * SIGN[side]))
        spot = scene.sample_xy((near, far), (0.03, 0.23), apart=0.13, avoid=list(bottles.values()))
        bottles[side] = scene.add(f"{side}_bottle", asset, spot, scene.uniform(-1, 1) - SIGN[side] * np.pi / 4)
        # a hand that comes from the side or from the front needs room
        scene.keep_out_area((spot[0] - 0.18, spot[0] + 0.18), (spot[1] - 0.18, spot[1] + 0.08))
    scene.keep_out_area((-0.25, 0.25), (-0.25, -0.02))
    return bottles


def lift_pair(robot: Skills, bottles: dict[Side, Actor]) -> None:
    """Take both bottles at once and hold them side by side in front."""
    goals = {}
    for side, bottle in bottles.items():
        # wider apart than the targets, so that two broad hands fit beside each other
        target = pose([0.11 * SIGN[side], FRONT[side][1], robot.world.table_z + 0.25])
        goals[side] = robot.goal(bottle, target, "center", pre=0.0)
    # hands that come from outside leave each other room
    inward = {side: (-SIGN[side], 0.5, 0.0) for side in bottles}
    left = robot.grasp("left", bottles["left"], "side", then=[goals["left"]], prefer=inward["left"])
    right = robot.grasp(
        "right", bottles["right"], "side", then=[goals["right"]], prefer=inward["right"], meanwhile=left
    )
    robot.do(left, right)
    robot.do(robot.lift("left", 0.1), robot.lift("right", 0.1))
    left = robot.place("left", goals["left"], release=False, prefer=inward["left"])
    right = robot.place("right", goals["right"], release=False, prefer=inward["right"], meanwhile=left)
    robot.do(left, right)


def pair_lifted(world: World, bottles: dict[Side, Actor]) -> bool:
    """Whether each hand holds its bottle upright in front, clear of the table."""
    for side, bottle in bottles.items():
        dx, dy, _ = world.offset(bottle.point("center"), np.array([*FRONT[side], 0.0]))
        if abs(dx) > 0.1 or abs(dy) > 0.1 or world.height(bottle.point("center")) < LIFTED:
            return False
        if not world.held_by(bottle, side) or not world.upright(bottle, 20):
            return False
    return True


class Shaking:
    """Counts how often the top of a bottle turns back between strokes.

    A stroke is a way of at least STROKE metres within WINDOW seconds; a reversal is a stroke against the one before.
    """

    STROKE, WINDOW = 0.06, 0.4

    def __init__(self) -> None:
        self.reversals = 0
        self._recent: deque[tuple[float, np.ndarray]] = deque()
        self._stroke = np.zeros(3)  # direction of the present stroke

    def reset(self) -> None:
        """Forget everything."""
        self.reversals, self._stroke = 0, np.zeros(3)
        self._recent.clear()

    def update(self, top: np.ndarray, time: float) -> None:
        """Add a measurement: position (3,) of the top at a time in seconds."""
        self._recent.append((time, top))
        while time - self._recent[0][0] > self.WINDOW + 1e-6:
            self._recent.popleft()
        ways = np.array([top - then for _, then in self._recent])
        way = ways[np.argmax(np.linalg.norm(ways, axis=1))]
        length = float(np.linalg.norm(way))
        if length < self.STROKE:
            return
        direction = way / length
        if direction @ self._stroke < -0.5:
            self.reversals += 1
        self._stroke = direction


def side_grasps(bottle: Actor, height: float) -> list[GraspPoint]:
    """The bottle's side grasps moved to another height above its bottom, metres."""
    moved = []
    for grasp in bottle.asset.grasps_in("side"):
        T = grasp.T_object_hand.copy()
        T[2, 3] = height
        moved.append(replace(grasp, T_object_hand=T))
    return moved
