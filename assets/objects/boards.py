"""Things built from boards: many collision boxes under one visual mesh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.objects.meshes import merge, moved
from assets.objects.model import Material, Mesh, Shape
from assets.objects.shapes import box, visual

Board = tuple[Sequence[float], Sequence[float]]  # full sizes along x, y, z and the centre, metres


def cuboid(width: float, depth: float, height: float) -> Mesh:
    """Box about the origin with sharp edges: 12 triangles, every face shows the whole texture."""
    half = np.array([width, depth, height]) / 2
    vertices, uv = [], []
    for axis in range(3):
        # u runs along x where the face has an x edge (else along y), v along z where it has a z edge (else along y)
        right, up = ((1, 2), (0, 2), (0, 1))[axis]
        for sign in (-1.0, 1.0):
            outward = sign if axis != 1 else -sign  # seen from +y, x runs to the left
            for a, b in ((-outward, -1), (outward, -1), (outward, 1), (-outward, 1)):
                p = np.zeros(3)
                p[axis], p[right], p[up] = sign, a, b
                vertices.append(p * half)
            uv += [(0, 0), (1, 0), (1, 1), (0, 1)]
    start = np.arange(6)[:, None] * 4
    faces = np.concatenate((start + np.array([0, 1, 2]), start + np.array([0, 2, 3])))
    return Mesh(np.array(vertices), faces, np.array(uv, float))


def boards(items: Sequence[Board], material: Material, friction: float = 0.8) -> list[Shape]:
    """Axis-aligned boards of one material: one visual mesh and a collision box each."""
    mesh = merge(*(moved(cuboid(x, y, z), at) for (x, y, z), at in items))
    return [visual(mesh, material), *(box(x, y, z, at, role="collision", friction=friction) for (x, y, z), at in items)]
