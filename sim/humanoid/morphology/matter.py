"""Mass and inertia of every link of a random body: blocks along the skeleton, changed as possible matter changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.humanoid.morphology.config import MorphologyConfig
from sim.humanoid.morphology.draw import Draw
from sim.humanoid.morphology.inertia import mirrored, sample_theta, solid, transformed
from sim.humanoid.morphology.skeleton import LINKS, Skeleton

# share of the whole mass, near the middle of the robots of `assets list robots`
_SHARE = {
    "base": 0.13,
    **dict(zip((f"left_leg_{k}" for k in range(1, 7)), (0.035, 0.04, 0.075, 0.05, 0.006, 0.02), strict=True)),
    **dict(zip((f"waist_{k}" for k in range(1, 4)), (0.01, 0.006, 0.24), strict=True)),
    **dict(zip((f"left_arm_{k}" for k in range(1, 8)), (0.018, 0.012, 0.024, 0.016, 0.007, 0.004, 0.01), strict=True)),
    **dict(zip((f"head_{k}" for k in range(1, 4)), (0.006, 0.004, 0.02), strict=True)),
}
# half thickness per L across the link
_THICK = {"leg": 0.055, "arm": 0.04, "waist": 0.06, "head": 0.05, "base": 0.09}
_TRACE = 1e-3  # mass share left of limbs that a body does not have; a template cannot drop their links


@dataclass(frozen=True)
class Block:
    """A link's matter before the random change: kg; centre and half extents in the link's frame, m."""

    mass: float
    centre: np.ndarray
    half: np.ndarray


@dataclass(frozen=True)
class Matter:
    """Of a whole body.

    Attributes:
        inertia: link -> (4, 4) pseudo-inertia in its frame.
        blocks: link -> what it was drawn around; for feasibility checks and pictures.
    """

    inertia: dict[str, np.ndarray]
    blocks: dict[str, Block]


def sample_matter(seed: np.random.SeedSequence, skeleton: Skeleton, armless: bool, config: MorphologyConfig) -> Matter:
    """Draw masses and inertias; both sides are mirror images.

    Args:
        armless: arms and head keep next to nothing of their mass.
    """
    draw = Draw(seed, "mass", config.width)
    L = skeleton.leg_length
    total = 78.0 * L**1.9 * draw.log(*config.mass)
    factor = {group: draw.log(*config.group_mass) for group in ("arm", "waist", "head", "base")}
    factor["leg"] = draw.log(*config.leg_mass)
    if armless:
        factor["arm"] = factor["head"] = _TRACE
    weights = {}
    for link in LINKS:
        share = _SHARE[link.replace("right", "left")]
        weights[link] = share * factor[_group(link)]
    scale = total / sum(weights.values())
    blocks, inertia = {}, {}
    change = Draw(seed, "inertia", config.width)
    for link in LINKS:
        if link.startswith("right"):
            twin = link.replace("right", "left")
            blocks[link] = Block(blocks[twin].mass, blocks[twin].centre * (1, -1, 1), blocks[twin].half)
            inertia[link] = mirrored(inertia[twin])
            continue
        block = _block(link, skeleton, scale * weights[link])
        theta = sample_theta(change, float(2 * block.half.max()), not link.startswith("left"), config)
        blocks[link] = block
        inertia[link] = transformed(solid(block.mass, block.centre, block.half), theta)
    return Matter(inertia, blocks)


def _group(link: str) -> str:
    return next(group for group in _THICK if group in link)


def _block(link: str, skeleton: Skeleton, mass: float) -> Block:
    """A block from the link's joint to where its matter ends, at least as long as it is thick."""
    L = skeleton.leg_length
    start = np.zeros(3) if link == "base" else skeleton.anchor[link]
    end = skeleton.end[link]
    thick = _THICK[_group(link)] * L
    if link in ("left_leg_6", "right_leg_6"):
        height = float(start[2] - end[2])
        centre = np.array([end[0] - start[0], 0.0, -0.6 * height])
        return Block(mass, centre, np.array([*skeleton.half, 0.4 * height]))
    if link == "waist_3":
        top = float(end[2] - start[2])
        width = 0.8 * float(skeleton.anchor["left_arm_1"][1])
        return Block(mass, np.array([0.0, 0.0, 0.5 * top]), np.array([1.5 * thick, width, 0.55 * top]))
    half = np.maximum(np.abs(end - start) / 2, thick * (0.6 if link.endswith(("_1", "_2", "_5")) else 1.0))
    centre = (end - start) / 2
    if not link.startswith(("left", "right")):
        centre[1] = 0.0
    return Block(mass, centre, half)
