"""Triangle meshes by lathe, loft, sweep and extrusion: low-poly, outward-facing, with texture coordinates.

Vertices are shared between faces; shading normals are made from them when the object is built, so a smooth surface
needs few triangles and an edge sharper than the crease angle stays sharp.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.objects.frames import Vector, rotation
from assets.objects.model import IDENTITY, Mesh

Points = Sequence[Sequence[float]] | np.ndarray


def fillet(points: Points, radius: float, steps: int = 3, closed: bool = False) -> np.ndarray:
    """Round the corners of a 2-D polyline.

    Args:
        points: (N, 2) corners.
        radius: distance from a corner at which the curve leaves the line, metres; shortened on short edges.
        steps: segments per rounded corner.
        closed: treat the polyline as a polygon.

    Returns:
        (M, 2) points.
    """
    p = np.asarray(points, float)
    result: list[np.ndarray] = []
    for i, corner in enumerate(p):
        if not closed and i in (0, len(p) - 1):
            result.append(corner)
            continue
        before, after = p[i - 1] - corner, p[(i + 1) % len(p)] - corner
        lengths = np.linalg.norm(before), np.linalg.norm(after)
        cut = min(radius, 0.48 * lengths[0], 0.48 * lengths[1])
        a, b = corner + before / lengths[0] * cut, corner + after / lengths[1] * cut
        t = np.linspace(0, 1, steps + 1)[:, None]
        result.extend((1 - t) ** 2 * a + 2 * t * (1 - t) * corner + t**2 * b)
    return np.array(result)


def lathe(profile: Points, segments: int = 20) -> Mesh:
    """Surface of revolution about z.

    Args:
        profile: (N, 2) radius and height; outside is on the right of the direction of travel, so a solid goes from
            the bottom centre outwards and up to the top centre, and a cup turns at the rim and comes down inside.
        segments: number of facets around.

    Returns:
        Closed mesh if the profile starts and ends on the axis. u runs around, v from 0 to 1 along the profile.
    """
    p = np.asarray(profile, float)
    angle = np.linspace(0, 2 * np.pi, segments + 1)
    ring = np.column_stack((np.cos(angle), np.sin(angle)))
    along = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))))
    vertices = np.concatenate([np.column_stack((r * ring, np.full(segments + 1, z))) for r, z in p])
    uv = np.concatenate([np.column_stack((angle / (2 * np.pi), np.full(segments + 1, v))) for v in along / along[-1]])
    i, j = np.meshgrid(np.arange(len(p) - 1), np.arange(segments), indexing="ij")
    a = (i * (segments + 1) + j).ravel()
    b, c, d = a + 1, a + segments + 2, a + segments + 1
    lower, upper = np.column_stack((a, b, c)), np.column_stack((a, c, d))
    on_axis = np.repeat(p[:, 0] < 1e-9, segments)
    keep_lower, keep_upper = ~on_axis[: len(a)], ~on_axis[segments:]
    return Mesh(vertices, np.concatenate((lower[keep_lower], upper[keep_upper])), uv)


def loft(rings: Sequence[Points], caps: bool = True) -> Mesh:
    """Skin over rings of equal length, each counter-clockwise seen from the direction of travel's far end.

    Args:
        rings: arrays of shape (N, 3); the first is the start, the last the end.
        caps: close both ends with a fan about the ring's centre (rings must be star-shaped about it).
    """
    r = np.asarray([np.asarray(ring, float) for ring in rings])
    count, n = r.shape[:2]
    grid = np.concatenate((r, r[:, :1]), axis=1)  # the seam is doubled for the texture
    vertices = grid.reshape(-1, 3)
    steps = np.linalg.norm(np.diff(r, axis=0), axis=2).mean(axis=1)
    along = np.concatenate(([0.0], np.cumsum(steps)))
    u, v = np.meshgrid(np.linspace(0, 1, n + 1), along / max(along[-1], 1e-9))
    uv = np.column_stack((u.ravel(), v.ravel()))
    i, j = np.meshgrid(np.arange(count - 1), np.arange(n), indexing="ij")
    a = (i * (n + 1) + j).ravel()
    b, c, d = a + 1, a + n + 2, a + n + 1
    faces = np.concatenate((np.column_stack((a, b, c)), np.column_stack((a, c, d))))
    skin = Mesh(vertices, faces, uv)
    return merge(skin, _fan(r[0][::-1]), _fan(r[-1])) if caps else skin


def _fan(ring: np.ndarray) -> Mesh:
    """Lid over a counter-clockwise ring (N, 3), star-shaped about its centre; its image is flat."""
    points = np.vstack((ring, ring.mean(axis=0)))
    n = len(ring)
    flat = np.argsort(np.ptp(ring, axis=0))[1:]  # the two axes in which the ring extends most
    flat.sort()
    span = np.ptp(ring[:, flat], axis=0)
    uv = (points[:, flat] - ring[:, flat].min(axis=0)) / np.maximum(span, 1e-9)
    k = np.arange(n)
    return Mesh(points, np.column_stack((np.full(n, n), k, (k + 1) % n)), uv)


def rectangle(width: float, depth: float, radius: float = 0.0, steps: int = 3) -> np.ndarray:
    """(N, 2) counter-clockwise rectangle about the origin with rounded corners."""
    x, y = width / 2, depth / 2
    corners = [(-x, -y), (x, -y), (x, y), (-x, y)]
    return fillet(corners, radius, steps, closed=True) if radius > 0 else np.array(corners)


def ellipse(width: float, depth: float, segments: int = 20, power: float = 2.0) -> np.ndarray:
    """(N, 2) counter-clockwise (super)ellipse about the origin; a larger power is boxier."""
    t = np.arange(segments) / segments * 2 * np.pi
    c, s = np.cos(t), np.sin(t)
    e = 2.0 / power
    return np.column_stack((np.sign(c) * np.abs(c) ** e * width / 2, np.sign(s) * np.abs(s) ** e * depth / 2))


def at_height(polygon: Points, z: float, scale: float = 1.0, shift: Vector = (0.0, 0.0)) -> np.ndarray:
    """(N, 3) ring: a 2-D polygon scaled about its origin, moved, and lifted to height z."""
    p = np.asarray(polygon, float) * scale + np.asarray(shift, float)
    return np.column_stack((p, np.full(len(p), z)))


def inset(polygon: Points, distance: float) -> np.ndarray:
    """(N, 2) polygon with every vertex moved inwards by ``distance`` along the mean of its edge normals."""
    p = np.asarray(polygon, float)
    edge = np.roll(p, -1, axis=0) - p
    normal = np.column_stack((-edge[:, 1], edge[:, 0])) / np.maximum(np.linalg.norm(edge, axis=1), 1e-12)[:, None]
    mean = normal + np.roll(normal, 1, axis=0)
    mean /= np.maximum(np.linalg.norm(mean, axis=1), 1e-9)[:, None]
    reach = distance / np.maximum(np.sum(mean * normal, axis=1), 0.3)
    return p + mean * reach[:, None]


def slab(polygon: Points, height: float, bevel: float = 0.0, steps: int = 2) -> Mesh:
    """Upright prism over a star-shaped polygon, bottom at z = 0, with rounded upper and lower edges."""
    if bevel <= 0:
        return loft([at_height(polygon, 0.0), at_height(polygon, height)])
    t = np.linspace(0, np.pi / 2, steps + 1)
    low = [at_height(inset(polygon, bevel * (1 - np.sin(a))), bevel * (1 - np.cos(a))) for a in t]
    high = [at_height(inset(polygon, bevel * (1 - np.sin(a))), height - bevel * (1 - np.cos(a))) for a in t[::-1]]
    return loft(low + high)


def rounded_box(width: float, depth: float, height: float, radius: float, steps: int = 1) -> Mesh:
    """Box about the origin (centred in all three axes) with rounded edges; 108 triangles for one step."""
    half = np.array([width, depth, height]) / 2
    radius = min(radius, *half * 0.98)
    t = np.tan(np.linspace(0, np.pi / 4, steps + 1))[::-1][:-1] * radius  # offsets beyond the flat part
    vertices, faces, uv = [], [], []
    for axis in range(3):
        u_axis, v_axis = (axis + 1) % 3, (axis + 2) % 3
        lines = [
            np.concatenate(
                (-(half[k] - radius) - t, [-(half[k] - radius), half[k] - radius], half[k] - radius + t[::-1])
            )
            for k in (u_axis, v_axis)
        ]
        n, m = len(lines[0]), len(lines[1])
        i, j = np.meshgrid(np.arange(n - 1), np.arange(m - 1), indexing="ij")
        for sign in (1.0, -1.0):
            p = np.zeros((n, m, 3))
            p[..., u_axis], p[..., v_axis] = np.meshgrid(*lines, indexing="ij")
            p[..., axis] = sign * half[axis]
            p = p.reshape(-1, 3)
            core = np.clip(p, -(half - radius), half - radius)
            out = p - core
            base = sum(len(v) for v in vertices)
            vertices.append(core + out / np.linalg.norm(out, axis=1)[:, None] * radius)
            uv.append((p[:, [u_axis, v_axis]] / half[[u_axis, v_axis]] + 1) / 2)
            a = base + (i * m + j).ravel()
            b, c, d = a + m, a + m + 1, a + 1
            quads = (a, b, c, d) if sign > 0 else (a, d, c, b)
            faces += [np.column_stack(quads[:3]), np.column_stack((quads[0], quads[2], quads[3]))]
    return Mesh(np.concatenate(vertices), np.concatenate(faces), np.concatenate(uv))


def sweep(path: Points, radius: float | Vector, section: Points | None = None, sides: int = 8) -> Mesh:
    """Tube along a path, with caps.

    Args:
        path: (N, 3) points of the centre line.
        radius: of the tube, one number or one per point; scales ``section`` if one is given.
        section: (M, 2) counter-clockwise outline in units of the radius; a circle if None.
        sides: facets of the circle.
    """
    p = np.asarray(path, float)
    tangent = np.gradient(p, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    outline = np.asarray(section, float) if section is not None else ellipse(2.0, 2.0, sides)
    normal = np.cross(tangent[0], np.eye(3)[int(np.argmin(np.abs(tangent[0])))])
    rings = []
    for point, direction, r in zip(p, tangent, np.broadcast_to(radius, len(p)), strict=True):
        normal = normal - direction * float(normal @ direction)  # parallel transport keeps the tube from twisting
        normal /= np.linalg.norm(normal)
        side = np.cross(direction, normal)
        rings.append(point + r * (outline[:, :1] * normal + outline[:, 1:] * side))
    return loft(rings)


def sheet(width: float, height: float) -> Mesh:
    """One-sided rectangle in the x-z plane facing -y, centred, for labels; u to the right, v up."""
    x, z = width / 2, height / 2
    vertices = np.array([[-x, 0, -z], [x, 0, -z], [x, 0, z], [-x, 0, z]])
    return Mesh(vertices, np.array([[0, 1, 2], [0, 2, 3]]), np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]))


def band(profile: Points, segments: int = 20, start: float = 0.0, stop: float = 2 * np.pi) -> Mesh:
    """Open strip of revolution about z, facing outwards, for labels around bottles; u runs to the right."""
    p = np.asarray(profile, float)
    angle = np.linspace(start, stop, segments + 1)
    vertices = [(r * np.cos(a), r * np.sin(a), z) for r, z in p for a in angle]
    uv = [(u, v) for v in np.linspace(0, 1, len(p)) for u in np.linspace(0, 1, segments + 1)]
    n = segments + 1
    faces = []
    for i in range(len(p) - 1):
        for j in range(segments):
            a = i * n + j
            faces += [(a, a + 1, a + n + 1), (a, a + n + 1, a + n)]
    return Mesh(np.array(vertices), np.array(faces), np.array(uv))


def merge(*meshes: Mesh) -> Mesh:
    """One mesh from several."""
    offsets = np.cumsum([0] + [len(m.vertices) for m in meshes[:-1]])
    uv = [m.uv if m.uv is not None else np.zeros((len(m.vertices), 2)) for m in meshes]
    return Mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.faces + k for m, k in zip(meshes, offsets, strict=True)]),
        np.concatenate(uv),
    )


def moved(
    mesh: Mesh,
    pos: Vector = (0.0, 0.0, 0.0),
    quat: Vector = IDENTITY,
    scale: float | Vector = 1.0,
) -> Mesh:
    """The mesh scaled, then turned, then shifted. Negative scales are not allowed: they would turn faces inside out."""
    if np.any(np.asarray(scale) <= 0):
        raise ValueError(f"mesh scale must be positive, got {scale}")
    return Mesh(
        (mesh.vertices * np.asarray(scale, float)) @ rotation(quat).T + np.asarray(pos, float), mesh.faces, mesh.uv
    )


def volume(mesh: Mesh) -> float:
    """Signed volume in m³: positive when a closed mesh faces outwards."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def triangulate(polygon: Points) -> np.ndarray:
    """(N - 2, 3) triangles of a simple counter-clockwise polygon (N, 2), by clipping ears."""
    p = np.asarray(polygon, float)
    left = list(range(len(p)))
    triangles = []

    def turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    while len(left) > 3:
        best, best_k = -np.inf, -1
        for k in range(len(left)):
            i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
            size = turn(p[i], p[j], p[m])
            if size <= 1e-14:
                continue
            inside = any(
                turn(p[i], p[j], p[q]) >= 0 and turn(p[j], p[m], p[q]) >= 0 and turn(p[m], p[i], p[q]) >= 0
                for q in left
                if q not in (i, j, m)
            )
            quality = size / max(float(np.sum((p[m] - p[i]) ** 2)), 1e-12)
            if not inside and quality > best:
                best, best_k = quality, k
        if best_k < 0:
            raise ValueError("polygon is not simple and counter-clockwise")
        triangles.append((left[best_k - 1], left[best_k], left[(best_k + 1) % len(left)]))
        del left[best_k]
    return np.array([*triangles, tuple(left)])


