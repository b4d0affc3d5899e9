"""Pseudo-inertia: a rigid body's mass, centre of mass and inertia as one 4x4 matrix that is easy to move and to add.

J = [[Sigma, h], [h', m]] with first moment h = m c and second moment Sigma = integral of x x' dm. A body can exist
exactly if J is positive definite. Source: Wensing, Kim, Slotine 2018; Rucker and Wensing 2022.
"""

from __future__ import annotations

import numpy as np

from twinloom.transforms import quat_to_matrix


def pseudo_inertia(mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """(4, 4) pseudo-inertia about the origin of the frame in which the arguments are given.

    Args:
        mass: kg.
        com: (3,) centre of mass, m.
        inertia: (3, 3) about the centre of mass, kg m^2.
    """
    J = np.zeros((4, 4))
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    J[:3, :3] = second + mass * np.outer(com, com)
    J[:3, 3] = J[3, :3] = mass * np.asarray(com)
    J[3, 3] = mass
    return J


def principal(mass: float, com: np.ndarray, moments: np.ndarray, quat: np.ndarray) -> np.ndarray:
    """(4, 4) pseudo-inertia from principal moments (3,) and the wxyz quaternion of their axes, as MuJoCo keeps them."""
    R = quat_to_matrix(quat)
    return pseudo_inertia(mass, com, R @ np.diag(moments) @ R.T)


def moved(J: np.ndarray, T: np.ndarray) -> np.ndarray:
    """The same matter described in another frame; ``T`` (4, 4) takes old coordinates to new ones. Batches broadcast."""
    return T @ J @ np.swapaxes(T, -1, -2)


def mass_com_inertia(J: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass (...), centre of mass (..., 3) and inertia about it (..., 3, 3) of pseudo-inertias (..., 4, 4)."""
    mass = J[..., 3, 3]
    com = J[..., :3, 3] / mass[..., None]
    second = J[..., :3, :3] - mass[..., None, None] * com[..., :, None] * com[..., None, :]
    trace = np.trace(second, axis1=-2, axis2=-1)
    return mass, com, trace[..., None, None] * np.eye(3) - second
