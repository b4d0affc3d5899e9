"""The pieces that recipes are made of: a dozen forms with a visible mesh and a convex collision shape each.

A piece stands on its origin (bottom centre), is turned about it, moved, repeated, and finally scaled with the whole
object. Recipes are written in millimetres and degrees, since that is how one measures a cup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from assets.objects import meshes
from assets.objects.boards import cuboid
from assets.objects.frames import quat_about, quat_of, rotation
from assets.objects.model import Mesh, Shape, Vec3
from assets.objects.shapes import box, capsule, cylinder, hull

MM = 0.001
SIDES = 9  # of the collision prism around something round: it lies still on each of them
RINGS = 5  # of the collision prism around a turned piece, at most

Point2: TypeAlias = tuple[float, float]
Point3: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class Piece:
    """One piece of a recipe; exactly one of the first nine fields says what it is. Millimetres and degrees.

    Attributes:
        box: width, depth, height.
        cyl: diameter and height, or lower diameter, upper diameter and height.
        ball: width, depth, height of an ellipsoid; collides with facets, so that it does not roll.
        lathe: outline (radius, height) of something turned, from the bottom outwards and up.
        slab: outline (x, y) extruded by ``height``.
        rod: centre line (x, y, z) of a round bar; ``thick`` is its diameter, one number or one per point.
        label: text printed on an upright card of ``size`` that faces the robot.
        band: text printed around the z axis, on ``size`` (diameter, height) or (lower, upper diameter, height).
        dial: a clock face of this diameter on an upright card.
        round: how much edges and corners are rounded.
        color: role or colour name; finish, pattern: see palette.FINISHES and textures.procedural.KINDS.
        alpha: opacity, 1 is solid.
        at, turn: place, and rotation about x, then y, then z.
        grid: columns, rows and their spacing along x and y; ring: count and radius of copies around z.
        mirror: also at -x.
        both: cards only: also on the far side.
        collision, visual: whether it takes part in collisions, whether it is drawn.
        split: lathe only: heights at which the collision shape is cut into convex sections.
        only: instances that have this piece; all if empty.
    """

    box: Point3 | None = None
    cyl: Sequence[float] | None = None
    ball: Point3 | None = None
    lathe: Sequence[Point2] | None = None
    slab: Sequence[Point2] | None = None
    rod: Sequence[Point3] | None = None
    label: str | Sequence[str] | None = None
    band: str | Sequence[str] | None = None
    dial: float | None = None
    height: float = 0.0
    thick: float | Sequence[float] = 4.0
    size: Sequence[float] = (0.0, 0.0)
    round: float = 0.0
    color: str = "main"
    finish: str = "plastic"
    pattern: str = ""
    alpha: float = 1.0
    at: Point3 = (0.0, 0.0, 0.0)
    turn: Point3 = (0.0, 0.0, 0.0)
    grid: tuple[int, int, float, float] | None = None
    ring: tuple[int, float] | None = None
    mirror: bool = False
    both: bool = False
    collision: bool = True
    visual: bool = True
    split: Sequence[float] = ()
    only: Sequence[int] = ()

    @property
    def kind(self) -> str:
        """Which form it is. Raises ValueError unless exactly one is given."""
        kinds = [k for k in KINDS if getattr(self, k) is not None]
        if len(kinds) != 1:
            raise ValueError(f"a piece needs exactly one of {', '.join(KINDS)}, got {kinds or 'none'}")
        return kinds[0]


KINDS = ("box", "cyl", "ball", "lathe", "slab", "rod", "label", "band", "dial")
PRINTED = ("label", "band", "dial")


def copies(piece: Piece) -> Iterator[Piece]:
    """The piece at every place where its grid, ring, mirror and far side repeat it."""
    x, y, z = piece.at
    rx, ry, rz = piece.turn
    single = replace(piece, grid=None, ring=None, mirror=False, both=False)
    if piece.grid is not None:
        columns, rows, dx, dy = piece.grid
        for i in range(int(columns)):
            for j in range(int(rows)):
                yield replace(single, at=(x + (i - (columns - 1) / 2) * dx, y + (j - (rows - 1) / 2) * dy, z))
    elif piece.ring is not None:
        count, radius = piece.ring
        for k in range(int(count)):
            angle = 2 * np.pi * k / count
            at = (x + radius * np.cos(angle), y + radius * np.sin(angle), z)
            yield replace(single, at=at, turn=(rx, ry, rz + float(np.degrees(angle))))
    else:
        yield single
    if piece.mirror:
        path = None if piece.rod is None else [(-a, b, c) for a, b, c in piece.rod]
        yield replace(single, at=(-x, y, z), turn=(rx, -ry, -rz), rod=path)
    if piece.both:
        yield replace(single, at=(-x, -y, z), turn=(rx, ry, rz + 180))


def facets(radius: float) -> int:
    """Sides of what one sees of something round, radius in millimetres. Bands have as many as what they lie on."""
    return 8 if radius < 8 else 12 if radius < 18 else 18


def visible(piece: Piece) -> Mesh:
    """Mesh of a single piece about its own origin, millimetres."""
    match piece.kind:
        case "box":
            w, d, h = piece.box or (0, 0, 0)
            mesh = meshes.rounded_box(w, d, h, piece.round) if piece.round else cuboid(w, d, h)
            return meshes.moved(mesh, (0, 0, h / 2))
        case "cyl" | "lathe" | "ball":
            profile = _profile(piece)
            mesh = meshes.lathe(profile, facets(max(r for r, _ in profile)))
            if piece.ball is not None:
                w, d, _ = piece.ball
                mesh = meshes.moved(mesh, scale=(1, d / w, 1))
            return mesh
        case "slab":
            return meshes.slab(_outline(piece), piece.height, min(piece.round, 0.45 * piece.height))
        case "rod":
            return meshes.sweep(piece.rod or (), _radii(piece), sides=8)
        case "band":
            low, high, h = (piece.size[0], *piece.size) if len(piece.size) == 2 else piece.size
            return meshes.band([(low / 2, 0), (high / 2, h)], facets(max(low, high) / 2))
        case _:
            w, h = (piece.dial, piece.dial) if piece.dial is not None else piece.size
            return meshes.moved(meshes.sheet(w, h), (0, 0, h / 2))


def _profile(piece: Piece) -> list[tuple[float, float]]:
    """Outline (radius, height) of a turned piece, from the bottom centre to the top centre, or a loop around a hole."""
    if piece.ball is not None:
        w, _, h = piece.ball
        t = np.linspace(-np.pi / 2, np.pi / 2, 1 + facets(w / 2) // 2)
        return [(w / 2 * max(0.0, float(np.cos(a))), h / 2 * (1 + float(np.sin(a)))) for a in t]
    if piece.cyl is not None:
        low, high, h = (piece.cyl[0], *piece.cyl) if len(piece.cyl) == 2 else piece.cyl
        corners = [(low / 2, 0.0), (high / 2, h)]
    else:
        corners = [(float(r), float(z)) for r, z in piece.lathe or ()]
    if corners[0] != corners[-1]:
        corners = (
            [(0.0, corners[0][1])] * (corners[0][0] > 0) + corners + [(0.0, corners[-1][1])] * (corners[-1][0] > 0)
        )
    points = meshes.fillet(corners, piece.round, 2 if len(corners) < 6 else 1) if piece.round else np.array(corners)
    return [(float(r), float(z)) for r, z in points]


def _outline(piece: Piece) -> np.ndarray:
    """(N, 2) outline of a slab, counter-clockwise whichever way it was written."""
    p = np.asarray(piece.slab, float)
    q = np.roll(p, -1, axis=0)
    return p if np.sum(p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]) > 0 else p[::-1]


def _radii(piece: Piece) -> float | list[float]:
    if isinstance(piece.thick, (int, float)):
        return piece.thick / 2
    return [t / 2 for t in piece.thick]


def _ring(radius: float, z: float, flatten: float) -> np.ndarray:
    angle = (np.arange(SIDES) + 0.5) * 2 * np.pi / SIDES
    corner = radius / np.cos(np.pi / SIDES) ** 0.5  # facets lie as much inside the surface as corners lie outside
    return np.column_stack((corner * np.cos(angle), corner * flatten * np.sin(angle), np.full(SIDES, z)))


def _outer(profile: Sequence[tuple[float, float]], low: float, high: float) -> list[tuple[float, float]]:
    """Convex outline (radius, height) of a profile between two heights, at most RINGS points."""
    p = np.asarray(profile)
    heights = np.unique(np.clip(np.concatenate((p[:, 1], [low, high])), low, high))
    # largest radius at each height over all segments of the profile that reach it
    points = []
    for z in heights:
        reach = [
            max(a[0], b[0]) if a[1] == b[1] == z else a[0] + (b[0] - a[0]) * (z - a[1]) / (b[1] - a[1])
            for a, b in pairwise(p)
            if min(a[1], b[1]) <= z <= max(a[1], b[1]) and (a[1] != b[1] or a[1] == z)
        ]
        points.append((float(max(reach)), float(z)))
    hull_points: list[tuple[float, float]] = []
    for q in points:  # monotone chain, outer side
        while len(hull_points) > 1 and _cross(hull_points[-2], hull_points[-1], q) <= 0:
            hull_points.pop()
        hull_points.append(q)
    while len(hull_points) > RINGS:  # drop the corner that cuts off least
        areas = [abs(_cross(*hull_points[k - 1 : k + 2])) for k in range(1, len(hull_points) - 1)]
        hull_points.pop(1 + int(np.argmin(areas)))
    floor = 0.15 * max(r for r, _ in hull_points)
    return [(max(r, floor), z) for r, z in hull_points]


def _cross(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def touched(piece: Piece) -> list[Mesh]:
    """Convex meshes around a single piece about its own origin, millimetres; rods collide as capsules instead."""
    match piece.kind:
        case "box":
            w, d, h = piece.box or (0, 0, 0)
            return [meshes.moved(cuboid(w, d, h), (0, 0, h / 2))]
        case "ball":
            w, d, h = piece.ball or (0, 0, 0)
            rings = ((0.42, 0.0), (0.92, 0.25), (0.92, 0.75), (0.42, 1.0))
            return [meshes.loft([_ring(w / 2 * r, h * z, d / w) for r, z in rings])]
        case "cyl" | "lathe":
            profile = _profile(piece)
            bottom, top = min(z for _, z in profile), max(z for _, z in profile)
            cuts = [bottom, *piece.split, top]
            sections = [_outer(profile, a, b) for a, b in pairwise(cuts)]
            return [meshes.loft([_ring(r, z, 1.0) for r, z in section]) for section in sections]
        case _:
            outline = _outline(piece)
            return [meshes.loft([meshes.at_height(outline, 0.0), meshes.at_height(outline, piece.height)])]


def placement(piece: Piece) -> np.ndarray:
    """(3, 3) rotation of a piece."""
    rx, ry, rz = np.radians(piece.turn)
    return (
        rotation(quat_about((0, 0, 1), rz)) @ rotation(quat_about((0, 1, 0), ry)) @ rotation(quat_about((1, 0, 0), rx))
    )


def visual_mesh(piece: Piece, scale: Vec3) -> Mesh:
    """Visible mesh of a single piece in the object's frame, metres."""
    mesh = meshes.moved(visible(piece), piece.at, quat_of(placement(piece)))
    return meshes.moved(mesh, scale=np.asarray(scale) * MM)


