"""Whole-body inverse dynamics: accelerations and contact wrenches at once, by equality-constrained least squares.

Minimise Σ wᵢ‖Jᵢq̈ − aᵢ‖² + Σ vⱼ‖fⱼ − f̂ⱼ‖² over the accelerations q̈ and the contact wrenches f, subject to
 * the equation of motion of the base, which nothing drives: M_b q̈ + h_b = Σ J_bᵀ f;
 * contacts that do not move: J_c q̈ + J̇_c q̇ = −2c·v_c.
Joint torques follow from the other rows of the equation of motion (Herzog et al. 2016). Unilateral contact and friction
are left to the reference wrenches: without inequalities one symmetric system answers, and every body has an answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import get_lapack_funcs

from sim.humanoid.walking.state import BodyState

(gesv,) = get_lapack_funcs(("gesv",), dtype=np.float64)  # solve() itself costs more than the system
REGULARISATION = 1e-6
"""On every acceleration, times L²: directions that no task asks for stay at rest."""
SOFTENING = 1e-8
"""On the constraints: a singular stance (straight knees) keeps a solution."""


@dataclass(frozen=True)
class Task:
    """One row block of the least squares: weight ‖jacobian·q̈ − acceleration‖², (k, nv) and (k,)."""

    jacobian: np.ndarray
    acceleration: np.ndarray
    weight: float


@dataclass(frozen=True)
class Contact:
    """A sole on the floor, in its own axes.

    Attributes:
        jacobian: (r, nv) of the directions it holds.
        acceleration: that these are to have, J·q̈ = acceleration, (r,).
        wrench: reference forces and moments, (r,) N and N·m.
        weights: on the distance from them, (r,).
    """

    jacobian: np.ndarray
    acceleration: np.ndarray
    wrench: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Solution:
    """Accelerations (nv,), contact wrenches (r,) each, and forces of all joints (nv,), of which the base's are 0."""

    acceleration: np.ndarray
    wrenches: tuple[np.ndarray, ...]
    force: np.ndarray


def solve(
    state: BodyState,
    tasks: list[Task],
    contacts: list[Contact],
    posture: tuple[np.ndarray, np.ndarray],
) -> Solution:
    """The accelerations, wrenches and torques of this control step.

    Args:
        posture: weights and wanted accelerations of the actuated joints, (nu,) each, in the order of the actuators.
    """
    body, M, h = state.body, state.mass_matrix, state.bias
    dofs, scale = body.model.nv, body.weight
    unknowns = dofs + sum(len(contact.wrench) for contact in contacts)
    size = unknowns + 6 + (unknowns - dofs)
    system, right = np.zeros((size, size)), np.zeros(size)

    jacobian = np.concatenate([task.jacobian for task in tasks])
    weights = np.concatenate([np.full(len(task.acceleration), task.weight) for task in tasks])
    weighted = jacobian.T * weights
    system[:dofs, :dofs] = weighted @ jacobian
    right[:dofs] = weighted @ np.concatenate([task.acceleration for task in tasks])
    diagonal = system.reshape(-1)[:: size + 1]
    diagonal[:dofs] += REGULARISATION * body.leg_length**2
    diagonal[body.dof_index] += posture[0]
    right[body.dof_index] += posture[0] * posture[1]

    # Wrenches are unknowns in units of the weight, and so are the rows of the base: one scale for the whole system.
    system[unknowns : unknowns + 6, :dofs] = M[:6] / scale
    right[unknowns : unknowns + 6] = -h[:6] / scale
    column, row = dofs, unknowns + 6
    for contact in contacts:
        rank = len(contact.wrench)
        f, c = slice(column, column + rank), slice(row, row + rank)
        diagonal[f] = contact.weights * scale**2
        right[f] = contact.weights * contact.wrench * scale
        system[unknowns : unknowns + 6, f] = -contact.jacobian[:, :6].T
        system[c, :dofs] = contact.jacobian
        right[c] = contact.acceleration
        column, row = column + rank, row + rank
    system[:unknowns, unknowns:] = system[unknowns:, :unknowns].T
    diagonal[unknowns:] = -SOFTENING
    answer = gesv(system.T, right, overwrite_a=True, overwrite_b=True)[
        2
    ]  # symmetric: its transpose is in LAPACK's order

    acceleration = answer[:dofs]
    force, wrenches, column = M @ acceleration + h, [], dofs
    for contact in contacts:
        wrench = answer[column : column + len(contact.wrench)] * scale
        force -= contact.jacobian.T @ wrench
        wrenches.append(wrench)
        column += len(wrench)
    return Solution(acceleration, tuple(wrenches), force)
