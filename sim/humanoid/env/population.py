"""Bodies as arrays: one model, the fields in which worlds differ, and every constant in the 32 canonical slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import mujoco
import numpy as np

from assets.robots.humanoid.humanoid import Humanoid
from assets.robots.humanoid.slots import SIDES
from sim.humanoid.morphology.body import Body
from sim.humanoid.morphology.template import FIELDS, default_qpos, template_model, template_slots, template_spec


@dataclass(frozen=True, eq=False)
class Population:
    """B bodies. Joint arrays are (B, J) in the model's order, slot arrays (B, 32), absent slots 0.

    Attributes:
        model: of all bodies, with the sensors of ``add_sensors``.
        fields: name -> (B, ...) of the model's fields that differ; empty where all bodies are the same.
        slot, sign, offset: as in Humanoid.
        mask: bool.
        default, scale, lower, upper: slot positions, rad.
        effort, kp: N m, N m / rad; speed: largest joint velocity, rad/s.
        qpos: (B, nq) standing.
        leg_length, mass, spacing, base_height, ankle_height: (B,) m, kg.
    """

    model: mujoco.MjModel
    fields: dict[str, np.ndarray]
    slot: np.ndarray
    sign: np.ndarray
    offset: np.ndarray
    mask: np.ndarray
    default: np.ndarray
    scale: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    effort: np.ndarray
    kp: np.ndarray
    speed: np.ndarray
    qpos: np.ndarray
    leg_length: np.ndarray
    mass: np.ndarray
    spacing: np.ndarray
    base_height: np.ndarray
    ankle_height: np.ndarray

    def take(self, members: np.ndarray) -> Population:
        """The bodies of these indices, (E,), which may repeat."""
        parts = {one.name: getattr(self, one.name) for one in fields(self)}
        arrays = {name: value[members] for name, value in parts.items() if isinstance(value, np.ndarray)}
        per_world = {name: value[members] for name, value in self.fields.items()}
        return Population(**{**parts, **arrays, "fields": per_world})


def add_sensors(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """Compile with what rewards need of the feet: place (3), velocity (3) and the floor's force (3) of each sole.

    A world that diverges is left as it is (no automatic reset), so that it is seen.
    """
    kinds, geom = mujoco.mjtSensor, mujoco.mjtObj.mjOBJ_GEOM
    for kind in (kinds.mjSENS_FRAMEPOS, kinds.mjSENS_FRAMELINVEL):
        for side in SIDES:
            spec.add_sensor(name=f"{side}_{kind.name}", type=kind, objtype=geom, objname=f"{side}_sole")
    for side in SIDES:
        sensor = spec.add_sensor(name=f"{side}_force", type=kinds.mjSENS_CONTACT, objtype=geom, objname=f"{side}_sole")
        sensor.reftype, sensor.refname = geom, "floor"
        sensor.intprm[:3] = (
            1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE),
            3,
            1,
        )  # the net force, in one row
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    return spec.compile()


def real_population(humanoid: Humanoid) -> Population:
    """One robot."""
    return _population(add_sensors(humanoid.spec()), {}, [humanoid], [humanoid.slot], [humanoid.default_qpos])


def random_population(bodies: Sequence[Body]) -> Population:
    """Random bodies on the template of 32 joints."""
    model = add_sensors(template_spec(bodies[0]))
    models = [template_model(body) for body in bodies]
    per_world = {name: np.stack([getattr(one, name) for one in models]) for name in FIELDS}
    slots, qpos = [template_slots(body) for body in bodies], [default_qpos(body) for body in bodies]
    return _population(model, per_world, [body.humanoid for body in bodies], slots, qpos)


def _population(
    model: mujoco.MjModel,
    per_world: dict[str, np.ndarray],
    humanoids: Sequence[Humanoid],
    slots: Sequence[np.ndarray],
    qpos: Sequence[np.ndarray],
) -> Population:
    def in_slots(name: str) -> np.ndarray:
        out = np.zeros((len(humanoids), 32))
        for row, one in zip(out, humanoids, strict=True):
            row[one.slot] = getattr(one, name)
        return out

    sign = in_slots("sign")
    low, high = (np.stack([one.to_slots(getattr(one, name)) for one in humanoids]) for name in ("lower", "upper"))
    offset = in_slots("offset")
    slot = np.stack(slots)

    def by_joint(values: np.ndarray) -> np.ndarray:
        return np.take_along_axis(values, slot, axis=1)

    def each(name: str) -> np.ndarray:
        return np.array([getattr(one, name) for one in humanoids])

    return Population(
        model=model,
        fields=per_world,
        slot=slot,
        sign=by_joint(sign),
        offset=by_joint(offset),
        mask=each("mask"),
        default=np.stack([one.to_slots(one.default_pose) for one in humanoids]),
        scale=in_slots("action_scale"),
        lower=np.minimum(low, high),
        upper=np.maximum(low, high),
        effort=in_slots("effort"),
        kp=in_slots("kp"),
        speed=in_slots("velocity_limit"),
        qpos=np.stack(qpos),
        leg_length=each("leg_length"),
        mass=each("mass"),
        spacing=each("foot_spacing"),
        base_height=each("base_height"),
        ankle_height=each("ankle_height"),
    )
