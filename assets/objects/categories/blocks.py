"""Wooden toy blocks."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import grain
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.grasps import MAX_WIDTH, top_box
from assets.objects.library import category
from assets.objects.model import Material, ObjectAsset, Shape
from assets.objects.palette import WOODS, paint, printed
from assets.objects.shapes import box, collision, hull, visual

_DENSITY = 550.0  # kg/m^3, beech


def _wood(rng: np.random.Generator, wood: str) -> Material:
    return printed(grain(rng, WOODS[wood]), "wood")


def _arch(width: float, depth: float, height: float, radius: float) -> list:
    """Outline (N, 2) of a bridge in x-z, counter-clockwise, and its collision boxes."""
    t = np.linspace(0, np.pi, 11)
    opening = np.column_stack((radius * np.cos(t), radius * np.sin(t)))[::-1]
    x = width / 2
    leg = (width / 2 - radius) / 2
    shapes: list[Shape] = [
        box(2 * leg, depth, height, (s * (x - leg), 0, height / 2), role="collision") for s in (-1, 1)
    ]
    shapes.append(box(2 * radius, depth, height - radius, (0, 0, (height + radius) / 2), role="collision"))
    return [np.vstack(([[-x, height], [-x, 0]], opening, [[x, 0], [x, height]])), shapes]


@category("wooden_block", instances=5, synonyms=("rubiks_cube", "toy_blocks", "dice"))
def wooden_block(rng: np.random.Generator, index: int) -> ObjectAsset:
    """0 brick, 1 coloured cube, 2 bridge, 3 triangular prism, 4 half-round block."""
    wood = ("oak", "pine", "maple", "cherry", "walnut")[index]
    form = ("brick", "cube", "bridge", "triangular", "half-round")[index]
    width, depth, height = (
        (0.100, 0.060, 0.050),
        (0.055, 0.055, 0.055),
        (0.100, 0.050, 0.055),
        (0.080, 0.056, 0.050),
        (0.084, 0.056, 0.042),
    )[index]
    look = paint("green", "wood") if index == 1 else _wood(rng, wood)
    grasps = top_box(width, depth, height)
    if index in (0, 1):
        mesh = meshes.rounded_box(width, depth, height, 0.004)
        shapes = [visual(mesh, look, (0, 0, height / 2)), collision(box(width, depth, height, (0, 0, height / 2)))]
        volume = width * depth * height
    elif index == 2:
        outline, walls = _arch(width, depth, height, 0.028)
        shapes = [visual(meshes.extrude_y(outline, depth), look), *walls]
        volume = width * depth * height - np.pi / 2 * 0.028**2 * depth
    else:
        if index == 3:
            outline = np.array([[-width / 2, 0], [width / 2, 0], [0.006, height], [-0.006, height]])
        else:
            t = np.linspace(0, np.pi, 13)
            outline = np.column_stack((width / 2 * np.cos(t), width / 2 * np.sin(t)))
        solid = meshes.extrude_y(outline, depth)
        shapes = [visual(solid, look), hull(solid)]
        volume = meshes.volume(solid)
        grasps = [g for g in grasps if abs(g.T_object_hand[1, 1]) > 0.9]  # only the two flat ends are parallel
    assert all(g.width <= MAX_WIDTH for g in grasps)
    words = phrases(
        rng,
        ("wooden block", "building block", "toy block"),
        "green" if index == 1 else wood,
        "wooden" if index == 1 else "solid wood",
        "small" if index == 1 else "chunky",
        form,
        ("smooth edges", "natural grain") if index != 1 else ("smooth edges", "rounded corners"),
    )
    return assemble("wooden_block", index, shapes, words, volume * _DENSITY, grasps)
