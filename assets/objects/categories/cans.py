"""Drink cans and sauce cans."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import band_label
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.grasps import side_round, top_round
from assets.objects.library import category
from assets.objects.model import ObjectAsset
from assets.objects.palette import paint, printed
from assets.objects.shapes import collision, cylinder, visual

# radius, height, brand, base, accent, ink, flavour
_CANS = (
    (0.0315, 0.116, "COLA", "red", "white", "white", "cola"),
    (0.0290, 0.120, "LIME", "lime", "dark green", "white", "lime soda"),
    (0.0315, 0.098, "ORANGE", "orange", "yellow", "white", "orange soda"),
    (0.0270, 0.122, "ZAP", "navy", "light blue", "yellow", "energy drink"),
    (0.0310, 0.110, "TONIC", "yellow", "black", "black", "tonic"),
    (0.0300, 0.092, "BERRY", "purple", "pink", "white", "berry soda"),
)


@category("can", instances=6, synonyms=("sauce_can", "bottle", "juice_box", "spray_can"))
def can(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Aluminium drink can, unopened look but empty enough for one hand."""
    r, h, brand, base, accent, ink, _ = _CANS[index]
    metal = paint("silver", "metal")
    foot, rim = 0.78 * r, 0.84 * r
    body = meshes.lathe(
        meshes.fillet(
            [
                (0, 0.003),
                (foot - 0.004, 0.003),
                (foot, 0),
                (r, 0.010),
                (r, h - 0.012),
                (rim, h - 0.002),
                (rim, h),
                (rim - 0.003, h - 0.004),
                (0, h - 0.004),
            ],
            0.003,
            1,
        ),
        18,
    )
    label = meshes.band([(r + 0.0003, 0.010), (r + 0.0003, h - 0.012)], 18)
    tab = meshes.moved(meshes.slab(meshes.ellipse(0.012, 0.020, 10), 0.0015), (0, 0.004, h - 0.004))
    shapes = [
        visual(body, metal),
        visual(label, printed(band_label(rng, brand, base, accent, ink), "metal")),
        visual(tab, metal),
        collision(cylinder(r, h, (0, 0, h / 2), friction=0.9)),
    ]
    grasps = side_round(2 * r, h / 2) + top_round(2 * r, h - 0.025)
    size = "tall" if h > 0.115 else "short" if h < 0.1 else "standard"
    words = phrases(
        rng,
        ("can", "drink can", "soda can"),
        base,
        "aluminum",
        size,
        "slim" if r < 0.0285 else "round",
        (f"{accent} print", "pull tab", f"{brand.lower()} label"),
    )
    return assemble("can", index, shapes, words, 0.03 + 0.4 * np.pi * r * r * h * 1e3, grasps)


# radius, height, text, base, accent, ink, lid colour
_SAUCES = (
    (0.0320, 0.105, "TOMATO", "red", "cream", "white", "silver"),
    (0.0320, 0.120, "CURRY", "yellow", "brown", "dark red", "gold"),
    (0.0300, 0.095, "PESTO", "dark green", "cream", "cream", "gold"),
    (0.0310, 0.115, "BEANS", "teal", "orange", "white", "silver"),
    (0.0290, 0.110, "CHILI", "black", "red", "orange", "black"),
)


@category("sauce_can", instances=5, synonyms=("can", "pickle_jar", "jam_jar"))
def sauce_can(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Tin with ribbed ends and a paper label."""
    r, h, text, base, accent, ink, lid = _SAUCES[index]
    profile: list[tuple[float, float]] = [
        (0, 0.002),
        (r - 0.003, 0.002),
        (r - 0.002, 0),
        (r, 0.001),
        (r, 0.004),
        (r - 0.0015, 0.006),
    ]
    profile += [(r - 0.0015, h - 0.006), (r, h - 0.004), (r, h - 0.001), (r - 0.002, h), (r - 0.003, h - 0.002)]
    profile += [(0.5 * r, h - 0.002), (0.5 * r - 0.001, h - 0.003), (0, h - 0.003)]
    label = meshes.band([(r - 0.0008, 0.010), (r - 0.0008, h - 0.010)], 20)
    shapes = [
        visual(meshes.lathe(profile, 20), paint(lid, "metal")),
        visual(label, printed(band_label(rng, text, base, accent, ink))),
        collision(cylinder(r, h, (0, 0, h / 2), friction=0.9)),
    ]
    grasps = side_round(2 * r, h / 2) + top_round(2 * r, h - 0.025)
    words = phrases(
        rng,
        ("sauce can", "tin can", "food can"),
        base,
        "metal",
        "tall" if h > 0.11 else "medium",
        "round",
        (f"{accent} label", f"{lid} rim", f"{text.lower()} print"),
    )
    return assemble("sauce_can", index, shapes, words, 0.06 + 0.5 * np.pi * r * r * h * 1e3, grasps)
