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
from twinloom.transforms import pose

CENTER = (0.0, -0.13)  # where towers are built: the middle of the table, within comfortable reach of both arms
CENTER_TOLERANCE = 0.12
SIDE_ROOM = 0.024  # metres by which a gripper opens beyond a cube that stands next to others
ROW_PITCH = 0.13  # neighbours in a row are at most this far apart
Spot = tuple[float, float]


def scatter(
    scene: Scene,
    colors: Sequence[str],
    half: float | Sequence[float],
    from_center: float,
    free: Sequence[Spot] = (),
) -> list[Actor]:
    """Cubes at random spots on both sides, at least 0.10 m apart and ``from_center`` from (0, -0.1).

    Args:
        half: half edge length, metres; one for all or one each.
        free: spots from which all cubes keep 0.09 m away, so that something can be set down there.
    """
    halves = [half] * len(colors) if isinstance(half, (int, float)) else list(half)

    def usable(x: float, y: float) -> bool:
        if np.hypot(x, y + 0.1) <= from_center or (y > 0 and abs(x) < 0.15):
            return False
        return all(np.hypot(x - fx, y - fy) > 0.09 for fx, fy in free)

    actors: list[Actor] = []
    for color, h in zip(colors, halves, strict=True):
        spec = BlockSpec((h, h, h), (*COLORS[color], 1.0))
        spot = scene.sample_xy((-0.28, 0.28), (-0.08, 0.05), apart=0.10, avoid=actors, min_abs_x=0.05, accept=usable)
        actors.append(scene.add_block(f"{color}_block", spec, spot, scene.uniform(-0.75, 0.75)))
    return actors


def carry(
    robot: Skills,
    block: Actor,
    target: np.ndarray,
    last: str | None,
    touch: Sequence[Actor | str],
    opening: float = 1.0,
) -> str:
    """Pick a cube with the arm of its side and set it on a frame; returns the arm used.

    The other arm goes home while this one grasps, if it was used before.
    """
    side = side_of(block)
    goal = robot.goal(block, target, "bottom", yaw="quarter", pre=0.08, above=0.002, touch=["table", *touch])
    away = robot.home(other(side)) if last is not None and last != side else []
    robot.do(robot.grasp(side, block, "top", then=[goal], meanwhile=away), away)
    robot.do(robot.lift(side, 0.07))
    robot.do(robot.place(side, goal, opening=opening))
    return side


def stack(robot: Skills, blocks: Sequence[Actor]) -> None:
    """Build a tower at the centre, first block at the bottom."""
    last: str | None = None
    for i, block in enumerate(blocks):
        below = blocks[i - 1] if i else None
        frame = below.point("top") if below else pose([*CENTER, robot.world.table_z])
        last = carry(robot, block, frame, last, [below] if below else [])


def line_up(robot: Skills, blocks: Sequence[Actor], spots: Sequence[Spot]) -> None:
    """Set each block on its spot, in the order given."""
    last: str | None = None
    for block, spot in zip(blocks, spots, strict=True):
        opening = min(1.0, (block.asset.extents[0] + SIDE_ROOM) / robot.max_opening)
        last = carry(robot, block, pose([*spot, robot.world.table_z]), last, [], opening)


def stacked(world: World, blocks: Sequence[Actor], step: float) -> bool:
    """Whether each block lies on the one before it, centred within 2.5 cm, at the centre and touched by no gripper."""
    for below, above in pairwise(blocks):
        d = world.offset(above.point("center"), below.point("center"))
        if max(abs(d[0]), abs(d[1])) > 0.025 or abs(d[2] - step) > 0.012 or not world.touching(above, below):
            return False
    middle = np.array([*CENTER, world.table_z])
    at_center = world.near(blocks[0].point("center"), middle, CENTER_TOLERANCE)
    return at_center and world.touching(blocks[0], "table") and world.released(*blocks)


def in_row(world: World, blocks: Sequence[Actor]) -> bool:
    """Whether the blocks stand on the table side by side, from left to right, and no gripper touches any.

    Neighbours are at most 0.13 m apart, no nearer than they are wide, and within 3 cm of one line.
    """
    for left, right in pairwise(blocks):
        d = world.offset(right.point("center"), left.point("center"))
        width = (left.asset.extents[0] + right.asset.extents[0]) / 2
        if not 0.95 * width < d[0] < ROW_PITCH or abs(d[1]) > 0.03:
            return False
    resting = all(
        world.touching(b, "table") and abs(world.height(b.point("center")) - b.asset.extents[2] / 2) < 0.006
        for b in blocks
    )
    return resting and world.released(*blocks)
