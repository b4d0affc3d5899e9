"""From a compiled MuJoCo model to a LinkTree: weld what has no slot, merge what cannot move, keep the rest."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from assets.robots.humanoid.inertia import moved, principal
from assets.robots.humanoid.record import Fixes
from assets.robots.humanoid.tree import Hinge, Link, LinkTree
from twinloom.errors import InvalidSettingsError
from twinloom.transforms import inverse, matrix_to_quat, pose, yaw_quat

Triangles = tuple[np.ndarray, np.ndarray]  # (V, 3) metres, (F, 3) int


@dataclass(frozen=True)
class Read:
    """What a model file gives.

    Attributes:
        tree: without feet, signs and offsets.
        meshes: surfaces of each link, by its name, in its frame; boxes of the source count as surfaces.
    """

    tree: LinkTree
    meshes: dict[str, list[Triangles]]


def read_tree(
    name: str, model: mujoco.MjModel, slots: dict[str, str], fixes: Fixes, velocities: dict[str, float]
) -> Read:
    """Reduce a compiled model to one link per slot.

    Args:
        name: of the robot.
        model: with a free joint at the base or none.
        slots: slot -> joint of the source.
        fixes: corrections of the source.
        velocities: joint -> largest speed, rad/s, where the format of ``model`` cannot say it.

    Raises:
        InvalidSettingsError: joints that are missing, share a body, or have no effort or limits.
    """
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
        hinge = _hinge(model, kept[body], joint_slot, fixes, velocities, problems)
        place = tuple(local[:3, 3].tolist())
        links.append(Link(label, order.index(parent), place, matrix_to_quat(local[:3, :3]), np.asarray(inertia), hinge))
    if problems:
        raise InvalidSettingsError(name, problems)
    return Read(LinkTree(name, tuple(links)), _surfaces(model, data, owner, frames))


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
    low, high = fixes.range.get(slot, tuple(model.jnt_range[k].tolist()) if model.jnt_limited[k] else (0.0, 0.0))
    if not effort:
        problems.append(f"{name}: the model names no effort; give fix.effort.{slot}")
    if not low < high:
        problems.append(f"{name}: the model names no limits; give fix.range.{slot}")
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


_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
_FACES = np.array([triangle for a, b, c, d in _QUADS for triangle in ((a, b, c), (a, c, d))])


def _surfaces(
    model: mujoco.MjModel, data: mujoco.MjData, owner: dict[int, int], frames: dict[int, np.ndarray]
) -> dict[str, list[Triangles]]:
    """Triangles of all meshes and boxes per link, in the link's frame; the same mesh in the same place counts once."""
    found: dict[str, list[Triangles]] = {model.body(body).name: [] for body in frames}
    seen = set()
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g])
        kind = mujoco.mjtGeom(int(model.geom_type[g]))
        if body == 0 or kind not in (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_BOX):
            continue
        mesh = int(model.geom_dataid[g])
        key = (body, mesh, *np.round(model.geom_pos[g], 6), *np.round(model.geom_size[g], 6))
        if key in seen:
            continue
        seen.add(key)
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            at, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            vertices = model.mesh_vert[at : at + count].astype(float)
            at, count = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
            faces = model.mesh_face[at : at + count]
        else:
            vertices, faces = _CORNERS * model.geom_size[g], _FACES
        link = owner[body]
        T = inverse(frames[link]) @ pose(data.xpos[body], data.xmat[body].reshape(3, 3))
        T = T @ pose(model.geom_pos[g], model.geom_quat[g])
        found[model.body(link).name].append((vertices @ T[:3, :3].T + T[:3, 3], faces.copy()))
    return found
