"""Finding the canonical zero of a robot: the joint positions of standing straight with hanging arms, and all signs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assets.robots.humanoid.slots import AXES, SIDES, SLOT_INDEX
from assets.robots.humanoid.tree import Hinge, LinkTree

_SNAP = ((math.pi / 2, 0.2), (math.pi / 8, 0.08))  # a position this close to a multiple was meant to be that multiple
_STRAIGHT = 0.35  # rad by which a leg may be bent or lean in the file's zero and still count as straight
_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow")


def canonical(tree: LinkTree, given: Mapping[str, float] | None = None) -> LinkTree:
    """The same tree with the sign and offset of every joint.

    Args:
        tree: as read from a file.
        given: slot -> position in the canonical pose; the search leaves these joints alone.
    """
    fixed = dict(given or {})
    plain = replace(
        tree,
        links=tuple(
            replace(link, hinge=link.hinge and replace(link.hinge, sign=1, offset=fixed.get(link.hinge.slot, 0.0)))
            for link in tree.links
        ),
    )
    found = dict(fixed)
    for side in SIDES:
        found |= _leg(plain, side, found)
        found |= _arm(plain, side, found)
    zero = np.array([found.get(hinge.slot, 0.0) for hinge in plain.hinges])
    cosines = np.einsum("ij,ij->i", plain.axes(zero), AXES[[SLOT_INDEX[hinge.slot] for hinge in plain.hinges]])
    values = iter(zip(zero.tolist(), cosines.tolist(), strict=True))
    links = []
    for link in plain.links:
        if link.hinge is None:
            links.append(link)
            continue
        offset, cosine = next(values)
        links.append(replace(link, hinge=replace(link.hinge, sign=1 if cosine >= 0 else -1, offset=offset)))
    return replace(tree, links=tuple(links))


def with_limits(tree: LinkTree, limits: Mapping[str, tuple[float, float]]) -> LinkTree:
    """The tree with limits given in the convention of the slots, rad."""

    def changed(hinge: Hinge) -> Hinge:
        if hinge.slot not in limits:
            return hinge
        low, high = sorted(hinge.offset + hinge.sign * value for value in limits[hinge.slot])
        return replace(hinge, range=(low, high))

    return replace(tree, links=tuple(replace(link, hinge=link.hinge and changed(link.hinge)) for link in tree.links))


def cosines(tree: LinkTree) -> np.ndarray:
    """(joints,) cosine between each joint's axis, with its sign, and its slot's axis in the canonical pose."""
    axes = tree.axes(tree.positions())
    wanted = AXES[[SLOT_INDEX[hinge.slot] for hinge in tree.hinges]]
    return np.einsum("ij,ij->i", axes, wanted) * [hinge.sign for hinge in tree.hinges]


def forearm_end(tree: LinkTree, side: str, frames: np.ndarray) -> np.ndarray:
    """(3,) a point far along the forearm: the first wrist joint away from the elbow, else the centre of mass."""
    elbow = frames[tree.link_of(f"{side}_elbow"), :3, 3]
    for name in ("wrist_roll", "wrist_pitch", "wrist_yaw"):
        if tree.has(f"{side}_{name}"):
            wrist = frames[tree.link_of(f"{side}_{name}"), :3, 3]
            if np.linalg.norm(wrist - elbow) > 0.05:
                return wrist
    below = _below(tree, tree.link_of(f"{side}_elbow"))
    moments = np.sum([frames[i] @ tree.links[i].inertia[:, 3] for i in below], axis=0)
    return moments[:3] / moments[3]


def _below(tree: LinkTree, root: int) -> list[int]:
    """The link and all links that hang from it."""
    inside = {root}
    for index in range(root + 1, len(tree.links)):
        if tree.links[index].parent in inside:
            inside.add(index)
    return sorted(inside)


def _branch(tree: LinkTree, root: int) -> LinkTree:
    """Only the links that lead to a link and those that hang from it."""
    keep = set(_below(tree, root))
    while root >= 0:
        keep.add(root)
        root = tree.links[root].parent
    order = sorted(keep)
    links = (tree.links[index] for index in order)
    moved = (replace(link, parent=order.index(link.parent) if link.parent >= 0 else -1) for link in links)
    return replace(tree, links=tuple(moved))


def _leg(tree: LinkTree, side: str, found: Mapping[str, float]) -> dict[str, float]:
    """Positions that straighten a leg; nothing where the file's zero already is straight."""

    def bend(angles: Mapping[str, float]) -> np.ndarray:
        hip, knee, ankle = _points(tree, angles, side, ("hip_pitch", "knee", "ankle_pitch"))
        return np.array(
            [
                _unit(knee - hip)[0],
                _unit(ankle - knee)[0],
                *_unit(ankle - hip)[:2],
                *(0.02 * value for value in angles.values()),
            ]
        )

    names = [f"{side}_{name}" for name in ("hip_pitch", "hip_roll", "knee") if f"{side}_{name}" not in found]
    if not names or np.abs(bend(dict.fromkeys(names, 0.0))[:4]).max() < _STRAIGHT:
        return {}
    return _search(tree, names, bend)


