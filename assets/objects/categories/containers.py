"""Open boxes and bins: walls and a bottom, never one hull."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import face_label, grain, weave
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import point, rim_box, rim_round
from assets.objects.library import category
from assets.objects.model import Material, Mesh, ObjectAsset, Shape
from assets.objects.palette import WOODS, paint, pale, printed
from assets.objects.shapes import box, box_wall, cylinder, decal, ring_wall, visual

_WALL = 0.005  # metres, of collision shapes


def open_box_mesh(
    width: float, depth: float, height: float, wall: float, floor: float, corner: float, flare: float = 0.0
) -> Mesh:
    """Rectangular vessel with rounded upright corners; width and depth are outer sizes at the bottom."""
    at = meshes.at_height
    low = meshes.rectangle(width, depth, corner, 2)
    high = meshes.rectangle(width + 2 * flare, depth + 2 * flare, corner + 0.5 * flare, 2)
    bevel = 0.003
    rings = [at(meshes.inset(low, bevel), 0), at(low, bevel), at(high, height), at(meshes.inset(high, wall), height)]
    rings += [at(meshes.inset(low, wall + 0.001), floor + bevel), at(meshes.inset(low, wall + bevel), floor)]
    return meshes.loft(rings)


def open_box(
    width: float,
    depth: float,
    height: float,
    skin: Material,
    wall: float = 0.003,
    floor: float = 0.005,
    corner: float = 0.012,
    flare: float = 0.0,
) -> list[Shape]:
    """Visual and collision shapes of a rectangular vessel."""
    return [
        visual(open_box_mesh(width, depth, height, wall, floor, corner, flare), skin),
        box(width - 0.002, depth - 0.002, floor, (0, 0, floor / 2), role="collision"),
        *box_wall(width, depth, 0.001, height, _WALL, flare),
    ]


# width, depth, height, flare, colour, alpha, shape word, detail
_BOXES = (
    (0.190, 0.160, 0.085, 0.006, "blue", 1.0, "rectangular", "wide rim"),
    (0.185, 0.165, 0.090, 0.000, "white", 1.0, "straight", "rounded corners"),
    (0.195, 0.155, 0.080, 0.008, "green", 1.0, "tapered", "wide rim"),
    (0.190, 0.165, 0.075, 0.004, "light gray", 0.55, "see-through", "clear walls"),
    (0.200, 0.160, 0.085, 0.000, "orange", 1.0, "straight", "thick walls"),
    (0.190, 0.170, 0.080, 0.006, "light blue", 0.55, "see-through", "clear walls"),
    (0.185, 0.160, 0.095, 0.004, "red", 1.0, "deep", "two handles"),
    (0.195, 0.165, 0.070, 0.008, "pink", 1.0, "shallow", "rounded corners"),
    (0.190, 0.155, 0.085, 0.000, "dark gray", 1.0, "rectangular", "side label"),
    (0.200, 0.165, 0.080, 0.006, "yellow", 1.0, "tapered", "two handles"),
    (0.188, 0.160, 0.090, 0.004, "mint", 1.0, "deep", "side label"),
)


@category("plastic_box", instances=11, synonyms=("shoe_box", "bread_basket", "basket", "tray"))
def plastic_box(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Open storage box; points "left" and "right" on its floor hold two cans side by side."""
    w, d, h, flare, color, alpha, form, detail = _BOXES[index]
    skin = paint(color, "plastic", alpha)
    shapes = open_box(w, d, h, skin, 0.004 if detail == "thick walls" else 0.0025, 0.005, 0.014, flare)
    if detail == "wide rim":
        for sx, sy, sw, sd in (
            (0, -1, w + 2 * flare, 0.006),
            (0, 1, w + 2 * flare, 0.006),
            (-1, 0, 0.006, d + 2 * flare),
            (1, 0, 0.006, d + 2 * flare),
        ):
            centre = (sx * (w / 2 + flare - 0.002), sy * (d / 2 + flare - 0.002), h - 0.002)
            shapes.append(visual(meshes.moved(meshes.rounded_box(sw, sd, 0.004, 0.0015), centre), skin))
    elif detail == "two handles":
        for s in (-1, 1):
            grip = meshes.slab(meshes.rectangle(0.020, 0.080, 0.009), 0.006, 0.002, 1)
            shapes.append(visual(grip, skin, (s * (w / 2 + flare + 0.004), 0, h - 0.014)))
    elif detail == "side label":
        tilt = quat_about((1, 0, 0), float(np.arctan2(flare, h)))
        label = printed(face_label(rng, "STORAGE", "white", "light gray", "dark gray", (96, 56)))
        at = (0, -(d / 2 + flare / 2) - 0.0008, h / 2)
        shapes.append(visual(meshes.sheet(0.075, 0.044), label, at, tilt))
    size = "large" if w > 0.192 else "small" if w < 0.187 else "medium"
    words = phrases(
        rng, ("plastic box", "storage box", "plastic container"), color, "open", size, form, (detail, "open top")
    )
    grasps = rim_box(w + 2 * flare, d + 2 * flare, h, _WALL, along=(-0.4, 0.0, 0.4), lean=float(np.arctan2(flare, h)))
    points = [point("left", (-0.046, 0, 0.005)), point("right", (0.046, 0, 0.005)), point("inside", (0, 0, 0.005))]
    return assemble("plastic_box", index, shapes, words, 0.18, grasps, points, clutter=False)


