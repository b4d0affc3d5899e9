"""Soles: one box per foot, found from the lowest part of the foot's surfaces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assets.robots.humanoid.slots import SIDES
from assets.robots.humanoid.tree import FootBox, LinkTree
from twinloom.errors import TwinloomError
from twinloom.transforms import Quat, inverse, matrix_to_quat, quat_to_matrix

SLICE = 0.035  # m above the lowest point that belong to the sole, for a robot of ordinary size
_SLICE_OF_LEG = 0.075  # and as a fraction of the leg, which decides for small ones


def foot_link(tree: LinkTree, side: str) -> int:
    """Index of the last link of a leg."""
    slots = [f"{side}_ankle_pitch", f"{side}_ankle_roll"]
    return max(tree.link_of(slot) for slot in slots if tree.has(slot))


def with_feet(tree: LinkTree, surfaces: dict[str, np.ndarray]) -> LinkTree:
    """The tree, in its canonical pose, with the boxes of its soles; both are made mirror images of each other.

    Args:
        tree: with signs and offsets.
        surfaces: link -> (V, 3) points of its surface in its frame.

    Raises:
        TwinloomError: a foot has no surface.
    """
    frames = tree.frames(tree.positions())
    boxes = []
    for side in SIDES:
        index = foot_link(tree, side)
        name = tree.links[index].name
        points = surfaces.get(name)
        if points is None or not len(points):
            raise TwinloomError(f"{tree.name}: foot {name} has neither a mesh nor a box; give it one in the model")
        world = points @ frames[index][:3, :3].T + frames[index][:3, 3]
        hip = frames[tree.link_of(f"{side}_hip_pitch"), 2, 3]
        low = world[:, 2].min()
        sole = world[world[:, 2] < low + min(SLICE, _SLICE_OF_LEG * (hip - low))]
        lower, upper = sole.min(axis=0), sole.max(axis=0)
        centre = np.array([*(lower + upper)[:2] / 2, low])
        boxes.append((index, centre, (upper - lower)[:2] / 2))
    (left, centre, half), (right, other, other_half) = boxes
    mean = (centre + other * (1, -1, 1)) / 2
    half = (half + other_half) / 2
    feet = []
    for index, place in ((left, mean), (right, mean * (1, -1, 1))):
        T_link_base = inverse(frames[index])
        local = T_link_base @ np.array([*place, 1.0])
        quat = matrix_to_quat(T_link_base[:3, :3])
        feet.append(FootBox(tree.links[index].name, tuple(local[:3].tolist()), quat, tuple(half.tolist())))
    return replace(tree, feet=(feet[0], feet[1]))


def sole_pose(box: FootBox, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre (3,) and rotation (3, 3) of a sole, given the pose (4, 4) of its link."""
    return frame[:3, :3] @ box.pos + frame[:3, 3], frame[:3, :3] @ quat_to_matrix(box.quat)


def box_pose(box: FootBox, thickness: float) -> tuple[np.ndarray, Quat]:
    """Centre and orientation, in the link's frame, of a collision box of the given half thickness above the sole."""
    return np.array(box.pos) + quat_to_matrix(box.quat) @ (0.0, 0.0, thickness), box.quat
