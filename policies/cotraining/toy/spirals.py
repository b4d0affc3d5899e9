"""Data of the toy model: a map from a sheet to a spiral in two domains, one of them shifted and sparsely sampled.

Inputs are (x1, x2, z): x1 = 2u - 1 runs along the spiral, x2 does not matter, z tells the domains apart: 1 in the
source and 1 + ``gap`` in the target. Outputs are the spiral, in the target moved by SHIFT. So ``gap`` alone decides how
far the domains lie from each other in the network's input, and a network that copies the source is off by SHIFT.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SHIFT = 3.0
"""Of both coordinates of the target's spiral: copying the source costs 9 per coordinate."""
NOISE = 0.3
"""Standard deviation of all outputs."""
COVERED = 0.8
"""Part of the spiral on which there are target samples."""
SOURCE, TARGET = 1, 0
"""Domain labels; 0 is what a policy is for."""


@dataclass(frozen=True)
class Samples:
    """Inputs (N, 3), outputs (N, 2), and the place u along the spiral (N,)."""

    inputs: np.ndarray
    outputs: np.ndarray
    u: np.ndarray


def spiral(u: np.ndarray) -> np.ndarray:
    """(N, 2) points at places u in [0, 1] of an Archimedean spiral with radius 4.7 to 14.1."""
    angle = 1.5 * np.pi * (1 + 2 * u)
    return angle[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def sample(domain: int, count: int, gap: float, rng: np.random.Generator, covered: float = 1.0) -> Samples:
    """Draw samples of a domain, u uniform in [0, ``covered``]."""
    u, across = rng.uniform(0.0, covered, count), rng.uniform(-1.0, 1.0, count)
    z = np.full(count, 1.0 + (gap if domain == TARGET else 0.0))
    shift = SHIFT if domain == TARGET else 0.0
    outputs = spiral(u) + shift + rng.normal(0.0, NOISE, (count, 2))
    return Samples(np.column_stack([2 * u - 1, across, z]).astype(np.float32), outputs.astype(np.float32), u)
