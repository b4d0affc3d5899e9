"""Bar handles of drawers, doors and pots: the shapes, and the ways a gripper can close around the bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from assets.objects.frames import quat_about, rotation
from assets.objects.grasps import both_ways
from assets.objects.model import GraspPoint, Material, Shape
from assets.objects.shapes import capsule


def bar_handle(
    foot: Sequence[float],
    along: Sequence[float],
    out: Sequence[float],
    length: float,
    gap: float,
    radius: float,
    material: Material,
) -> tuple[Shape, ...]:
    """A bow handle: a bar parallel to a surface on two posts, all capsules.

    Args:
        foot: middle of the handle's foot, on the surface.
        along, out: directions of the bar and away from the surface (unit vectors).
        length: distance between the posts' axes, metres.
        gap: free space between the surface and the bar.
        radius: of bar and posts.
    """
    f, a, o = (np.asarray(v, float) for v in (foot, along, out))
    feet = [(f + a * side * length / 2).tolist() for side in (-1, 1)]
    tops = [(f + a * side * length / 2 + o * (gap + radius)).tolist() for side in (-1, 1)]
    runs = [(tops[0], tops[1]), (feet[0], tops[0]), (feet[1], tops[1])]
    return tuple(capsule(start, end, radius, material, friction=1.0) for start, end in runs)


def bar_grasps(
    group: str,
    part: str,
    middle: Sequence[float],
    along: Sequence[float],
    approach: Sequence[float],
    width: float,
    angles: Iterable[float] = (0.0,),
    shifts: Sequence[float] = (0.0,),
    tilt: tuple[float, float] = (-0.5, 0.5),
) -> list[GraspPoint]:
    """Hands that close around a bar, each with both finger orders.

    Args:
        middle: of the bar, in the frame of ``part``.
        along: direction of the bar.
        approach: main approach direction, square to the bar.
        width: thickness of the bar, metres.
        angles: radians by which the approach is turned about ``along`` (right-handed).
        shifts: metres by which the hand is moved along the bar.
    """
    m, a = np.asarray(middle, float), np.asarray(along, float)
    grasps: list[GraspPoint] = []
    for angle in angles:
        towards = rotation(quat_about(along, angle)) @ np.asarray(approach, float)
        opening = np.cross(a, towards).tolist()
        for shift in shifts:
            grasps += both_ways(group, (m + a * shift).tolist(), towards.tolist(), opening, width, tilt, part)
    return grasps
