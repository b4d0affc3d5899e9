"""One episode with the teacher looking over the student's shoulder: who drives changes, who is asked does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policies.humanoid.bodies import Walker
from policies.humanoid.networks import WalkingNetwork
from policies.humanoid.pupil import DT, Pupil
from policies.humanoid.senses import FRAME, LEGS, TASK
from policies.humanoid.world import World
from sim.humanoid.walking.controller import WalkingController
from sim.humanoid.walking.gait import Command

WATCH = 0.5
"""Seconds that one driver stays."""
LOST = 0.4
"""Seconds before a fall that are not learned from: nothing helps there any more."""
MOST = 1.5
"""Largest action that is learned, rad."""


@dataclass(frozen=True)
class Samples:
    """What an episode taught, row by row.

    Attributes:
        frames: (n, FRAME) history, one row a control step.
        tasks: (n, TASK).
        actions: (n, 12) of the teacher, rad.
        velocities: (n, 3) true ones of the base in its level frame, in √(gL).
        seconds: until the fall, or the whole episode.
        fell: whether it fell.
    """

    frames: np.ndarray
    tasks: np.ndarray
    actions: np.ndarray
    velocities: np.ndarray
    seconds: float
    fell: bool


def random_command(rng: np.random.Generator, leg_length: float) -> Command:
    """Standing (25 %), stepping on the spot, or a walk: -0.25 to 0.75 m/s √(L/1 m), ±0.15 sideways, ±0.5 rad/s."""
    kind, scale = rng.random(), float(np.sqrt(leg_length))
    if kind < 0.25:
        return Command(walk=False)
    if kind < 0.33:
        return Command()
    sideways = rng.uniform(-0.15, 0.15) if rng.random() < 0.3 else 0.0
    turn = rng.uniform(-0.5, 0.5) if rng.random() < 0.6 else 0.0
    return Command((float(rng.uniform(-0.25, 0.75)) * scale, sideways * scale), turn)


def collect(
    walker: Walker,
    network: WalkingNetwork | None,
    beta: float,
    level: float,
    seconds: float,
    rng: np.random.Generator,
) -> Samples:
    """Run one episode.

    Args:
        network: drives a part 1 - ``beta`` of the time; the teacher drives always if None.
        level: hardship of the world, 0 to 1.
    """
    world, teacher = World(walker.body, rng, level), WalkingController(walker.body, walker.gains, DT)
    pupil = Pupil(walker, network, teacher.clock)
    rows: list[tuple[np.ndarray, ...]] = []
    command, change, teaching = Command(walk=False), 0, True
    for step in range(round(seconds / DT)):
        if step == change:
            command, change = random_command(rng, walker.body.leg_length), step + int(rng.uniform(2.0, 5.0) / DT)
        if step % round(WATCH / DT) == 0:
            teaching = network is None or rng.random() < beta
        answer = np.clip(walker.senses.action(teacher.targets(world.data, command)), -MOST, MOST)
        pupil.observe(world.measure())
        rows.append((pupil.frame, pupil.task, answer, world.velocity / walker.body.speed_unit))
        world.step(pupil.took(answer if teaching else pupil.answer()[0]), DT)
        if world.fallen:
            return _samples(rows[: max(0, len(rows) - round(LOST / DT))], (step + 1) * DT, True)
    return _samples(rows, seconds, False)


def _samples(rows: list[tuple[np.ndarray, ...]], seconds: float, fell: bool) -> Samples:
    widths = (FRAME, TASK, LEGS, 3)
    columns = zip(*rows, strict=True) if rows else ([] for _ in widths)
    frames, tasks, actions, velocities = (
        np.array(list(column), np.float32).reshape(-1, width) for column, width in zip(columns, widths, strict=True)
    )
    return Samples(frames, tasks, actions, velocities, seconds, fell)
