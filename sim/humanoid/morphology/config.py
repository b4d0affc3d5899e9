"""Ranges of the random bodies, in units of the leg length L, the mass M and the torque M g L: they fit every size."""

from __future__ import annotations

from dataclasses import dataclass

Range = tuple[float, float]


@dataclass(frozen=True)
class MorphologyConfig:
    """What is drawn, and from where. ``log`` marks what is uniform in its logarithm.

    What is drawn follows Xue et al. 2026 (arXiv 2602.05791); the numbers are our own, wide enough to cover the real
    robots from 16 to 90 kg (docs/humanoid/bodies.md has the comparison).

    Attributes:
        width: 1 is the full range, 0 the middle body; a curriculum may widen it.
        leg_length: L, hip to sole, m (log).
        mass: factor on 78 kg (L / 1 m)^1.9, the trend of real humanoids (log).
        thigh_shank: ratio of thigh and shank.
        ankle_height, foot_length, foot_width, foot_ahead: per L; the last is the sole's centre ahead of the ankle.
        foot_spacing: distance of the feet per L.
        hip_ahead, hip_drop: of the hip's pitch joint, ahead of and below the base's origin, per L.
        hip_step, hip_offset: between two hip joints along the leg, and how far forward or backward at most, per L.
        hip_inset: how far the hip's pitch joint is inside the foot, per foot_spacing.
        placement: factor on each component of a joint's place in its parent.
        hip_tilt, arm_tilt: largest tilt of the hip's roll-yaw pair and pitch axis, and of arm axes, rad.
        yaw_tilt, knee_tilt, ankle_tilt: largest tilt of the hip's yaw axis sideways, of the knee's axis about the
            vertical, and of the ankle's axes, rad.
        diagonal_hip: probability of a roll-yaw pair at 45 degrees.
        permute: probability that the order of hip axes (any of six), ankle, waist and head is not the middle body's.
        joint_group: probability that a group of joints (waist, shoulders, elbows, wrists, head) can move at all.
        part_of_group: probability that only some joints of the waist, wrists or head do.
        legs_only, no_arms: probabilities of a biped without moving upper body, and of one without arms.
        no_ankle_roll: probability of an ankle without roll.
        group_mass: factor on the masses of trunk, arms and head (log); leg_mass: of the legs.
        density: exp(2 alpha) is the factor on a link's mass: range of alpha; stretch: of the d_i; shear: of the s_ij.
        shift: of the centre of mass, per size of the link, at most max_shift metres.
        range_factor: on joint limits; knee_factor: on the knee's flexion.
        knee_effort, ankle_effort: per M g L (log). effort: further factor on each joint's (log).
        gain: factor on the servo gains (log).
        velocity: of joints, rad/s.
        armature: per M L^2 (log).
    """

    width: float = 1.0
    leg_length: Range = (0.45, 1.01)
    mass: Range = (0.62, 1.75)
    thigh_shank: Range = (0.75, 1.35)
    ankle_height: Range = (0.05, 0.16)
    foot_length: Range = (0.21, 0.52)
    foot_width: Range = (0.09, 0.23)
    foot_ahead: Range = (-0.03, 0.09)
    foot_spacing: Range = (0.20, 0.68)
    hip_ahead: Range = (-0.12, 0.12)
    hip_drop: Range = (0.0, 0.35)
    hip_step: Range = (0.02, 0.12)
    hip_offset: float = 0.12
    hip_inset: Range = (-0.05, 0.32)
    placement: Range = (0.8, 1.2)
    hip_tilt: float = 0.55
    yaw_tilt: float = 0.35
    knee_tilt: float = 0.12
    ankle_tilt: float = 0.3
    arm_tilt: float = 0.55
    diagonal_hip: float = 0.15
    permute: float = 0.8
    joint_group: float = 0.75
    part_of_group: float = 0.5
    legs_only: float = 0.08
    no_arms: float = 0.08
    no_ankle_roll: float = 0.12
    group_mass: Range = (0.65, 1.55)
    leg_mass: Range = (0.65, 3.2)
    density: Range = (-0.288, 0.300)
    stretch: Range = (-0.357, 0.300)
    shear: float = 0.12
    shift: float = 0.3
    max_shift: float = 0.02
    range_factor: Range = (0.8, 1.0)
    knee_factor: Range = (0.8, 1.3)
    knee_effort: Range = (0.20, 0.75)
    ankle_effort: Range = (0.05, 0.50)
    effort: Range = (1 / 1.5, 1.5)
    gain: Range = (1 / 1.5, 1.5)
    velocity: Range = (9.0, 20.0)
    armature: Range = (0.0004, 0.006)
