"""What the walking controller knows of a body: its own model and a handful of measures taken from it once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import mujoco

GRAVITY = 9.81
"""Acceleration of gravity, m/s²."""


@dataclass(frozen=True, eq=False)
class WalkingBody:
    """A biped with position actuators and two flat soles; left is always the first of two.

    Attributes:
        model: the compiled model; its first joint is the free joint of the base.
        base: id of the base body.
        feet: ids of the bodies that carry the soles.
        sole_offset: centres of the soles in the frames of those bodies, (2, 3) m.
        sole_rotation: rotations from the sole frames (x forward, z up when flat) to the body frames, (2, 3, 3).
        sole_half: half length and half width of a sole, (2,) m.
        qpos_default: standing pose, (nq,); the soles touch the floor at z = 0.
        qpos_index: where in qpos the position of each actuated joint lies, (nu,).
        dof_index: where in qvel its velocity lies, (nu,).
        kp: stiffness of the actuators, (nu,) N·m/rad.
        kd: damping of the actuators, (nu,) N·m·s/rad.
        effort: torque limits of the actuators, (nu,) N·m.
        is_leg: which actuators belong to the legs, (nu,) bool.
        ankle_effort: torque limits of ankle pitch and ankle roll, N·m; 0 for a roll joint that is missing.
        leg_length: hip to sole with straight legs, m.
        com_height: centre of mass over the soles in the standing pose, m.
        stance_width: lateral distance of the sole centres in the standing pose, m.
    """

    model: mujoco.MjModel
    base: int
    feet: tuple[int, int]
    sole_offset: np.ndarray
    sole_rotation: np.ndarray
    sole_half: np.ndarray
    qpos_default: np.ndarray
    qpos_index: np.ndarray
    dof_index: np.ndarray
    kp: np.ndarray
    kd: np.ndarray
    effort: np.ndarray
    is_leg: np.ndarray
    ankle_effort: tuple[float, float]
    leg_length: float
    com_height: float
    stance_width: float

    @cached_property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(self.model.body_subtreemass[self.base])

    @cached_property
    def time_unit(self) -> float:
        """√(L/g), s: times that are given in it suit every size."""
        return float(np.sqrt(self.leg_length / GRAVITY))

    @cached_property
    def speed_unit(self) -> float:
        """√(gL), m/s: a speed divided by it is a Froude number."""
        return float(np.sqrt(self.leg_length * GRAVITY))

    @cached_property
    def weight(self) -> float:
        """M·g, N."""
        return self.mass * GRAVITY

    @cached_property
    def default_targets(self) -> np.ndarray:
        """Joint positions of the standing pose in actuator order, (nu,) rad."""
        return self.qpos_default[self.qpos_index]

    def sole(self, data: mujoco.MjData, side: int) -> tuple[np.ndarray, np.ndarray]:
        """Centre (3,) m and rotation (3, 3) of a sole in the world."""
        foot = self.feet[side]
        rotation = data.xmat[foot].reshape(3, 3)
        return data.xpos[foot] + rotation @ self.sole_offset[side], rotation @ self.sole_rotation[side]
