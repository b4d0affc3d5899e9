"""What rewards and terminations read: the state of all worlds in the canonical slots, computed once a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.robots.humanoid.recipe import RECIPE
from sim.humanoid.env.backends import Backend
from sim.humanoid.env.population import Population


@dataclass
class State:
    """E worlds.

    Attributes:
        up: (E, 3) direction against gravity in the frame of the base.
        velocity: (E, 3) of the base in its frame, m/s; angular: (E, 3) likewise, rad/s.
        height: (E,) of the base's origin, m.
        q, qd: (E, 32) slot positions (rad) and velocities; torque: (E, 32) N m; absent slots are 0.
        foot_height: (E, 2) of the soles over the floor, m; foot_speed: (E, 2, 3) m/s.
        foot_place: (E, 2, 2) x and y of the soles in the level frame of the base, m.
        force: (E, 2, 3) of the floor on the soles, N.
        finite: (E,) bool, whether the world is still a world.
    """

    up: np.ndarray
    velocity: np.ndarray
    angular: np.ndarray
    height: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    torque: np.ndarray
    foot_height: np.ndarray
    foot_speed: np.ndarray
    foot_place: np.ndarray
    force: np.ndarray
    finite: np.ndarray


class Slots:
    """Moves values between joints (E, J) and slots (E, 32)."""

    def __init__(self, bodies: Population) -> None:
        """For these bodies."""
        self._bodies = bodies
        count = len(bodies.slot)
        self._flat = bodies.slot + 32 * np.arange(count)[:, None]
        self._sign = bodies.sign * np.take_along_axis(bodies.mask, bodies.slot, axis=1)
        self._shift = self._sign * bodies.offset
        self._inverse = bodies.sign

    def rates(self, values: np.ndarray) -> np.ndarray:
        """(E, J) velocities or torques as (E, 32)."""
        out = np.zeros((len(values), 32))
        out.ravel()[self._flat] = self._sign * values
        return out

    def positions(self, q: np.ndarray) -> np.ndarray:
        """(E, J) positions as (E, 32)."""
        out = np.zeros((len(q), 32))
        out.ravel()[self._flat] = self._sign * q - self._shift
        return out

    def joints(self, slots: np.ndarray) -> np.ndarray:
        """(E, 32) slot positions as (E, J) joint positions."""
        return self._inverse * slots.ravel()[self._flat] + self._bodies.offset


def rotation(quat: np.ndarray) -> np.ndarray:
    """(E, 3, 3) matrices of (E, 4) quaternions wxyz."""
    w, x, y, z = quat.T
    rows = (
        *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack(rows, axis=1).reshape(-1, 3, 3)


def read(backend: Backend, slots: Slots, substitute: np.ndarray) -> State:
    """State of all worlds; those that diverged are shown as standing, (E, nq) ``substitute``, and marked."""
    qpos, qvel, sensed, torque = backend.qpos, backend.qvel, backend.sensordata, backend.actuator_force
    finite = np.isfinite(qpos).all(axis=1) & np.isfinite(qvel).all(axis=1) & (np.abs(qvel) < 1e4).all(axis=1)
    if not finite.all():
        keep = finite[:, None]
        qpos, qvel = np.where(keep, qpos, substitute), np.where(keep, qvel, 0.0)
        sensed, torque = np.where(keep, sensed, 0.0), np.where(keep, torque, 0.0)
    R = rotation(qpos[:, 3:7])
    place, speed = sensed[:, :6].reshape(-1, 2, 3), sensed[:, 6:12].reshape(-1, 2, 3)
    away = place[..., :2] - qpos[:, None, :2]
    length = np.hypot(R[:, 0, 0], R[:, 1, 0]) + 1e-9
    c, s = (R[:, 0, 0] / length)[:, None], (R[:, 1, 0] / length)[:, None]
    level = np.stack([c * away[..., 0] + s * away[..., 1], c * away[..., 1] - s * away[..., 0]], axis=2)
    return State(
        up=R[:, 2],
        velocity=(qvel[:, None, :3] @ R)[:, 0],
        angular=qvel[:, 3:6].copy(),
        height=qpos[:, 2].copy(),
        q=slots.positions(qpos[:, 7:]),
        qd=slots.rates(qvel[:, 6:]),
        torque=slots.rates(torque),
        foot_height=place[..., 2] - RECIPE.sole,
        foot_speed=speed,
        foot_place=level,
        force=np.abs(sensed[:, 12:18].reshape(-1, 2, 3)),
        finite=finite,
    )
