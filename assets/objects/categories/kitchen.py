"""Skillets and rolling pins."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import grain
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import both_ways, grasp, point
from assets.objects.library import category
from assets.objects.model import Material, ObjectAsset, Shape
from assets.objects.palette import WOODS, paint, printed
from assets.objects.shapes import box, cylinder, hull, ring_wall, visual


def _wood(rng: np.random.Generator, name: str) -> Material:
    return printed(grain(rng, WOODS[name]), "wood")


# radius at the rim, depth, handle length, pan colour, handle, material
_PANS = (
    (0.090, 0.040, 0.150, "black", "black", "cast-iron"),
    (0.095, 0.042, 0.155, "dark gray", "walnut", "non-stick"),
    (0.088, 0.038, 0.145, "dark red", "oak", "enameled"),
    (0.092, 0.044, 0.150, "silver", "black", "steel"),
)


@category("skillet", instances=4, synonyms=("kitchen_pot",))
def skillet(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Frying pan with its handle towards -y. Point "pan" is the centre of its floor."""
    rim, h, reach, color, grip, material = _PANS[index]
    base = rim - 0.018
    pan = paint(color, "metal" if material == "steel" else "ceramic")
    outer = meshes.fillet([(0, 0), (base, 0), (rim, h)], 0.008, 2)
    inner = meshes.fillet([(rim, h), (rim - 0.0035, h), (base - 0.003, 0.0045), (0, 0.004)], 0.008, 2)
    lean = np.deg2rad(7)  # of the handle over the horizontal
    w, t = 0.020, 0.020
    root = np.array([0, -(rim - 0.008), h - 0.012])
    along = np.array([0, -np.cos(lean), np.sin(lean)])
    tilt = quat_about((1, 0, 0), -lean)
    bar = meshes.slab(meshes.rectangle(w, reach, 0.009), t, 0.005, 2)
    stub = meshes.rounded_box(0.014, 0.05, 0.012, 0.004)
    middle = root + along * (0.035 + reach / 2)
    up = np.array([0, np.sin(lean), np.cos(lean)])
    shapes: list[Shape] = [
        visual(meshes.lathe([*outer, *inner[:2]], 22), pan),
        visual(meshes.lathe(inner[1:], 22), paint("dark gray" if material != "steel" else "light gray", "metal")),
        visual(stub, paint("silver", "metal"), root + along * 0.022, tilt),
        visual(bar, _wood(rng, grip) if grip in WOODS else paint(grip, "rubber"), middle - up * t / 2, tilt),
        cylinder(base, 0.005, (0, 0, 0.0025), role="collision"),
        *ring_wall(base, rim, 0.001, h, 0.005, 12),
        box(w, reach, t, middle, quat=tilt, role="collision", friction=1.0),
        box(0.014, 0.06, 0.012, root + along * 0.022, quat=tilt, role="collision"),
    ]
    grasps = []
    for s in (0.045, 0.065, 0.090):
        at = root + along * (0.035 + s)
        grasps += both_ways("handle", at, -up, (1, 0, 0), w, (-0.7, 0.7))
    words = phrases(
        rng,
        ("skillet", "frying pan"),
        color,
        material,
        "large" if rim > 0.091 else "medium",
        "round",
        (f"{grip} handle", "long handle"),
    )
    return assemble("skillet", index, shapes, words, 0.13, grasps, [point("pan", (0, 0, 0.005))], clutter=False)


# barrel radius, barrel length, handle length, barrel, handles
_ROLLERS = (
    (0.025, 0.200, 0.080, "maple", "maple"),
    (0.027, 0.220, 0.085, "oak", "red"),
    (0.024, 0.190, 0.075, "walnut", "black"),
)


@category("roller", instances=3)
def roller(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Rolling pin along x with faceted barrel (it stays put). Groups "left_end" (-x) and "right_end" (+x)."""
    r, barrel, handle, wood, knob = _ROLLERS[index]
    sides = 12
    a = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    ring = np.column_stack((np.cos(a), np.sin(a))) / np.cos(np.pi / sides)
    lay = quat_about((0, 1, 0), np.pi / 2)
    centre = (0, 0, r)
    core = meshes.moved(
        meshes.loft(
            [
                np.column_stack((r * s * ring, np.full(sides, z)))
                for z, s in (
                    (-barrel / 2, 0.94),
                    (-barrel / 2 + 0.003, 1.0),
                    (barrel / 2 - 0.003, 1.0),
                    (barrel / 2, 0.94),
                )
            ]
        ),
        centre,
        lay,
    )
    grip = 0.013
    end = barrel / 2 + handle
    profile = [
        (0, barrel / 2 - 0.002),
        (0.008, barrel / 2 - 0.002),
        (0.008, barrel / 2 + 0.008),
        (grip, barrel / 2 + 0.016),
        (grip * 1.05, barrel / 2 + 0.6 * handle),
        (0.8 * grip, end - 0.002),
        (0, end),
    ]
    turned = meshes.lathe(meshes.fillet(profile, 0.004, 1), 12)
    tint = _wood(rng, knob) if knob in WOODS else paint(knob, "wood")
    shapes: list[Shape] = [visual(core, _wood(rng, wood)), hull(core, friction=1.0)]
    grasps = []
    for name, s in (("left_end", -1.0), ("right_end", 1.0)):
        shapes.append(visual(meshes.moved(turned, centre, quat_about((0, 1, 0), s * np.pi / 2)), tint))
        middle = s * (barrel / 2 + 0.014 + (handle - 0.014) / 2)
        shapes.append(cylinder(grip, handle - 0.014, (middle, 0, r), axis=(1, 0, 0), role="collision", friction=1.0))
        shapes.append(cylinder(0.008, 0.016, (s * (barrel / 2 + 0.007), 0, r), axis=(1, 0, 0), role="collision"))
        for shift in (-0.012, 0.0, 0.012):
            grasps += [
                grasp(name, (middle + shift, 0, r), (0, 0, -1), (0, k, 0), 2 * grip, (-0.6, 0.6)) for k in (1, -1)
            ]
    words = phrases(
        rng,
        ("rolling pin", "roller"),
        f"{wood} brown",
        "wooden",
        "long" if end > 0.19 else "medium",
        "faceted",
        (f"{knob} handles", "two handles", "smooth barrel"),
    )
    return assemble("roller", index, shapes, words, 0.36 + 0.03 * index, grasps, clutter=False)
