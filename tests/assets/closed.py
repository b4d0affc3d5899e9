"""Whether a mesh is closed."""

from __future__ import annotations

import numpy as np

from assets.objects.meshes import Mesh


def is_closed(mesh: Mesh) -> bool:
    """Whether every edge joins exactly two faces once coincident vertices count as one."""
    _, label = np.unique(np.round(mesh.vertices, 7), axis=0, return_inverse=True)
    f = label.ravel()[mesh.faces]
    edges = np.sort(np.concatenate((f[:, :2], f[:, 1:], f[:, [2, 0]])), axis=1)
    _, counts = np.unique(edges, axis=0, return_counts=True)
    return bool(np.all(counts == 2))
