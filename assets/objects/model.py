"""What an object is: rigid parts with shapes, joints between them, places to grasp it and places that do its work.

Frames. Every object has z up and its origin at the bottom centre of its resting pose: identity orientation at
height 0 means "standing on the table". Units: metres, kilograms, radians; quaternions are wxyz.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
IDENTITY: Quat = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Mesh:
    """Triangle mesh in the frame of its shape. Collision meshes must be convex: MuJoCo collides their hull.

    Attributes:
        vertices: (V, 3) float, metres.
        faces: (F, 3) int, counter-clockwise seen from outside.
        uv: (V, 2) float texture coordinates, or None.
    """

    vertices: np.ndarray
    faces: np.ndarray
    uv: np.ndarray | None = None


@dataclass(frozen=True)
class Material:
    """Look of a shape.

    Attributes:
        rgba: colour, each in [0, 1]; multiplies the texture if there is one.
        specular, shininess: in [0, 1].
        texture: (H, W, 3) uint8 image, or None.
    """

    rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)
    specular: float = 0.3
    shininess: float = 0.4
    texture: np.ndarray | None = None


@dataclass(frozen=True)
class Shape:
    """One geometric shape of a part.

    Attributes:
        kind: MuJoCo geom type.
        size: as in MuJoCo: half sizes of a box, (radius,) of a sphere, (radius, half length) of a cylinder or
            capsule along z, semi-axes of an ellipsoid; empty for a mesh.
        role: "both", "visual" (drawn only) or "collision" (not drawn).
        friction: sliding coefficient of the collision shape.
    """

    kind: Literal["box", "sphere", "cylinder", "capsule", "ellipsoid", "mesh"]
    size: tuple[float, ...] = ()
    pos: Vec3 = (0.0, 0.0, 0.0)
    quat: Quat = IDENTITY
    material: Material = Material()
    mesh: Mesh | None = None
    role: Literal["both", "visual", "collision"] = "both"
    friction: float = 0.8


@dataclass(frozen=True)
class Joint:
    """Joint between a part and its parent, along ``axis`` through ``pos`` in the part's frame.

    Attributes:
        limits: (lower, upper) in radians or metres.
        initial: position at the start of an episode.
        damping: N m s/rad (or N s/m); frictionloss: N m (or N) that keeps a lid or drawer where it was left.
        stiffness: N m/rad (or N/m) of a spring towards ``springref`` (a rocker or a stapler springs back).
    """

    kind: Literal["hinge", "slide"]
    axis: Vec3
    limits: tuple[float, float]
    pos: Vec3 = (0.0, 0.0, 0.0)
    initial: float = 0.0
    damping: float = 0.1
    frictionloss: float = 0.0
    stiffness: float = 0.0
    springref: float = 0.0


@dataclass(frozen=True)
class Part:
    """A rigid part. The first part of an object is its base; other parts hang on a parent by a joint."""

    name: str
    shapes: tuple[Shape, ...]
    mass: float  # kg, spread over the collision shapes by volume
    parent: str | None = None
    pos: Vec3 = (0.0, 0.0, 0.0)
    quat: Quat = IDENTITY
    joint: Joint | None = None


@dataclass(frozen=True)
class GraspPoint:
    """A hand pose that holds (or presses) the object.

    Attributes:
        group: what kind of grasp: "top", "side", "rim", "handle", "left_handle", "right_handle", "button", ...
        T_object_hand: (4, 4) pose of the hand's tool centre point (midway between the fingertips) in the frame of
            ``part``. Hand axes: x approach (palm to fingertips), y finger opening axis, z = x cross y.
        width: distance between the surfaces that the fingers touch, metres (0 for a press).
        tilt: (lower, upper) radians by which the hand may be turned about its own y axis through this point;
            positive turns the approach direction towards the hand's +z side.
        part: name of the part that carries the point.
    """

    group: str
    T_object_hand: np.ndarray
    width: float = 0.0
    tilt: tuple[float, float] = (0.0, 0.0)
    part: str = "base"


@dataclass(frozen=True)
class FunctionalPoint:
    """A frame that does the object's work. Placing A on B means: bring A's point onto B's point, axes aligned.

    z points *up* when the object stands or is used as intended: the bottom centre of a cup and the top of a coaster
    both have z up, so aligning the two puts the cup upright on the coaster. For a hammer the point lies on the head's
    face with z opposite to the blow; for a mug's handle or a hook, x runs along the opening that the hook passes.
    """

    name: str
    T_object_point: np.ndarray
    part: str = "base"


@dataclass(frozen=True)
class ObjectAsset:
    """One instance of a category.

    Attributes:
        category, index: identity; the same pair always gives the same object.
        parts: at least one; ``parts[0].name == "base"``.
        grasps, points: see GraspPoint and FunctionalPoint; may be empty for clutter.
        stable_quats: orientations in which the object rests on a table, likeliest first. The origin height that goes
            with orientation q is ``resting_height(q)`` of assets.objects.library.
        extents: (x, y, z) size of the bounding box at rest in metres, in orientation ``stable_quats[0]``.
        clutter: may be used as a distractor (rests stably, fits on a table).
        seen, unseen: short noun phrases without article ("blue plastic bottle"), 12 and 3 of them.
        synonyms: other categories that a person could confuse with this one; clutter avoids them.
    """

    category: str
    index: int
    parts: tuple[Part, ...]
    extents: Vec3
    grasps: tuple[GraspPoint, ...] = ()
    points: tuple[FunctionalPoint, ...] = ()
    stable_quats: tuple[Quat, ...] = (IDENTITY,)
    clutter: bool = True
    seen: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = field(default=())

    @property
    def key(self) -> str:
        """Name used in records and instructions: ``bottle/3``."""
        return f"{self.category}/{self.index}"

    @property
    def mass(self) -> float:
        """Total mass in kg."""
        return sum(part.mass for part in self.parts)

    def grasps_in(self, *groups: str) -> tuple[GraspPoint, ...]:
        """Grasp points of the given groups (all if none is given)."""
        return tuple(g for g in self.grasps if not groups or g.group in groups)

    def point(self, name: str) -> FunctionalPoint:
        """Functional point by name. Raises KeyError listing the names."""
        for candidate in self.points:
            if candidate.name == name:
                return candidate
        raise KeyError(f"{self.key} has no functional point {name!r}; it has {[p.name for p in self.points]}")