def _arm(tree: LinkTree, side: str, found: Mapping[str, float]) -> dict[str, float]:
    """Positions that let an arm hang straight, with the elbow's axis across.

    Shoulder pitch and twist are tried at quarter turns only: files choose their zero so, and a search over
    both would trade one for the other where axes are tilted.
    """
    present = [f"{side}_{name}" for name in _ARM if tree.has(f"{side}_{name}")]
    names = [name for name in present if name not in found]
    if not tree.has(f"{side}_elbow") or not names:
        return {}
    top = f"{side}_shoulder_roll" if tree.has(f"{side}_shoulder_roll") else f"{side}_shoulder_pitch"
    tree = _branch(tree, tree.link_of(present[0]))
    shoulder_link, elbow_link = tree.link_of(top), tree.link_of(f"{side}_elbow")
    hinge = next(hinge for hinge in tree.hinges if hinge.slot == f"{side}_elbow")

    def bend(angles: Mapping[str, float]) -> np.ndarray:
        frames = tree.frames(_positions(tree, {**found, **angles}))
        shoulder, elbow = frames[shoulder_link, :3, 3], frames[elbow_link, :3, 3]
        axis = frames[elbow_link, :3, :3] @ hinge.axis
        flexion = -np.sign(axis[1]) * (np.mean(hinge.range) - angles.get(hinge.slot, hinge.offset))
        upper, lower = _unit(elbow - shoulder), _unit(forearm_end(tree, side, frames) - elbow)
        hang = [*(upper - (0, 0, -1)), *(lower - (0, 0, -1))]
        backward = 0.3 * (flexion < 0)  # an elbow bends forward
        across = 0.5 * np.hypot(axis[0], axis[2])
        return np.array([*hang, across, backward, *(0.1 * value for value in angles.values())])

    turned = [name for name in names if name.endswith(("shoulder_pitch", "shoulder_yaw"))]
    free = [name for name in names if name not in turned]
    best, least = {}, math.inf
    for quarters in itertools.product((0.0, -math.pi / 2, math.pi / 2), repeat=len(turned)):
        fixed = dict(zip(turned, quarters, strict=True))
        solved = _search(tree, free, lambda angles, fixed=fixed: bend({**fixed, **angles})) if free else {}
        cost = float(np.sum(bend({**fixed, **solved}) ** 2))
        if cost < least - 1e-6:
            best, least = {**fixed, **solved}, cost
    return best


def _search(tree: LinkTree, names: list[str], residual) -> dict[str, float]:
    """Least squares within the joints' limits, started from the best combination of quarter turns."""
    from scipy.optimize import least_squares

    ranges = np.array([next(hinge.range for hinge in tree.hinges if hinge.slot == name) for name in names])
    ranges = ranges + np.array([-0.3, 0.3])  # the straight arm may lie just outside of the limits

    def cost(angles: np.ndarray) -> np.ndarray:
        return residual(dict(zip(names, angles.tolist(), strict=True)))

    quarter = (0.0, -math.pi / 2, math.pi / 2)
    starts = [np.clip(start, *ranges.T) for start in itertools.product(quarter, repeat=len(names))]
    start = min(starts, key=lambda start: float(np.sum(cost(start) ** 2)))
    best = least_squares(cost, start, bounds=(ranges[:, 0] - 1e-6, ranges[:, 1] + 1e-6), xtol=1e-5, ftol=1e-6).x
    best = np.round(best, 4)
    for step, tolerance in _SNAP:
        best = np.where(np.abs(best - np.round(best / step) * step) < tolerance, np.round(best / step) * step, best)
    return dict(zip(names, best.tolist(), strict=True))


def _positions(tree: LinkTree, at: Mapping[str, float]) -> np.ndarray:
    return np.array([at.get(hinge.slot, hinge.offset) for hinge in tree.hinges])


def _points(tree: LinkTree, at: Mapping[str, float], side: str, joints: tuple[str, ...]) -> np.ndarray:
    frames = tree.frames(_positions(tree, at))
    return np.array([frames[tree.link_of(f"{side}_{name}"), :3, 3] for name in joints])


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)
