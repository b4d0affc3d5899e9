"""Shading normals: smooth over shallow edges, sharp over edges steeper than the crease angle."""

from __future__ import annotations

import numpy as np

CREASE = np.deg2rad(46)


def split_creases(vertices: np.ndarray, faces: np.ndarray, crease: float = CREASE) -> tuple[np.ndarray, ...]:
    """Copy the vertices along sharp edges, so that one normal per vertex is enough.

    Returns:
        source: (N,) row of ``vertices`` that each new vertex copies.
        normals: (N, 3) unit normals.
        faces: (F, 3) of the new vertices.
    """
    normals, index = corner_normals(vertices, faces, crease)
    pairs, inverse = np.unique(np.column_stack((faces.ravel(), index.ravel())), axis=0, return_inverse=True)
    return pairs[:, 0], normals[pairs[:, 1]], inverse.reshape(faces.shape)


def corner_normals(vertices: np.ndarray, faces: np.ndarray, crease: float = CREASE) -> tuple[np.ndarray, np.ndarray]:
    """Normals per face corner. Coincident vertices count as one, so texture seams do not show.

    Args:
        vertices: (V, 3).
        faces: (F, 3), counter-clockwise seen from outside.
        crease: angle between two faces, radians, above which their shared edge looks sharp.

    Returns:
        normals: (N, 3) unit vectors, duplicates removed.
        index: (F, 3) row of ``normals`` for every corner.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)  # length is twice the area, which is the weight
    length = np.linalg.norm(area, axis=1)
    unit = area / np.maximum(length, 1e-20)[:, None]
    _, label = np.unique(np.round(vertices, 7), axis=0, return_inverse=True)
    corner_vertex = label.ravel()[faces].ravel()
    corner_face = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(corner_vertex, kind="stable")
    sorted_vertex, sorted_face = corner_vertex[order], corner_face[order]
    starts = np.searchsorted(sorted_vertex, sorted_vertex, side="left")
    counts = np.searchsorted(sorted_vertex, sorted_vertex, side="right") - starts
    # every pair (corner, face that touches the same vertex)
    left = np.repeat(np.arange(len(order)), counts)
    right = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(starts, counts)
    mine, other = sorted_face[left], sorted_face[right]
    smooth = np.einsum("ij,ij->i", unit[mine], unit[other]) > np.cos(crease)
    total = np.zeros((len(order), 3))
    np.add.at(total, left[smooth], area[other[smooth]])
    flat = np.linalg.norm(total, axis=1) < 1e-18  # a face without area
    total[flat] = [0.0, 0.0, 1.0]
    total /= np.linalg.norm(total, axis=1)[:, None]
    corners = np.empty_like(total)
    corners[order] = total
    normals, index = np.unique(np.round(corners, 5), axis=0, return_inverse=True)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return normals, index.reshape(faces.shape)
