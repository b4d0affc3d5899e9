"""Bottles that stand, and lie without rolling away: they collide as twelve-sided prisms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import band_label
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import side_round, top_round
from assets.objects.library import category
from assets.objects.model import IDENTITY, GraspPoint, ObjectAsset, Quat, Shape
from assets.objects.palette import paint, printed, shade
from assets.objects.shapes import collision, cylinder, hull, visual

_SIDES = 12
_CORNER = 1 / np.cos(np.pi / _SIDES)  # corners of the collision prism stand out by 3.5 %
LYING: Quat = quat_about((1, 0, 0), -np.pi / 2)  # the neck points to +y


def prism(profile: Sequence[tuple[float, float]]) -> Shape:
    """Felt convex prism whose facets touch the surface of revolution of a convex (radius, height) profile."""
    angle = (np.arange(_SIDES) + 0.5) * 2 * np.pi / _SIDES
    ring = np.column_stack((np.cos(angle), np.sin(angle))) * _CORNER
    return hull(meshes.loft([np.column_stack((r * ring, np.full(_SIDES, z))) for r, z in profile]), friction=0.9)


def shoulder(form: str, r: float, neck: float, low: float, high: float) -> list[tuple[float, float]]:
    """Profile points strictly between the body (radius r at ``low``) and the neck (at ``high``)."""
    t = np.linspace(0, 1, 6)[1:-1]
    if form == "round":
        blend = np.sqrt(1 - t**2)
    elif form == "cone":
        blend = 1 - t
    else:  # "swan": an S curve
        blend = 0.5 * (1 + np.cos(np.pi * t))
    points = [(float(neck + (r - neck) * b), float(low + (high - low) * a)) for a, b in zip(t, blend, strict=True)]
    return [points[0], points[-1]] if form == "cone" else points


def bottle_shapes(
    rng: np.random.Generator,
    r: float,
    h: float,
    body_top: float,
    neck: float,
    neck_low: float,
    form: str,
    color: str,
    cap: str,
    label: tuple[str, str, str, str] | None,
    finish: str,
    cap_height: float,
    waist: float = 0.0,
    sides: int = 18,
) -> list[Shape]:
    """Body, neck, cap and label of a round bottle.

    Args:
        r, h: radius of the body and total height.
        body_top, neck_low: heights where the shoulder begins and ends.
        neck: radius of the neck.
        form: of the shoulder: "round", "cone", "swan".
        label: text, base, accent and ink.
        waist: by how much the body narrows half way up.
    """
    cap_low = h - cap_height
    lower = 0.005
    body: list[tuple[float, float]] = [(0, 0), (r - lower, 0), (r, lower)]
    if waist:
        body += [(r, 0.3 * body_top), (r - waist, 0.42 * body_top), (r - waist, 0.52 * body_top), (r, 0.64 * body_top)]
    body += [
        (r, body_top),
        *shoulder(form, r, neck, body_top, neck_low),
        (neck, neck_low),
        (neck, cap_low),
        (0, cap_low),
    ]
    cap_r = neck + 0.0022
    lid = [(0, cap_low), (cap_r, cap_low), (cap_r, h - 0.0015), (cap_r - 0.0015, h), (0, h)]
    shapes = [
        visual(meshes.lathe(body, sides), paint(color, finish)),
        visual(meshes.lathe(lid, 14), paint(cap, "metal" if cap in ("silver", "gold") else "plastic")),
        prism([(r, 0), (r, body_top), (neck + 0.35 * (r - neck), body_top + 0.6 * (neck_low - body_top))]),
        cylinder(cap_r, h - neck_low, (0, 0, (h + neck_low) / 2), role="collision"),
    ]
    if label:
        low, high = (0.66 * body_top, 0.97 * body_top) if waist else (0.22 * body_top, 0.86 * body_top)
        strip = meshes.band([(r + 0.0003, low), (r + 0.0003, high)], sides)
        shapes.append(visual(strip, printed(band_label(rng, *label))))
    return shapes


def bottle_grasps(r: float, z: float, top: float | None = None) -> list[GraspPoint]:
    """Side grasps at height z (from above when the bottle lies) and top grasps at height ``top``."""
    width = 2 * r * _CORNER
    return side_round(width, z) + (top_round(2 * r, top) if top else [])


# radius, height, shoulder form, colour, cap, label (text, base, accent, ink), finish, words for shape, material
_BOTTLES = (
    (0.0300, 0.215, "round", "light blue", "blue", ("AQUA", "white", "blue", "blue"), "plastic", "round", "plastic"),
    (0.0300, 0.225, "swan", "dark red", "red", ("COLA", "red", "white", "white"), "plastic", "curved", "plastic"),
    (0.0290, 0.220, "swan", "orange", "orange", ("FIZZ", "orange", "yellow", "white"), "plastic", "curved", "plastic"),
    (
        0.0295,
        0.230,
        "cone",
        "dark green",
        "gold",
        ("OLIVE", "cream", "dark green", "dark green"),
        "glass",
        "straight",
        "glass",
    ),
    (0.0280, 0.235, "swan", "brown", "gold", ("ALE", "tan", "dark red", "brown"), "glass", "long-neck", "glass"),
    (0.0305, 0.200, "round", "white", "red", ("MILK", "light blue", "white", "blue"), "plastic", "round", "plastic"),
    (
        0.0300,
        0.240,
        "round",
        "dark green",
        "dark red",
        ("WINE", "cream", "dark red", "dark red"),
        "glass",
        "tall",
        "glass",
    ),
    (0.0285, 0.205, "cone", "red", "white", ("KETCHUP", "white", "red", "red"), "plastic", "tapered", "plastic"),
    (0.0285, 0.205, "cone", "yellow", "red", ("MUSTARD", "yellow", "brown", "brown"), "plastic", "tapered", "plastic"),
    (0.0300, 0.190, "round", "teal", "black", None, "metal", "sporty", "metal"),
    (0.0295, 0.220, "round", "silver", "black", None, "metal", "sleek", "steel"),
    (0.0300, 0.210, "swan", "mint", "white", ("MINT", "white", "green", "green"), "plastic", "curved", "plastic"),
    (
        0.0290,
        0.225,
        "round",
        "purple",
        "lavender",
        ("GRAPE", "lavender", "purple", "purple"),
        "plastic",
        "round",
        "plastic",
    ),
    (0.0300, 0.220, "swan", "lime", "green", ("LIME", "green", "yellow", "white"), "plastic", "slender", "plastic"),
    (0.0280, 0.240, "cone", "brown", "black", ("SOY", "red", "black", "yellow"), "glass", "straight", "glass"),
    (0.0305, 0.195, "round", "pink", "white", ("PEACH", "white", "pink", "magenta"), "plastic", "round", "plastic"),
    (0.0300, 0.220, "round", "blue", "white", ("SPORT", "white", "navy", "navy"), "plastic", "sporty", "plastic"),
    (0.0290, 0.215, "cone", "cream", "gold", ("VANILLA", "tan", "brown", "brown"), "glass", "tapered", "glass"),
    (0.0285, 0.230, "swan", "navy", "silver", ("TONIC", "light gray", "navy", "navy"), "glass", "slender", "glass"),
    (0.0300, 0.200, "round", "black", "orange", None, "metal", "sporty", "metal"),
    (
        0.0300,
        0.210,
        "round",
        "yellow",
        "green",
        ("LEMON", "lime", "yellow", "dark green"),
        "plastic",
        "round",
        "plastic",
    ),
    (0.0295, 0.225, "cone", "light gray", "blue", ("SODA", "blue", "white", "white"), "plastic", "straight", "plastic"),
    (0.0290, 0.235, "swan", "copper", "copper", ("HONEY", "gold", "brown", "brown"), "glass", "curved", "glass"),
)


@category(
    "bottle",
    instances=23,
    synonyms=("plastic_bottle", "pill_bottle", "can", "shampoo", "olive_oil", "soy_sauce", "vinegar"),
)
def bottle(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Bottle with a screw cap. Rests upright or lying (neck to +y)."""
    r, h, form, color, cap, label, finish, shape_word, material = _BOTTLES[index]
    cap_height = 0.016 if finish != "metal" else 0.028
    neck = 0.0115 if finish == "glass" else 0.0125 if finish == "plastic" else 0.020
    neck_low = h - cap_height - (0.055 if shape_word in ("long-neck", "tall") else 0.012 + 0.010 * rng.random())
    body_top = neck_low - {"round": 0.030, "cone": 0.045, "swan": 0.060}[form] * (0.9 + 0.2 * rng.random())
    body_top = max(body_top, 0.52 * h)
    waist = 0.003 if form == "swan" and material == "plastic" else 0.0
    shapes = bottle_shapes(rng, r, h, body_top, neck, neck_low, form, color, cap, label, finish, cap_height, waist)
    parts = [f"{cap} cap", "long neck" if h - body_top > 0.09 else "short neck"]
    parts += [f"{label[1]} label"] if label else ["plain body"]
    words = phrases(
        rng,
        ("bottle", "drink bottle" if label else "sports bottle"),
        color,
        material,
        "tall" if h > 0.222 else "medium" if h > 0.203 else "short",
        shape_word,
        parts,
    )
    mass = {"plastic": 0.09, "glass": 0.24, "metal": 0.18}[finish] + 0.01 * (index % 5)
    grasps = bottle_grasps(r, 0.5 * body_top + 0.01)
    return assemble("bottle", index, shapes, words, mass, grasps, stable_quats=(IDENTITY, LYING))


