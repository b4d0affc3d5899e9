"""Bowls that nest, plates, coasters and trays."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import grain, speckle
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.grasps import point, rim_box, rim_round
from assets.objects.library import category
from assets.objects.model import ObjectAsset
from assets.objects.palette import WOODS, paint, printed
from assets.objects.shapes import box, box_wall, cylinder, ring_wall, visual

_WALL = 0.005  # metres, of collision shapes

# foot radius, rim radius, height, outside, inside, material, form, stripe
_BOWLS = (
    (0.040, 0.068, 0.056, "white", "white", "ceramic", "round", "blue"),
    (0.038, 0.064, 0.052, "teal", "cream", "ceramic", "deep", None),
    (0.042, 0.072, 0.055, "dark red", "cream", "ceramic", "wide", None),
    (0.040, 0.070, 0.054, "light blue", "white", "ceramic", "round", "navy"),
    (0.044, 0.072, 0.050, "yellow", "yellow", "plastic", "shallow", None),
    (0.038, 0.066, 0.058, "pine", "maple", "wooden", "deep", None),
    (0.042, 0.070, 0.052, "silver", "light gray", "steel", "shiny", None),
)


@category("bowl", instances=7, synonyms=("cup", "plate", "kitchen_pot", "colander", "sugar_bowl"))
def bowl(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Bowl with a conical wall; equal bowls nest about 15 mm apart."""
    foot, rim, h, outside, inside, material, form, stripe = _BOWLS[index]
    finish = {"ceramic": "ceramic", "plastic": "plastic", "wooden": "wood", "steel": "metal"}[material]
    lean = float(np.arctan2(rim - foot, h))
    t = 0.0035
    shift = t / np.cos(lean)
    outer = meshes.fillet(
        [(0, 0.002), (foot - 0.010, 0.002), (foot - 0.009, 0), (foot - 0.003, 0), (foot, 0.004), (rim, h)], 0.004, 1
    )
    inner = meshes.fillet([(rim, h), (rim - shift, h), (foot - shift + 0.002, 0.009), (0, 0.006)], 0.012, 2)
    shell = meshes.lathe(np.vstack((outer, inner[1:3])), 20)
    lining = meshes.lathe(inner[2:], 20)
    skin = printed(grain(rng, WOODS[outside]), "wood") if material == "wooden" else paint(outside, finish)
    shapes = [
        visual(shell, skin),
        visual(lining, printed(grain(rng, WOODS[inside]), "wood") if material == "wooden" else paint(inside, finish)),
        cylinder(foot - 0.001, 0.008, (0, 0, 0.004), role="collision"),
        *ring_wall(foot, rim, 0.002, h, _WALL, 12),
    ]
    if stripe:
        low, high = 0.72 * h, 0.86 * h
        radii = [foot + (rim - foot) * z / h + 0.0006 for z in (low, high)]
        shapes.append(visual(meshes.band([(radii[0], low), (radii[1], high)], 22), paint(stripe, finish)))
    parts = [f"{stripe} stripe" if stripe else "smooth rim", f"{inside} inside", "flat base"]
    color = outside if outside not in WOODS else f"{outside} brown"
    words = phrases(
        rng,
        ("bowl", "soup bowl"),
        color,
        material,
        "large" if rim > 0.071 else "small" if rim < 0.067 else "medium",
        form,
        parts,
    )
    mass = {"ceramic": 0.095, "plastic": 0.06, "wooden": 0.08, "steel": 0.08}[material]
    grasps = rim_round(rim - _WALL / 2 / np.cos(lean), h, _WALL, 12, 0.5 * lean)
    return assemble("bowl", index, shapes, words, mass, grasps, [point("inside", (0, 0, 0.008))])


# radius, colour, rim colour, material, form
_PLATES = (
    (0.115, "white", "white", "ceramic", "round"),
    (0.110, "cream", "dark red", "ceramic", "classic"),
    (0.120, "light blue", "navy", "ceramic", "wide"),
    (0.105, "mint", "white", "plastic", "simple"),
    (0.112, "dark gray", "dark gray", "stoneware", "modern"),
)


