"""The pendulum's formulas against its numerical integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim.humanoid.walking.dcm import after, divergent_component, natural_frequency, step_offset

OMEGA = natural_frequency(0.8)


def _swing(com: np.ndarray, velocity: np.ndarray, cop: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Integrate ẍ = ω²(x − p)."""
    fall = lambda t, y: np.concatenate([y[2:], OMEGA**2 * (y[:2] - cop)])  # noqa: E731
    end = solve_ivp(fall, (0.0, time), np.concatenate([com, velocity]), rtol=1e-10, atol=1e-12).y[:, -1]
    return end[:2], end[2:]


def test_dcm_at_the_end_of_a_step_is_the_integrated_one():
    com, velocity, cop = np.array([0.02, -0.05]), np.array([0.3, 0.1]), np.array([0.03, 0.01])
    expected = divergent_component(*_swing(com, velocity, cop, 0.37), OMEGA)
    assert after(divergent_component(com, velocity, OMEGA), cop, OMEGA, 0.37) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("velocity", [(0.0, 0.0), (0.4, 0.0), (-0.2, 0.1)])
def test_stepping_to_the_dcm_minus_the_offset_walks_at_the_wanted_velocity(velocity):
    """Many steps of an integrated pendulum, from a wrong state: the steps become ones of v·T and of width w."""
    period, width, wanted = 0.35, 0.2, np.array(velocity)
    foot, com, speed = np.zeros(2), np.array([0.0, 0.06]), np.array([0.1, 0.0])
    side, feet = 1.0, [foot]
    for _ in range(14):
        com, speed = _swing(com, speed, foot, period)
        foot = divergent_component(com, speed, OMEGA) - step_offset(wanted, width, -side, OMEGA, period)
        side = -side
        feet.append(foot)
    stride = feet[-1] - feet[-3]
    assert stride == pytest.approx(2 * wanted * period, abs=1e-6)
    step = feet[-1] - feet[-2]
    assert abs(step[1] - wanted[1] * period) == pytest.approx(width, abs=1e-6)
