"""The vocabulary of the scripted experts: grasp, place, lift, move, press, turn, open, close, home.

A skill returns the steps of one arm; :meth:`Skills.do` carries out one or two such lists at the same time. Poses are
worked out from the state measured when the skill is called, final approaches once more when they begin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from assets.objects.model import GraspPoint
from sim.bimanual.actor import Actor
from sim.bimanual.feasible import Feasible
from sim.bimanual.grasping import Candidate, Goal, back_off, candidates, raised
from sim.bimanual.motion import CARRY_SPEED, Grip, Line, Motion, Move, Step, Wait
from sim.bimanual.plan import PlanningError
from sim.bimanual.scene import Scene, Side, other
from sim.bimanual.simulation import Simulation
from sim.bimanual.turning import Turn, feasible_ways
from sim.bimanual.world import World
from twinloom.transforms import interpolate_poses, inverse, pose, rotation_angle

FREE_YAWS = tuple(float(v) for v in np.linspace(0, 2 * np.pi, 24, endpoint=False))


class Skills:
    """What an expert can do with the two arms.

    Args:
        sim: the simulation.
        world: measured state.
        rng: for the sampling planner.
    """

    def __init__(self, sim: Simulation, world: World, rng: np.random.Generator) -> None:
        self.sim = sim
        self.world = world
        self.motion = Motion(sim, world, rng)
        self.feasible = Feasible(self.motion)
        self.max_opening = sim.record.gripper.max_opening

    def do(self, *steps: Sequence[Step]) -> None:
        """Carry out the step lists of one or both arms, in parallel. Raises PlanningError."""
        self.motion.run(*steps)

    def tcp(self, side: Side) -> np.ndarray:
        """(4, 4) measured hand pose."""
        return self.sim.tcp(side)

    # ---------------------------------------------------------------- grasp

    def grasp(
        self,
        side: Side,
        actor: Actor,
        *groups: str,
        pre: float = 0.08,
        deeper: float = 0.0,
        close: float = 0.0,
        opening: float = 1.0,
        lift: float = 0.06,
        then: Sequence[Goal | Turn] = (),
        prefer: Sequence[float] | np.ndarray | None = None,
        touch: Iterable[str] = (),
        grasps: Sequence[GraspPoint] | None = None,
        verify: bool = True,
        meanwhile: Sequence[Step] = (),
    ) -> list[Step]:
        """Take hold of an object.

        Args:
            groups: grasp groups to consider, all if none is given; ``grasps`` lists single points instead.
            pre: metres of straight approach.
            deeper: metres by which the hand goes beyond the grasp point (negative: stops short).
            close, opening: gripper opening when closed and while approaching, 0..1.
            lift: metres straight up that must be feasible afterwards (it is not carried out).
            then: later goals of the object, or turns of the part, that must be feasible with this grasp.
            prefer: (3,) world direction in which the hand should approach, as far as possible.
            touch: further actors that the hand may touch while approaching.
            verify: the fingers must be measured to hold the object.
            meanwhile: what the other arm does at the same time; where that ends is in the way, not where it is now.

        Raises:
            PlanningError: "no feasible grasp".
        """
        options = self._options(actor, groups, grasps)
        with self.motion.after(other(side), meanwhile):
            chosen, q_pre = self.feasible.grasp(
                side, actor, options, pre, deeper, lift, then, prefer, frozenset(touch), opening
            )
        part = chosen.grasp.part
        T_offset = inverse(actor.pose(part)) @ back_off(chosen.T, -deeper)
        allowed = frozenset({actor.name, *touch})
        steps: list[Step] = []
        if abs(self.motion.opening(side) - opening) > 0.02:
            steps.append(Grip(side, opening, seconds=0.2))
        steps += [
            Move(side, q_pre),
            self._line(side, lambda: actor.pose(part) @ T_offset, allowed, slow=True),
            Grip(side, close, takes=actor if verify else None),
        ]
        return steps

    # ---------------------------------------------------------------- place

    def goal(
        self,
        actor: Actor,
        target: np.ndarray | Sequence[float],
        point: str | None = None,
        *,
        yaw: Sequence[float] | str = "free",
        pre: float | Sequence[float] = 0.08,
        above: float = 0.003,
        touch: Iterable[Actor | str] = ("table",),
    ) -> Goal:
        """Describe where an object shall go.

        Args:
            target: (4, 4) frame, or (3,) position (axes of the world), that the object's ``point`` (origin if None)
                shall reach; or (K, 4, 4) frames that are equally good.
            yaw: "free", "aligned" (0), "half" (0 or pi), "quarter" (multiples of pi/2), or angles about the target's z.
            pre: height (or world vector) from which the object comes in, metres.
            above: metres above the target where it is let go.
            touch: what the object may touch on arrival.
        """
        frames = np.asarray(target, float)
        frames = np.atleast_3d(frames if frames.ndim > 1 else pose(frames)).reshape(-1, 4, 4)
        named = {
            "free": FREE_YAWS,
            "aligned": (0.0,),
            "half": (0.0, np.pi),
            "quarter": (0.0, np.pi / 2, np.pi, -np.pi / 2),
        }
        yaws = named[yaw] if isinstance(yaw, str) else tuple(float(v) for v in yaw)
        offset = (0.0, 0.0, float(pre)) if isinstance(pre, (int, float)) else tuple(float(v) for v in pre)
        names = frozenset(t if isinstance(t, str) else t.name for t in touch)
        return Goal(actor, point, frames, yaws, offset, above, names)  # type: ignore[arg-type]

    def place(
        self,
        side: Side,
        goal: Goal,
        *,
        release: bool = True,
        retreat: float = 0.08,
        opening: float = 1.0,
        speed: float = 1.0,
        prefer: Sequence[float] | np.ndarray | None = None,
        room: Sequence[np.ndarray] = (),
        meanwhile: Sequence[Step] = (),
    ) -> list[Step]:
        """Bring the held object to a goal; let go and back off if ``release``.

        Args:
            retreat: metres back along the hand's approach after letting go.
            opening: gripper opening on release, 0..1.
            speed: factor on the motion limits, for full cups and tall stacks.
            prefer: (3,) world direction in which the hand should point at the goal, as far as possible.
            room: (4, 4) motions in the hand's own frame that must be possible from the goal, for shaking or pouring.
            meanwhile: what the other arm does at the same time, as for :meth:`grasp`.

        Raises:
            PlanningError: "object dropped", "unreachable" or "in collision".
        """
        self.motion.measure_held()
        taken = side in self.motion.held and self.motion.held[side][0] is goal.actor
        if not taken or not self.world.touched_by(goal.actor, side):
            raise PlanningError("object dropped", f"{goal.actor.name} is not in the {side} hand")
        _, T_hand_object = self.motion.held[side]
        T_object_hand = inverse(T_hand_object)
        with self.motion.after(other(side), meanwhile):
            index, q_pre = self.feasible.place(side, goal, T_object_hand, prefer, room, opening if release else None)

        T_goal = goal.object_poses()[index]

        def ways() -> list[np.ndarray]:
            _, T_now = self.motion.held[side]
            # at the edge of reach what slipped on the way may be too much to make up for
            return [(T_goal @ inverse(T_now))[None], (T_goal @ T_object_hand)[None]]

        steps: list[Step] = [
            Move(side, q_pre, speed=speed, touch=frozenset()),
            Line(side, ways, goal.touch | {goal.actor.name}, 0.6, detour=not release),
        ]
        if release:
            steps.append(Grip(side, opening, drops=goal.actor))
            if retreat > 0:
                steps.append(self.retreat_step(side, retreat, goal.touch | {goal.actor.name}))
                steps.append(Grip(side, opening, seconds=0.2))
        return steps

    # ----------------------------------------------------------------- move

    def move_to(self, side: Side, T: np.ndarray, *, speed: float = 1.0, touch: Iterable[str] = ()) -> list[Step]:
        """Bring the hand to a pose (4, 4) in the world on any clear path. Raises PlanningError("unreachable")."""
        answers = self.motion.kinematics[side].solutions(np.asarray(T, float), self.motion.q(side))
        self.motion.collision.set_state(self.sim.data.qpos)
        for q in answers:
            if self.motion.clear(self.motion.configuration(**{side: q}), {side: frozenset(touch)}):
                return [Move(side, q + self.motion.sag(side), speed=speed, touch=frozenset(touch))]
        reason = "in collision" if len(answers) else "unreachable"
        raise PlanningError(reason, f"{side} hand at {np.round(np.asarray(T)[:3, 3], 3).tolist()}")

    def move_by(
        self,
        side: Side,
        offset: Sequence[float],
        *,
        rotation: np.ndarray | None = None,
        speed: float = 1.0,
        touch: Iterable[Actor | str] = (),
        check: bool = True,
        shares: Sequence[float] = (1.0,),
        carry_speed: float = CARRY_SPEED,
        detour: bool = True,
    ) -> list[Step]:
        """Move the hand straight by (3,) metres in the world, turning by ``rotation`` (3, 3, world) on the way.

        Args:
            shares: of the way that will do, best first, where the arm cannot go all of it.
            carry_speed: m/s of what the hand holds, at most.
            detour: where the straight way is not clear, go there on any clear path.
        """
        R, way = np.eye(3) if rotation is None else rotation, np.asarray(offset, float)

        def ways() -> list[np.ndarray]:
            T = self.sim.tcp(side)
            return [pose(T[:3, 3] + share * way, R @ T[:3, :3])[None] for share in shares]

        return [Line(side, ways, _names(touch), speed, check, detour, carry_speed)]

    def lift(self, side: Side, height: float = 0.1, **options) -> list[Step]:
        """Straight up, at the edge of reach less high; what the object stood on may still touch at the start."""
        touch = {"table", *self._resting_on(side), *_names(options.pop("touch", ()))}
        return self.move_by(side, (0, 0, height), touch=touch, shares=(1.0, 0.75, 0.5, 0.35), **options)

    def carry(
        self, actor: Actor, T_goal: np.ndarray, *, speed: float = 1.0, touch: Iterable[Actor | str] = ("table",)
    ) -> tuple[list[Step], list[Step]]:
        """Bring an object that both hands hold straight to a pose (4, 4), the hands in step: one list for each arm."""

        def ways(side: str) -> list[np.ndarray]:
            hand, T_start = self.sim.tcp(side), actor.pose()
            T_object_hand = inverse(T_start) @ hand
            hand_goal = T_goal @ T_object_hand
            turn = 0.25 * rotation_angle(hand[:3, :3].T @ hand_goal[:3, :3])
            length = max(float(np.linalg.norm(hand_goal[:3, 3] - hand[:3, 3])), turn)
            fractions = np.linspace(0.0, 1.0, 1 + max(2, int(np.ceil(length / 0.015))))[1:]
            return [interpolate_poses(T_start, T_goal, fractions) @ T_object_hand]

        names = _names(touch)
        left, right = (Line(side, lambda side=side: ways(side), names, speed, check=False) for side in self.sim.arms)
        return [left], [right]

    def _resting_on(self, side: Side) -> set[str]:
        if side not in self.motion.held:
            return set()
        actor = self.motion.held[side][0]
        return {name for name in self.sim.actors if name != actor.name and self.world.touching(actor, name)}

    def retreat(self, side: Side, distance: float = 0.08, touch: Iterable[Actor | str] = ()) -> list[Step]:
        """Back along the hand's own approach."""
        return [self.retreat_step(side, distance, _names(touch))]

    def retreat_step(self, side: Side, distance: float, touch: frozenset[str]) -> Line:
        """The single step behind :meth:`retreat`; with something behind it, the hand goes up, less far or round it."""

        def ways() -> list[np.ndarray]:
            T = self.sim.tcp(side)
            slanted = raised(back_off(T, 0.5 * distance), 0.5 * distance)
            options = [back_off(T, distance), slanted, raised(T, distance)]
            options += [back_off(T, share * distance) for share in (0.5, 0.35)]
            if abs(T[2, 0]) < 0.5:  # a hand low over the table that points a little upwards goes back level
                options.insert(1, pose(T[:3, 3] - distance * np.array([T[0, 0], T[1, 0], 0.0]), T[:3, :3]))
            return [option[None] for option in options]

        return Line(side, ways, touch, detour=True)

    def home(self, side: Side, speed: float = 1.0) -> list[Step]:
        """To the home posture."""
        return [Move(side, self.sim.arms[side].home.copy(), speed=speed)]

    def open(self, side: Side, opening: float = 1.0) -> list[Step]:
        """Open the gripper; whatever it held is let go."""
        held = self.motion.held.get(side)
        return [Grip(side, opening, drops=held[0] if held else None)]

    def close(self, side: Side, opening: float = 0.0) -> list[Step]:
        """Close the gripper without claiming that anything is held."""
        return [Grip(side, opening)]

    def carry_loose(self, things: Iterable[Actor]) -> None:
        """From now on planning leaves these out of account: small loose things that ride in a carried container."""
        self.motion.cargo = frozenset(thing.name for thing in things)

    def wait(self, side: Side, seconds: float) -> list[Step]:
        """Hold still."""
        return [Wait(side, seconds)]

    # -------------------------------------------------------------- contact

    def press(
        self,
        side: Side,
        actor: Actor,
        *groups: str,
        pre: float = 0.06,
        beyond: float = 0.01,
        prefer: Sequence[float] | np.ndarray | None = None,
        back: bool = True,
    ) -> list[Step]:
        """Push on a grasp point with closed fingers and draw back.

        Args:
            pre: metres of straight approach.
            beyond: metres that the hand is commanded past the point, which sets the force.

        Raises:
            PlanningError: "no feasible grasp".
        """
        options = self._options(actor, groups, None)
        chosen, q_pre = self.feasible.grasp(side, actor, options, pre, 0.0, 0.0, (), prefer, frozenset(), 0.0)
        T_offset = inverse(actor.pose(chosen.grasp.part)) @ chosen.T
        part = chosen.grasp.part
        steps: list[Step] = []
        if self.motion.opening(side) > 0.02:
            steps.append(Grip(side, 0.0))
        steps += [
            Move(side, q_pre),
            self._line(
                side,
                lambda: back_off(actor.pose(part) @ T_offset, -beyond),
                frozenset({actor.name}),
                slow=True,
                check=False,
            ),
        ]
        if back:
            steps.append(self.retreat_step(side, pre, frozenset({actor.name})))
        return steps

    def turn_joint(
        self,
        side: Side,
        actor: Actor,
        part: str,
        fraction: float,
        *,
        follow: Sequence[float] = (1.0,),
        speed: float = 0.6,
    ) -> list[Step]:
        """Move the hand along with a joint of an articulated object that it holds or pushes.

        Args:
            fraction: where the joint shall end, 0..1 of its range.
            follow: shares of the part's rotation that the hand may follow, best first; below 1 the handle turns between
                the fingers. A :class:`Turn` with the same values among the ``then`` of the grasp picks a grasp that can
                go all the way.

        Raises:
            PlanningError: "unreachable", when the motion begins.
        """
        turn = Turn(actor, part, fraction, tuple(follow))

        def ways() -> list[np.ndarray]:
            T_hand = self.sim.tcp(side)
            q = self.motion.q(side) - self.motion.sag(side)
            return feasible_ways(self.motion, side, turn, q, T_hand) or list(turn.ways(T_hand))

        return [Line(side, ways, frozenset({actor.name}), speed=speed, check=False)]

    # -------------------------------------------------------------- helpers

    def _options(self, actor: Actor, groups: Sequence[str], grasps: Sequence[GraspPoint] | None) -> list[Candidate]:
        """Hand poses at the grasp points of the groups, or at those listed. Raises PlanningError if there is none."""
        points = tuple(grasps) if grasps is not None else actor.asset.grasps_in(*groups)
        options = candidates(actor, points, self.max_opening)
        if not options:
            which = "/".join(groups) or "at all"
            raise PlanningError("no feasible grasp", f"{actor.name} has no grasp {which} that fits the gripper")
        return options

    def _line(
        self,
        side: Side,
        goal: Callable[[], np.ndarray],
        touch: frozenset[str],
        *,
        slow: bool = False,
        speed: float = 1.0,
        check: bool = True,
        detour: bool = False,
    ) -> Line:
        """A straight hand motion from where the hand is measured to ``goal()``."""
        return Line(side, lambda: [goal()[None]], touch, 0.6 * speed if slow else speed, check, detour)


def _names(touch: Iterable[Actor | str]) -> frozenset[str]:
    return frozenset(t if isinstance(t, str) else t.name for t in touch)


__all__ = ["Scene", "Side", "Skills", "Turn", "other"]
