"""Where the joints of a random body are, which way they turn, and in which order a limb carries them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from assets.robots.humanoid.slots import AXES, SLOT_INDEX
from sim.humanoid.morphology.config import MorphologyConfig
from sim.humanoid.morphology.draw import Draw
from twinloom.transforms import rotation_about

LIMBS = ("left_leg", "right_leg", "waist", "left_arm", "right_arm", "head")
LIMB_JOINTS = {"leg": 6, "waist": 3, "arm": 7, "head": 3}
LINKS: tuple[str, ...] = (
    "base",
    *(f"{limb}_{k + 1}" for limb in LIMBS for k in range(LIMB_JOINTS[limb.rpartition("_")[2]])),
)
"""The 33 links of every random body, parents first; which meaning a joint has varies, what hangs from what does not."""

_HIPS = tuple(itertools.permutations(("hip_pitch", "hip_roll", "hip_yaw")))
_WAISTS = tuple(itertools.permutations(("waist_yaw", "waist_roll", "waist_pitch")))
_HEADS = tuple(itertools.permutations(("head_yaw", "head_roll", "head_pitch")))


def parent(link: str) -> str | None:
    """The link that a link hangs from."""
    if link == "base":
        return None
    limb, _, number = link.rpartition("_")
    if number != "1":
        return f"{limb}_{int(number) - 1}"
    return "waist_3" if limb.endswith(("arm", "head")) else "base"


@dataclass(frozen=True)
class Skeleton:
    """A body's geometry in its canonical pose, in which every link's frame is parallel to the base's.

    Attributes:
        leg_length: L, m.
        slot: link -> slot of its joint.
        anchor: link -> (3,) place of its joint in the base's frame, m.
        axis: link -> (3,) unit vector.
        end: link -> (3,) where the link's matter ends, m, in the base's frame.
        sole: (3,) centre of the left sole in the base's frame; half: its half length and half width, m.
    """

    leg_length: float
    slot: dict[str, str]
    anchor: dict[str, np.ndarray]
    axis: dict[str, np.ndarray]
    end: dict[str, np.ndarray]
    sole: np.ndarray
    half: tuple[float, float]


def sample_skeleton(seed: np.random.SeedSequence, config: MorphologyConfig) -> Skeleton:
    """Draw a skeleton; the right side is the mirror image of the left."""
    size = Draw(seed, "size", config.width)
    L = size.log(*config.leg_length)
    order = Draw(seed, "order", config.width)
    chains = _chains(order, config)
    anchors, sole, half = _leg(Draw(seed, "leg", config.width), chains["left_leg"], L, config)
    anchors |= _upper(Draw(seed, "upper", config.width), L, config)
    tilts = _tilts(Draw(seed, "tilt", config.width), config)
    slot, axis = {}, {}
    for limb in LIMBS:
        for k, name in enumerate(chains[limb.replace("right", "left")]):
            link = f"{limb}_{k + 1}"
            slot[link] = name.replace("left", limb.partition("_")[0]) if name.startswith("left") else name
            turned = tilts.get(name, np.eye(3)) @ AXES[SLOT_INDEX[name]]
            axis[link] = turned if not limb.startswith("right") else _mirror_axis(turned)
    for link in [link for link in anchors if link.startswith("left")]:
        anchors[link.replace("left", "right")] = anchors[link] * (1, -1, 1)
    ends = _ends(anchors, sole, L)
    return Skeleton(L, slot, anchors, axis, ends, sole, half)


def _mirror_axis(axis: np.ndarray) -> np.ndarray:
    """Axis of the mirrored joint: roll, pitch and yaw stay +x, +y, +z as the slots demand, tilts flip."""
    flipped = axis * (-1.0, 1.0, -1.0)
    return flipped if flipped @ axis > 0 else -flipped


def _chains(order: Draw, config: MorphologyConfig) -> dict[str, list[str]]:
    """Limb -> slots from the root outwards."""
    hips = _HIPS[order.index(6)] if order.chance(config.permute) else _HIPS[0]
    ankles = ("ankle_roll", "ankle_pitch") if order.chance(config.permute * 0.3) else ("ankle_pitch", "ankle_roll")
    waist = _WAISTS[order.index(6)] if order.chance(config.permute) else _WAISTS[0]
    head = _HEADS[order.index(6)] if order.chance(config.permute) else _HEADS[0]
    arm = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_yaw", "wrist_roll", "wrist_pitch")
    return {
        "left_leg": [f"left_{name}" for name in (*hips, "knee", *ankles)],
        "left_arm": [f"left_{name}" for name in arm],
        "waist": list(waist),
        "head": list(head),
    }


def _leg(
    draw: Draw, chain: list[str], L: float, config: MorphologyConfig
) -> tuple[dict[str, np.ndarray], np.ndarray, tuple[float, float]]:
    """Anchors of the left leg, its sole's centre and half sizes. L is measured along the leg from hip pitch to sole."""
    ankle = draw.uniform(*config.ankle_height) * L
    ratio = draw.uniform(*config.thigh_shank)
    shank = (L - ankle) / (1 + ratio)
    thigh = L - ankle - shank
    spacing = draw.uniform(*config.foot_spacing) * L
    width = min(draw.uniform(*config.foot_width) * L, 0.9 * spacing)  # feet do not overlap
    half = (draw.uniform(*config.foot_length) * L / 2, width / 2)
    inset = draw.uniform(*config.hip_inset) * spacing
    pitch = np.array([draw.uniform(*config.hip_ahead) * L, spacing / 2 - inset, -draw.uniform(*config.hip_drop) * L])
    where = chain.index("left_hip_pitch")
    anchors = {}
    for k in range(3):
        # hips before the pitch axis lie above it and nearer to the middle, those after it on the way to the knee
        rank = where - k
        step = draw.uniform(*config.hip_step) * L * abs(rank)
        inward = draw.uniform(0.0, 0.06) * L * rank
        forward = float(draw.around(config.hip_offset * L, 1)[0])
        lateral = -max(min(inward, pitch[1] - 0.04 * L), -0.05 * L)
        anchors[f"left_leg_{k + 1}"] = pitch + np.array([forward, lateral, step * np.sign(rank)])
    anchors[f"left_leg_{where + 1}"] = pitch
    knee = np.array([pitch[0] + draw.uniform(-0.04, 0.04) * L, spacing / 2, 0.0])
    knee[2] = pitch[2] - np.sqrt(thigh**2 - np.sum((knee - pitch)[:2] ** 2))
    foot = np.array([pitch[0] + draw.uniform(-0.02, 0.02) * L, spacing / 2, 0.0])
    foot[2] = knee[2] - np.sqrt(shank**2 - (foot - knee)[0] ** 2)
    gap = np.array([0.0, 0.0, draw.uniform(0.0, min(0.03 * L, 0.5 * ankle))])
    pitch_first = chain[4] == "left_ankle_pitch"
    anchors["left_leg_4"] = knee
    anchors["left_leg_5"] = foot if pitch_first else foot + gap
    anchors["left_leg_6"] = foot - gap if pitch_first else foot
    return anchors, foot + np.array([draw.uniform(*config.foot_ahead) * L, 0.0, -ankle]), half


