"""Short constructors of shapes, and collision shells of containers (walls and a bottom, never one hull)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from assets.objects.frames import Vector, align, pose, quat_about, quat_of, rotation
from assets.objects.meshes import sheet
from assets.objects.model import IDENTITY, Joint, Material, Mesh, ObjectAsset, Part, Quat, Shape, Vec3

HIDDEN_MATERIAL = Material()  # of shapes that are only for collisions


def _vec(v: Vector) -> Vec3:
    x, y, z = (float(c) for c in v)
    return (x, y, z)


def box(
    width: float,
    depth: float,
    height: float,
    at: Vector,
    material: Material = HIDDEN_MATERIAL,
    quat: Quat = IDENTITY,
    role: str = "both",
    friction: float = 0.8,
) -> Shape:
    """Box with full sizes along x, y, z and its centre at ``at``."""
    return Shape("box", (width / 2, depth / 2, height / 2), _vec(at), quat, material, None, role, friction)  # type: ignore[arg-type]


def cylinder(
    radius: float,
    height: float,
    at: Vector,
    material: Material = HIDDEN_MATERIAL,
    axis: Vector = (0, 0, 1),
    role: str = "both",
    friction: float = 0.8,
) -> Shape:
    """Cylinder of full ``height`` along ``axis`` with its centre at ``at``."""
    quat = align((0, 0, 1), axis)
    return Shape("cylinder", (radius, height / 2), _vec(at), quat, material, None, role, friction)  # type: ignore[arg-type]


def capsule(
    start: Vector,
    end: Vector,
    radius: float,
    material: Material = HIDDEN_MATERIAL,
    role: str = "both",
    friction: float = 0.8,
) -> Shape:
    """Capsule whose axis runs from ``start`` to ``end``."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    size = (radius, float(np.linalg.norm(b - a)) / 2)
    return Shape("capsule", size, _vec((a + b) / 2), align((0, 0, 1), b - a), material, None, role, friction)  # type: ignore[arg-type]


def sphere(
    radius: float, at: Vector, material: Material = HIDDEN_MATERIAL, role: str = "both", friction: float = 0.8
) -> Shape:
    """Sphere with its centre at ``at``."""
    return Shape("sphere", (radius,), _vec(at), IDENTITY, material, None, role, friction)  # type: ignore[arg-type]


def ellipsoid(
    semi_axes: Vector,
    at: Vector,
    material: Material = HIDDEN_MATERIAL,
    quat: Quat = IDENTITY,
    role: str = "both",
    friction: float = 0.8,
) -> Shape:
    """Ellipsoid with three semi-axes and its centre at ``at``."""
    return Shape("ellipsoid", _vec(semi_axes), _vec(at), quat, material, None, role, friction)  # type: ignore[arg-type]


def visual(mesh: Mesh, material: Material, at: Vector = (0, 0, 0), quat: Quat = IDENTITY) -> Shape:
    """Visual mesh."""
    return Shape("mesh", (), _vec(at), quat, material, mesh, "visual")


def hull(mesh: Mesh, at: Vector = (0, 0, 0), quat: Quat = IDENTITY, friction: float = 0.8) -> Shape:
    """Convex hull of a mesh that only collides. Keep it under about 40 vertices."""
    return Shape("mesh", (), _vec(at), quat, HIDDEN_MATERIAL, mesh, "collision", friction)


def collision(shape: Shape) -> Shape:
    """The same shape, invisible."""
    return replace(shape, material=HIDDEN_MATERIAL, role="collision")


def ring_wall(
    radius_low: float,
    radius_high: float,
    low: float,
    high: float,
    thickness: float,
    count: int = 12,
    friction: float = 0.8,
) -> list[Shape]:
    """Collision wall of a round container: ``count`` boxes around z that may lean outwards.

    Args:
        radius_low, radius_high: outer radius at heights ``low`` and ``high``.
        thickness: of the wall, metres.
    """
    lean = np.arctan2(radius_high - radius_low, high - low)
    length = float((high - low - thickness * abs(np.sin(lean))) / np.cos(lean))  # corners stay between low and high
    outer = max(radius_low, radius_high)
    width = 2 * outer * np.tan(np.pi / count)
    # outer faces touch the circle at mid-facet, corners stand out by under 4 % for 12 boxes
    radius = (radius_low + radius_high) / 2 - thickness / 2 * np.cos(lean)
    walls = []
    for k in range(count):
        angle = 2 * np.pi * (k + 0.5) / count
        turn = rotation(quat_about((0, 0, 1), angle)) @ rotation(quat_about((0, 1, 0), float(lean)))
        centre = (radius * np.cos(angle), radius * np.sin(angle), (low + high) / 2)
        walls.append(box(thickness, width, length, centre, quat=quat_of(turn), role="collision", friction=friction))
    return walls


