"""Kitchen pot: rigid, with two loop handles wide enough for a finger on each side of the bar."""

from __future__ import annotations

import numpy as np

from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.grasps import point
from assets.objects.handles import bar_grasps
from assets.objects.library import category
from assets.objects.meshes import fillet, lathe, sweep
from assets.objects.model import ObjectAsset, Shape
from assets.objects.palette import paint
from assets.objects.shapes import cylinder, ring_wall, tube, visual

# outer diameter, height (cm), colour, handle colour, finish, mass (kg), lid
MODELS = [
    (16.0, 10.0, "silver", "silver", "metal", 0.60, False), (17.0, 9.0, "red", "black", "ceramic", 0.75, False),
    (15.0, 11.0, "dark gray", "silver", "metal", 0.65, True), (18.0, 8.5, "navy", "silver", "ceramic", 0.80, False),
    (16.5, 9.5, "copper", "gold", "metal", 0.70, True), (15.5, 10.5, "mint", "cream", "ceramic", 0.70, True),
    (17.5, 10.0, "black", "brown", "metal", 0.85, False),
]  # fmt: skip
WALL, BOTTOM = 0.004, 0.006
BAR, GAP, SPAN = 0.007, 0.036, 0.074  # radius of the loops, free space inside them, length of their bars, metres


def loop(radius: float, z: float, side: float) -> np.ndarray:
    """(N, 3) centre line of a handle at x = side * radius, level with z."""
    out = radius + GAP + BAR
    corners = [(radius - 0.002, -SPAN / 2), (out, -SPAN / 2), (out, SPAN / 2), (radius - 0.002, SPAN / 2)]
    path = fillet(corners, 0.016, 3)
    return np.column_stack((side * path[:, 0], path[:, 1], np.full(len(path), z)))


@category("kitchen_pot", len(MODELS), synonyms=("steamer", "skillet", "kettle", "bowl"))
def kitchen_pot(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Handles at -x and +x; the point "inside" lies on the floor of the pot (on the lid if there is one)."""
    diameter, height, color, handle, finish, mass, lid = MODELS[index]
    r, h = diameter / 200, height / 100
    outside = fillet([(0, 0), (r - 0.004, 0), (r, 0.012), (r, h)], 0.006)
    inside = [(r + 0.002, h), (r + 0.002, h + 0.002), (r - WALL, h + 0.002), (r - WALL, BOTTOM), (0, BOTTOM)]
    z = h * 0.78
    grip = paint(handle, "metal" if handle in ("silver", "gold") else "plastic")
    shapes: list[Shape] = [
        visual(lathe([*outside, *inside], 28), paint(color, finish)),
        cylinder(r - 0.002, BOTTOM, (0, 0, BOTTOM / 2), role="collision"),
        *ring_wall(r, r, 0.001, h + 0.002, WALL + 0.002, count=14),
    ]
    grasps = []
    for side, group in ((-1.0, "left_handle"), (1.0, "right_handle")):
        path = loop(r, z, side)
        shapes += [visual(sweep(path, BAR, sides=10), grip), *tube(path, BAR, friction=1.0)]
        middle = (side * (r + GAP + BAR), 0, z)
        pitches = [side * a for a in (0.0, 0.35, 0.7, 1.05)]  # from straight down to nearly level and inward
        grasps += bar_grasps(group, "base", middle, (0, 1, 0), (0, 0, -1), 2 * BAR, pitches, shifts=(0, 0.012, -0.012))
    floor = BOTTOM
    if lid:
        floor = h + 0.006
        cover = [(0, h - 0.002), (r - WALL - 0.001, h - 0.002), (r + 0.003, h + 0.002), (r + 0.003, h + 0.004),
                 (r * 0.5, h + 0.014), (0.012, h + 0.018), (0.010, h + 0.026), (0.017, h + 0.034), (0.014, h + 0.040),
                 (0, h + 0.041)]  # fmt: skip
        shapes += [
            visual(lathe(cover, 28), paint("light gray" if finish == "metal" else color, finish)),
            cylinder(r * 0.8, 0.014, (0, 0, h + 0.005), role="collision"),
            cylinder(0.015, 0.026, (0, 0, h + 0.028), role="collision"),
        ]
    details = ("two handles", f"{handle} handles", *(["lid"] if lid else []))
    nouns = ("pot", "cooking pot", "kitchen pot")
    words = phrases(rng, nouns, color, finish, "large" if r > 0.084 else "deep", "round", details)
    return assemble("kitchen_pot", index, shapes, words, mass, grasps, (point("inside", (0, 0, floor)),), clutter=False)
