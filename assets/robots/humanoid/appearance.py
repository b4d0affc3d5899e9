"""What a humanoid looks like: its pulled surfaces, or blocks of equal inertia, in the colours of its slots."""

from __future__ import annotations

import colorsys

import mujoco
import numpy as np

from assets.robots.humanoid.inertia import mass_com_inertia
from assets.robots.humanoid.slots import SLOT_INDEX, SLOTS, region
from assets.robots.humanoid.tree import LinkTree
from assets.robots.meshes import Triangles
from twinloom.transforms import Quat, matrix_to_quat

VISUAL_GROUP = 2
BASE_COLOUR = (0.62, 0.64, 0.67, 1.0)
# hue of a region's first slot and of its last
_HUES = {
    "left_leg": (0.56, 0.70),
    "right_leg": (0.0, 0.10),
    "waist": (0.13, 0.17),
    "left_arm": (0.40, 0.52),
    "right_arm": (0.86, 0.97),
    "head": (0.22, 0.30),
}


def slot_colour(slot: str) -> tuple[float, float, float, float]:
    """rgba of a slot; one family of hues a region, so that left and right are told apart at a glance."""
    mine = [name for name in SLOTS if region(name) == region(slot)]
    low, high = _HUES[region(slot)]
    place = mine.index(slot)
    hue = low + (high - low) * place / max(1, len(mine) - 1)
    return (*colorsys.hsv_to_rgb(hue, 0.75, 0.95 if place % 2 == 0 else 0.7), 1.0)


def add_visuals(
    spec: mujoco.MjSpec, tree: LinkTree, surfaces: dict[str, Triangles] | None, colours: bool = True
) -> None:
    """Give a model, built from ``tree``, geoms that are seen and not felt.

    Args:
        spec: model with bodies named as the links.
        tree: links.
        surfaces: link -> triangles in its frame; None draws blocks of equal inertia instead.
        colours: of slots; otherwise everything is grey.
    """
    for link in tree.links:
        rgba = slot_colour(link.hinge.slot) if colours and link.hinge else BASE_COLOUR
        body = spec.body(link.name)
        seen = {"contype": 0, "conaffinity": 0, "group": VISUAL_GROUP, "mass": 0, "rgba": rgba}
        if surfaces is None:
            half, centre, quat = equivalent_box(link.inertia)
            kind = mujoco.mjtGeom.mjGEOM_ELLIPSOID
            body.add_geom(type=kind, size=half * 5**0.5 / 3**0.5, pos=list(centre), quat=quat, **seen)
        elif link.name in surfaces:
            vertices, faces = (list(part.ravel()) for part in surfaces[link.name])
            mesh = spec.add_mesh(name=f"look-{link.name}", uservert=vertices, userface=faces)
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh.name, **seen)
    if surfaces is None:
        _add_bones(spec, tree)


def equivalent_box(J: np.ndarray) -> tuple[np.ndarray, np.ndarray, Quat]:
    """Half extents (3,), centre (3,) and orientation of the even box with a pseudo-inertia's moments."""
    mass, com, inertia = mass_com_inertia(J)
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    second = moments.sum() / 2 - moments  # integral of the squared coordinate
    return np.sqrt(np.maximum(3 * second / mass, 1e-8)), com, matrix_to_quat(axes)


def _add_bones(spec: mujoco.MjSpec, tree: LinkTree) -> None:
    """A thin capsule from each joint to the next shows the chain where blocks leave gaps."""
    for link in tree.links:
        length = float(np.linalg.norm(link.pos))
        if link.parent < 0 or length < 0.01:
            continue
        spec.body(tree.links[link.parent].name).add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=[0, 0, 0, *link.pos],
            size=[min(0.02, 0.3 * length), 0, 0],
            contype=0,
            conaffinity=0,
            group=VISUAL_GROUP,
            mass=0,
            rgba=(0.3, 0.31, 0.34, 1.0),
        )


def add_axes(spec: mujoco.MjSpec, tree: LinkTree, length: float) -> None:
    """A rod along every joint's axis in its slot's colour, to see what a joint does."""
    for link in tree.links:
        if link.hinge is None:
            continue
        axis = length / 2 * np.array(link.hinge.axis)
        spec.body(link.name).add_geom(
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            fromto=[*(-axis), *axis],
            size=[0.05 * length, 0, 0],
            contype=0,
            conaffinity=0,
            group=VISUAL_GROUP,
            mass=0,
            rgba=slot_colour(link.hinge.slot),
        )


def slot_order(tree: LinkTree) -> list[int]:
    """Indices of the joints in the order of their slots."""
    return sorted(range(len(tree.hinges)), key=lambda j: SLOT_INDEX[tree.hinges[j].slot])
