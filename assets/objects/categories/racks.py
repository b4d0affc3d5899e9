"""Mug racks: a post with a peg that carries a mug by its handle."""

from __future__ import annotations

import numpy as np

from assets.objects import meshes
from assets.objects.artwork import grain
from assets.objects.assemble import assemble
from assets.objects.categories.cups import MUG_PEG
from assets.objects.describe import phrases
from assets.objects.frames import quat_about
from assets.objects.grasps import point
from assets.objects.library import category
from assets.objects.model import ObjectAsset
from assets.objects.palette import WOODS, paint, printed
from assets.objects.shapes import box, collision, cylinder, visual

_RISE = np.deg2rad(15)  # of the peg over the horizontal: the handle slides towards the post and stays
_PEG = 0.100  # metres


@category("mug_rack", instances=3)
def mug_rack(rng: np.random.Generator, index: int) -> ObjectAsset:
    """Post on a foot with one peg towards -x. Point "peg" is where a mug's "handle" comes to
    rest: x level towards the tip, z up. Point "tip": end of the peg, x along it."""
    height = (0.215, 0.225, 0.210)[index]
    color, material, form = (("oak", "wooden", "round"), ("black", "metal", "slim"), ("maple", "wooden", "square"))[
        index
    ]
    skin = printed(grain(rng, WOODS[color]), "wood") if color in WOODS else paint(color, "metal")
    r = 0.011 if index != 1 else 0.008
    root = np.array([0.0, 0.0, height - 0.022])
    along = np.array([-np.cos(_RISE), 0.0, np.sin(_RISE)])
    tip = root + _PEG * along
    # flat on top: a loop would roll on a round peg and the mug would swing for seconds
    lean = quat_about((0, 1, 0), _RISE)
    shapes = [
        box(_PEG, 0.016, 2 * MUG_PEG, (root + tip) / 2, quat=lean, role="collision"),
        visual(meshes.rounded_box(_PEG, 0.016, 2 * MUG_PEG, 0.003), skin, (root + tip) / 2, lean),
    ]
    if form == "square":
        shapes += [
            box(0.13, 0.13, 0.018, (0, 0, 0.009), skin),
            box(2 * r, 2 * r, height - 0.018, (0, 0, (height + 0.018) / 2), skin),
        ]
    else:
        foot = meshes.slab(meshes.ellipse(0.14, 0.14, 28), 0.018, 0.004)
        shapes += [visual(foot, skin), collision(cylinder(0.07, 0.018, (0, 0, 0.009)))]
        shapes += [cylinder(r, height - 0.018, (0, 0, (height + 0.018) / 2), skin)]
        knob = meshes.lathe(meshes.fillet([(0, 0), (0.014, 0), (0.016, 0.012), (0, 0.022)], 0.006, 2), 14)
        shapes.append(visual(knob, skin, (0, 0, height - 0.004)))
    # where the hanging mug's side meets the post, the loop is this far along the peg
    at = root + (0.056 / np.cos(_RISE)) * along
    peg = point("peg", at, x=(-1, 0, 0))
    words = phrases(
        rng,
        ("mug rack", "mug stand", "cup rack"),
        f"{color} brown" if color in WOODS else color,
        material,
        "tall",
        form,
        ("single peg", "heavy base"),
    )
    return assemble(
        "mug_rack",
        index,
        shapes,
        words,
        0.9,
        points=[peg, point("tip", tip, z=(np.sin(_RISE), 0, np.cos(_RISE)), x=along)],
        clutter=False,
    )
