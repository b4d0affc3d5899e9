"""Visual shapes of our own, for robots (or parts) that no package has meshes of: rounded boxes, tubes and lofts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.robots.meshes import Triangles
from twinloom.transforms import quat_to_matrix

Point = Sequence[float]
ROUND = 20  # segments of a full circle


def rounded_box(half: Point, radius: float, pos: Point = (0, 0, 0), quat: Point = (1, 0, 0, 0)) -> Triangles:
    """Box of half sizes ``half`` whose edges are rounded with ``radius`` (at most the smallest half size), metres."""
    radius = min(radius, *half)
    quarter = np.linspace(0, np.pi / 2, 4)
    # each quarter turn ends where the next begins, so that the flat faces lie between two equal directions
    longitude = np.concatenate([quarter + k * np.pi / 2 for k in range(4)])
    latitude = np.concatenate([quarter - np.pi / 2, quarter])
    octant = np.repeat(np.arange(4), 4)
    corner = np.stack([np.where((octant == 0) | (octant == 3), 1, -1), np.where(octant < 2, 1, -1)], axis=1)
    rings = []
    for k, angle in enumerate(latitude):
        normal = np.stack(
            [np.cos(angle) * np.cos(longitude), np.cos(angle) * np.sin(longitude), np.full(16, np.sin(angle))], axis=1
        )
        sign = np.column_stack([corner, np.full(16, -1 if k < 4 else 1)])
        rings.append(sign * (np.asarray(half) - radius) + radius * normal)
    vertices, faces = _skin(np.array(rings))
    return vertices @ quat_to_matrix(quat).T + np.asarray(pos), faces


def tube(start: Point, end: Point, radius: float, end_radius: float | None = None, bevel: float = 0.004) -> Triangles:
    """Cylinder or cone from ``start`` to ``end`` with bevelled rims, metres."""
    origin = np.asarray(start, dtype=float)
    path = np.asarray(end, dtype=float) - origin
    length = float(np.linalg.norm(path))
    far = radius if end_radius is None else end_radius
    bevel = min(bevel, radius * 0.9, far * 0.9, length / 2.01)
    sections = []
    for along, r in (
        (0.0, radius - bevel),
        (bevel, radius),
        (length - bevel, far),
        (length, far - bevel),
    ):
        sections.append([*(origin + path * along / length), r, r])
    return loft(sections, square=2.0)


def loft(sections: Sequence[Point], square: float = 2.0, up: Point = (0, 0, 1)) -> Triangles:
    """Closed skin over cross-sections along a path.

    Args:
        sections: each (x, y, z, a, b): centre and half sizes; a lies across the path and ``up``, b along ``up``.
        square: exponent of the superellipse: 2 an ellipse, 4 and more a rounded rectangle.
        up: any vector that is nowhere parallel to the path; if it is, x is used instead.
    """
    table = np.asarray(sections, dtype=float)
    centres = table[:, :3]
    tangents = np.gradient(centres, axis=0)
    if np.linalg.norm(np.cross(tangents[0], up)) < 1e-3 * np.linalg.norm(tangents[0]):
        up = (1.0, 0.0, 0.0)
    angle = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
    c, s = np.cos(angle), np.sin(angle)
    across, along = np.sign(c) * np.abs(c) ** (2 / square), np.sign(s) * np.abs(s) ** (2 / square)
    rings = []
    for centre, tangent, (a, b) in zip(centres, tangents, table[:, 3:], strict=True):
        side = np.cross(tangent, up)
        side /= np.linalg.norm(side)
        high = np.cross(side, tangent / np.linalg.norm(tangent))
        rings.append(centre + a * across[:, None] * -side + b * along[:, None] * high)
    return _skin(np.array(rings))


def join(parts: Sequence[Triangles]) -> Triangles:
    """One mesh out of several."""
    offsets = np.cumsum([0, *(len(v) for v, _ in parts[:-1])])
    faces = [f + offset for (_, f), offset in zip(parts, offsets, strict=True)]
    return np.concatenate([v for v, _ in parts]), np.concatenate(faces)


def _skin(rings: np.ndarray) -> Triangles:
    """Closed triangle mesh over (R, S, 3) rings, capped at both ends, facing outwards."""
    count, size = rings.shape[:2]
    vertices = np.concatenate([rings.reshape(-1, 3), rings[[0, -1]].mean(axis=1)])
    faces = []
    for r in range(count - 1):
        for k in range(size):
            a, b = r * size + k, r * size + (k + 1) % size
            faces += [(a, b, b + size), (a, b + size, a + size)]
    last = (count - 1) * size
    for k in range(size):
        following = (k + 1) % size
        faces += [(following, k, count * size), (last + k, last + following, count * size + 1)]
    corners = vertices[np.array(faces)]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    kept = np.array(faces, dtype=np.int32)[area > 1e-12]
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum()
    return vertices, kept if volume > 0 else kept[:, ::-1]
