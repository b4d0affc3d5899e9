"""Limits, torques, speeds, rotor inertias of a random body's joints, and which joints it has at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.robots.humanoid.recipe import GRAVITY
from assets.robots.humanoid.slots import ARM, HEAD, LEG, SLOTS, WAIST, role
from sim.humanoid.morphology.config import MorphologyConfig, Range
from sim.humanoid.morphology.draw import Draw

# rad in slots, of the left side; mirrored for roll and yaw on the right
_LIMITS: dict[str, Range] = {
    "hip_pitch": (-2.4, 1.6),
    "hip_roll": (-0.5, 1.3),
    "hip_yaw": (-1.1, 1.1),
    "knee": (-0.05, 2.2),
    "ankle_pitch": (-0.95, 0.6),
    "ankle_roll": (-0.45, 0.45),
    "waist_yaw": (-2.2, 2.2),
    "waist_roll": (-0.45, 0.45),
    "waist_pitch": (-0.5, 0.9),
    "shoulder_pitch": (-3.0, 1.6),
    "shoulder_roll": (-0.35, 2.6),
    "shoulder_yaw": (-2.0, 2.0),
    "elbow": (-2.4, 0.3),
    "wrist_yaw": (-1.9, 1.9),
    "wrist_roll": (-1.0, 1.0),
    "wrist_pitch": (-1.0, 1.0),
    "head_yaw": (-1.4, 1.4),
    "head_roll": (-0.5, 0.5),
    "head_pitch": (-0.4, 0.9),
}
# effort of a joint, as a share of the knee's, of the ankle's ("ankle_roll"), or of M g L ("shoulder" and beyond)
_SHARE: dict[str, Range] = {
    "hip_pitch": (0.6, 1.3),
    "hip_roll": (0.5, 1.2),
    "hip_yaw": (0.3, 1.0),
    "waist_yaw": (0.3, 1.0),
    "waist_roll": (0.4, 1.1),
    "waist_pitch": (0.4, 1.1),
    "ankle_roll": (0.4, 1.0),
    "shoulder_pitch": (0.06, 0.16),
    "shoulder_roll": (0.06, 0.16),
    "shoulder_yaw": (0.04, 0.13),
    "elbow": (0.05, 0.16),
    "wrist_yaw": (0.012, 0.06),
    "wrist_roll": (0.012, 0.05),
    "wrist_pitch": (0.012, 0.05),
    "head_yaw": (0.012, 0.06),
    "head_roll": (0.012, 0.06),
    "head_pitch": (0.012, 0.06),
}


@dataclass(frozen=True)
class Drive:
    """Of one joint: range in rad, effort in N m, velocity in rad/s, armature in kg m^2."""

    range: Range
    effort: float
    velocity: float
    armature: float


def sample_drives(
    seed: np.random.SeedSequence, leg_length: float, mass: float, config: MorphologyConfig
) -> dict[str, Drive]:
    """Slot -> drive; left and right are alike."""
    limits, efforts = Draw(seed, "limits", config.width), Draw(seed, "effort", config.width)
    weight = mass * GRAVITY * leg_length
    knee = efforts.log(*config.knee_effort) * weight
    ankle = efforts.log(*config.ankle_effort) * weight
    rotor = efforts.log(*config.armature) * mass * leg_length**2
    velocity = efforts.uniform(*config.velocity)
    drives: dict[str, Drive] = {}
    for name in (*LEG, *WAIST, *ARM, *HEAD):
        if name == "knee":
            effort = knee
        elif name == "ankle_pitch":
            effort = ankle
        else:
            base = ankle if name == "ankle_roll" else knee if name in (*LEG, *WAIST) else weight
            effort = base * efforts.uniform(*_SHARE[name]) * efforts.log(*config.effort)
        low, high = _LIMITS[name]
        low *= limits.uniform(*config.range_factor)
        high *= limits.uniform(*(config.knee_factor if name == "knee" else config.range_factor))
        armature = rotor * (1.0 if name in (*LEG, *WAIST) else 0.3)
        drives[name] = Drive((low, high), effort, velocity, armature)
    return {slot: _on_side(slot, drives[role(slot)]) for slot in SLOTS}


def _on_side(slot: str, drive: Drive) -> Drive:
    if not slot.startswith("right_") or not slot.endswith(("roll", "yaw")):
        return drive
    return Drive((-drive.range[1], -drive.range[0]), drive.effort, drive.velocity, drive.armature)


def sample_presence(seed: np.random.SeedSequence, config: MorphologyConfig) -> tuple[frozenset[str], bool]:
    """The slots that exist, and whether the body has arms and a head at all."""
    draw = Draw(seed, "joints", config.width)
    legs_only, armless = draw.chance(config.legs_only), draw.chance(config.no_arms)
    legs = [name for name in LEG if name != "ankle_roll" or not draw.chance(config.no_ankle_roll)]
    names = list(legs)
    shoulder, wrist = ARM[:3], ARM[4:]
    for group, partial in ((WAIST, True), (shoulder, False), (("elbow",), False), (wrist, True), (HEAD, True)):
        missing = draw.chance((1 - config.joint_group) / max(config.width, 1e-9)) if config.width else False
        chosen = list(group)
        if partial and draw.chance(config.part_of_group):
            keep = {draw.index(len(group)) for _ in range(2)}
            chosen = [name for k, name in enumerate(group) if k in keep]
        gone = missing or (legs_only) or (armless and group not in (WAIST,))
        names += [] if gone else chosen
    return frozenset(slot for slot in SLOTS if role(slot) in names), not (armless or legs_only)
