"""When an episode ends before its time. Only soles collide, so a fall is seen by tilt and height."""

from __future__ import annotations

import numpy as np

from sim.humanoid.env.population import Population
from sim.humanoid.env.state import State

PITCH, ROLL = 1.0, 0.8
"""rad."""
LOWEST = 0.4
"""Part of the standing height of the base."""


def fallen(state: State, bodies: Population) -> np.ndarray:
    """(E,) bool."""
    x, y, z = state.up.T
    pitch, roll = np.arctan2(-x, np.hypot(y, z)), np.arctan2(y, z)
    return (np.abs(pitch) > PITCH) | (np.abs(roll) > ROLL) | (state.height < LOWEST * bodies.base_height)
