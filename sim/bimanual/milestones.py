"""What a task consists of, read off its expert without planning or physics: milestones with a distance to each.

The expert is rehearsed: its skills move ideal hands and objects of a private copy of the state, so its script says
which object is taken, where it goes, which joint is turned and what is pressed. That takes milliseconds and works for
every task that has an expert. :class:`Progress` measures how far an episode has come along the milestones.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from assets.objects.model import GraspPoint
from sim.bimanual.actor import Actor
from sim.bimanual.episode import Prepared
from sim.bimanual.grasping import Goal, candidates
from sim.bimanual.plan import PlanningError
from sim.bimanual.skills import Skills
from sim.bimanual.world import World
from twinloom.transforms import inverse, matrix_to_quat, pose

LEAST_LIFT = 0.35  # share of a lift
LEVER = 0.1  # metres that a radian counts
NEAR = 0.03  # metres from which a milestone is reached
SCALE = 5.0  # 1/m: at 0.2 m from a milestone a quarter of its reward has been earned

Moves = list[Callable[[], None]]


@dataclass(frozen=True)
class Milestone:
    """One thing to be achieved.

    Attributes:
        name: for people: "left hand at can", "can at its goal".
        distance: metres (and radians times LEVER) that are left; near: from which it is reached.
        done: whether it has been achieved, besides the distance.
    """

    name: str
    distance: Callable[[World], float]
    near: float = NEAR
    done: Callable[[World], bool] = lambda world: True


class Rehearsal:
    """Stands in for Skills: the same vocabulary, whose steps take effect at once and leave milestones.

    Args:
        prepared: the episode; its state is copied and not touched.
    """

    def __init__(self, prepared: Prepared) -> None:
        sim = prepared.sim
        self.sim, self.world = sim, prepared.world
        self.max_opening = sim.record.gripper.max_opening
        self.milestones: list[Milestone] = []
        self._data = mujoco.MjData(sim.model)
        self._data.qpos[:] = sim.data.qpos
        mujoco.mj_kinematics(sim.model, self._data)
        self._hands = {side: sim.tcp(side) for side in sim.arms}
        self._held: dict[str, tuple[Actor, np.ndarray]] = {}

    def run(self, expert: Callable[[Any], None]) -> list[Milestone]:
        """The milestones of an expert."""
        actors = self.sim.actors.values()
        for actor in actors:
            actor.bind(self.sim.model, self._data)
        try:
            expert(self)
        except PlanningError:
            pass  # it gives up; what it wanted so far counts
        finally:
            for actor in actors:
                actor.bind(self.sim.model, self.sim.data)
        return self.milestones

    # ------------------------------------------------------------ vocabulary

    goal = Skills.goal

    def do(self, *steps: Sequence[Callable[[], None]]) -> None:
        """All of them."""
        for moves in steps:
            for move in moves:
                move()

    def tcp(self, side: str) -> np.ndarray:
        """(4, 4) pose of the ideal hand."""
        return self._hands[side]

    def grasp(
        self, side: str, actor: Actor, *groups: str, grasps: Sequence[GraspPoint] | None = None, verify=True, **_: Any
    ) -> Moves:
        """The hand is at the nearest of the grasp points, and holds the object."""
        points = tuple(grasps) if grasps is not None else actor.asset.grasps_in(*groups)
        options = candidates(actor, points, self.max_opening)
        if not options:
            raise PlanningError("no feasible grasp", f"{actor.name} has no grasp that fits the gripper")

        def distance(world: World) -> float:
            hand = world.tcp(side)[:3, 3]
            return min(float(np.linalg.norm(actor.grasp_pose(p)[:3, 3] - hand)) for p in points)

        def held(world: World) -> bool:
            return world.held_by(actor, side) if verify else world.touched_by(actor, side)

        def move() -> None:
            part = options[0].grasp.part
            now = candidates(actor, points, self.max_opening)
            hand = self._hands[side][:3, 3]
            nearest = min(now, key=lambda c: c.preference + float(np.linalg.norm(c.T[:3, 3] - hand)))
            self._hands[side] = nearest.T
            if actor.mode == "free" and part == "base" and verify:
                self._held[side] = (actor, inverse(nearest.T) @ actor.pose())
            self.milestones.append(Milestone(f"{side} hand at {actor.name}", distance, done=held))

        return [move]

    def place(self, side: str, goal: Goal, *, release: bool = True, **_: Any) -> Moves:
        """The object is at the goal."""

        def move() -> None:
            options = goal.object_poses()
            best = options[int(np.argmin(_apart(options, goal.actor.pose())))]
            self._aim(goal.actor, options)
            self._bring(goal.actor, best)
            if release:
                self._held.pop(side, None)

        return [move]

    def lift(self, side: str, height: float = 0.1, **_: Any) -> Moves:
        """What is held is higher, if only by the least share of the way that experts are content with."""

        def move() -> None:
            T, least = self._hands[side], self._height(side) + LEAST_LIFT * height
            self._hands[side] = pose(T[:3, 3] + [0.0, 0.0, height], T[:3, :3])
            if side in self._held:
                actor, T_hand_object = self._held[side]
                self._bring(actor, self._hands[side] @ T_hand_object)
                name = f"{actor.name} lifted"
                self.milestones.append(Milestone(name, lambda world: max(0.0, least - float(actor.position[2])), 0.0))

        return [move]

    def move_by(self, side: str, offset: Sequence[float], *, rotation: np.ndarray | None = None, **_: Any) -> Moves:
        """The hand is elsewhere, and with it what it holds."""

        def move() -> None:
            T = self._hands[side]
            R = np.eye(3) if rotation is None else rotation
            self._hands[side] = pose(T[:3, 3] + np.asarray(offset, float), R @ T[:3, :3])
            if side in self._held:
                actor, T_hand_object = self._held[side]
                target = self._hands[side] @ T_hand_object
                self._aim(actor, target[None])
                self._bring(actor, target)

        return [move]

    def carry(self, actor: Actor, T_goal: np.ndarray, **_: Any) -> tuple[Moves, Moves]:
        """What both hands hold is at a pose."""

        def move() -> None:
            self._aim(actor, T_goal[None])
            self._bring(actor, T_goal)

        return [move], []

    def turn_joint(self, side: str, actor: Actor, part: str, fraction: float, **_: Any) -> Moves:
        """A joint has been turned."""

        def distance(world: World) -> float:
            return abs(fraction - actor.joint_fraction(part)) * _travel(actor, part)

        def move() -> None:
            lower, upper = actor.joint_limits(part)
            self._data.qpos[actor.joint_address(part)] = lower + fraction * (upper - lower)
            mujoco.mj_kinematics(self.sim.model, self._data)
            self.milestones.append(Milestone(f"{part} of {actor.name} turned", distance))

        return [move]

    def press(self, side: str, actor: Actor, *groups: str, **_: Any) -> Moves:
        """The hand is at the point to be pressed."""
        points = actor.asset.grasps_in(*groups)

        def distance(world: World) -> float:
            hand = world.tcp(side)[:3, 3]
            return min(float(np.linalg.norm(actor.grasp_pose(p)[:3, 3] - hand)) for p in points)

        return [lambda: self.milestones.append(Milestone(f"{side} hand at {actor.name}", distance))]

    def open(self, side: str, opening: float = 1.0) -> Moves:
        """What was held is let go."""
        return [lambda: self._held.pop(side, None) and None]

    def move_to(self, side: str, T: np.ndarray, **_: Any) -> Moves:
        """The hand is elsewhere."""
        return [lambda: self._hands.__setitem__(side, np.asarray(T, float))]

    def _nothing(self, *_: Any, **__: Any) -> Moves:
        """Moves no object."""
        return []

    home = wait = retreat = close = carry_loose = _nothing

    # --------------------------------------------------------------- helpers

    def _aim(self, actor: Actor, poses: np.ndarray) -> None:
        poses = np.array(poses)

        def distance(world: World) -> float:
            return float(_apart(poses, actor.pose()).min())

        self.milestones.append(Milestone(f"{actor.name} at its goal", distance))

    def _height(self, side: str) -> float:
        """Of what a hand holds, else of the hand."""
        return float(self._held[side][0].position[2] if side in self._held else self._hands[side][2, 3])

    def _bring(self, actor: Actor, T: np.ndarray) -> None:
        """Put an object somewhere, and with it the hands that hold it."""
        before = actor.pose()
        joint = self.sim.model.body(actor.name).jntadr[0]
        address = int(self.sim.model.jnt_qposadr[joint])
        self._data.qpos[address : address + 7] = [*T[:3, 3], *matrix_to_quat(T[:3, :3])]
        mujoco.mj_kinematics(self.sim.model, self._data)
        for side, (held, _) in self._held.items():
            if held is actor:
                self._hands[side] = T @ inverse(before) @ self._hands[side]


def _apart(poses: np.ndarray, T: np.ndarray) -> np.ndarray:
    """(K,) metres of each of (K, 4, 4) poses from another, radians counted as LEVER."""
    turns = np.einsum("kij,ij->k", poses[:, :3, :3], T[:3, :3])  # traces of the relative rotations
    angles = np.arccos(np.clip((turns - 1) / 2, -1, 1))
    return np.linalg.norm(poses[:, :3, 3] - T[:3, 3], axis=1) + LEVER * angles


def _travel(actor: Actor, part: str) -> float:
    """Metres that a joint's whole range counts."""
    lower, upper = actor.joint_limits(part)
    return (upper - lower) * (0.3 if actor.is_hinge(part) else 1.0)


class Progress:
    """How far an episode has come, in [0, 1]: milestones behind it, and the nearness of the next one.

    Milestones that were reached stay reached, so the value falls only as far as the present one is left behind again;
    1 is success, measured by the task's own check, however it came about.
    """

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.milestones = tuple(Rehearsal(prepared).run(copy.copy(prepared.task).expert))
        self.reached = 0

    def __call__(self) -> float:
        """Look at the present state; call it after every control step."""
        if self.prepared.over:
            return 1.0
        world, left = self.prepared.world, 1.0
        while self.reached < len(self.milestones):
            one = self.milestones[self.reached]
            left = one.distance(world)
            if left > one.near or not one.done(world):
                break
            self.reached += 1
            left = 0.0
        nearness = 1.0 - float(np.tanh(SCALE * left)) if self.reached < len(self.milestones) else 0.0
        return (self.reached + nearness) / (len(self.milestones) + 1)