def _upper(draw: Draw, L: float, config: MorphologyConfig) -> dict[str, np.ndarray]:
    """Anchors of waist, left arm and head."""

    def step(x: float, y: float, z: float) -> np.ndarray:
        return L * np.array([x, y, z]) * [draw.uniform(*config.placement) for _ in range(3)]

    hip = np.array([draw.uniform(-0.03, 0.05) * L, 0.0, draw.uniform(-0.08, 0.04) * L])
    anchors = {"waist_1": hip + step(0.0, 0.0, 0.05)}
    anchors["waist_2"] = anchors["waist_1"] + step(0.0, 0.0, 0.04)
    anchors["waist_3"] = anchors["waist_2"] + step(0.0, 0.0, 0.04)
    chest = anchors["waist_3"]
    anchors["left_arm_1"] = chest + step(0.0, 0.16, 0.36) + (draw.uniform(-0.04, 0.04) * L, 0.0, 0.0)
    for k, offset in enumerate(((0.0, 0.07, 0.0), (0.0, 0.01, -0.12), (0.01, 0.0, -0.18), (0.0, 0.0, -0.10))):
        anchors[f"left_arm_{k + 2}"] = anchors[f"left_arm_{k + 1}"] + step(*offset)
    anchors["left_arm_6"] = anchors["left_arm_5"] + step(0.0, 0.0, -0.16)
    anchors["left_arm_7"] = anchors["left_arm_6"] + step(0.0, 0.0, -0.02)
    anchors["head_1"] = chest + step(0.0, 0.0, 0.42) + (draw.uniform(-0.03, 0.03) * L, 0.0, 0.0)
    anchors["head_2"] = anchors["head_1"] + step(0.0, 0.0, 0.05)
    anchors["head_3"] = anchors["head_2"] + step(0.0, 0.0, 0.03)
    return anchors