# radius, height, colour, cap, label
_PLASTIC = (
    (0.0300, 0.200, "light blue", "white", ("WATER", "blue", "white", "white")),
    (0.0300, 0.210, "mint", "green", ("SPRING", "white", "teal", "teal")),
    (0.0290, 0.220, "lavender", "purple", ("FRESH", "purple", "pink", "white")),
    (0.0305, 0.190, "light gray", "red", ("PURE", "red", "white", "white")),
)


@category(
    "plastic_bottle", instances=4, synonyms=("bottle", "pill_bottle", "can", "shampoo", "lotion_bottle", "spray_bottle")
)
def plastic_bottle(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Empty water bottle with ribs around the waist."""
    r, h, color, cap, label = _PLASTIC[index]
    shapes = bottle_shapes(rng, r, h, 0.66 * h, 0.0130, h - 0.030, "round", color, cap, label, "plastic", 0.014, 0.003)
    rib = [(r - 0.002, 0.012), (r + 0.0004, 0.014), (r + 0.0004, 0.016), (r - 0.002, 0.018)]
    shapes += [
        visual(meshes.moved(meshes.band(rib, 18), (0, 0, dz)), paint(shade(color, 0.9), "plastic"))
        for dz in (0.0, 0.012)
    ]
    words = phrases(
        rng,
        ("plastic bottle", "water bottle"),
        color,
        "disposable",
        "tall" if h > 0.205 else "medium",
        "ribbed",
        (f"{cap} cap", f"{label[1]} label", "narrow waist"),
    )
    return assemble(
        "plastic_bottle", index, shapes, words, 0.06, bottle_grasps(r, 0.10), stable_quats=(IDENTITY, LYING)
    )


# body radius, height, colour, cap radius, cap colour, text
_PILLS = (
    (0.0290, 0.105, "orange", 0.0305, "white", "RX"),
    (0.0300, 0.115, "white", 0.0310, "white", "VITAMIN C"),
    (0.0280, 0.120, "brown", 0.0265, "black", "HERBAL"),
    (0.0300, 0.095, "light blue", 0.0310, "blue", "CALCIUM"),
    (0.0270, 0.110, "green", 0.0280, "light gray", "ZINC"),
)


@category("pill_bottle", instances=5, synonyms=("bottle", "plastic_bottle", "cream_jar", "msg_jar"))
def pill_bottle(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Medicine bottle with a wide ribbed cap."""
    r, h, color, cap_r, cap, text = _PILLS[index]
    cap_low = h - 0.024
    body = meshes.fillet(
        [(0, 0), (r, 0), (r, cap_low - 0.010), (0.8 * r, cap_low - 0.001), (0.8 * r, cap_low), (0, cap_low)], 0.005, 2
    )
    teeth = 28
    angle = np.arange(teeth) * 2 * np.pi / teeth
    radius = cap_r - 0.0011 * (np.arange(teeth) % 2)
    ring = np.column_stack((radius * np.cos(angle), radius * np.sin(angle)))
    lid = meshes.loft(
        [meshes.at_height(ring, cap_low), meshes.at_height(ring, h - 0.002), meshes.at_height(ring, h, 0.94)]
    )
    accent = ("blue", "orange", "gold", "navy", "dark green")[index]
    label = band_label(rng, text, "white", accent, "black", (192, 56))
    shapes = [
        visual(meshes.lathe(body, 18), paint(color, "plastic")),
        visual(lid, paint(cap, "plastic")),
        visual(meshes.band([(r + 0.0003, 0.14 * h), (r + 0.0003, 0.62 * h)], 18), printed(label)),
        collision(cylinder(r, cap_low, (0, 0, cap_low / 2), friction=0.9)),
        collision(cylinder(cap_r - 0.0004, h - cap_low, (0, 0, (h + cap_low) / 2), friction=0.9)),
    ]
    grasps = side_round(2 * r, 0.42 * h) + top_round(2 * cap_r, h - 0.016)
    words = phrases(
        rng,
        ("pill bottle", "medicine bottle"),
        color,
        "plastic",
        "small" if h < 0.108 else "medium",
        "round",
        (f"{cap} cap", f"{accent} print", f"{text.lower().split()[0]} label"),
    )
    return assemble("pill_bottle", index, shapes, words, 0.05 + 0.012 * index, grasps)