def box_wall(
    width: float,
    depth: float,
    low: float,
    high: float,
    thickness: float,
    flare: float = 0.0,
    material: Material = HIDDEN_MATERIAL,
    role: str = "collision",
    friction: float = 0.8,
) -> list[Shape]:
    """Four walls of a rectangular container.

    Args:
        width, depth: outer size at height ``low`` along x and y.
        flare: by how much each wall leans outwards at height ``high``, metres.
    """
    lean = float(np.arctan2(flare, high - low))
    height = float((high - low - thickness * abs(np.sin(lean))) / np.cos(lean))  # corners stay between low and high
    middle = (low + high) / 2
    walls = []
    for sign in (-1.0, 1.0):
        centre = (sign * (width / 2 + flare / 2 - thickness / 2), 0, middle)
        quat = quat_about((0, 1, 0), sign * lean)
        walls.append(box(thickness, depth + 2 * flare, height, centre, material, quat, role, friction))
        centre = (0, sign * (depth / 2 + flare / 2 - thickness / 2), middle)
        quat = quat_about((1, 0, 0), -sign * lean)
        walls.append(box(width + 2 * flare, thickness, height, centre, material, quat, role, friction))
    return walls


def tube(path: Sequence[Sequence[float]] | np.ndarray, radius: float, friction: float = 0.8) -> list[Shape]:
    """Felt capsules along a path (N, 3): a handle with a real hole."""
    return [capsule(a, b, radius, role="collision", friction=friction) for a, b in pairwise(path)]


def reach(shape: Shape, directions: np.ndarray) -> np.ndarray:
    """Support function in the part's frame: largest value (...) of each unit direction (..., 3) over the shape, m."""
    d = directions @ rotation(shape.quat)
    s = shape.size
    match shape.kind:
        case "box":
            extent = np.abs(d) @ np.asarray(s)
        case "sphere":
            extent = s[0]
        case "ellipsoid":
            extent = np.linalg.norm(d * np.asarray(s), axis=-1)
        case "cylinder":
            extent = s[1] * np.abs(d[..., 2]) + s[0] * np.hypot(d[..., 0], d[..., 1])
        case "capsule":
            extent = s[1] * np.abs(d[..., 2]) + s[0]
        case _:
            assert shape.mesh is not None  # guaranteed by the kind
            extent = (d @ shape.mesh.vertices.T).max(-1)
    return directions @ np.asarray(shape.pos) + extent


def motion(joint: Joint, position: float) -> np.ndarray:
    """(4, 4) motion of a part in its own frame when its joint stands at ``position`` (rad or m)."""
    if joint.kind == "slide":
        return pose(np.asarray(joint.axis) / np.linalg.norm(joint.axis) * position)
    R = rotation(quat_about(joint.axis, position))
    anchor = np.asarray(joint.pos)
    return pose(anchor - R @ anchor, R)


def rest_pose(part: Part) -> np.ndarray:
    """(4, 4) pose of a part in its parent with its joint at its initial position."""
    T = pose(part.pos, rotation(part.quat))
    return T @ motion(part.joint, part.joint.initial) if part.joint else T


def part_poses(asset: ObjectAsset) -> dict[str, np.ndarray]:
    """(4, 4) pose of every part in the object's frame, joints at their initial positions."""
    poses: dict[str, np.ndarray] = {}
    for part in asset.parts:
        parent = poses[part.parent] if part.parent else np.eye(4)
        poses[part.name] = parent @ rest_pose(part)
    return poses


def bounds(asset: ObjectAsset, R: np.ndarray | None = None) -> np.ndarray:
    """(2, 3) lower and upper corner, about the object's origin, of everything visual or colliding, turned by ``R``."""
    axes = np.eye(3) if R is None else R  # the world's axes, as rows, in the object's frame
    directions = np.concatenate([axes, -axes])
    poses, far = part_poses(asset), np.full(6, -np.inf)
    for part in asset.parts:
        T = poses[part.name]
        for shape in part.shapes:
            far = np.maximum(far, reach(shape, directions @ T[:3, :3]) + directions @ T[:3, 3])
    return np.array([-far[3:], far[:3]])


_FACES = {
    "front": ((0, 0, 1), 0.0, (0, -1, 0)),
    "right": ((0, 0, 1), np.pi / 2, (1, 0, 0)),
    "back": ((0, 0, 1), np.pi, (0, 1, 0)),
    "left": ((0, 0, 1), -np.pi / 2, (-1, 0, 0)),
    "top": ((1, 0, 0), -np.pi / 2, (0, 0, 1)),
    "bottom": ((1, 0, 0), np.pi / 2, (0, 0, -1)),
}


def decal(width: float, height: float, at: Vector, face: str, material: Material, lift: float = 0.0003) -> Shape:
    """Printed rectangle just above a surface.

    Args:
        at: centre on the surface.
        face: which way it looks: "front" is -y, "top" is +z with the image's upper edge towards +y.
    """
    axis, angle, normal = _FACES[face]
    return visual(
        sheet(width, height), material, np.asarray(at, float) + lift * np.array(normal), quat_about(axis, angle)
    )
