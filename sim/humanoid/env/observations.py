"""What a robot has (history, command, mask) and what only a critic may see. All 32 slots, absent ones 0."""

from __future__ import annotations

import numpy as np

from assets.robots.humanoid.recipe import GRAVITY
from sim.humanoid.env.draws import uniform
from sim.humanoid.env.population import Population
from sim.humanoid.env.state import State

HISTORY = 5
FRAME = 3 + 3 + 3 * 32
"""Angular velocity, direction of gravity, positions, velocities, last action."""
CLIP = 100.0
NOISE = np.concatenate([np.full(3, 0.2 * 0.25), np.full(3, 0.05), np.full(32, 0.01), np.full(32, 1.5 * 0.05)])
"""Half widths of the uniform noise on a frame, scaled as the frame is; actions have none."""
PRIVILEGED = 3 + 1 + 6 + 2 + 4 + 4 * 32 + 2
"""Velocity and height of the base, forces and heights of the soles, what the events drew, constants of the body."""


def frame(state: State, bodies: Population, action: np.ndarray, key: np.ndarray, step: np.ndarray, noise: float):
    """(E, FRAME) one step of history; ``noise`` is a factor."""
    moved = (state.q - bodies.default) * bodies.mask
    sensed = np.concatenate([0.25 * state.angular, -state.up, moved, 0.05 * state.qd], axis=1)
    if noise:
        error = noise * NOISE * (2 * uniform(key, "noise", step, len(NOISE)) - 1)
        error[:, 6:] *= np.tile(bodies.mask, 2)
        sensed += error
    return np.concatenate([sensed, action], axis=1)


def constants(bodies: Population) -> np.ndarray:
    """(E, 4 * 32 + 2) strength, stiffness and limits of joints, leg length and mass."""
    torque = (bodies.mass * GRAVITY * bodies.leg_length)[:, None]
    parts = [bodies.effort / torque, bodies.kp / torque, bodies.lower * bodies.mask, bodies.upper * bodies.mask]
    return np.concatenate([*parts, bodies.leg_length[:, None], bodies.mass[:, None] / 100], axis=1)


def privileged(state: State, bodies: Population, drawn: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    """(E, PRIVILEGED) of the critic; ``drawn``: (E, 4) what the events changed, ``fixed``: ``constants``."""
    speed = np.sqrt(GRAVITY * bodies.leg_length)[:, None]
    length, weight = bodies.leg_length[:, None], (bodies.mass * GRAVITY)[:, None]
    feet = state.force.reshape(-1, 6) / weight
    parts = [state.velocity / speed, state.height[:, None] / length, feet, state.foot_height / length, drawn, fixed]
    return np.concatenate(parts, axis=1)
