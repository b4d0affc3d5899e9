"""Rocker switch on an upright plate with a foot: pressing its upper end tips it, and it stays where it was left."""

from __future__ import annotations

import numpy as np

from assets.objects.assemble import assemble
from assets.objects.boards import boards, cuboid
from assets.objects.describe import phrases
from assets.objects.frames import quat_about, rotation
from assets.objects.grasps import point, press
from assets.objects.library import category
from assets.objects.meshes import moved, rectangle, slab
from assets.objects.model import Joint, ObjectAsset, Part, Shape
from assets.objects.palette import paint
from assets.objects.shapes import box, visual

# width and height of the plate, width and height of the rocker (mm), plate, rocker, stand colour, plate corner (mm)
MODELS = [
    (86, 86, 40, 60, "white", "white", "light gray", 8), (72, 116, 34, 66, "cream", "white", "dark gray", 6),
    (86, 86, 52, 60, "black", "dark gray", "gray", 4), (90, 90, 44, 58, "silver", "white", "black", 10),
    (80, 110, 40, 64, "light gray", "red", "dark gray", 12), (100, 86, 40, 60, "white", "light blue", "tan", 8),
    (76, 100, 36, 62, "gold", "white", "brown", 5), (84, 96, 46, 64, "navy", "yellow", "gray", 9),
]  # fmt: skip
TIP = 0.26  # radians that the rocker leans to each side
PLATE, ROCKER, PIVOT = (
    0.010,
    0.010,
    0.016,
)  # thickness of plate and rocker; distance of the pivot from the plate, metres
CENTER = 0.098  # height of the rocker's pivot over the table


@category("switch", len(MODELS), synonyms=("remote_control",))
def switch(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Front at -y. The joint "rocker" runs from 0 (upper end out) to its upper limit (upper end pressed in)."""
    pw, ph, rw, rh = (v / 1000 for v in MODELS[index][:4])
    plate, rocker, stand, corner = MODELS[index][4:]
    upright = quat_about((1, 0, 0), np.pi / 2)  # lays a slab's z along -y
    cheek, wall = PIVOT - 0.004, 0.004
    side, end = rw / 2 + wall / 2 + 0.0015, rh / 2 + 0.005
    cheeks = [((wall, cheek, rh + 0.014), (s * side, -PLATE - cheek / 2, CENTER)) for s in (-1, 1)]
    rails = [((rw + 0.011, cheek / 2, wall), (0, -PLATE - cheek / 4, CENTER + s * end)) for s in (-1, 1)]
    post, foot = ((0.045, 0.016, CENTER), (0, 0.008, CENTER / 2)), ((0.10, 0.10, 0.012), (0, 0, 0.006))
    frame = paint(plate, "plastic")
    shapes: list[Shape] = [
        visual(moved(slab(rectangle(pw, ph, corner / 1000), PLATE, 0.003), (0, 0, CENTER), upright), frame),
        box(pw, PLATE, ph, (0, -PLATE / 2, CENTER), role="collision"),
        *boards([*cheeks, *rails], frame),
        *boards([post, foot], paint(stand, "matte")),
    ]
    cap = moved(slab(rectangle(rw, rh, 0.004), ROCKER, 0.002), (0, ROCKER / 2, 0), upright)
    mark = moved(cuboid(rw * 0.30, 0.0006, 0.0025), (0, -ROCKER / 2, -rh * 0.32))
    body = Part(
        "rocker",
        (
            visual(cap, paint(rocker, "plastic")),
            visual(mark, paint("gray" if rocker != "dark gray" else "white", "plastic")),
            box(rw, ROCKER, rh, (0, 0, 0), role="collision", friction=1.0),
        ),
        mass=0.03,
        parent="base",
        pos=(0, -PLATE - PIVOT, CENTER),
        quat=quat_about((1, 0, 0), TIP),
        joint=Joint("hinge", axis=(-1, 0, 0), limits=(0.0, 2 * TIP), damping=0.004, frictionloss=0.03),
    )
    # pressed near the upper end, straight into the plate as the rocker stands at the start
    into = rotation(quat_about((1, 0, 0), -TIP)) @ np.array([0.0, 1.0, 0.0])
    at = (0, -ROCKER / 2, rh / 2 - 0.010)
    points = (point("rocker", at, z=(0, -1, 0), part="rocker"),)
    size, form = "large" if ph > 0.1 else "small", "square" if pw == ph else "rectangular"
    nouns = ("switch", "light switch", "rocker switch")
    size, form = "large" if ph > 0.1 else "small", "square" if pw == ph else "rectangular"
    nouns = ("switch", "light switch", "rocker switch")
    words = phrases(rng, nouns, plate, "plastic", size, form, (f"{rocker} rocker", f"{stand} stand"))
    parts = (Part("base", tuple(shapes), mass=0.6), body)
    grasps = press(at, "press", into.tolist(), part="rocker")
    return assemble("switch", index, parts, words, grasps=grasps, points=points, clutter=False)