def collision_shapes(piece: Piece, scale: Vec3, friction: float) -> list[Shape]:
    """Felt shapes of a single piece in the object's frame, metres: a primitive where one fits exactly."""
    if not piece.collision or piece.kind in PRINTED:
        return []
    s = np.asarray(scale) * MM
    at = np.asarray(piece.at) * s
    if piece.rod is not None:
        path = (np.asarray(piece.rod) @ placement(piece).T + piece.at) * s
        radius = np.broadcast_to(_radii(piece), len(path)) * float(np.cbrt(np.prod(s)))
        mean = (radius[:-1] + radius[1:]) / 2
        ends = zip(path[:-1].tolist(), path[1:].tolist(), mean.tolist(), strict=True)
        return [capsule(a, b, r, role="collision", friction=friction) for a, b, r in ends]
    upright = not any(piece.turn[:2])
    if piece.box is not None and upright and not piece.turn[2]:
        w, d, h = (np.asarray(piece.box) * s).tolist()
        return [box(w, d, h, (at[0], at[1], at[2] + h / 2), role="collision", friction=friction)]
    if piece.cyl is not None and len(piece.cyl) == 2 and upright and s[0] == s[1]:
        r, h = piece.cyl[0] / 2 * s[0], piece.cyl[1] * s[2]
        return [cylinder(r, h, (at[0], at[1], at[2] + h / 2), role="collision", friction=friction)]
    quat = quat_of(placement(piece))
    return [
        hull(meshes.moved(meshes.moved(mesh, piece.at, quat), scale=s), friction=friction) for mesh in touched(piece)
    ]
