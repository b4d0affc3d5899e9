"""How a rigid object comes to rest: the flat side of its convex hull, nearest to the given pose, that holds it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from assets.objects.frames import align, multiply, quat_of, rotation
from assets.objects.model import Shape
from assets.objects.shapes import reach

STEADY = np.radians(5.0)  # an object must be tipped by more than this to fall over
NEAR = 0.008  # share of the object's size: what comes this near to the table counts as support
FLAT = np.radians(0.05)  # smaller turns are not worth making

_DIRECTIONS = np.array([(x, y, z) for x, y, z in product((-1.0, 0.0, 1.0), repeat=3) if (x, y, z) != (0, 0, 0)])
_DIRECTIONS /= np.linalg.norm(_DIRECTIONS, axis=1)[:, None]
_CIRCLE = np.column_stack((np.cos(np.arange(16) * np.pi / 8), np.sin(np.arange(16) * np.pi / 8)))


def corners(shape: Shape) -> np.ndarray:
    """(N, 3) points whose convex hull is, or for round shapes nearly is, the shape; in the part's frame."""
    s = shape.size
    match shape.kind:
        case "box":
            p = np.array(list(product((-1, 1), repeat=3))) * s
        case "sphere":
            p = _DIRECTIONS * s[0]
        case "ellipsoid":
            p = _DIRECTIONS * np.asarray(s)
        case "cylinder":
            p = np.array([(*(s[0] * c), z) for c in _CIRCLE for z in (-s[1], s[1])])
        case "capsule":
            # lowest points exactly, whatever way the capsule lies, since those are what it rests on
            ball = _DIRECTIONS @ rotation(shape.quat) * s[0]
            half = np.array([0, 0, s[1]])
            p = np.concatenate((ball + half, ball - half))
        case _:
            assert shape.mesh is not None  # guaranteed by the kind
            p = shape.mesh.vertices
    return p @ rotation(shape.quat).T + shape.pos


def _volume_and_centre(shape: Shape) -> tuple[float, np.ndarray]:
    s = shape.size
    at = np.asarray(shape.pos, float)
    match shape.kind:
        case "box":
            return 8 * s[0] * s[1] * s[2], at
        case "sphere":
            return 4.19 * s[0] ** 3, at
        case "ellipsoid":
            return 4.19 * s[0] * s[1] * s[2], at
        case "cylinder":
            return 6.28 * s[0] ** 2 * s[1], at
        case "capsule":
            return 3.14 * s[0] ** 2 * (2 * s[1] + 1.33 * s[0]), at
        case _:
            assert shape.mesh is not None
            a, b, c = (shape.mesh.vertices[shape.mesh.faces[:, k]] for k in range(3))
            sixth = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
            centre = ((a + b + c) / 4 * sixth[:, None]).sum(axis=0) / sixth.sum()
            return float(sixth.sum()), rotation(shape.quat) @ centre + at


def centre_of_mass(shapes: Sequence[Shape]) -> np.ndarray:
    """(3,) centre of the collision shapes by volume, as the simulator computes it."""
    weighed = [_volume_and_centre(s) for s in shapes if s.role != "visual"]
    volumes = np.array([v for v, _ in weighed])
    return volumes @ np.array([c for _, c in weighed]) / volumes.sum()


def resting_turn(shapes: Sequence[Shape]) -> np.ndarray:
    """(3, 3) smallest rotation after which the shapes stand still on a table.

    Raises:
        ValueError: no side of the hull holds the object.
    """
    from scipy.spatial import ConvexHull

    points = np.concatenate([corners(s) for s in shapes if s.role != "visual"])
    middle = centre_of_mass(shapes)
    hull = ConvexHull(points)
    surface = points[hull.vertices]
    near = NEAR * float(np.ptp(surface, axis=0).max())
    for equation in hull.equations[np.argsort(hull.equations[:, 2])]:  # the most downward side first
        normal = equation[:3]
        on = surface[surface @ normal + equation[3] > -near]
        R = rotation(align(normal, (0, 0, -1)))
        outline = (on @ R.T)[:, :2]
        if len(outline) < 3 or np.linalg.matrix_rank(outline - outline[0], tol=1e-4) < 2:
            continue
        side = ConvexHull(outline)
        inside = -(side.equations[:, :2] @ (R @ middle)[:2] + side.equations[:, 2])
        if inside.min() > np.tan(STEADY) * -(normal @ middle + equation[3]):
            return np.eye(3) if np.arccos(np.clip(-normal[2], -1, 1)) < FLAT else R
    raise ValueError("nothing holds this object up; give it a wider foot")


def stand(shapes: Sequence[Shape]) -> list[Shape]:
    """The shapes turned until they rest, and moved so that their bounding box stands centred on the origin."""
    R = resting_turn(shapes)
    turned = [replace(s, pos=_tuple(R @ s.pos), quat=multiply(quat_of(R), s.quat)) for s in shapes]
    far = np.max([reach(s, np.concatenate([np.eye(3), -np.eye(3)])) for s in turned], axis=0)
    high, low = far[:3], -far[3:]
    shift = np.array([-(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2, -low[2]])
    return [replace(s, pos=_tuple(np.asarray(s.pos) + shift)) for s in turned]


def _tuple(p: np.ndarray) -> tuple[float, float, float]:
    x, y, z = p.tolist()
    return (x, y, z)
