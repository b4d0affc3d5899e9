"""Cups and mugs: open vessels whose wall collides as a ring of boxes."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import band_label
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.grasps import grasp, point, rim_round
from assets.objects.library import category
from assets.objects.model import GraspPoint, Material, ObjectAsset, Shape
from assets.objects.palette import paint, printed, shade
from assets.objects.shapes import cylinder, ring_wall, tube, visual

_FELT_WALL = 0.005  # metres; thinner walls would let fingertips through at 4 ms steps


def vessel(
    foot: float,
    rim: float,
    height: float,
    wall: float,
    material: Material,
    inner: Material,
    bulge: float = 0.0,
    segments: int = 20,
) -> list[Shape]:
    """Round open vessel, visual and collision shapes.

    Args:
        foot, rim: outer radius at the bottom and at the rim.
        wall: visual thickness; collision walls are 5 mm.
        bulge: how much wider than straight the wall is half way up.
    """
    z = np.array([0.0, 0.45, 1.0] if bulge else [0.0, 1.0])
    radius = foot + (rim - foot) * z + bulge * 4 * z * (1 - z)
    outside = np.column_stack((radius, height * z))
    turn = 0.006
    outer = meshes.fillet(np.vstack(([0, 0], outside)), turn, 2 if bulge == 0 else 1)
    inside = np.column_stack((radius - wall, np.maximum(height * z, 0.006)))[::-1]
    inner_profile = meshes.fillet(np.vstack((inside, [0, 0.006])), turn, 1)
    shell = meshes.lathe(np.vstack((outer, inner_profile[:1])), segments)
    bowl = meshes.lathe(inner_profile, segments)
    middle = radius[len(radius) // 2] if bulge else (foot + rim) / 2
    shapes = [
        visual(shell, material),
        visual(bowl, inner),
        cylinder(foot - 0.001, 0.008, (0, 0, 0.004), role="collision"),
    ]
    if bulge > 0.004:
        half = 0.45 * height
        shapes += ring_wall(foot, middle, 0.002, half, _FELT_WALL, 8) + ring_wall(
            middle, rim, half, height, _FELT_WALL, 8
        )
    else:
        shapes += ring_wall(foot, rim, 0.002, height, _FELT_WALL, 12)
    return shapes


def handle_path(
    radius_low: float, radius_high: float, low: float, high: float, reach: float, points: int = 7
) -> np.ndarray:
    """(N, 3) D-shaped loop in the x-z plane outside a wall at +x, from (radius_low, low) to (radius_high, high)."""
    corners = [
        (radius_low, low),
        (radius_low + reach, low + 0.1 * (high - low)),
        (radius_high + reach, high - 0.02 * (high - low)),
        (radius_high, high),
    ]
    curve = meshes.fillet(corners, 0.45 * (high - low), points // 2)
    return np.column_stack((curve[:, 0], np.zeros(len(curve)), curve[:, 1]))


def _without_handle(grasps: list[GraspPoint], gap: float) -> list[GraspPoint]:
    """Drop rim grasps whose outer finger would meet a handle at +x."""
    return [g for g in grasps if abs(np.arctan2(g.T_object_hand[1, 3], g.T_object_hand[0, 3])) > gap]


# foot radius, rim radius, height, bulge, colour, inside, material, form, pattern text or None
_CUPS = (
    (0.029, 0.040, 0.092, 0.0, "white", "white", "ceramic", "tapered", None),
    (0.034, 0.040, 0.085, 0.0, "red", "white", "ceramic", "straight", None),
    (0.030, 0.042, 0.078, 0.004, "teal", "cream", "ceramic", "rounded", None),
    (0.029, 0.039, 0.105, 0.0, "blue", "light blue", "plastic", "tapered", None),
    (0.036, 0.040, 0.090, 0.0, "yellow", "yellow", "plastic", "straight", None),
    (0.027, 0.041, 0.088, 0.003, "brown", "cream", "ceramic", "rounded", None),
    (0.031, 0.038, 0.098, 0.0, "cream", "cream", "paper", "tapered", "CAFE"),
    (0.033, 0.039, 0.080, 0.0, "light gray", "gray", "metal", "straight", None),
    (0.030, 0.043, 0.070, 0.004, "light blue", "white", "ceramic", "rounded", None),
    (0.032, 0.039, 0.095, 0.0, "green", "lime", "plastic", "tapered", None),
    (0.030, 0.041, 0.082, 0.003, "navy", "white", "ceramic", "rounded", None),
    (0.034, 0.041, 0.076, 0.0, "pink", "white", "ceramic", "straight", None),
    (0.030, 0.039, 0.100, 0.0, "orange", "white", "paper", "tapered", "JUICE"),
)
_CUPS_WITH_HANDLE = (5, 8, 10, 11)


@category(
    "cup", instances=13, synonyms=("mug", "bowl", "wine_glass", "travel_mug", "shot_glass", "yogurt_cup", "ramen_cup")
)
def cup(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Drinking cup, empty, open; some have a handle at +x."""
    foot, rim, h, bulge, color, lining, material, form, text = _CUPS[index]
    wall = 0.0015 if material == "paper" else 0.0035
    skin = paint(color, "ceramic" if material == "ceramic" else "metal" if material == "metal" else "plastic")
    shapes = vessel(foot, rim, h, wall, skin, paint(lining, "ceramic" if material == "ceramic" else "matte"), bulge)
    parts = [f"{lining} inside", "thin rim" if wall < 0.002 else "smooth rim", "open top"]
    if text:
        low, high = 0.25 * h, 0.8 * h
        radii = [foot + (rim - foot) * z / h + 0.0006 for z in (low, high)]
        sleeve = meshes.band([(radii[0], low), (radii[1], high)], 22)
        shapes.append(visual(sleeve, printed(band_label(rng, text, "tan", "brown", "dark red"))))
        parts.append("printed sleeve")
    lean = float(np.arctan2(rim - foot, h))
    grasps = rim_round(rim - _FELT_WALL / 2, h, _FELT_WALL, 12, lean)
    if index in _CUPS_WITH_HANDLE:
        path = handle_path((foot + rim) / 2 - 0.002, rim - 0.003, 0.28 * h, 0.82 * h, 0.022)
        shapes += [visual(meshes.sweep(path, 0.0042), skin), *tube(path, 0.0042)]
        grasps = _without_handle(grasps, 0.6)
        parts[2] = "small handle"
    words = phrases(
        rng,
        ("cup", "drinking cup", "tea cup" if material == "ceramic" else "water cup"),
        color,
        material,
        "tall" if h > 0.09 else "small" if h < 0.08 else "medium",
        form,
        parts,
    )
    weight = {"ceramic": 0.14, "metal": 0.11, "plastic": 0.07, "paper": 0.03}[material]
    return assemble("cup", index, shapes, words, weight, grasps, [point("inside", (0, 0, 0.008))])


