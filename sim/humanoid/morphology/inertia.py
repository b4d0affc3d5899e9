"""Random but possible inertia: the matter of a link is stretched, sheared, shifted and made denser as a whole.

Scaling mass, centre of mass and moments independently leaves the set of possible bodies (a fifth of all links then
break the triangle inequality). An affine map of the matter never does.
Source: Rucker and Wensing 2022 (pseudo-inertia, log-Cholesky); the same parameters as in mjlab's ``dr.pseudo_inertia``.
"""

from __future__ import annotations

import numpy as np

from sim.humanoid.morphology.config import MorphologyConfig
from sim.humanoid.morphology.draw import Draw


def upper(theta: np.ndarray) -> np.ndarray:
    """U(theta), upper triangular with positive diagonal.

    Args:
        theta: (..., 10) alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3; every value is allowed, zero is the identity.

    Returns:
        (..., 4, 4). Matter at x moves to A x + t with A, t the upper blocks before the common factor exp(alpha), which
        makes it exp(2 alpha) times as heavy.
    """
    alpha, d, s, t = theta[..., 0], theta[..., 1:4], theta[..., 4:7], theta[..., 7:10]
    U = np.zeros((*theta.shape[:-1], 4, 4))
    for i in range(3):
        U[..., i, i] = np.exp(d[..., i])
    U[..., 3, 3] = 1.0
    U[..., 0, 1], U[..., 1, 2], U[..., 0, 2] = s[..., 0], s[..., 1], s[..., 2]
    U[..., :3, 3] = t
    return np.exp(alpha)[..., None, None] * U


def transformed(J: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Pseudo-inertias (..., 4, 4) after the change theta (..., 10): U J U'. Positive definite if J is."""
    U = upper(theta)
    return U @ J @ np.swapaxes(U, -1, -2)


def is_possible(J: np.ndarray) -> np.ndarray:
    """(...) bool: whether rigid bodies with pseudo-inertias (..., 4, 4) can exist, that is J is positive definite."""
    smallest = np.linalg.eigvalsh((J + np.swapaxes(J, -1, -2)) / 2)[..., 0]
    return smallest > 0


def sample_theta(draw: Draw, size: float, central: bool, config: MorphologyConfig) -> np.ndarray:
    """(10,) change of one link.

    Args:
        draw: source of randomness.
        size: of the link, m; bounds the shift of its centre of mass.
        central: the link lies on the plane of symmetry, so nothing may lean to a side.
    """
    shift = min(config.shift * size, config.max_shift)
    stretch = [draw.uniform(*config.stretch) for _ in range(3)]
    theta = np.array([draw.uniform(*config.density), *stretch, *draw.around(config.shear), *draw.around(shift)])
    if central:
        theta[[4, 5, 8]] = 0.0
    return theta


def mirrored(J: np.ndarray) -> np.ndarray:
    """Pseudo-inertias (..., 4, 4) of the mirror images of links, whose frames are mirrored too."""
    S = np.diag([1.0, -1.0, 1.0, 1.0])
    return S @ J @ S


def solid(mass: float, centre: np.ndarray, half: np.ndarray) -> np.ndarray:
    """(4, 4) pseudo-inertia of a rounded block.

    Args:
        mass: kg.
        centre: (3,) m, in the link's frame.
        half: (3,) half extents, m. Second moments are between those of a box (m h^2 / 3) and an ellipsoid (m h^2 / 5).
    """
    point = np.array([*centre, 1.0])
    J = mass * np.outer(point, point)
    J[:3, :3] += mass / 4 * np.diag(np.square(half))
    return J
