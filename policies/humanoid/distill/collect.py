"""One episode with the teacher looking over the student's shoulder: who drives changes, who is asked does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from policies.humanoid.bodies import Walker
from policies.humanoid.networks import Memory
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
        actions: (n, 12) of the teacher.
        velocities: (n, 3) true ones, in √(gL).
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
    """Standing (15 %), stepping on the spot, or a walk: -0.25 to 0.75 m/s √(L/1 m), ±0.15 sideways, ±0.5 rad/s."""
    kind, scale = rng.random(), float(np.sqrt(leg_length))
    if kind < 0.15:
        return Command(walk=False)
    if kind < 0.25:
        return Command()
    sideways = rng.uniform(-0.15, 0.15) if rng.random() < 0.3 else 0.0
    turn = rng.uniform(-0.5, 0.5) if rng.random() < 0.6 else 0.0
    return Command((float(rng.uniform(-0.25, 0.75)) * scale, sideways * scale), turn)


def collect(
    walker: Walker,
    student: torch.nn.Module | None,
    beta: float,
    level: float,
    seconds: float,
    rng: np.random.Generator,
) -> Samples:
    """Run one episode.

    Args:
        student: drives a part 1 - ``beta`` of the time; the teacher drives always if None.
        level: hardship of the world, 0 to 1.
    """
    body, senses = walker.body, walker.senses
    world, teacher, memory = World(body, rng, level), WalkingController(body, walker.gains), Memory()
    mask = torch.from_numpy(senses.mask).float()[None]
    description = torch.from_numpy(walker.description).float()[None]
    dt, action, teaching = teacher.clock.dt, np.zeros(12), True
    rows: list[tuple[np.ndarray, ...]] = []
    command, change = random_command(rng, body.leg_length), 0
    for step in range(round(seconds / dt)):
        if step == change:
            command, change = random_command(rng, body.leg_length), step + int(rng.uniform(2.0, 5.0) / dt)
        if step % round(WATCH / dt) == 0:
            teaching = student is None or rng.random() < beta
        answer = np.clip(senses.action(teacher.targets(world.data, command)), -MOST, MOST)
        measured = world.measure()
        frame, task = senses.frame(measured, action), senses.task(teacher.clock, measured.heading)
        rows.append((frame, task, answer, world.velocity / body.speed_unit))
        history = memory.push(torch.from_numpy(frame).float())
        action = answer
        if student is not None and not teaching:
            with torch.inference_mode():
                inputs = history[None], torch.from_numpy(task).float()[None], mask, description
                action = student(*inputs)[0][0].numpy().astype(float)
        world.step(senses.targets(action), dt)
        if world.fallen:
            rows = rows[: max(0, len(rows) - round(LOST / dt))]
            return _samples(rows, (step + 1) * dt, True)
    return _samples(rows, seconds, False)


def _samples(rows: list[tuple[np.ndarray, ...]], seconds: float, fell: bool) -> Samples:
    columns = [np.array(column, np.float32) for column in zip(*rows, strict=True)] if rows else [np.zeros((0, 1))] * 4
    return Samples(*columns, seconds, fell)
