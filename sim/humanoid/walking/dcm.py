"""The linear inverted pendulum and its divergent component of motion (DCM).

The centre of mass x at constant height z over a centre of pressure p follows ẍ = ω²(x − p), ω = √(g/z). Its unstable
half is ξ = x + ẋ/ω with ξ̇ = ω(ξ − p) (Takenaka et al. 2009; Englsberger et al. 2015). Where the next foot goes depends
on ξ alone.
"""

from __future__ import annotations

from math import exp, sqrt

import numpy as np

from sim.humanoid.walking.body import GRAVITY


def natural_frequency(height: float) -> float:
    """ω = √(g/z), 1/s, for a centre of mass at this height, m."""
    return sqrt(GRAVITY / height)


def divergent_component(com: np.ndarray, velocity: np.ndarray, omega: float) -> np.ndarray:
    """ξ = x + ẋ/ω, of the shape of ``com``, m."""
    return com + velocity / omega


def after(xi: np.ndarray, cop: np.ndarray, omega: float, time: float) -> np.ndarray:
    """ξ after a time with the centre of pressure at rest: p + (ξ − p)·e^{ωt}."""
    return cop + (xi - cop) * exp(omega * time)


def step_offset(velocity: np.ndarray, width: float, side: float, omega: float, period: float) -> np.ndarray:
    """Where ξ lies from the new stance foot at the start of a step of a periodic gait, (2,) m, heading frame.

    From ξ(T) = e^{ωT}·b and one step of v·T forward, or one of alternating ±w to the side (Khadiv et al. 2020):
    b_x = v_x T/(e^{ωT} − 1), b_y = side·w/(e^{ωT} + 1) + v_y T/(e^{ωT} − 1).

    Args:
        velocity: wanted velocity, (2,) m/s.
        width: lateral distance of the feet w, m.
        side: +1 if the other (swing) foot is to the left, -1 if to the right.
        period: time of a step T, s.
    """
    growth = exp(omega * period)
    drift = period / (growth - 1.0)
    return np.array([velocity[0] * drift, velocity[1] * drift + side * width / (growth + 1.0)])
