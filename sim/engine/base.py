"""What a physics engine must offer. The compiled ``MjModel`` is the scene of every engine, whoever computes its motion.

An engine mirrors the state it has reached into an ``MjData`` of that model: positions, velocities and the poses of all
bodies. Whoever reads the state (arms, objects, renderers) reads it there, so none of them knows the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    import mujoco


class DivergedError(Exception):
    """The numbers of a simulation ran away, for example because objects were pressed into each other."""


@dataclass(frozen=True)
class Contacts:
    """Contacts of a state, all in world coordinates.

    Attributes:
        bodies: (N, 2) body ids.
        positions: (N, 3) metres.
        normals: (N, 3) unit vectors from the first body to the second.
        distances: (N,) metres of gap; negative where they interpenetrate.
    """

    bodies: np.ndarray
    positions: np.ndarray
    normals: np.ndarray
    distances: np.ndarray


class Engine(Protocol):
    """One scene in motion.

    Attributes:
        model: the scene.
        data: mirror of the state reached; to be read only.
    """

    model: mujoco.MjModel
    data: mujoco.MjData

    def reset(self, qpos: np.ndarray, ctrl: np.ndarray) -> None:
        """Stand still at positions (nq,), servos at targets (nu,), clock at zero."""
        ...

    def start_clock(self) -> None:
        """Call the present moment zero, and work out forces and contacts of the present state."""
        ...

    def step(self, ctrl: np.ndarray) -> None:
        """Advance by k time steps of the model with the servo targets (k, nu).

        Raises:
            DivergedError: the numbers ran away; only a reset helps.
        """
        ...

    def contacts(self) -> Contacts:
        """Contacts of the last time step. The arrays are copies."""
        ...

    def contact_forces(self) -> np.ndarray:
        """(N,) normal forces of the same contacts in the same order, newtons."""
        ...
