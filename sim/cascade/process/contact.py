"""Complex contagion: contact rates that are not proportional to the number of infectious neighbours."""

from __future__ import annotations

import math

import numpy as np

from sim.cascade.compile import kernel
from sim.cascade.process.models import CONTACTS, Model
from sim.cascade.process.rng import TRAIT, philox, philox_numpy, uniform, uniform_numpy

LINEAR, THRESHOLD, POWER = range(len(CONTACTS))


@kernel
def rate(kind, beta, pressure, degree, theta, eps, power):
    """Rate of the contact step of a node.

    Args:
        kind: LINEAR (beta J), THRESHOLD (beta J sigma((J/k - theta)/eps), sigma the logistic function) or POWER
            (beta J**power).
        beta: contact rate.
        pressure: J, the sum of weights and outgoing factors over infectious in-neighbours.
        degree: k, number of in-neighbours.
        theta: threshold of the node.
        eps, power: see `sim.cascade.process.models.Model`.
    """
    if pressure <= 0.0:
        return 0.0
    if kind == POWER:
        return beta * pressure**power
    if kind == THRESHOLD:
        return beta * pressure / (1.0 + math.exp((theta - pressure / degree) / eps))
    return beta * pressure


@kernel
def threshold_of(node, low, high, k0, k1):
    """Threshold of a node: uniform from low to high, the same in a whole episode."""
    return low + (high - low) * uniform(philox(node, 0, TRAIT, 0, k0, k1)[0])


def thresholds(model: Model, n: int, key: np.ndarray) -> np.ndarray:
    """`threshold_of` for all nodes; ``key`` uint32 [R, 2], returns float64 [R, n]."""
    low, high = model.theta
    words = philox_numpy(np.arange(n)[None, :], 0, TRAIT, 0, key[:, :1], key[:, 1:])
    return low + (high - low) * uniform_numpy(words[..., 0])