# foot radius, rim radius, height, bulge, colour, inside, form, text
_MUGS = (
    (0.036, 0.038, 0.095, 0.0, "white", "white", "straight", None),
    (0.038, 0.038, 0.090, 0.0, "blue", "white", "straight", None),
    (0.032, 0.037, 0.092, 0.004, "dark green", "cream", "round", None),
    (0.037, 0.037, 0.100, 0.0, "black", "red", "tall", None),
    (0.035, 0.040, 0.086, 0.0, "yellow", "white", "tapered", None),
    (0.033, 0.038, 0.088, 0.005, "dark red", "cream", "round", None),
    (0.038, 0.038, 0.096, 0.0, "cream", "cream", "straight", "HELLO"),
    (0.036, 0.039, 0.085, 0.0, "light blue", "light blue", "tapered", None),
    (0.034, 0.037, 0.102, 0.0, "gray", "white", "tall", None),
    (0.037, 0.040, 0.090, 0.0, "pink", "white", "tapered", "LOVE"),
    (0.033, 0.038, 0.094, 0.004, "navy", "light gray", "round", None),
    (0.038, 0.038, 0.088, 0.0, "white", "white", "straight", "COFFEE"),
    (0.037, 0.038, 0.092, 0.0, "orange", "cream", "straight", None),
)
_ROD = 0.0048  # handle radius, metres
MUG_PEG = 0.005  # half height of the peg a mug hangs on, metres; see mug_rack


@category("mug", instances=13, synonyms=("cup", "travel_mug", "cream_jug"))
def mug(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Coffee mug with a handle at +x. Point "handle" lies where a peg carries the hanging mug: x along the peg."""
    foot, rim, h, bulge, color, lining, form, text = _MUGS[index]
    skin = paint(color, "ceramic")
    shapes = vessel(foot, rim, h, 0.004, skin, paint(lining, "ceramic"), bulge)
    low, high, depth = 0.20 * h, 0.84 * h, 0.036 + 0.004 * rng.random()
    start = foot + (rim - foot) * 0.2 + 2.5 * bulge * 0.2 - 0.002
    path = handle_path(start, rim - 0.002, low, high, depth)
    shapes += [visual(meshes.sweep(path, _ROD), skin if index != 3 else paint(lining, "ceramic")), *tube(path, _ROD)]
    parts = ["large handle", f"{lining} inside", "thick rim"]
    if text:
        sleeve = meshes.band(
            [(foot + (rim - foot) * z + 0.0005, h * z) for z in (0.25, 0.75)], 18, np.pi * 0.35, np.pi * 1.65
        )
        ink = "dark red" if color == "cream" else "magenta" if color == "pink" else "brown"
        shapes.append(visual(sleeve, printed(_print(rng, text, color, ink), "ceramic")))
        parts.append(f"{text.lower()} print")
    lean = float(np.arctan2(rim - foot, h))
    grasps = _without_handle(rim_round(rim - _FELT_WALL / 2, h, _FELT_WALL, 12, lean), 0.75)
    outer = float(path[:, 0].max())
    middle = (low + high) / 2
    at = (outer, 0, middle)
    grasps += [grasp("handle", at, (-1, 0, 0), (0, s, 0), 2 * _ROD, (-0.5, 0.5)) for s in (1, -1)]
    grasps += [grasp("handle", at, (0, 0, -1), (0, s, 0), 2 * _ROD, (-0.3, 0.3)) for s in (1, -1)]
    carried = point("handle", (outer - _ROD - MUG_PEG - 0.001, 0, middle), z=(1, 0, 0), x=(0, 1, 0))
    words = phrases(
        rng,
        ("mug", "coffee mug"),
        color,
        "ceramic",
        "large" if h > 0.094 else "small" if h < 0.088 else "medium",
        form if form != "tall" else "slim",
        parts,
    )
    return assemble(
        "mug", index, shapes, words, 0.14 + 0.01 * (index % 4), grasps, [carried, point("inside", (0, 0, 0.008))]
    )


def _print(rng: np.random.Generator, text: str, color: str, ink: str) -> np.ndarray:
    return band_label(rng, text, color, shade(color, 0.93), ink, (192, 64), 2)
