"""Rigid transforms in batches: rotation vectors and straight-line interpolation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def rotation_vector(R: Array) -> Array:
    """Axis times angle (radians, 0..pi) of rotation matrices.

    Args:
        R: (..., 3, 3) rotation matrices.

    Returns:
        (..., 3). At exactly pi the sign of the axis is arbitrary but fixed.
    """
    sine = 0.5 * np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], -1)
    norm = np.sqrt((sine * sine).sum(-1))
    cosine = 0.5 * (R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2] - 1.0)
    angle = np.arctan2(norm, cosine)
    vector = sine * (angle / np.maximum(norm, 1e-12))[..., None]
    vector = np.where((norm < 1e-9)[..., None], sine, vector)
    flipped = (cosine < 0.0) & (norm < 1e-4)  # near pi the skew part vanishes: axis from I + (R + R') / 2
    if np.any(flipped):
        vector = np.array(vector)
        near = R[flipped]
        outer = 0.5 * (near + np.swapaxes(near, -1, -2)) + np.eye(3)
        column = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
        axis = np.take_along_axis(outer, column[:, None, None], axis=-1)[..., 0]
        axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
        side = np.where((axis * sine[flipped]).sum(-1) < 0.0, -1.0, 1.0)
        vector[flipped] = axis * (side * angle[flipped])[:, None]
    return vector


def rotation_matrix(vector: Array) -> Array:
    """Inverse of :func:`rotation_vector` (Rodrigues).

    Args:
        vector: (..., 3) axis times angle, radians.

    Returns:
        (..., 3, 3).
    """
    angle = np.linalg.norm(vector, axis=-1)[..., None]
    axis = vector / np.maximum(angle, 1e-12)
    K = np.zeros((*vector.shape, 3))
    K[..., 2, 1], K[..., 0, 2], K[..., 1, 0] = axis[..., 0], axis[..., 1], axis[..., 2]
    K -= np.swapaxes(K, -1, -2)
    return np.eye(3) + np.sin(angle)[..., None] * K + (1.0 - np.cos(angle))[..., None] * (K @ K)


def interpolate_poses(T_start: Array, T_goal: Array, fractions: Array) -> Array:
    """Poses on the straight line between two poses, orientation by spherical interpolation.

    Args:
        T_start: (..., 4, 4).
        T_goal: (..., 4, 4).
        fractions: (K,) in [0, 1].

    Returns:
        (..., K, 4, 4).
    """
    start, goal = np.asarray(T_start, float), np.asarray(T_goal, float)
    turn = rotation_vector(np.swapaxes(start[..., :3, :3], -1, -2) @ goal[..., :3, :3])
    s = np.asarray(fractions, float)
    T = np.zeros((*start.shape[:-2], len(s), 4, 4))
    T[..., :3, :3] = start[..., None, :3, :3] @ rotation_matrix(turn[..., None, :] * s[:, None])
    T[..., :3, 3] = start[..., None, :3, 3] + s[:, None] * (goal - start)[..., None, :3, 3]
    T[..., 3, 3] = 1.0
    return T
