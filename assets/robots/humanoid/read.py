"""From a compiled MuJoCo model to a LinkTree: weld what has no slot, merge what cannot move, keep the rest."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from assets.robots.humanoid.inertia import moved, principal
from assets.robots.humanoid.record import Fixes
from assets.robots.humanoid.source import SourceModel
from assets.robots.humanoid.tree import Hinge, Link, LinkTree
from assets.robots.meshes import Triangles
from twinloom.errors import InvalidSettingsError
from twinloom.transforms import inverse, matrix_to_quat, pose, yaw_quat


@dataclass(frozen=True)
class Read:
    """What a model file gives.

    Attributes:
        tree: without feet, signs and offsets.
        meshes: surfaces of each link, by its name, in its frame; boxes of the source count as surfaces.
        points: (N, 3) points of surfaces and of collision shapes of each link, by its name, in its frame.
    """

    tree: LinkTree
    meshes: dict[str, list[Triangles]]
    points: dict[str, np.ndarray]


def read_tree(name: str, source: SourceModel, slots: dict[str, str], fixes: Fixes, strict: bool = True) -> Read:
    """Reduce a compiled model to one link per slot.

    Args:
        name: of the robot.
        source: opened file.
        slots: slot -> joint of the source.
        fixes: corrections of the source.
        strict: efforts and limits must be known.

    Raises:
        InvalidSettingsError: joints that are missing, share a body, or have no effort or limits.
    """
    model = source.model
    joint_slot = {joint: slot for slot, joint in slots.items()}
    hinges = [k for k in range(model.njnt) if model.jnt_type[k] == mujoco.mjtJoint.mjJNT_HINGE]
    known = {model.joint(k).name: k for k in hinges}
    problems = [f"slot {slot}: there is no hinge {joint}" for slot, joint in slots.items() if joint not in known]
    kept = {int(model.jnt_bodyid[k]): k for joint, k in known.items() if joint in joint_slot}
    if len(kept) + len(problems) < len(slots):
        problems.append("two joints of slots move the same body")
    if problems:
        raise InvalidSettingsError(name, problems)

    data = _at_zero(model, fixes.weld)
    base = _base(model, kept)
    turn = pose(rotation=yaw_quat(fixes.turn))
    frames: dict[int, np.ndarray] = {base: _frame(data.xpos[base], data.xmat[base]) @ turn}
    frames |= {body: _frame(data.xanchor[k], data.xmat[body]) for body, k in kept.items()}
    order = sorted(frames)
    owner = _owners(model, frames)
    links = []
    for body in order:
        inertia = sum(
            moved(_inertia(model, part), inverse(frames[body]) @ _frame(data.xpos[part], data.xmat[part]))
            for part, link in owner.items()
            if link == body
        )
        label = model.body(body).name
        if body == base:
            links.append(Link(label, -1, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), np.asarray(inertia)))
            continue
        parent = owner[int(model.body_parentid[body])]
        local = inverse(frames[parent]) @ frames[body]
        hinge = _hinge(model, kept[body], joint_slot, fixes, source.velocities, problems)
        place = tuple(local[:3, 3].tolist())
        links.append(Link(label, order.index(parent), place, matrix_to_quat(local[:3, :3]), np.asarray(inertia), hinge))
    if problems and strict:
        raise InvalidSettingsError(name, problems)
    meshes, points = _surfaces(source, data, owner, frames)
    return Read(LinkTree(name, tuple(links)), meshes, points)


def _at_zero(model: mujoco.MjModel, weld: dict[str, float]) -> mujoco.MjData:
    """Every hinge at zero (a model's ``ref`` is not), joints to be welded where they will stay."""
    data = mujoco.MjData(model)
    for k in range(model.njnt):
        if model.jnt_type[k] != mujoco.mjtJoint.mjJNT_FREE:
            data.qpos[model.jnt_qposadr[k]] = weld.get(model.joint(k).name, 0.0)
        else:
            data.qpos[model.jnt_qposadr[k] : model.jnt_qposadr[k] + 7] = (0, 0, 0, 1, 0, 0, 0)
    mujoco.mj_kinematics(model, data)
    return data


def _base(model: mujoco.MjModel, kept: dict[int, int]) -> int:
    """The body that all kept joints hang from."""
    chains = []
    for body in kept:
        chain, at = [], int(model.body_parentid[body])
        while at > 0:
            chain.append(at)
            at = int(model.body_parentid[at])
        chains.append(chain)
    common = set(chains[0]).intersection(*chains[1:])
    return max(common)


def _owners(model: mujoco.MjModel, frames: dict[int, np.ndarray]) -> dict[int, int]:
    """Body -> body of the link it is merged into. Bodies above or beside the base's chain count to the base."""
    base = min(frames)
    owner: dict[int, int] = {}
    for body in range(1, model.nbody):
        parent = int(model.body_parentid[body])
        owner[body] = body if body in frames else owner.get(parent, base)
    return owner


def _inertia(model: mujoco.MjModel, body: int) -> np.ndarray:
    return principal(
        float(model.body_mass[body]), model.body_ipos[body], model.body_inertia[body], model.body_iquat[body]
    )


def _frame(position: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return pose(position, matrix.reshape(3, 3))


def _hinge(
    model: mujoco.MjModel,
    k: int,
    joint_slot: dict[str, str],
    fixes: Fixes,
    velocities: dict[str, float],
    problems: list[str],
) -> Hinge:
    name, dof = model.joint(k).name, int(model.jnt_dofadr[k])
    slot = joint_slot[name]
    effort = fixes.effort.get(slot, _effort(model, k))
    low, high = model.jnt_range[k].tolist() if model.jnt_limited[k] else (0.0, 0.0)
    if slot in fixes.limits:
        low, high = -np.pi, np.pi  # until signs and offsets are known
    if not effort and not fixes.strength:
        problems.append(f"{name}: the model names no effort; give fix.effort.{slot}")
    if not low < high:
        problems.append(f"{name}: the model names no limits; give fix.limits.{slot}")
    return Hinge(
        name=name,
        slot=slot,
        axis=tuple((model.jnt_axis[k] / np.linalg.norm(model.jnt_axis[k])).tolist()),
        range=(low, high),
        effort=float(effort),
        velocity=velocities.get(name, 20.0),
        armature=float(model.dof_armature[dof]),
        frictionloss=float(model.dof_frictionloss[dof]),
    )


def _effort(model: mujoco.MjModel, k: int) -> float:
    """Largest torque of a joint: the least of the joint's, the actuators' and the motor commands' limits; 0 if none."""
    limits = [float(model.jnt_actfrcrange[k].max())] if model.jnt_actfrclimited[k] else []
    for a in range(model.nu):
        if model.actuator_trntype[a] != mujoco.mjtTrn.mjTRN_JOINT or model.actuator_trnid[a, 0] != k:
            continue
        gear = abs(float(model.actuator_gear[a, 0]))
        if model.actuator_forcelimited[a]:
            limits.append(gear * float(np.abs(model.actuator_forcerange[a]).max()))
        elif model.actuator_ctrllimited[a] and model.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_NONE:
            limits.append(gear * abs(float(model.actuator_gainprm[a, 0])) * float(model.actuator_ctrlrange[a].max()))
    return min((limit for limit in limits if limit > 0), default=0.0)


def _surfaces(
    source: SourceModel, data: mujoco.MjData, owner: dict[int, int], frames: dict[int, np.ndarray]
) -> tuple[dict[str, list[Triangles]], dict[str, np.ndarray]]:
    """Surfaces, and points of surfaces and collision shapes, of every link in its frame, by its name."""
    meshes: dict[str, list[Triangles]] = {}
    points: dict[str, list[np.ndarray]] = {}
    for name in sorted(source.surfaces.keys() | source.contacts.keys()):
        body = mujoco.mj_name2id(source.model, mujoco.mjtObj.mjOBJ_BODY, name)
        if body < 1:
            continue
        link = source.model.body(owner[body]).name
        T = inverse(frames[owner[body]]) @ _frame(data.xpos[body], data.xmat[body])
        here = [(v @ T[:3, :3].T + T[:3, 3], faces) for v, faces in source.surfaces.get(name, [])]
        meshes.setdefault(link, []).extend(here)
        felt = source.contacts.get(name, np.zeros((0, 3))) @ T[:3, :3].T + T[:3, 3]
        points.setdefault(link, []).extend([*(v for v, _ in here), felt])
    return meshes, {link: np.concatenate(found) for link, found in points.items()}
