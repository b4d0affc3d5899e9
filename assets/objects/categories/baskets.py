"""Bread baskets, and baskets that are carried by a handle across the middle."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import weave
from assets.objects.assemble import assemble
from assets.objects.categories.containers import open_box_mesh
from assets.objects.describe import phrases
from assets.objects.grasps import both_ways, point, rim_box, rim_round
from assets.objects.library import category
from assets.objects.model import Material, ObjectAsset, Shape
from assets.objects.palette import WOODS, paint, printed, shade
from assets.objects.shapes import box, box_wall, capsule, cylinder, ring_wall, visual

_WALL = 0.006  # metres, of collision shapes


def _wicker(rng: np.random.Generator, color: str, across: int = 4) -> Material:
    return printed(np.tile(weave(rng, shade(color, 1.12), 6), (3, across, 1)), "wood")


# form, width, depth, height, colour, material, trim
_BREAD = (
    ("rectangular", 0.200, 0.150, 0.060, "tan", "wicker", "brown"),
    ("round", 0.190, 0.190, 0.062, "oak", "wicker", "walnut"),
    ("rectangular", 0.210, 0.145, 0.055, "walnut", "rattan", "tan"),
    ("round", 0.200, 0.200, 0.055, "cream", "rope", "blue"),
    ("rectangular", 0.195, 0.155, 0.065, "gray", "wicker", "white"),
)


@category("bread_basket", instances=5, synonyms=("basket", "plastic_box", "bowl"))
def bread_basket(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Open woven basket; point "inside" is the centre of its floor."""
    form, w, d, h, color, material, trim = _BREAD[index]
    skin = _wicker(rng, color)
    edge = paint(trim, "wood")
    flare = 0.010
    shapes: list[Shape]
    if form == "rectangular":
        low_w, low_d = w - 2 * flare, d - 2 * flare
        shapes = [
            visual(open_box_mesh(low_w, low_d, h, 0.005, 0.006, 0.030, flare), skin),
            box(low_w - 0.01, low_d - 0.01, 0.006, (0, 0, 0.003), role="collision", friction=1.0),
            *box_wall(low_w, low_d, 0.001, h, _WALL, flare),
        ]
        outline = meshes.at_height(meshes.rectangle(w - 0.005, d - 0.005, 0.034, 3), h)
        grasps = rim_box(w, d, h, _WALL, along=(-0.3, 0.3), lean=float(np.arctan2(flare, h)))
    else:
        low = w / 2 - 2 * flare
        profile = [
            *meshes.fillet([(0, 0), (low, 0), (w / 2, h)], 0.01, 2),
            (w / 2 - 0.005, h),
            (low - 0.004, 0.010),
            (0, 0.006),
        ]
        shapes = [
            visual(meshes.lathe(profile, 24), skin),
            cylinder(low - 0.002, 0.006, (0, 0, 0.003), role="collision", friction=1.0),
            *ring_wall(low, w / 2, 0.001, h, _WALL, 12),
        ]
        outline = meshes.at_height(meshes.ellipse(w - 0.005, w - 0.005, 24), h)
        grasps = rim_round(w / 2 - _WALL / 2, h, _WALL, 12, float(np.arctan2(2 * flare, h)))
    loop = np.vstack((outline, outline[:1]))
    shapes.append(visual(meshes.sweep(loop, 0.0045, sides=6), edge))
    words = phrases(
        rng,
        ("bread basket", "basket"),
        f"{color} brown" if color in WOODS else color,
        material,
        "large" if w > 0.197 else "medium",
        form,
        (f"{trim} trim", "woven walls", "open top"),
    )
    return assemble("bread_basket", index, shapes, words, 0.12, grasps, [point("inside", (0, 0, 0.006))], clutter=False)


# width, depth, height of the walls, height of the handle, colour, material, handle colour
_BASKETS = (
    (0.235, 0.165, 0.090, 0.185, "tan", "wicker", "brown"),
    (0.240, 0.160, 0.085, 0.180, "blue", "plastic", "black"),
    (0.230, 0.165, 0.095, 0.190, "walnut", "rattan", "tan"),
    (0.240, 0.165, 0.085, 0.185, "red", "plastic", "silver"),
)


@category("basket", instances=4, synonyms=("bread_basket", "plastic_box"))
def basket(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Carrying basket. Its handle spans y over the middle; points "left" and "right" lie beside it on the floor."""
    w, d, h, top, color, material, grip = _BASKETS[index]
    flare = 0.012
    low_w, low_d = w - 2 * flare, d - 2 * flare
    woven = material != "plastic"
    skin = _wicker(rng, color, 6) if woven else paint(color, "plastic")
    shapes: list[Shape] = [
        visual(open_box_mesh(low_w, low_d, h, 0.005, 0.006, 0.028, flare), skin),
        box(low_w - 0.008, low_d - 0.008, 0.006, (0, 0, 0.003), role="collision", friction=1.0),
        *box_wall(low_w, low_d, 0.001, h, _WALL, flare),
    ]
    rim = meshes.at_height(meshes.rectangle(w - 0.004, d - 0.004, 0.032, 3), h)
    shapes.append(
        visual(meshes.sweep(np.vstack((rim, rim[:1])), 0.005, sides=6), paint(grip, "wood" if woven else "plastic"))
    )
    y = d / 2 - 0.004
    corners = [
        (-y, h - 0.035),
        (-y, top - 0.018),
        (-0.035, top - 0.007),
        (0.035, top - 0.007),
        (y, top - 0.018),
        (y, h - 0.035),
    ]
    arch = meshes.fillet(corners, 0.03, 3)
    path = np.column_stack((np.zeros(len(arch)), arch))
    shapes.append(
        visual(meshes.sweep(path, 0.007, meshes.ellipse(2.0, 2.6, 8)), paint(grip, "wood" if woven else "plastic"))
    )
    frame = np.column_stack((np.zeros(len(corners)), corners))
    shapes += [capsule(a, b, 0.007, role="collision", friction=1.0) for a, b in pairwise(frame)]
    grasps = [
        g
        for y0 in (-0.02, 0.0, 0.02)
        for g in both_ways("handle", (0, y0, top - 0.008), (0, 0, -1), (1, 0, 0), 0.014, (-0.6, 0.6))
    ]
    grasps += rim_box(w, d, h, _WALL, along=(-0.5, 0.5), lean=float(np.arctan2(flare, h)))
    points = [point("left", (-0.062, 0, 0.006)), point("right", (0.062, 0, 0.006)), point("inside", (0, 0, 0.006))]
    words = phrases(
        rng,
        ("basket", "carrying basket", "shopping basket"),
        f"{color} brown" if color in WOODS else color,
        material,
        "large" if w > 0.237 else "medium",
        "rectangular",
        (f"{grip} handle", "curved handle"),
    )
    return assemble("basket", index, shapes, words, 0.28, grasps, points, clutter=False)