@category("plate", instances=5, synonyms=("bowl", "tray", "coaster", "saucer"))
def plate(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Dinner plate; point "inside" is the centre of its flat floor."""
    r, color, edge, material, form = _PLATES[index]
    h, flat, floor = 0.020, 0.68 * r, 0.006
    outer = [
        (0, 0.0015),
        (flat - 0.012, 0.0015),
        (flat - 0.010, 0),
        (flat - 0.004, 0),
        (flat, 0.004),
        (r, h - 0.002),
        (r, h),
    ]
    inner = [(0.86 * r, 0.0135), (flat, floor + 0.001), (0.8 * flat, floor), (0, floor)]
    shapes = [
        visual(meshes.lathe([*outer, *inner], 28), paint(color, "ceramic")),
        visual(meshes.band([(0.985 * r, h - 0.0002), (0.94 * r, h - 0.0022)], 28), paint(edge, "ceramic")),
        cylinder(flat, floor, (0, 0, floor / 2), role="collision"),
        *ring_wall(flat, r, 0.001, h, 0.005, 12),
    ]
    words = phrases(
        rng,
        ("plate", "dinner plate"),
        color,
        material,
        "large" if r > 0.112 else "medium",
        form,
        (f"{edge} edge", "raised rim", "flat center"),
    )
    return assemble(
        "plate",
        index,
        shapes,
        words,
        0.35,
        points=[point("inside", (0, 0, floor))],
    )


@category("coaster", instances=6, synonyms=("plate", "saucer", "pot_holder"))
def coaster(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Flat mat for a cup: round or square, of cork, wood, felt, slate, rubber."""
    color, material, form = (
        ("tan", "cork", "round"), ("walnut", "wooden", "square"), ("teal", "felt", "round"),
        ("dark gray", "slate", "square"), ("red", "rubber", "round"), ("maple", "wooden", "hexagonal"),
    )[index]  # fmt: skip
    size, h = 0.100 + 0.004 * index, 0.008
    if form == "round":
        outline = meshes.ellipse(size, size, 28)
        collision_shape = cylinder(size / 2, h, (0, 0, h / 2), role="collision", friction=1.0)
    elif form == "square":
        outline = meshes.rectangle(size, size, 0.008)
        collision_shape = box(size, size, h, (0, 0, h / 2), role="collision", friction=1.0)
    else:
        outline = meshes.ellipse(size * 1.1, size * 1.1, 6)
        collision_shape = cylinder(size * 0.5, h, (0, 0, h / 2), role="collision", friction=1.0)
    rgb = WOODS[color] if color in WOODS else paint(color).rgba[:3]
    image = grain(rng, rgb) if material == "wooden" else speckle(rng, rgb, 0.12 if material == "cork" else 0.05)
    shapes = [visual(meshes.slab(outline, h, 0.0015, 1), printed(image, "wood")), collision_shape]
    if material in ("felt", "rubber"):
        ring = meshes.band([(size * 0.40, h + 0.0003), (size * 0.36, h + 0.0003)], 24)
        shapes.append(visual(ring, paint("white", "matte")))
    name = f"{color} brown" if color in WOODS else color
    words = phrases(
        rng, ("coaster", "drink coaster", "cup mat"), name, material, "thin", form, ("smooth top", "flat surface")
    )
    return assemble("coaster", index, shapes, words, 0.06, points=[point("inside", (0, 0, h))])


# width, depth, height, colour, material, handles
_TRAYS = (
    (0.31, 0.21, 0.030, "oak", "wooden", "cut-out handles"),
    (0.33, 0.22, 0.026, "red", "plastic", "rounded corners"),
    (0.30, 0.21, 0.032, "silver", "metal", "raised edges"),
    (0.32, 0.22, 0.028, "dark gray", "plastic", "two handles"),
)


@category("tray", instances=4, synonyms=("plate", "plastic_box", "cutting_board"))
def tray(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Serving tray; points "left" and "right" lie on the halves of its floor."""
    w, d, h, color, material, detail = _TRAYS[index]
    floor, wall = 0.006, 0.006
    skin = (
        printed(grain(rng, WOODS[color]), "wood")
        if color in WOODS
        else paint(color, "metal" if material == "metal" else "plastic")
    )
    if material == "wooden":
        bottom = box(w, d, floor, (0, 0, floor / 2), skin, friction=1.0)
        shapes = [bottom, *box_wall(w, d, 0.0, h, 0.009, 0.0, skin, "both")]
        shapes += [
            visual(
                meshes.slab(meshes.rectangle(0.011, 0.07, 0.004), 0.010),
                paint("dark gray", "matte"),
                (s * (w / 2 - 0.0045), 0, h - 0.012),
            )
            for s in (-1, 1)
        ]
    else:
        low, high = meshes.rectangle(w - 0.03, d - 0.03, 0.02), meshes.rectangle(w, d, 0.028)
        lip, inner = meshes.rectangle(w - 0.012, d - 0.012, 0.024), meshes.rectangle(w - 0.040, d - 0.040, 0.018)
        at = meshes.at_height
        shapes = [
            visual(meshes.loft([at(low, 0), at(high, h - 0.002), at(high, h), at(lip, h), at(inner, floor)]), skin),
            box(w - 0.03, d - 0.03, floor, (0, 0, floor / 2), role="collision", friction=1.0),
            *box_wall(w - 0.03, d - 0.03, 0.001, h, wall, 0.015),
        ]
        if detail == "two handles":
            for s in (-1, 1):
                path = [
                    (s * (w / 2 - 0.004), -0.05, h - 0.006),
                    (s * (w / 2 + 0.022), -0.04, h + 0.002),
                    (s * (w / 2 + 0.022), 0.04, h + 0.002),
                    (s * (w / 2 - 0.004), 0.05, h - 0.006),
                ]
                shapes.append(visual(meshes.sweep(path, 0.005, sides=6), paint("silver", "metal")))
    name = f"{color} brown" if color in WOODS else color
    words = phrases(
        rng, ("tray", "serving tray"), name, material, "large", "rectangular", (detail, "low walls", "flat bottom")
    )
    points = [point("left", (-0.075, 0, floor)), point("right", (0.075, 0, floor)), point("inside", (0, 0, floor))]
    return assemble("tray", index, shapes, words, 0.45, rim_box(w, d, h, wall, 0.010), points, clutter=False)
