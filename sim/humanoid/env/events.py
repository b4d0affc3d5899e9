"""What happens to bodies: the state at the beginning, domain randomisation, pushes, arms that others move."""

from __future__ import annotations

import numpy as np

from sim.humanoid.env.config import REFERENCE, EventConfig
from sim.humanoid.env.draws import between, uniform
from sim.humanoid.env.population import Population
from sim.humanoid.env.rewards import ARMS


class Events:
    """Of E environments.

    Attributes:
        drawn: (E, 4) friction, gain, strength and base-mass factors of the running episodes.
        late: (E,) bool, whether actions come one control step late.
        arms: (E, 32) slot offsets (rad) that others ask of the arms; arms_on: (E,) bool.
    """

    def __init__(self, bodies: Population, config: EventConfig) -> None:
        """For these bodies."""
        self._bodies, self.config = bodies, config
        count, model = len(bodies.mass), bodies.model
        self._ratio = np.sqrt(bodies.leg_length / REFERENCE)

        def nominal(name: str) -> np.ndarray:
            own = bodies.fields.get(name)
            return np.repeat(getattr(model, name)[None], count, axis=0) if own is None else own.copy()

        names = ("geom_friction", "actuator_gainprm", "actuator_biasprm", "actuator_forcerange")
        self._nominal = {name: nominal(name) for name in (*names, "body_mass", "body_inertia", "body_ipos")}
        self.drawn, self.late = np.ones((count, 4)), np.zeros(count, bool)
        self.arms, self.arms_on = np.zeros((count, 32)), np.zeros(count, bool)

    def fields(self, ids: np.ndarray, key: np.ndarray) -> dict[str, np.ndarray]:
        """Draw the models of new episodes: name -> (len(ids), ...)."""
        c, u = self.config, uniform(key, "model", 0, 7)
        ranges = np.array([c.friction, c.gain, c.strength, c.mass])
        self.drawn[ids] = drawn = ranges[:, 0] + (ranges[:, 1] - ranges[:, 0]) * u[:, :4]
        self.late[ids] = u[:, 4] < c.late
        out = {name: values[ids] for name, values in self._nominal.items()}
        out["geom_friction"][..., 0] *= drawn[:, None, 0]
        out["actuator_gainprm"] *= drawn[:, 1, None, None]
        out["actuator_biasprm"] *= drawn[:, 1, None, None]
        out["actuator_forcerange"] *= drawn[:, 2, None, None]
        out["body_mass"][:, 1] *= drawn[:, 3]
        out["body_inertia"][:, 1] *= drawn[:, 3, None]
        out["body_ipos"][:, 1, :2] += c.centre * (2 * u[:, 5:7] - 1)
        return out

    def start(self, ids: np.ndarray, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Draw states of new episodes, (len(ids), nq) and (len(ids), nv)."""
        c, b = self.config, self._bodies
        joints = b.model.nu
        there = np.take_along_axis(b.mask, b.slot, axis=1)[ids]
        qpos, qvel = b.qpos[ids].copy(), np.zeros((len(ids), b.model.nv))
        qpos[:, 7:] += c.joints * there * (2 * uniform(key, "pose", 0, joints) - 1)
        qpos[:, 2] += 0.02 * b.leg_length[ids]
        qvel[:, 6:] = c.joint_speed * there * (2 * uniform(key, "speed", 0, joints) - 1)
        qvel[:, :2] = between(key, "drift", 0, -c.root_speed, c.root_speed, 2) * self._ratio[ids, None]
        self.arms[ids], self.arms_on[ids] = 0.0, False
        return qpos, qvel

    def pushes(self, key: np.ndarray, step: np.ndarray, dt: float, scale: float) -> np.ndarray | None:
        """(E, 6) change of the base's velocities; None in a step without any."""
        c = self.config
        due = (step % max(round(c.push_interval / dt), 1) == 0) & (step > 0)
        if not due.any() or not (c.push or c.push_turn):
            return None
        u = (2 * uniform(key, "push", step, 5) - 1) * (due * scale)[:, None]
        change = np.zeros((len(key), 6))
        change[:, :2], change[:, 3:] = c.push * self._ratio[:, None] * u[:, :2], c.push_turn * u[:, 2:]
        return change

    def intervene(self, target: np.ndarray, flag: np.ndarray, key: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Targets (E, 32) with the arms of flagged environments where others want them."""
        c = self.config
        if not flag.any():
            return target
        new = (step % c.intervention_steps == 0) & flag
        if new.any():
            self.arms[new, ARMS] = c.intervention_size * (2 * uniform(key[new], "arms", step[new], 14) - 1)
        self.arms_on ^= uniform(key, "switch", step, 1)[:, 0] < c.intervention_switch
        self.arms_on[new & (step == 0)] = True
        taken = (flag & self.arms_on)[:, None] & self._bodies.mask
        taken[:, : ARMS.start] = taken[:, ARMS.stop :] = False
        return np.where(taken, self._bodies.default + self.arms, target)
