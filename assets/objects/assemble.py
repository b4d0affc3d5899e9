"""Turn shapes, grasps and words into an ObjectAsset, deriving what follows from the shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assets.objects.frames import rotation
from assets.objects.grasps import point
from assets.objects.model import IDENTITY, FunctionalPoint, GraspPoint, ObjectAsset, Part, Quat, Shape
from assets.objects.shapes import bounds

Phrases = tuple[tuple[str, ...], tuple[str, ...]]


def assemble(
    name: str,
    index: int,
    shapes: Sequence[Shape] | Sequence[Part],
    words: Phrases,
    mass: float = 0.0,
    grasps: Sequence[GraspPoint] = (),
    points: Sequence[FunctionalPoint] = (),
    stable_quats: Sequence[Quat] = (IDENTITY,),
    clutter: bool = True,
) -> ObjectAsset:
    """Asset with extents and the points "bottom", "top" and "center" filled in from the shapes.

    Args:
        name, index: category and instance.
        shapes: of the only part, or all parts of an articulated object.
        words: seen and unseen phrases, see describe.phrases.
        mass: of the only part in kg; unused when parts are given.
        points: further functional points; one named like a standard point replaces it.
    """
    parts = tuple(s for s in shapes if isinstance(s, Part))
    if not parts:
        parts = (Part("base", tuple(s for s in shapes if isinstance(s, Shape)), mass),)
    seen, unseen = words
    asset = ObjectAsset(
        name, index, parts, (0.0, 0.0, 0.0), tuple(grasps), (), tuple(stable_quats), clutter, seen, unseen
    )
    low, high = bounds(asset, rotation(stable_quats[0]))
    x, y, z = (float(c) for c in high - low)
    top = float(bounds(asset)[1, 2])
    own = {p.name for p in points}
    standard = (point("bottom", (0, 0, 0)), point("top", (0, 0, top)), point("center", (0, 0, top / 2)))
    every = (*(p for p in standard if p.name not in own), *points)
    return replace(asset, extents=(x, y, z), points=every)
