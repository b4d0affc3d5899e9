"""What opening a model file gives: a compiled model for the kinematics, and the surfaces of its bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from assets.robots.meshes import Triangles


@dataclass(frozen=True)
class SourceModel:
    """What a model file gives.

    Attributes:
        model: compiled; with or without a free joint at the base.
        surfaces: body -> meshes and boxes in its frame.
        contacts: body -> points (N, 3) on its collision shapes in its frame.
        velocities: joint -> largest speed, rad/s, where the format says so.
    """

    model: mujoco.MjModel
    surfaces: dict[str, list[Triangles]]
    contacts: dict[str, np.ndarray] = field(default_factory=dict)
    velocities: dict[str, float] = field(default_factory=dict)


_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
_FACES = np.array([triangle for a, b, c, d in _QUADS for triangle in ((a, b, c), (a, c, d))])


def box(half: np.ndarray) -> Triangles:
    """Surface of a box with half extents (3,), m."""
    return _CORNERS * half, _FACES
