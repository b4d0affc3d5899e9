"""Random matter is possible matter; independent scaling is not."""

from __future__ import annotations

import numpy as np
import pytest

from assets.robots.humanoid.inertia import mass_com_inertia, pseudo_inertia
from sim.humanoid.morphology.body import draw_body
from sim.humanoid.morphology.config import MorphologyConfig
from sim.humanoid.morphology.inertia import is_possible, mirrored, sample_theta, solid, transformed, upper


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def links(rng: np.random.Generator, count: int) -> np.ndarray:
    half, centre = rng.uniform(0.02, 0.3, (count, 3)), rng.normal(scale=0.1, size=(count, 3))
    return np.array([solid(m, c, h) for m, c, h in zip(rng.uniform(0.1, 10, count), centre, half, strict=True)])


def test_zero_changes_nothing(rng):
    J = links(rng, 20)
    np.testing.assert_allclose(transformed(J, np.zeros((20, 10))), J, atol=1e-12)


def test_mass_and_centre_follow_their_closed_forms(rng):
    J, theta = links(rng, 50), rng.normal(scale=0.3, size=(50, 10))
    mass, com, _ = mass_com_inertia(J)
    new_mass, new_com, _ = mass_com_inertia(transformed(J, theta))
    A = upper(np.concatenate([np.zeros((50, 1)), theta[:, 1:]], axis=1))
    np.testing.assert_allclose(new_mass, np.exp(2 * theta[:, 0]) * mass)
    np.testing.assert_allclose(new_com, np.einsum("nij,nj->ni", A[:, :3, :3], com) + theta[:, 7:], atol=1e-12)


def test_a_hundred_thousand_random_changes_keep_the_triangle_inequality(rng):
    J, theta = links(rng, 100_000), rng.normal(scale=0.5, size=(100_000, 10))
    changed = transformed(J, theta)
    assert is_possible(changed).all()
    moments = np.linalg.eigvalsh(mass_com_inertia(changed)[2])
    assert (moments[:, 0] > 0).all()
    assert (moments[:, 0] + moments[:, 1] >= moments[:, 2] * (1 - 1e-9)).all()


def test_scaling_the_moments_independently_fails_in_more_than_15_percent(rng):
    """The control: what most domain randomisations do, on the links of random bodies."""
    bodies = [
        draw_body(index, 0, 0, MorphologyConfig(density=(0, 0), stretch=(0, 0), shear=0, shift=0)) for index in range(8)
    ]
    J = np.array([link.inertia for body in bodies for link in body.full.links] * 20)
    mass, com, inertia = mass_com_inertia(J)
    moments, axes = np.linalg.eigh(inertia)
    moments = moments * rng.uniform(0.7, 1.35, moments.shape)
    naive = np.einsum("nij,nj,nkj->nik", axes, moments, axes)
    possible = is_possible(np.array([pseudo_inertia(*link) for link in zip(mass, com, naive, strict=True)]))
    assert 0.15 < 1 - possible.mean() < 0.5


def test_a_link_on_the_plane_of_symmetry_stays_its_own_mirror_image():
    from sim.humanoid.morphology.draw import Draw

    draw = Draw(np.random.SeedSequence(3), "inertia", 1.0)
    J = transformed(
        solid(2.0, np.array([0.1, 0.0, 0.2]), np.full(3, 0.1)), sample_theta(draw, 0.2, True, MorphologyConfig())
    )
    np.testing.assert_allclose(mirrored(J), J, atol=1e-15)
