"""Grasp and functional points of common forms; frames as in GraspPoint and FunctionalPoint."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from assets.objects.frames import Vector, axes, pose
from assets.objects.model import FunctionalPoint, GraspPoint

MAX_WIDTH = 0.064  # metres; the narrowest gripper of the shipped robots opens 0.07
TABLE_CLEARANCE = 0.012  # metres; the lowest tool centre point over a table that spares the fingertips
DOWN = (0.0, 0.0, -1.0)


def grasp(
    group: str,
    at: Vector,
    approach: Vector,
    opening: Vector,
    width: float = 0.0,
    tilt: tuple[float, float] = (0.0, 0.0),
    part: str = "base",
) -> GraspPoint:
    """One grasp from the approach direction and the finger opening axis (made orthogonal to it)."""
    return GraspPoint(group, pose(at, axes(approach, opening)), width, tilt, part)


def both_ways(
    group: str,
    at: Vector,
    approach: Vector,
    opening: Vector,
    width: float,
    tilt: tuple[float, float] = (0.0, 0.0),
    part: str = "base",
) -> list[GraspPoint]:
    """The grasp and its twin with the fingers exchanged."""
    other = tuple(-c for c in opening)
    mirrored = (-tilt[1], -tilt[0])
    return [
        grasp(group, at, approach, opening, width, tilt, part),
        grasp(group, at, approach, other, width, mirrored, part),
    ]


def top_box(
    width: float,
    depth: float,
    height: float,
    tilt: tuple[float, float] = (-0.6, 0.6),
    depth_below_top: float = 0.02,
    at: Vector = (0.0, 0.0),
    group: str = "top",
    part: str = "base",
) -> list[GraspPoint]:
    """Top-down grasps of a box that stands on the table, across every side that a gripper can straddle.

    Args:
        width, depth, height: size along x, y, z.
        depth_below_top: how far below the top face the fingertips reach where the box is high enough.
        at: x, y of the box centre.
    """
    z = max(height - depth_below_top, min(TABLE_CLEARANCE, height))
    grasps: list[GraspPoint] = []
    for size, opening in ((width, (1.0, 0.0, 0.0)), (depth, (0.0, 1.0, 0.0))):
        if size <= MAX_WIDTH:
            grasps += both_ways(group, (at[0], at[1], z), DOWN, opening, size, tilt, part)
    return grasps


def top_round(
    diameter: float,
    z: float,
    count: int = 8,
    tilt: tuple[float, float] = (-0.4, 0.4),
    group: str = "top",
    at: Vector = (0.0, 0.0),
    part: str = "base",
) -> list[GraspPoint]:
    """Top-down grasps of something round about the vertical through ``at``; empty if it is too wide."""
    if diameter > MAX_WIDTH:
        return []
    angles = np.arange(count) * 2 * np.pi / count
    return [grasp(group, (at[0], at[1], z), DOWN, (np.cos(a), np.sin(a), 0), diameter, tilt, part) for a in angles]


def side_round(
    diameter: float,
    z: float,
    count: int = 8,
    tilt: tuple[float, float] = (-0.5, 0.5),
    group: str = "side",
    at: Vector = (0.0, 0.0),
    part: str = "base",
) -> list[GraspPoint]:
    """Horizontal grasps from ``count`` directions of something round about the vertical through ``at``."""
    if diameter > MAX_WIDTH:
        return []
    result = []
    for a in np.arange(count) * 2 * np.pi / count:
        approach, opening = (-np.cos(a), -np.sin(a), 0), (-np.sin(a), np.cos(a), 0)
        result.append(grasp(group, (at[0], at[1], z), approach, opening, diameter, tilt, part))
    return result


def side_box(
    width: float, depth: float, z: float, tilt: tuple[float, float] = (-0.4, 0.4), group: str = "side"
) -> list[GraspPoint]:
    """Horizontal grasps at height z of an upright box, from the sides that leave a width the gripper can straddle."""
    result = []
    for size, opening, approach in ((width, (1, 0, 0), (0, 1, 0)), (depth, (0, 1, 0), (1, 0, 0))):
        if size <= MAX_WIDTH:
            towards = [[sign * c for c in approach] for sign in (1.0, -1.0)]
            result += [grasp(group, (0, 0, z), a, opening, size, tilt) for a in towards]
    return result


def rim_round(
    radius: float,
    z: float,
    thickness: float,
    count: int = 8,
    lean: float = 0.0,
    depth: float = 0.017,
    tilt: tuple[float, float] = (-0.4, 0.4),
    group: str = "rim",
) -> list[GraspPoint]:
    """Grasps of a round rim: approach down, one finger inside, one outside.

    Args:
        radius: of the middle of the wall at the rim.
        z: height of the rim; the fingertips reach ``depth`` below it.
        lean: angle by which the wall opens upwards, radians; the hand leans along.
    """
    result = []
    for a in np.arange(count) * 2 * np.pi / count:
        out = np.array([np.cos(a), np.sin(a), 0.0])
        approach = np.array([0.0, 0, -np.cos(lean)]) - out * np.sin(lean)
        at = out * radius + np.array([0, 0, z]) + approach * depth
        result += both_ways(group, at, approach, out, thickness, tilt)
    return result


def rim_box(
    width: float,
    depth: float,
    z: float,
    thickness: float,
    inset: float = 0.017,
    group: str = "rim",
    along: Iterable[float] = (0.0,),
    tilt: tuple[float, float] = (-0.4, 0.4),
    lean: float = 0.0,
) -> list[GraspPoint]:
    """Grasps of a rectangular rim.

    Args:
        width, depth: outer size of the rim along x and y.
        z: height of the rim; the fingertips reach ``inset`` below it.
        along: where on each side, as fractions (-1 to 1) of its half length.
        lean: angle by which the walls open upwards, radians; the hand leans along.
    """
    result = []
    c, s = float(np.cos(lean)), float(np.sin(lean))
    for fraction in along:
        for sign in (-1.0, 1.0):
            x, y = sign * ((width - thickness) / 2 - inset * s), fraction * depth / 2
            result += both_ways(group, (x, y, z - inset * c), (-sign * s, 0, -c), (1, 0, 0), thickness, tilt)
            x, y = fraction * width / 2, sign * ((depth - thickness) / 2 - inset * s)
            result += both_ways(group, (x, y, z - inset * c), (0, -sign * s, -c), (0, 1, 0), thickness, tilt)
    return result


def press(
    at: Vector,
    group: str = "button",
    approach: Vector = DOWN,
    count: int = 4,
    tilt: tuple[float, float] = (-0.5, 0.5),
    part: str = "base",
) -> list[GraspPoint]:
    """Hand poses whose closed fingertips touch the point ``at`` from ``approach``."""
    side = axes(approach, (1.0, 0.0, 0.0) if abs(approach[0]) < 0.9 else (0.0, 1.0, 0.0))
    angles = np.arange(count) * 2 * np.pi / count
    openings = [np.cos(a) * side[:, 1] + np.sin(a) * side[:, 2] for a in angles]
    return [grasp(group, at, approach, o, 0.0, tilt, part) for o in openings]


def point(name: str, at: Vector, z: Vector = (0, 0, 1), x: Vector = (1, 0, 0), part: str = "base") -> FunctionalPoint:
    """Functional point from its position, its up direction and a direction that its x axis follows."""
    y = np.cross(np.asarray(z, float), np.asarray(x, float))
    R = axes(np.cross(y, np.asarray(z, float)), y)
    return FunctionalPoint(name, pose(at, R), part)
