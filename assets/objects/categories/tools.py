"""Hammers that rest on the face of the head and the end of the handle."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import grain
from assets.objects.assemble import assemble
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import both_ways, point
from assets.objects.library import category
from assets.objects.model import ObjectAsset, Shape
from assets.objects.palette import WOODS, paint, printed
from assets.objects.shapes import box, visual

# head width x, depth y, height z, handle length, head colour, handle, form
_HAMMERS = (
    (0.044, 0.044, 0.086, 0.200, "silver", "oak", "club"),
    (0.050, 0.054, 0.096, 0.205, "black", "red", "rubber"),
    (0.052, 0.056, 0.100, 0.210, "pine", "maple", "wooden"),
)


@category("hammer", instances=3)
def hammer(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Hammer whose head is at +y and whose face looks down: identity is both the resting and the striking pose.

    The handle slopes to the table at -y. Point "face": on the face, z opposite to the blow.
    """
    w, d, h, reach, color, grip, form = _HAMMERS[index]
    finish = {"club": "metal", "rubber": "rubber", "wooden": "wood"}[form]
    skin = printed(grain(rng, WOODS[color]), "wood") if color in WOODS else paint(color, finish)
    shaft = printed(grain(rng, WOODS[grip]), "wood") if grip in WOODS else paint(grip, "rubber")
    gw, gt = 0.024, 0.026  # width and height of the handle
    head_y = 0.085
    enter = np.array([0, head_y, 0.55 * h])  # where the handle's axis meets the head
    slope = float(np.arcsin((enter[2] - gt / 2 - 0.005) / (reach + 0.01)))
    along = np.array([0, -np.cos(slope), -np.sin(slope)])
    tilt = quat_about((1, 0, 0), slope)
    span = reach + d / 2
    middle = enter + along * span / 2
    # the end is cut level so that it rests flat: the collision box ends a little above, a foot makes the contact
    bar = meshes.slab(meshes.rectangle(gw, span, 0.010), gt, 0.007, 2)
    up = np.array([0, -np.sin(slope), np.cos(slope)])
    if form == "club":
        outline = meshes.rectangle(w, d, 0.008, 2)
        at = meshes.at_height
        head = meshes.loft(
            [
                at(outline, 0, 0.88),
                at(outline, 0.006),
                at(outline, 0.022),
                at(outline, 0.030, 0.86),
                at(outline, h - 0.030, 0.86),
                at(outline, h - 0.022),
                at(outline, h - 0.006),
                at(outline, h, 0.88),
            ]
        )
    elif form == "rubber":
        head = meshes.slab(meshes.ellipse(w, d, 22, 2.6), h, 0.006, 2)
    else:
        head = meshes.moved(meshes.rounded_box(w, d, h, 0.005), (0, 0, h / 2))
    foot = enter + along * (span - 0.016)
    foot_h = foot[2] - 0.3 * gt
    shapes: list[Shape] = [
        visual(head, skin, (0, head_y, 0)),
        visual(bar, shaft, middle - up * gt / 2, tilt),
        visual(
            meshes.rounded_box(gw + 0.004, 0.050, gt + 0.004, 0.008),
            paint("black", "rubber"),
            enter + along * (span - 0.05),
            tilt,
        ),
        box(w, d, h, (0, head_y, h / 2), role="collision", friction=0.9),
        box(gw, span - 0.006, gt, middle - along * 0.003, quat=tilt, role="collision", friction=1.0),
        box(gw, 0.024, foot_h, (0, foot[1], foot_h / 2), role="collision", friction=1.0),
    ]
    grasps = []
    for s in (0.070, 0.095, 0.120):
        grasps += both_ways("handle", enter + along * (d / 2 + s) - up * 0.002, -up, (1, 0, 0), gw, (-0.6, 0.8))
    words = phrases(
        rng,
        ("hammer", "mallet"),
        f"{color} brown" if color in WOODS else color,
        {"club": "steel", "rubber": "rubber", "wooden": "wooden"}[form],
        "heavy" if index == 0 else "medium",
        form if form != "wooden" else "square",
        (f"{grip} handle", "black grip", "flat face"),
    )
    face = point("face", (0, head_y, 0))
    return assemble("hammer", index, shapes, words, 0.24, grasps, [face, point("bottom", (0, 0, 0))])
