"""Which of several ways to grasp or to place is reachable and clear of collisions, in order of preference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import product

import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.grasping import Candidate, Goal, back_off, raised
from sim.bimanual.motion import GRAZE, Motion
from sim.bimanual.plan import ArmKinematics, PlanningError
from sim.bimanual.scene import Side, other
from sim.bimanual.turning import Turn, turnable

MARGINS = (0.01, -GRAZE)  # metres of clearance around chosen postures: comfortable if there is one, else just clear
MAX_TRIED = 160  # candidates whose collisions are looked at before giving up
RESTARTS = 4  # of inverse kinematics at goals: most are reached at once, and hopeless ones would take them all
OTHERS = 8  # hand poses at a goal for which other postures of the arm are tried if the first ones are no use
ENTRIES = (1.0, 0.6)  # shares of the way into a goal on which it may be entered, best first
HEADROOM = 0.08  # rad or m that joints should keep from their limits: what slips in the grip has to be made up for

Lines = Callable[[int], np.ndarray | None]  # index to joints (K, N) along a straight hand motion, None if there is none


class Feasible:
    """Looks ahead for one arm before anything moves.

    Args:
        motion: knows the arms, what they hold and what is in the way.
    """

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        self.sim = motion.sim

    def grasp(
        self,
        side: Side,
        actor: Actor,
        options: list[Candidate],
        pre: float,
        deeper: float,
        lift: float,
        then: Sequence[Goal | Turn],
        prefer: Sequence[float] | np.ndarray | None,
        touch: frozenset[str],
        opening: float,
    ) -> tuple[Candidate, np.ndarray]:
        """The preferred candidate that can be reached, lifted and brought to every goal, and its (N,) pre-grasp joints.

        Raises:
            PlanningError: "no feasible grasp".
        """
        kinematics, q_now = self.motion.kinematics[side], self.motion.q(side)
        T = back_off(np.array([c.T for c in options]), -deeper)
        at_grasp = kinematics.solve(T)
        near = np.flatnonzero(at_grasp.ok)
        if not len(near):
            raise PlanningError("no feasible grasp", f"{side} hand, {actor.name}: out of reach")
        options, T, q_grasp = [options[i] for i in near], T[near], at_grasp.q[near]
        at_pre = kinematics.solve(back_off(T, pre + deeper), q_grasp)
        at_lift = kinematics.solve(raised(T, lift), q_grasp)
        ok = at_pre.ok & at_lift.ok
        cost = np.array([c.preference for c in options])
        cost = cost + 0.25 * np.abs(at_pre.q - q_now).max(1) + 2.0 * np.abs(at_pre.q - q_grasp).max(1)
        cost = cost + _away_from(prefer, T) + (kinematics.room(q_grasp) < HEADROOM)
        order = [int(i) for i in np.argsort(cost, kind="stable") if ok[i]][:MAX_TRIED]
        goals = [goal for goal in then if isinstance(goal, Goal)]
        lines = _lines(kinematics, at_pre.q, kinematics.forward(q_grasp))
        held = self.motion.held.pop(side, None)
        considered: set[int] = set()
        try:
            self.motion.collision.set_state(self.sim.data.qpos)
            for margin, apart in product(MARGINS, (True, False)):
                # collisions come first, since they cost far less than inverse kinematics of all goals
                able = self._approachable(
                    side, actor, at_pre.q, lines, order, considered, touch, opening, margin, apart
                )
                able = (i for i in able if lift == 0.0 or self._clear_above(side, actor, at_lift.q[i], touch))
                able = self._roomy_first(side, options, q_grasp, able, goals)
                for turn in (turn for turn in then if isinstance(turn, Turn)):
                    able = turnable(self.motion, side, turn, able, at_pre.q, T)
                for i in able:
                    return options[i], at_pre.q[i] + self.motion.sag(side)
        finally:
            if held is not None:
                self.motion.held[side] = held
        where = "out of reach" if not order else "goals out of reach" if considered else "approach in collision"
        raise PlanningError("no feasible grasp", f"{side} hand, {actor.name}: {where}")

    def _approachable(
        self,
        side: Side,
        actor: Actor,
        q_pre: np.ndarray,
        lines: Lines,
        order: Sequence[int],
        considered: set[int],
        touch: frozenset[str],
        opening: float,
        margin: float,
        apart: bool,
    ) -> Iterator[int]:
        """Those of the candidates in ``order`` not ``considered`` before whose hand can come straight to the grasp.

        Args:
            apart: without touching the object itself.
        """
        openings = {s: self.motion.spread(s) for s in self.sim.arms} | {side: opening}
        for i in order:
            if i in considered:
                continue
            if apart and not self._line_clear(side, i, q_pre, lines, touch, touch, -2 * GRAZE, openings):
                continue
            if self._line_clear(side, i, q_pre, lines, touch, touch | {actor.name}, margin, openings):
                considered.add(i)
                yield i

    def _roomy_first(
        self, side: Side, options: list[Candidate], q_grasp: np.ndarray, order: Iterable[int], goals: Sequence[Goal]
    ) -> Iterator[int]:
        """Of the candidates in ``order`` those that reach all goals, those that reach one near a joint limit last."""
        tight = []
        for i in order:
            room = self._room_at_goals(side, options[i], q_grasp[i], goals)
            if room >= HEADROOM:
                yield i
            elif room >= 0:
                tight.append(i)
        yield from tight

    def _room_at_goals(self, side: Side, option: Candidate, q_grasp: np.ndarray, goals: Sequence[Goal]) -> float:
        """What the joints keep from their limits at the tightest goal; 0 where the arm collides, < 0 out of reach."""
        kinematics, room = self.motion.kinematics[side], np.inf
        for goal in goals:
            hands = goal.object_poses() @ option.T_object_hand
            at_goal = kinematics.solve(hands, q_grasp, RESTARTS)
            if not at_goal.ok.any():
                return -1.0
            ok = np.zeros(len(hands), bool)
            for share in ENTRIES:
                from_pre = goal.object_poses(share * np.asarray(goal.pre)) @ option.T_object_hand
                ok = at_goal.ok & kinematics.solve(from_pre, at_goal.q, RESTARTS).ok
                if ok.any():
                    break
            else:
                return -1.0
            room = min(room, float(kinematics.room(at_goal.q[ok]).max()))
            touch = {side: goal.touch | {goal.actor.name}}
            if not any(self.motion.clear(self.motion.configuration(**{side: q}), touch) for q in at_goal.q[ok]):
                room = min(room, 0.0)  # what the object will be clear of where it stands now is not known
        return room

    def _clear_above(self, side: Side, actor: Actor, q: np.ndarray, touch: frozenset[str]) -> bool:
        """Whether the arm has room at joints (N,) where it has lifted the object; the other arm will make way."""
        arms = {side: q, other(side): self.sim.arms[other(side)].home}
        return self.motion.clear(arms, {side: touch | {actor.name}})

    def _line_clear(
        self,
        side: Side,
        i: int,
        q_start: np.ndarray,
        lines: Lines,
        touch_start: frozenset[str],
        touch_line: frozenset[str],
        margin: float,
        openings: dict[str, float] | None = None,
    ) -> bool:
        """Whether line ``i``, which starts at ``q_start[i]``, exists and is clear, its start included."""
        start = self.motion.configuration(**{side: q_start[i]})
        if not self.motion.clear(start, {side: touch_start}, openings, margin):
            return False
        path = lines(i)
        if path is None:
            return False
        arms = (self.motion.configuration(**{side: q}) for q in path[1:])
        return all(self.motion.clear(a, {side: touch_line}, openings, margin) for a in arms)

    def place(
        self,
        side: Side,
        goal: Goal,
        T_object_hand: np.ndarray,
        prefer: Sequence[float] | np.ndarray | None,
        room: Sequence[np.ndarray],
        release: float | None = None,
    ) -> tuple[int, np.ndarray]:
        """Index of the preferred pose of a goal that is reachable and clear, and the (N,) joints that lead into it.

        With ``release``, poses come first where the gripper can open that far without pushing anything aside.

        Raises:
            PlanningError: "unreachable" or "in collision".
        """
        kinematics = self.motion.kinematics[side]
        hands = goal.object_poses() @ T_object_hand
        at_goal = kinematics.solve(hands, self.motion.q(side))
        which, q_goal = np.flatnonzero(at_goal.ok), at_goal.q[at_goal.ok]
        self.motion.collision.set_state(self.sim.data.qpos)
        postures = [(which, q_goal)]
        failure: PlanningError | None = None
        for share, first in product(ENTRIES, (True, False)):
            if len(postures) < 2 and not first:
                postures.append(self._other_postures(side, hands, which, q_goal))
            i, q = postures[0 if first else 1]
            hands_pre = goal.object_poses(share * np.asarray(goal.pre)) @ T_object_hand
            try:
                k, q_pre = self._enter(side, goal, hands[i], hands_pre[i], q, prefer, room, release)
            except PlanningError as error:
                failure = failure or error
                continue
            return int(i[k]), q_pre
        assert failure is not None
        raise failure

    def _other_postures(
        self, side: Side, hands: np.ndarray, which: np.ndarray, q: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """More joint vectors for the hand poses ``hands[which]`` than ``q``: indices into ``hands``, and (B, N)."""
        kinematics, q_now = self.motion.kinematics[side], self.motion.q(side)
        found: list[tuple[int, np.ndarray]] = []
        for k in range(0, len(which), max(1, len(which) // OTHERS)):
            answers = kinematics.solutions(hands[which[k]], q_now)
            found += [(int(which[k]), answer) for answer in answers if np.abs(answer - q[k]).max() > 0.1]
        return np.array([i for i, _ in found], int), np.array([a for _, a in found]).reshape(-1, kinematics.size)

    def _enter(
        self,
        side: Side,
        goal: Goal,
        hands: np.ndarray,
        hands_pre: np.ndarray,
        q_goal: np.ndarray,
        prefer: Sequence[float] | np.ndarray | None,
        room: Sequence[np.ndarray],
        release: float | None,
    ) -> tuple[int, np.ndarray]:
        """Of hands (B, 4, 4) at a goal, reached by joints ``q_goal`` (B, N), the best with a way in, and whence.

        Raises:
            PlanningError: "unreachable" or "in collision".
        """
        out_of_reach = PlanningError("unreachable", f"{side} hand cannot bring {goal.actor.name} to its goal")
        if not len(hands):
            raise out_of_reach
        kinematics, q_now = self.motion.kinematics[side], self.motion.q(side)
        at_pre = kinematics.solve(hands_pre, q_goal)
        ok = at_pre.ok
        cost = np.abs(at_pre.q - q_now).max(1) + 2.0 * np.abs(at_pre.q - q_goal).max(1) + _away_from(prefer, hands)
        cost = cost + (kinematics.room(q_goal) < HEADROOM)
        for motion in room:  # no restarts: the same arm posture must allow it, and with little effort
            away = kinematics.solve(hands @ motion, q_goal, restarts=0)
            ok = ok & away.ok
            cost = cost + 2.0 * np.abs(away.q - q_goal).max(1)
        if not ok.any():
            raise out_of_reach
        able = [int(i) for i in np.argsort(cost, kind="stable") if ok[i]]
        touch = goal.touch | {goal.actor.name}
        lines = _lines(kinematics, at_pre.q, kinematics.forward(q_goal))
        roomy = {i for i in able if release is None or self._can_open(side, goal.actor, q_goal[i], release)}
        for margin, wanted in product(MARGINS, (roomy, set(able) - roomy)):
            for i in able:
                if i in wanted and self._line_clear(side, i, at_pre.q, lines, frozenset(), touch, margin):
                    return i, at_pre.q[i] + self.motion.sag(side)
        at = {"pre-place": at_pre.q[able[0]], "goal": q_goal[able[0]]}
        touches = {"pre-place": frozenset(), "goal": touch}
        what = (self.motion.contact(self.motion.configuration(**{side: q}), {side: touches[k]}) for k, q in at.items())
        seen = ", ".join(f"{w} at {k}" for w, k in zip(what, at, strict=True) if w)
        raise PlanningError(
            "in collision", f"{side} hand bringing {goal.actor.name} to its goal: {seen or 'on the way'}"
        )

    def _can_open(self, side: Side, actor: Actor, q: np.ndarray, opening: float) -> bool:
        """Whether the fingers, opened at joints ``q``, touch nothing but the object they let go."""
        openings = {s: self.motion.spread(s) for s in self.sim.arms} | {side: opening}
        held = self.motion.held.pop(side)  # the object has its own contacts there
        try:
            arms = self.motion.configuration(**{side: q})
            return self.motion.clear(arms, {side: frozenset({actor.name})}, openings, -2 * GRAZE)
        finally:
            self.motion.held[side] = held


def _lines(kinematics: ArmKinematics, q_start: np.ndarray, T_goal: np.ndarray) -> Lines:
    """Straight hand motions from joints (B, N) to poses (B, 4, 4) by index, worked out when first asked for."""

    @cache
    def line(i: int) -> np.ndarray | None:
        try:
            return kinematics.linear_path(q_start[i], T_goal[i])
        except PlanningError:
            return None

    return line


def _away_from(prefer: Sequence[float] | np.ndarray | None, T: np.ndarray) -> np.ndarray:
    """(B,) angles between the approach of hand poses (B, 4, 4) and a preferred direction (3,); zeros without one."""
    if prefer is None:
        return np.zeros(len(T))
    return np.arccos(np.clip(T[:, :3, 0] @ (np.asarray(prefer) / np.linalg.norm(prefer)), -1, 1))
