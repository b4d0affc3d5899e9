"""What the tasks with a coloured mat share: laying it out, and telling whether a thing lies on its middle."""

from __future__ import annotations

import numpy as np

from assets.objects.blocks import COLORS
from sim.bimanual.actor import Actor
from sim.bimanual.scene import Scene
from sim.bimanual.spec import BlockSpec
from sim.bimanual.world import World

THICKNESS = 0.001  # metres
FLAT = 10.0  # degrees by which a thing that lies on a mat may lean


def lay_mat(
    scene: Scene,
    half: tuple[float, float],
    spot: tuple[float, float],
    noun: str = "mat",
    color: str | None = None,
    keep_out: float = 0.05,
) -> Actor:
    """A mat that sticks to the table, of a random colour unless one is named; half sizes in metres."""
    rgb = COLORS[color or scene.choice(tuple(COLORS))]
    spec = BlockSpec((*half, THICKNESS / 2), (*rgb, 1.0), noun)
    return scene.add_block("mat", spec, spot, mode="static", keep_out=keep_out)


def lies_on(world: World, thing: Actor, mat: Actor, x: float, y: float) -> bool:
    """Whether a thing lies flat on the mat, within ``x`` and ``y`` metres of its middle, and no gripper touches it."""
    dx, dy, dz = world.offset(thing, mat.point("top"))
    centred = bool(abs(dx) < x and abs(dy) < y and abs(dz) < 0.005)
    return centred and world.upright(thing, FLAT) and world.on(thing, mat)


def along(world: World, thing: Actor, direction: tuple[float, float, float], degrees: float) -> bool:
    """Whether the thing's long axis (y) lies along a direction of the world, either way round."""
    axis = thing.pose()[:3, 1]
    target = np.asarray(direction)
    return world.aligned(axis, target, degrees) or world.aligned(-axis, target, degrees)