def extrude(polygon: Points, height: float) -> Mesh:
    """Prism along z from z = 0 over any simple counter-clockwise polygon (N, 2), concave ones included."""
    p = np.asarray(polygon, float)
    walls = loft([at_height(p, 0.0), at_height(p, height)], caps=False)
    cap = triangulate(p)
    scale = np.ptp(p, axis=0)
    uv = (p - p.min(axis=0)) / np.maximum(scale, 1e-9)
    bottom = Mesh(at_height(p, 0.0), cap[:, ::-1], uv)
    top = Mesh(at_height(p, height), cap, uv)
    return merge(walls, bottom, top)


def extrude_y(polygon: Points, depth: float) -> Mesh:
    """Prism along y, centred about y = 0, over an x-z outline counter-clockwise seen from -y."""
    up = extrude(polygon, depth)
    x, z, along = up.vertices.T
    return Mesh(np.column_stack((x, depth / 2 - along, z)), up.faces, up.uv)


def extrude_x(polygon: Points, width: float) -> Mesh:
    """Prism along x, centred about x = 0, over a y-z outline counter-clockwise seen from +x: a side view."""
    up = extrude(polygon, width)
    y, z, along = up.vertices.T
    return Mesh(np.column_stack((along - width / 2, y, z)), up.faces, up.uv)
