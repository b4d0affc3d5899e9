"""What the tasks with coloured cubes share: scattering, stacking and lining up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from assets.objects.blocks import COLORS
from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene, other, side_of
from sim.bimanual.skills import Skills
from sim.bimanual.spec import BlockSpec
from sim.bimanual.world import World
from sim.geometry import pose


def scatter(scene: Scene, colors: Sequence[str], half: float | Sequence[float], from_center: float) -> list[Actor]:
    """Cubes at random spots on both sides, at least 0.10 m apart and ``from_center`` from (0, -0.1)."""
    halves = [half] * len(colors) if isinstance(half, (int, float)) else list(half)
    actors: list[Actor] = []
    for color, h in zip(colors, halves, strict=True):
        spec = BlockSpec((h, h, h), (*COLORS[color], 1.0))
        spot = scene.sample_xy(
            (-0.28, 0.28),
            (-0.08, 0.05),
            apart=0.10,
            avoid=actors,
            min_abs_x=0.05,
            accept=lambda x, y: np.hypot(x, y + 0.1) > from_center and (y <= 0 or abs(x) >= 0.15),
        )
        actors.append(scene.add_block(f"{color}_block", spec, spot, scene.uniform(-0.75, 0.75)))
    return actors


def carry(robot: Skills, block: Actor, target: np.ndarray, last: str | None, touch: Sequence[Actor | str]) -> str:
    """Pick a cube with the arm of its side and set it on a frame; returns the arm used.

    The other arm goes home while this one grasps, if it was used before.
    """
    side = side_of(block)
    goal = robot.goal(block, target, "bottom", yaw="quarter", pre=0.08, above=0.002, touch=["table", *touch])
    steps = robot.grasp(side, block, "top", then=[goal])
    if last is not None and last != side:
        robot.do(steps, robot.home(other(side)))
    else:
        robot.do(steps)
    robot.do(robot.lift(side, 0.07))
    robot.do(robot.place(side, goal))
    return side


def stack(robot: Skills, blocks: Sequence[Actor], xy: np.ndarray) -> None:
    """Build a tower at ``xy``, first block at the bottom."""
    last: str | None = None
    for i, block in enumerate(blocks):
        below = blocks[i - 1] if i else None
        frame = below.point("top") if below else pose([*xy, robot.world.table_z])
        last = carry(robot, block, frame, last, [below] if below else [])


def stacked(world: World, blocks: Sequence[Actor], step: float) -> bool:
    """Whether each block lies on the one before it, centred within 2.5 cm, and no gripper touches any."""
    for below, above in pairwise(blocks):
        d = world.offset(above, below)
        if max(abs(d[0]), abs(d[1])) > 0.025 or abs(d[2] - step) > 0.012 or not world.touching(above, below):
            return False
    return world.touching(blocks[0], "table") and world.released(*blocks)