@category("shoe_box", instances=3, synonyms=("plastic_box",))
def shoe_box(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Low carton for a pair of shoes that lie along x with the toes to -x.

    Points "left" and "right" (seen along the toes) have y towards -x: a shoe's "sole" placed there points to the left.
    """
    color, accent, brand = (("orange", "white", "STRIDE"), ("tan", "brown", "OXFORD"), ("navy", "light blue", "RUN"))[
        index
    ]
    w, d, h = 0.270, 0.235, 0.055
    card = paint(color, "paper")
    inner = paint(pale(color, 0.4), "paper")
    wall, floor = 0.004, 0.004
    shapes = [
        visual(open_box_mesh(w, d, h, wall, floor, 0.002), card),
        decal(w - 0.014, d - 0.014, (0, 0, floor), "top", inner),
        decal(
            0.13, 0.04, (0, -d / 2, h / 2), "front", printed(face_label(rng, brand, color, accent, accent, (128, 40)))
        ),
        box(w, d, floor, (0, 0, floor / 2), role="collision", friction=1.0),
        *box_wall(w, d, 0.0, h, _WALL),
    ]
    words = phrases(
        rng, ("shoe box", "shoe carton"), color, "cardboard", "low", "open", (f"{accent} print", "open top")
    )
    points = [point(name, (0, y, floor), x=(0, 1, 0)) for name, y in (("left", -0.054), ("right", 0.054))]
    points.append(point("inside", (0, 0, floor)))
    grasps = rim_box(w, d, h, _WALL)
    return assemble("shoe_box", index, shapes, words, 0.30, grasps, points, clutter=False)


# form, size at the bottom, size at the rim, height, colour, material, pattern
_BINS = (
    ("round", 0.104, 0.126, 0.120, "dark gray", "plastic", "plain"),
    ("square", 0.100, 0.124, 0.118, "white", "plastic", "plain"),
    ("round", 0.100, 0.122, 0.125, "mint", "plastic", "ribbed"),
    ("square", 0.102, 0.122, 0.115, "pink", "plastic", "plain"),
    ("round", 0.110, 0.128, 0.115, "tan", "wicker", "woven"),
    ("square", 0.106, 0.120, 0.122, "oak", "wooden", "plain"),
    ("round", 0.112, 0.122, 0.120, "silver", "metal", "plain"),
    ("round", 0.100, 0.126, 0.118, "blue", "plastic", "banded"),
    ("square", 0.104, 0.126, 0.120, "light gray", "plastic", "banded"),
    ("round", 0.106, 0.124, 0.124, "black", "mesh", "woven"),
    ("round", 0.098, 0.124, 0.116, "yellow", "plastic", "ribbed"),
)


@category("table_trash_bin", instances=11, synonyms=("dustbin", "pencup", "plant_pot"))
def table_trash_bin(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Small open bin for the desk; its rim is thin enough to be grasped."""
    form, low, high, h, color, material, pattern = _BINS[index]
    finish = {"metal": "metal", "wooden": "wood", "wicker": "wood", "mesh": "metal"}.get(material, "plastic")
    skin = paint(color, finish)
    if pattern == "woven":
        skin = printed(np.tile(weave(rng, pale(color, 0.15), 8), (2, 6, 1)), finish)
    elif material == "wooden":
        skin = printed(grain(rng, WOODS[color]), "wood")
    t = 0.003
    if form == "round":
        outer = meshes.fillet([(0, 0), (low / 2, 0), (high / 2, h)], 0.004, 1)
        inner = [(high / 2 - t, h), (low / 2 - t, 0.011), (0, 0.010)]
        shapes = [
            visual(meshes.lathe([*outer, *inner], 22), skin),
            cylinder(low / 2 - 0.001, 0.010, (0, 0, 0.005), role="collision"),
        ]
        shapes += ring_wall(low / 2, high / 2, 0.001, h, _WALL, 12)
        lean = float(np.arctan2((high - low) / 2, h))
        grasps = rim_round(high / 2 - _WALL / 2, h, _WALL, 12, lean)
        rings = [(low / 2 + (high - low) / 2 * z / h, z) for z in np.linspace(0, h, 9)]
    else:
        flare = (high - low) / 2
        shapes = open_box(low, low, h, skin, t, 0.010, 0.010, flare)
        grasps = rim_box(high, high, h, _WALL, along=(-0.35, 0.35, 0.0), lean=float(np.arctan2(flare, h)))
        rings = []
    if pattern == "ribbed":
        for r, z in rings[2:-1]:
            rib = [(r - 0.001, z - 0.003), (r + 0.0016, z), (r - 0.0005, z + 0.003)]
            shapes.append(visual(meshes.band(rib, 22), skin))
    elif pattern == "banded" and form == "round":
        band = [(low / 2 + (high - low) / 2 * z / h + 0.0004, z) for z in (0.62 * h, 0.86 * h)]
        shapes.append(visual(meshes.band(band, 22), paint("white", "plastic")))
    elif pattern == "banded":
        lean_box = quat_about((1, 0, 0), float(np.arctan2((high - low) / 2, h)))
        at = (0, -(low / 2 + (high - low) / 2 * 0.6) - 0.0006, 0.6 * h)
        shapes.append(
            visual(meshes.sheet(0.05, 0.05), printed(face_label(rng, "BIN", "teal", "white", "white")), at, lean_box)
        )
    words = phrases(
        rng,
        ("trash bin", "desk bin", "small trash can"),
        f"{color} brown" if color in WOODS else color,
        material,
        "small",
        form,
        ("open top", f"{pattern} wall"),
    )
    mass = {"metal": 0.13, "wooden": 0.13}.get(material, 0.10)
    return assemble(
        "table_trash_bin", index, shapes, words, mass, grasps, [point("inside", (0, 0, 0.010))], clutter=False
    )


@category("dustbin", instances=1, synonyms=("table_trash_bin",))
def dustbin(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Big open bin that stands on the floor: 0.44 x 0.65 m and 0.65 m high."""
    w, d, h, flare, wall = 0.40, 0.61, 0.65, 0.02, 0.02
    floor, extra = 0.10, 0.05  # so thick that what falls in at 4 m/s cannot pass a wall within a step
    skin = paint("dark gray", "plastic")
    shapes = [
        visual(open_box_mesh(w, d, h, 0.012, floor, 0.05, flare), skin),
        visual(
            open_box_mesh(w + 2 * flare, d + 2 * flare, 0.03, 0.012, 0.001, 0.06, 0.004),
            paint("black", "plastic"),
            (0, 0, h - 0.028),
        ),
        box(w, d, floor, (0, 0, floor / 2), role="collision"),
        *box_wall(w + 2 * extra, d + 2 * extra, 0.0, h, wall + extra, flare),
    ]
    sign = printed(face_label(rng, "WASTE", "green", "white", "white"))
    shapes += [decal(0.2, 0.2, (0, -d / 2 - 0.014, 0.42), "front", sign)]
    words = phrases(
        rng, ("dustbin", "trash can", "garbage bin"), "dark gray", "plastic", "big", "open", ("open top", "green sign")
    )
    return assemble("dustbin", index, shapes, words, 4.0, points=[point("inside", (0, 0, floor))], clutter=False)
