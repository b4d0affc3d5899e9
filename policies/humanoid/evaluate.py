"""How well a policy walks robots: survival and tracking, command by command, in plain worlds and in hard ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from policies.humanoid.bodies import Walker, random_walker, real_walker
from policies.humanoid.pilots import pilot_maker
from policies.humanoid.pupil import DT
from policies.humanoid.world import World
from sim.humanoid.walking.gait import Command
from sim.humanoid.walking.headings import heading

REFERENCE = 0.69
"""Leg length that speeds are given for, m (that of G1): a body's own is √(L / REFERENCE) times as much."""
SETTLE = 4.0
"""Seconds that do not count for the tracking."""
WINDOW = 1.0
"""Seconds over which a velocity is averaged before it is compared with the command: a gait sways."""
RANDOM = "random"
"""Stands for random bodies where a robot is asked for: "random:5" is the body 5 of the held-out seed."""
HELD_OUT = 1_000_003
"""Seed of random bodies that nothing was trained or tuned on."""


@dataclass(frozen=True)
class Exercise:
    """One command held for an episode.

    Attributes:
        name: in tables.
        velocity: forward, m/s of a body with legs of REFERENCE.
        yaw_rate: rad/s.
        walk: False to stand.
    """

    name: str
    velocity: float = 0.0
    yaw_rate: float = 0.0
    walk: bool = True

    def command(self, leg_length: float) -> Command:
        """For a body with legs of this length, m."""
        return Command((self.velocity * float(np.sqrt(leg_length / REFERENCE)), 0.0), self.yaw_rate, self.walk)


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


@dataclass(frozen=True)
class Row:
    """One episode.

    Attributes:
        robot, exercise: names.
        hardship: of the world, 0 to 1.
        seed: of the episode.
        seconds: until the fall, at most the episode's length.
        survived: whether it never fell.
        velocity_error: root mean square of the forward velocity's distance from the command, m/s at REFERENCE; nan if
            the body fell before the tracking counted.
        yaw_error: of the mean rate of turning, rad/s.
    """

    robot: str
    exercise: str
    hardship: float
    seed: int
    seconds: float
    survived: bool
    velocity_error: float
    yaw_error: float


def named_walker(name: str) -> Walker:
    """A real robot, or "random:INDEX". Raises TwinloomError."""
    kind, _, index = name.partition(":")
    return random_walker(int(index), HELD_OUT) if kind == RANDOM and index.isdigit() else real_walker(name)


def episode(policy: str, robot: str, exercise: Exercise, hardship: float, seed: int, seconds: float = 20.0) -> Row:
    """Let a policy walk a robot."""
    walker = named_walker(robot)
    rng = np.random.default_rng([seed, round(1000 * hardship)])
    world, pilot = World(walker.body, rng, hardship), pilot_maker(policy)(walker)
    command, body = exercise.command(walker.body.leg_length), walker.body
    speeds, headings, step = [], [], 0
    for step in range(round(seconds / DT)):
        world.step(pilot.targets(world, command if step * DT > 0.4 else Command(walk=False)), DT)
        if world.fallen:
            break
        if step * DT >= SETTLE:
            speeds.append(world.velocity[0])
            headings.append(heading(world.data.xmat[body.base].reshape(3, 3)))
    lived = seconds if not world.fallen else (step + 1) * DT
    return Row(
        robot,
        exercise.name,
        hardship,
        seed,
        lived,
        lived == seconds,
        _velocity_error(np.array(speeds), command.velocity[0]) / float(np.sqrt(body.leg_length / REFERENCE)),
        _yaw_error(np.array(headings), command.yaw_rate),
    )


def _velocity_error(speeds: np.ndarray, wanted: float) -> float:
    count = round(WINDOW / DT)
    if len(speeds) < count:
        return float("nan")
    means = np.convolve(speeds, np.full(count, 1.0 / count), "valid")
    return float(np.sqrt(np.mean((means - wanted) ** 2)))


def _yaw_error(headings: np.ndarray, wanted: float) -> float:
    if len(headings) < round(WINDOW / DT):
        return float("nan")
    turned = np.unwrap(headings)
    return abs(float(turned[-1] - turned[0]) / ((len(headings) - 1) * DT) - wanted)


def summary(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """One line a robot: mean seconds by command, how many episodes lasted (k of n), tracking of those that did."""
    lines = []
    for robot in dict.fromkeys(row.robot for row in rows):
        mine = [row for row in rows if row.robot == robot]
        line: dict[str, Any] = {"robot": robot}
        for name in dict.fromkeys(row.exercise for row in mine):
            line[f"{name} s"] = round(float(np.mean([row.seconds for row in mine if row.exercise == name])), 1)
        lasted = [row for row in mine if row.survived]
        line |= {"k": len(lasted), "n": len(mine)}
        walked = [row.velocity_error for row in lasted if row.exercise != EXERCISES[0].name]
        line["velocity error m/s"] = round(float(np.sqrt(np.mean(np.square(walked)))), 3) if walked else None
        line["yaw error rad/s"] = round(float(np.mean([row.yaw_error for row in lasted])), 3) if lasted else None
        lines.append(line)
    return lines
