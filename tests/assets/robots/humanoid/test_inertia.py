"""Pseudo-inertia against the textbook's parallel axis theorem."""

from __future__ import annotations

import numpy as np

from assets.robots.humanoid.inertia import mass_com_inertia, moved, pseudo_inertia
from twinloom.transforms import pose, rotation_about


def random_body(rng: np.random.Generator) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and inertia of a cloud of points, which is possible by construction."""
    points, masses = rng.normal(size=(20, 3)), rng.uniform(0.1, 1.0, 20)
    com = masses @ points / masses.sum()
    arms = points - com
    inertia = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True))
    return masses.sum(), com, inertia


def test_round_trip():
    mass, com, inertia = random_body(np.random.default_rng(0))
    again = mass_com_inertia(pseudo_inertia(mass, com, inertia))
    for got, wanted in zip(again, (mass, com, inertia), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-12)


def test_moving_and_adding_is_steiner():
    rng = np.random.default_rng(1)
    (m1, c1, I1), (m2, c2, I2) = random_body(rng), random_body(rng)
    T = pose(rng.normal(size=3), rotation_about(rng.normal(size=3), 1.3))
    mass, com, inertia = mass_com_inertia(pseudo_inertia(m1, c1, I1) + moved(pseudo_inertia(m2, c2, I2), T))
    R, c2 = T[:3, :3], T[:3, :3] @ c2 + T[:3, 3]
    expected = np.zeros((3, 3))
    for m, c, about in ((m1, c1, I1), (m2, c2, R @ I2 @ R.T)):
        arm = c - com
        expected += about + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    assert np.isclose(mass, m1 + m2)
    np.testing.assert_allclose(com, (m1 * c1 + m2 * c2) / mass)
    np.testing.assert_allclose(inertia, expected, atol=1e-12)
