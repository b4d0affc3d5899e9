"""How well a policy walks robots: survival and tracking, command by command, in plain worlds and in hard ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from policies.humanoid.bodies import Walker, random_walker, real_walker
from policies.humanoid.foreign import is_foreign, load_foreign
from policies.humanoid.metrics import REFERENCE, Metrics, Recorder
from policies.humanoid.pilots import pilot_maker
from policies.humanoid.pupil import DT
from policies.humanoid.world import HardshipConfig, World
from sim.humanoid.walking.gait import Command

RANDOM = "random"
"""Stands for random bodies where a robot is asked for: "random:5" is the body 5 of the held-out seed."""
HELD_OUT = 1_000_003
"""Seed of random bodies that nothing was trained or tuned on."""


@dataclass(frozen=True)
class Exercise:
    """One command held for an episode, or random ones.

    Attributes:
        name: in tables.
        velocity: forward, m/s of a body with legs of REFERENCE.
        yaw_rate: rad/s.
        walk: False to stand.
        push: change of the base velocity every two to four seconds, m/s at REFERENCE, at most.
        random: a new command every 3 to 5 s: standing (one in ten), else 0 to 0.6 m/s, turning by up to 0.4 rad/s.
    """

    name: str
    velocity: float = 0.0
    yaw_rate: float = 0.0
    walk: bool = True
    push: float = 0.0
    random: bool = False

    def command(self, leg_length: float) -> Command:
        """For a body with legs of this length, m."""
        return Command((self.velocity * _scale(leg_length), 0.0), self.yaw_rate, self.walk)


EXERCISES = (
    Exercise("stand", walk=False),
    Exercise("0.0"),
    Exercise("0.15", 0.15),
    Exercise("0.3", 0.3),
    Exercise("0.45", 0.45),
    Exercise("0.6", 0.6),
    Exercise("turn left", 0.15, 0.4),
    Exercise("turn right", 0.15, -0.4),
)
"""The commands of the table."""
PUSHED = Exercise("pushed", 0.15, push=0.3)
MIXED = Exercise("random", random=True)
PROTOCOLS: dict[str, tuple[Exercise, ...]] = {
    "commands": EXERCISES,
    "random": (MIXED,),
    "pushes": (PUSHED,),
    "all": (*EXERCISES, MIXED, PUSHED),
}
"""What ``policies eval --protocol`` offers."""


@dataclass(frozen=True)
class Row:
    """One episode.

    Attributes:
        robot, exercise: names.
        hardship: of the world, 0 to 1.
        seed: of the episode.
        seconds: until the fall, at most the episode's length.
        survived: whether it never fell.
        metrics: tracking, cost, slip.
    """

    robot: str
    exercise: str
    hardship: float
    seed: int
    seconds: float
    survived: bool
    metrics: Metrics

    def flat(self) -> dict[str, Any]:
        """One level of names, for a results file."""
        row = asdict(self)
        return row | row.pop("metrics")


def named_walker(name: str) -> Walker:
    """A real robot, or "random:INDEX". Raises TwinloomError."""
    kind, _, index = name.partition(":")
    return random_walker(int(index), HELD_OUT) if kind == RANDOM and index.isdigit() else real_walker(name)


def episode(policy: str, robot: str, exercise: Exercise, hardship: float, seed: int, seconds: float = 20.0) -> Row:
    """Let a policy walk a robot."""
    walker = load_foreign(policy).walker_of(robot) if is_foreign(policy) else named_walker(robot)
    rng = np.random.default_rng([seed, round(1000 * hardship)])
    world, pilot = _world(walker, rng, hardship, exercise), pilot_maker(policy)(walker)
    orders, change = np.random.default_rng([seed, 1]), 0.0
    command, recorder, step = exercise.command(walker.body.leg_length), Recorder(world), 0
    for step in range(round(seconds / DT)):
        if exercise.random and step * DT >= change:
            command, change = _random_command(orders, walker.body.leg_length), change + orders.uniform(3.0, 5.0)
        world.step(pilot.targets(world, command if step * DT > 0.4 else Command(walk=False)), DT)
        if world.fallen:
            break
        recorder.observe(command)
    lived = seconds if not world.fallen else (step + 1) * DT
    return Row(robot, exercise.name, hardship, seed, lived, lived == seconds, recorder.metrics(seconds))


def summary(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """One line a robot: mean seconds by command, how many episodes lasted (k of n), tracking of those that did."""
    lines = []
    for robot in dict.fromkeys(row.robot for row in rows):
        mine = [row for row in rows if row.robot == robot]
        line: dict[str, Any] = {"robot": robot}
        for name in dict.fromkeys(row.exercise for row in mine):
            line[f"{name} s"] = round(float(np.mean([row.seconds for row in mine if row.exercise == name])), 1)
        lasted = [row for row in mine if row.survived]
        walked = [row.metrics for row in lasted if row.exercise != EXERCISES[0].name]
        line |= {"k": len(lasted), "n": len(mine)}
        line["forward error m/s"] = _root_mean_square([one.forward_error for one in walked])
        line["sideways error m/s"] = _root_mean_square([one.sideways_error for one in walked])
        line["yaw error rad/s"] = _root_mean_square([one.yaw_error for one in walked])
        line["score"] = round(float(np.mean([row.metrics.score for row in mine])), 3)
        line["cost of transport"] = _mean([one.transport_cost for one in walked])
        line["slip m/s"] = _mean([one.slip for one in walked])
        lines.append(line)
    return lines


def _world(walker: Walker, rng: np.random.Generator, hardship: float, exercise: Exercise) -> World:
    if not exercise.push:
        return World(walker.body, rng, hardship)
    push = exercise.push * _scale(walker.body.leg_length) / walker.body.speed_unit
    return World(walker.body, rng, 1.0, HardshipConfig().pushes_only(push))


def _random_command(rng: np.random.Generator, leg_length: float) -> Command:
    if rng.random() < 0.1:
        return Command(walk=False)
    return Command((float(rng.uniform(0.0, 0.6)) * _scale(leg_length), 0.0), float(rng.uniform(-0.4, 0.4)))


def _scale(leg_length: float) -> float:
    return float(np.sqrt(leg_length / REFERENCE))


def _mean(values: Sequence[float]) -> float | None:
    known = [value for value in values if np.isfinite(value)]
    return round(float(np.mean(known)), 3) if known else None


def _root_mean_square(values: Sequence[float]) -> float | None:
    known = [value for value in values if np.isfinite(value)]
    return round(float(np.sqrt(np.mean(np.square(known)))), 3) if known else None
