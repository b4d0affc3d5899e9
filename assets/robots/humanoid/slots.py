"""The canonical joint space: 32 slots with a meaning, an axis and a mirror image, the same for every humanoid.

Frame: x forward, y left, z up. Canonical zero: upright, legs straight, arms hanging with straight elbows. In it roll
axes are +x, pitch axes (also knee and elbow) +y and yaw axes +z on *both* sides, so that hip flexion is negative, knee
flexion positive and elbow flexion negative. ``shoulder_yaw`` is the twist of the upper arm, ``wrist_yaw`` that of the
forearm.

Source: Xue et al. 2026 (arXiv 2602.05791) for the number of slots and their regions; names and order are ours.
"""

from __future__ import annotations

import numpy as np

LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
WAIST = ("waist_yaw", "waist_roll", "waist_pitch")
ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_yaw", "wrist_roll", "wrist_pitch")
HEAD = ("head_yaw", "head_roll", "head_pitch")
SIDES = ("left", "right")

SLOTS: tuple[str, ...] = (
    *(f"{side}_{joint}" for side in SIDES for joint in LEG),
    *WAIST,
    *(f"{side}_{joint}" for side in SIDES for joint in ARM),
    *HEAD,
)
NUM_SLOTS = len(SLOTS)
SLOT_INDEX: dict[str, int] = {name: index for index, name in enumerate(SLOTS)}
LEG_SLOTS = np.arange(12)


def role(slot: str) -> str:
    """The slot without its side: "left_knee" is a "knee"."""
    return slot.removeprefix("left_").removeprefix("right_")


def region(slot: str) -> str:
    """ "left_leg", "right_leg", "waist", "left_arm", "right_arm" or "head"."""
    if role(slot) in WAIST:
        return "waist"
    if role(slot) in HEAD:
        return "head"
    return f"{slot.partition('_')[0]}_{'leg' if role(slot) in LEG else 'arm'}"


def _axis(slot: str) -> tuple[float, float, float]:
    kind = slot.rpartition("_")[2]
    return {"roll": (1.0, 0.0, 0.0), "yaw": (0.0, 0.0, 1.0)}.get(kind, (0.0, 1.0, 0.0))


def _mirrored(slot: str) -> str:
    side, _, joint = slot.partition("_")
    return f"{SIDES[1 - SIDES.index(side)]}_{joint}" if side in SIDES else slot


AXES = np.array([_axis(slot) for slot in SLOTS])
"""(32, 3) axis of each slot in the base frame, in the canonical zero pose."""

MIRROR_INDEX = np.array([SLOT_INDEX[_mirrored(slot)] for slot in SLOTS])
"""(32,) the slot that each slot becomes when left and right are exchanged."""

MIRROR_SIGN = np.where(AXES[:, 1] == 1.0, 1.0, -1.0)
"""(32,) rotations about y keep their sign under y -> -y, those about x and z lose it."""


def mirror_slots(values: np.ndarray) -> np.ndarray:
    """Exchange left and right of values in slots (..., 32): positions, velocities, torques or actions."""
    return values[..., MIRROR_INDEX] * MIRROR_SIGN


def mirror_mask(mask: np.ndarray) -> np.ndarray:
    """Exchange left and right of a mask (..., 32)."""
    return mask[..., MIRROR_INDEX]


def mirror_vector(vector: np.ndarray) -> np.ndarray:
    """Mirror image of vectors (..., 3) such as velocities and gravity: y changes its sign."""
    return vector * np.array([1.0, -1.0, 1.0])


def mirror_rotation(omega: np.ndarray) -> np.ndarray:
    """Mirror image of angular velocities or torques (..., 3): x and z change their sign."""
    return omega * np.array([-1.0, 1.0, -1.0])
