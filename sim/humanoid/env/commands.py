"""What bodies are told, and the clock of their gait (Xue et al. 2026 after HugWBC)."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from sim.humanoid.env.config import REFERENCE, CommandConfig
from sim.humanoid.env.draws import between, uniform
from sim.humanoid.env.population import Population

NAMES = (
    *("velocity_x", "velocity_y", "yaw_rate", "frequency", "phase_offset", "duty", "swing"),
    *("height", "pitch", "waist_yaw", "waist_roll", "waist_pitch", "intervention"),
)
WAIST = slice(9, 12)
WAIST_SLOTS = slice(12, 15)
SMOOTHING = 0.05
"""Standard deviation of the edges of the desired contact, in phase."""
SCALE = np.array([2.0, 2.0, 0.25, 1.0, 1.0, 1.0, 1 / 0.15, 2.0, 0.5, 0.5, 0.5, 0.5, 1.0])
"""Of commands in the observation, behind Froude scaling."""


class Commands:
    """Commands of E environments.

    Attributes:
        values: (E, 13) in the order of NAMES and in physical units of each body.
        standing: (E,) bool.
        phase: (E,) of the gait, in [0, 1).
        ceiling: (2,) factors on the velocity and yaw ranges, which a curriculum raises.
    """

    def __init__(self, bodies: Population, config: CommandConfig, intervention: float) -> None:
        """For these bodies; ``intervention``: share of commands under which arms are not the policy's."""
        count, ratio = len(bodies.mass), bodies.leg_length / REFERENCE
        self.config, self._share = config, intervention
        speed, rate = np.sqrt(ratio), 1 / np.sqrt(ratio)
        self.unit = np.ones((count, len(NAMES)))
        self.unit[:, :2], self.unit[:, 2:4] = speed[:, None], rate[:, None]
        self.unit[:, 6:8] = ratio[:, None]
        self.unit[:, WAIST] = bodies.mask[:, WAIST_SLOTS]  # a waist command without that joint is 0
        self._arms = bodies.mask[:, 15:29].any(axis=1)
        self.values, self.standing = np.zeros((count, len(NAMES))), np.zeros(count, bool)
        self.phase, self.ceiling = np.zeros(count), np.ones(2)

    def draw(self, ids: np.ndarray, key: np.ndarray, step: np.ndarray) -> None:
        """New commands for the environments ``ids``; keys and steps are theirs."""
        c = self.config
        ranges = np.array([c.velocity_x, c.velocity_y, c.yaw_rate, c.frequency, c.swing, c.height, c.pitch])
        ranges[:2] *= self.ceiling[0]
        ranges[2] *= self.ceiling[1]
        u = uniform(key, "command", step, 13)
        drawn = ranges[:, 0] + (ranges[:, 1] - ranges[:, 0]) * u[:, :7]
        values = np.zeros((len(ids), len(NAMES)))
        values[:, :4], values[:, 6:9] = drawn[:, :4], drawn[:, 4:]
        hop = u[:, 7] < c.hop
        values[:, 4], values[:, 5] = np.where(hop, 0.0, 0.5), c.duty
        values[:, WAIST] = c.waist * (2 * u[:, 8:11] - 1)
        values[:, 12] = (u[:, 11] < self._share) & self._arms[ids]
        low, slow = values[:, 7] < -0.15, np.hypot(values[:, 0], values[:, 1]) < c.deadband
        cap = np.where((values[:, 3] > 2.5) | low | hop, 0.2, np.inf)
        values[:, 6] = np.minimum(values[:, 6], cap)
        values[:, 8] = np.minimum(values[:, 8], np.where((values[:, 7] < -0.2) | hop, 0.3, np.inf))
        standing = u[:, 12] < c.standing
        values[slow, :2] = 0.0
        values[standing, :3] = 0.0
        self.values[ids], self.standing[ids] = values * self.unit[ids], standing

    def begin(self, ids: np.ndarray, key: np.ndarray) -> None:
        """Draw where in the cycle episodes begin."""
        self.phase[ids] = between(key, "phase", 0, 0.0, 1.0, 1)[:, 0]

    def advance(self, dt: float) -> None:
        """Let the clocks run for ``dt`` s."""
        self.phase[:] = (self.phase + dt * self.values[:, 3]) % 1.0

    def feet(self) -> np.ndarray:
        """(E, 2) phase of the left and the right foot, warped: stance in [0, 0.5), swing in [0.5, 1)."""
        raw = np.stack([self.phase + self.values[:, 4], self.phase], axis=1) % 1.0
        duty = self.values[:, 5:6]
        warped = np.where(raw < duty, 0.5 * raw / duty, 0.5 + 0.5 * (raw - duty) / (1 - duty))
        return np.where(self.standing[:, None], 0.0, warped)

    def contact(self, feet: np.ndarray) -> np.ndarray:
        """(E, 2) desired contact in [0, 1] of warped phases; 1 when standing."""
        edges = ndtr((feet[..., None] - np.array([0.0, 0.5, 1.0, 1.5])) / SMOOTHING)
        smooth = edges[..., 0] * (1 - edges[..., 1]) + edges[..., 2] * (1 - edges[..., 3])
        return np.where(self.standing[:, None], 1.0, smooth)

    def observation(self, feet: np.ndarray) -> np.ndarray:
        """(E, 15) dimensionless commands and the clock."""
        scaled = self.values / np.where(self.unit == 0.0, 1.0, self.unit) * SCALE
        return np.concatenate([scaled, np.sin(2 * np.pi * feet)], axis=1)