def _tilts(draw: Draw, config: MorphologyConfig) -> dict[str, np.ndarray]:
    """Slot -> rotation of its axis in the canonical pose; the pose stays upright, because frames are not tilted."""
    pair = draw.uniform(-config.hip_tilt, config.hip_tilt) if draw.chance(0.6) else 0.0
    if draw.chance(config.diagonal_hip):
        pair = np.pi / 4 * (1 if draw.chance(0.5) else -1)
    side = draw.uniform(-config.hip_tilt, config.hip_tilt) if draw.chance(0.35) else 0.0
    about = (1.0, 0.0, 0.0) if draw.chance(0.5) else (0.0, 0.0, 1.0)

    def tilt(axis: tuple[int, int, int], most: float) -> np.ndarray:
        return rotation_about(axis, draw.uniform(-most, most) if draw.chance(0.4) else 0.0)

    tilts = {
        "left_hip_roll": rotation_about((0, 1, 0), pair),
        "left_hip_yaw": tilt((1, 0, 0), config.yaw_tilt) @ rotation_about((0, 1, 0), pair),
        "left_hip_pitch": rotation_about(about, side),
        "left_knee": tilt((0, 0, 1), config.knee_tilt),
        "left_ankle_pitch": tilt((1, 0, 0), config.ankle_tilt),
        "left_ankle_roll": tilt((0, 1, 0), config.ankle_tilt) @ tilt((0, 0, 1), config.knee_tilt),
    }
    shoulder = draw.uniform(-config.arm_tilt, config.arm_tilt) if draw.chance(0.6) else 0.0
    tilts["left_shoulder_pitch"] = rotation_about((1, 0, 0), shoulder)
    for name in ("left_shoulder_roll", "left_elbow"):
        tilts[name] = rotation_about((0, 0, 1), draw.uniform(-0.3, 0.3) if draw.chance(0.3) else 0.0)
    return tilts


def _ends(anchors: dict[str, np.ndarray], sole: np.ndarray, L: float) -> dict[str, np.ndarray]:
    """Link -> where its matter ends: at the next joint of the limb, or at the hand, the crown and the sole."""
    ends = {"base": (anchors["waist_1"] + (anchors["left_leg_1"] + anchors["right_leg_1"]) / 2) / 2}
    for link in anchors:
        limb, _, number = link.rpartition("_")
        following = f"{limb}_{int(number) + 1}"
        ends[link] = anchors.get(following, anchors[link])
    for side, mirror in (("left", 1), ("right", -1)):
        ends[f"{side}_leg_6"] = sole * (1, mirror, 1)
        ends[f"{side}_arm_7"] = anchors[f"{side}_arm_7"] - (0, 0, 0.14 * L)
    ends["waist_3"] = (anchors["left_arm_1"] + anchors["right_arm_1"]) / 2
    ends["head_3"] = anchors["head_3"] + (0, 0, 0.16 * L)
    return ends
