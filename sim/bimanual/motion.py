"""Planned motions of one or two arms and their execution through the simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.plan import ArmKinematics, CollisionWorld, Held, PlanningError
from sim.bimanual.plan.path import Bounds, plan_joint_path
from sim.bimanual.plan.timing import parameterise, parameterise_pair
from sim.bimanual.simulation import Simulation
from sim.bimanual.world import World
from sim.loop import playback, run
from twinloom.transforms import inverse

GRIP_SECONDS = 0.4  # time to close or open; faster closing knocks light objects away
MAX_SAG = 0.03  # radians
GRAZE = 0.0005  # metres of penetration that do not count: resting contacts have as much
SLIP = 0.002  # metres by which a line may end up in something although it was planned clear: things moved a little
COMFORT = 0.01  # metres of clearance that paths keep where there is room
LET_GO = 0.15  # of the gripper's stroke, by which it opens at least to let something go
FREE = 0.003  # metres that opening fingers keep from things, so that they do not take them along afterwards
CARRY_SPEED = 0.68  # m/s of what is carried, so that it stays under 0.8 where the servos overshoot
CHECK_EVERY = 3  # of the samples of a two-arm motion, every third is tested for collisions


@dataclass(frozen=True)
class Move:
    """Go to a joint goal on any collision-free path. ``touch``: names of actors this arm may touch on the way."""

    side: str
    q_goal: np.ndarray
    touch: frozenset[str] = frozenset()
    speed: float = 1.0


@dataclass(frozen=True)
class Line:
    """Follow hand poses that are worked out when the motion begins, from the state measured then.

    Attributes:
        ways: returns alternatives, each (K, 4, 4) hand poses in the world of which the last is the goal; the first one
            that is reachable and clear is taken.
        touch: names of actors (or "table") that the hand or the held object may touch.
        check: test for collisions; pushes and presses are contact and do not.
        detour: where no alternative is clear, go to the first goal on any clear path.
        carry_speed: m/s of what the hand holds, at most.
    """

    side: str
    ways: Callable[[], list[np.ndarray]]
    touch: frozenset[str] = frozenset()
    speed: float = 1.0
    check: bool = True
    detour: bool = False
    carry_speed: float = CARRY_SPEED


@dataclass(frozen=True)
class Grip:
    """Open or close the gripper.

    Attributes:
        opening: 0 closed .. 1 open.
        takes: the actor that must be held afterwards, measured by contact of both fingers.
        drops: the actor that is let go; the fingers open no farther than there is room for them.
    """

    side: str
    opening: float
    takes: Actor | None = None
    drops: Actor | None = None
    seconds: float = GRIP_SECONDS


@dataclass(frozen=True)
class Wait:
    """Hold still."""

    side: str
    seconds: float


Step = Move | Line | Grip | Wait


class Motion:
    """Runs lists of steps, one list per arm, and keeps account of what each hand holds.

    Args:
        sim: the simulation to move.
        world: for measured contacts.
        rng: for the sampling planner.

    Attributes:
        held: side to (actor, T_hand_object) for what is in the hand.
        cargo: names of loose things that lie in a carried container; planning leaves them out of account.
    """

    def __init__(self, sim: Simulation, world: World, rng: np.random.Generator) -> None:
        self.sim = sim
        self.world = world
        self.rng = rng
        self.kinematics = {side: ArmKinematics(sim.model, f"{side}_", home=arm.home) for side, arm in sim.arms.items()}
        self.collision = CollisionWorld(sim.model)
        self.held: dict[str, tuple[Actor, np.ndarray]] = {}
        self.cargo: frozenset[str] = frozenset()
        self._supposed: dict[str, tuple[np.ndarray, frozenset[str]]] = {}

    # ------------------------------------------------------------ commanded

    def q(self, side: str) -> np.ndarray:
        """(N,) commanded joints of an arm."""
        n = self.sim.arms["left"].dof
        return self.sim.action[:n].copy() if side == "left" else self.sim.action[n + 1 : -1].copy()

    def opening(self, side: str) -> float:
        """Commanded gripper opening."""
        return float(self.sim.action[self.sim.arms["left"].dof if side == "left" else -1])

    def spread(self, side: str) -> float:
        """Opening for collision tests: as measured while the fingers hold something apart, else as commanded."""
        return self.world.opening(side) if side in self.held else self.opening(side)

    def sag(self, side: str) -> np.ndarray:
        """(N,) commanded minus measured joints: what the servos give way under load. Added to every goal.

        Bounded, since a hand that pushes against something gives way by more than its load explains.
        """
        return np.clip(self.q(side) - self.sim.arms[side].q(self.sim.data), -MAX_SAG, MAX_SAG)

    def measure_held(self) -> None:
        """Update where each held object lies in its hand."""
        for side, (actor, _) in list(self.held.items()):
            self.held[side] = (actor, inverse(self.sim.tcp(side)) @ actor.pose())

    # ------------------------------------------------------------ execution

    def run(self, *lists: Sequence[Step]) -> None:
        """Execute step lists of different arms in parallel, step by step.

        Raises:
            PlanningError: no path, or a grasp that is measured to have failed.
        """
        queues = [list(steps) for steps in lists if steps]
        while queues:
            self._together([queue.pop(0) for queue in queues])
            queues = [queue for queue in queues if queue]

    def _together(self, steps: list[Step]) -> None:
        self.measure_held()
        self.collision.set_state(self.sim.data.qpos)
        samples = self._plan([s for s in steps if isinstance(s, Move | Line)])
        grips = {s.side: self._ramp(s, self._room_to_open(s)) for s in steps if isinstance(s, Grip)}
        pause = max((round(s.seconds * self.sim.fps) for s in steps if isinstance(s, Wait)), default=0)
        length = max([pause, *(len(v) for v in samples.values()), *(len(v) for v in grips.values())])
        actions = np.tile(self.sim.action, (length, 1))
        moments = np.arange(length)
        for side, values in samples.items():
            actions[:, self._slice(side)] = values[np.minimum(moments, len(values) - 1)]
        for side, ramp in grips.items():
            if len(ramp):
                actions[:, self._grip_index(side)] = ramp[np.minimum(moments, len(ramp) - 1)]
        run(self.sim, playback(actions))
        for step in steps:
            if isinstance(step, Grip):
                self._account(step)

    def _account(self, step: Grip) -> None:
        if step.drops is not None:
            self.held.pop(step.side, None)
        if step.takes is not None:
            if not self.world.held_by(step.takes, step.side):
                raise PlanningError("grasp missed", f"{step.side} hand closed beside {step.takes.name}")
            self.held[step.side] = (step.takes, inverse(self.sim.tcp(step.side)) @ step.takes.pose())

    def _ramp(self, step: Grip, opening: float) -> np.ndarray:
        """Commanded openings: a linear ramp and a short hold so that the grip settles."""
        if step.takes is None and step.drops is None and abs(self.opening(step.side) - opening) < 0.01:
            return np.zeros(0)
        n = max(2, round(step.seconds * self.sim.fps))
        ramp = np.linspace(self.opening(step.side), opening, n + 1)[1:]
        return np.concatenate([ramp, np.full(max(1, n // 3), opening)])

    def _room_to_open(self, step: Grip) -> float:
        """How far to open: where a finger would push something over, such as what the object was put into, less."""
        if step.drops is None or step.side not in self.held:
            return step.opening
        opening = min(self.world.opening(step.side) + LET_GO, step.opening)
        arms = self.configuration(**{step.side: self.sim.arms[step.side].q(self.sim.data)})
        held = self.held.pop(step.side)
        try:
            for wider in np.linspace(opening, step.opening, 8)[1:]:
                openings = {side: self.spread(side) for side in self.sim.arms} | {step.side: float(wider)}
                if not self.clear(arms, {step.side: frozenset({"table"})}, openings, margin=FREE):
                    break
                opening = float(wider)
        finally:
            self.held[step.side] = held
        return opening

    def _slice(self, side: str) -> slice:
        n = self.sim.arms["left"].dof
        return slice(0, n) if side == "left" else slice(n + 1, 2 * n + 1)

    def _grip_index(self, side: str) -> int:
        return self.sim.arms["left"].dof if side == "left" else -1

    # ------------------------------------------------------------- planning

    @contextmanager
    def supposing(self, side: str, q: np.ndarray, touch: frozenset[str] = frozenset()) -> Iterator[None]:
        """Within the block, collision tests take an arm to be at joints ``q``, touching what it may touch there."""
        before = dict(self._supposed)
        self._supposed[side] = (q, touch)
        try:
            yield
        finally:
            self._supposed = before

    def after(self, side: str, steps: Sequence[Step]) -> AbstractContextManager[None]:
        """Within the block, collision tests take an arm to be where these steps bring it; where it is without any."""
        q, touch = self.q(side), frozenset()
        for step in steps:
            if isinstance(step, Move):
                q, touch = step.q_goal, step.touch
            elif isinstance(step, Line):
                q, touch = self.kinematics[side].solve(step.ways()[0][-1], q).q[0], step.touch
        return self.supposing(side, q, touch)

    def configuration(self, **arms: np.ndarray) -> dict[str, np.ndarray]:
        """Joints of both arms: as given, else as supposed, else as commanded."""
        elsewhere = {side: q for side, (q, _) in self._supposed.items()}
        return {side: self.q(side) for side in self.sim.arms} | elsewhere | arms

    def clear(
        self,
        arms: dict[str, np.ndarray],
        touch: dict[str, frozenset[str]],
        openings: dict[str, float] | None = None,
        margin: float = -GRAZE,
    ) -> bool:
        """Whether a configuration of both arms keeps ``margin`` metres from everything it must not touch."""
        return not self.collision.in_collision(arms, **self._context(touch, openings), margin=margin)

    def contact(self, arms: dict[str, np.ndarray], touch: dict[str, frozenset[str]]) -> str:
        """What is in the way of a configuration, in words; "" if it is clear."""
        found = self.collision.first_contact(arms, **self._context(touch, None), margin=-GRAZE)
        return f"{found.body1} against {found.body2} by {-1e3 * found.distance:.0f} mm" if found else ""

    def touched_now(self, side: str) -> frozenset[str]:
        """Names of actors that the hand, or what it holds, is measured to touch: a motion may begin in contact."""
        things = [f"{side}_finger1", f"{side}_finger2"]
        if side in self.held:
            things.append(self.held[side][0].name)
        return frozenset(
            name
            for name in self.sim.actors
            if any(self.world.touching(thing, name) for thing in things if thing != name)
        )

    def _context(self, touch: dict[str, frozenset[str]], openings: dict[str, float] | None) -> dict:
        loose = {side: Held(actor.bodies["base"], T) for side, (actor, T) in self.held.items() if actor.mode == "free"}
        handles = {side: {actor.name} for side, (actor, _) in self.held.items() if actor.mode != "free"}
        nothing: frozenset[str] = frozenset()
        supposed = {side: names for side, (_, names) in self._supposed.items()}
        return {
            "openings": openings or {side: self.spread(side) for side in self.sim.arms},
            "held": loose,
            "touch": {
                side: self.bodies_of(
                    touch.get(side, nothing) | supposed.get(side, nothing) | handles.get(side, nothing) | self.cargo
                )
                for side in self.sim.arms
            },
        }

    def bodies_of(self, names: frozenset[str]) -> frozenset[int]:
        """Body ids of actors, "table" and "floor"."""
        bodies: set[int] = set()
        for name in names:
            if name in self.sim.actors:
                bodies.update(self.sim.actors[name].bodies.values())
            else:
                bodies.add(self.sim.model.body(name).id)
        return frozenset(bodies)

    def _plan(self, moving: list[Move | Line]) -> dict[str, np.ndarray]:
        """Side to (T, N) commanded joints; both arms at once where that is clear, else one after the other."""
        if self._share_a_load(moving):
            return self._in_step(moving)
        try:
            samples = {s.side: self._timed(s, self._path(s)) for s in moving}
        except PlanningError as error:
            if len(moving) < 2:
                raise
            return self._by_turns(moving, error)
        checked = not any(isinstance(s, Line) and not s.check for s in moving)
        if len(moving) == 2 and checked and self._contact_together(moving, samples):
            return self._by_turns(moving, PlanningError("no path", "the arms are in each other's way"))
        return samples

    def _share_a_load(self, moving: list[Move | Line]) -> bool:
        """Whether both hands move and hold one and the same object."""
        loads = [self.held[s.side][0] for s in moving if s.side in self.held]
        return len(loads) == 2 and loads[0] is loads[1]

    def _in_step(self, moving: list[Move | Line]) -> dict[str, np.ndarray]:
        """Both arms along their paths such that each has always covered the same share: what they hold stays whole."""
        a, b = moving
        arms = [self.sim.arms[s.side] for s in moving]
        paths, speed = (self._path(a), self._path(b)), min(a.speed, b.speed)
        velocities = arms[0].velocity_limits, arms[1].velocity_limits
        limits = velocities, (arms[0].acceleration_limits, arms[1].acceleration_limits)
        pair = parameterise_pair(*paths, *limits, self.sim.control_dt, speed)
        excess = self._carried_speed(a.side, paths[0][:1], pair[0]) / CARRY_SPEED
        if excess > 1.0:
            pair = parameterise_pair(*paths, *limits, self.sim.control_dt, speed / excess)
        samples = {a.side: pair[0], b.side: pair[1]}
        if what := self._contact_together(moving, samples):
            raise PlanningError("in collision", f"both arms carrying {self.held[a.side][0].name}: {what}")
        return samples

    def _by_turns(self, moving: list[Move | Line], failure: PlanningError) -> dict[str, np.ndarray]:
        """Let one arm wait until the other has gone; its way is planned anew past where the other will be."""
        for first, second in (moving, moving[::-1]):
            try:
                a = self._timed(first, self._path(first))
                with self.supposing(first.side, a[-1]):
                    b = self._timed(second, self._path(second))
            except PlanningError:
                continue
            waiting = np.repeat(self.q(second.side)[None], len(a), 0)
            return {
                first.side: np.concatenate([a, np.repeat(a[-1:], len(b), 0)]),
                second.side: np.concatenate([waiting, b]),
            }
        raise failure

    def _path(self, step: Move | Line) -> np.ndarray:
        """(K, N) waypoints from the commanded joints to the goal."""
        if isinstance(step, Move):
            return self._detour(step.side, step.q_goal, step.touch)
        side, start, sag = step.side, self.q(step.side), self.sag(step.side)
        failure: PlanningError | None = None
        ways = step.ways()
        for poses in ways:
            try:
                line = self.kinematics[side].linear_path(start - sag, poses)
                path = np.vstack([start, line[1:] + sag])
                if step.check:
                    self._require_clear(side, path[1:], step.touch)
                return path
            except PlanningError as error:
                failure = failure or error
        if step.detour:
            answers = self.kinematics[side].solutions(ways[0][-1], start - sag)
            if len(answers):
                return self._detour(side, answers[0] + sag, step.touch)
        assert failure is not None
        raise failure

    def _detour(self, side: str, q_goal: np.ndarray, touch: frozenset[str]) -> np.ndarray:
        """A path at comfortable clearance, since an arm that hurries along follows it roughly; else a clear one."""
        kinematics, q_start = self.kinematics[side], self.q(side)
        touch = touch | self.touched_now(side)

        def path(margin: float, bounds: Bounds) -> np.ndarray:
            def is_free(q: np.ndarray) -> bool:
                return self.clear(self.configuration(**{side: q}), {side: touch}, margin=margin)

            if margin > 0 and not is_free(q_start):
                raise PlanningError("in collision", "too near to something at the start")
            return plan_joint_path(q_start, q_goal, is_free, kinematics.lower, kinematics.upper, self.rng, bounds)

        try:
            return path(COMFORT, Bounds(iterations=300))
        except PlanningError:
            return path(-GRAZE, Bounds())

    def _require_clear(self, side: str, path: np.ndarray, touch: frozenset[str]) -> None:
        touch = touch | self.touched_now(side)
        for q in path:
            arms = self.configuration(**{side: q})
            if not self.clear(arms, {side: touch}, margin=-SLIP):
                what = self.contact(arms, {side: touch})
                raise PlanningError("in collision", f"{side} arm on a straight line: {what}")

    def _timed(self, step: Move | Line, path: np.ndarray) -> np.ndarray:
        arm, limit = self.sim.arms[step.side], step.carry_speed if isinstance(step, Line) else CARRY_SPEED
        limits, dt = (arm.velocity_limits, arm.acceleration_limits), self.sim.control_dt
        samples = parameterise(path, *limits, dt, step.speed)
        excess = self._carried_speed(step.side, path[:1], samples) / limit
        return samples if excess <= 1.0 else parameterise(path, *limits, dt, step.speed / excess)

    def _carried_speed(self, side: str, start: np.ndarray, samples: np.ndarray) -> float:
        """m/s of the free object in a hand, at most, along samples (T, N) from ``start`` (1, N); 0 without one."""
        if side not in self.held or self.held[side][0].mode != "free":
            return 0.0
        hands = self.kinematics[side].forward(np.concatenate([start, samples]))
        places = (hands @ self.held[side][1])[:, :3, 3]
        return float(np.linalg.norm(np.diff(places, axis=0), axis=1).max(initial=0.0)) * self.sim.fps

    def _contact_together(self, steps: list[Move | Line], samples: dict[str, np.ndarray]) -> str:
        """What gets in the way when both arms move at once, in words; "" if nothing does."""
        touch = {s.side: s.touch for s in steps}
        length = max(len(v) for v in samples.values())
        for t in [*range(0, length, CHECK_EVERY), length - 1]:
            arms = {side: v[min(t, len(v) - 1)] for side, v in samples.items()}
            if not self.clear(self.configuration(**arms), touch):
                return self.contact(self.configuration(**arms), touch)
        return ""
