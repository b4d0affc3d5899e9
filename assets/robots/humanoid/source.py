"""Opening a source model, MJCF or URDF: a compiled model for the kinematics, and the surfaces of its bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

from assets.robots.humanoid.record import HumanoidRecord
from assets.robots.meshes import Triangles
from twinloom.errors import TwinloomError
from twinloom.transforms import pose


@dataclass(frozen=True)
class SourceModel:
    """What a model file gives.

    Attributes:
        model: compiled; with or without a free joint at the base.
        surfaces: body -> meshes and boxes in its frame.
        contacts: body -> points (N, 3) on its collision shapes in its frame.
        velocities: joint -> largest speed, rad/s, where the format says so.
    """

    model: mujoco.MjModel
    surfaces: dict[str, list[Triangles]]
    contacts: dict[str, np.ndarray] = field(default_factory=dict)
    velocities: dict[str, float] = field(default_factory=dict)


def load_source(record: HumanoidRecord, root: Path) -> SourceModel:
    """Read the model of a record, whose wheel is unpacked below ``root``.

    Raises:
        TwinloomError: the file is missing or MuJoCo cannot read it.
    """
    path = root / record.source.model if record.source else record.file
    if path is None or not path.is_file():
        raise TwinloomError(f"model {path} of {record.name} does not exist")
    return open_model(path)


def open_model(path: Path) -> SourceModel:
    """Read an MJCF or URDF file. Raises TwinloomError when MuJoCo cannot."""
    from assets.robots.humanoid.urdf import open_urdf

    try:
        return open_urdf(path) if path.suffix.lower() == ".urdf" else _open_mjcf(path)
    except ValueError as error:
        raise TwinloomError(f"{path.name}: {' '.join(str(error).split())}") from error


def _open_mjcf(path: Path) -> SourceModel:
    spec = mujoco.MjSpec.from_file(str(path))
    for group in (spec.keys, spec.sensors):
        for item in list(group):
            spec.delete(item)
    model = spec.compile()
    return SourceModel(model, _surfaces(model), _contacts(model))


_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
_FACES = np.array([triangle for a, b, c, d in _QUADS for triangle in ((a, b, c), (a, c, d))])


def box(half: np.ndarray) -> Triangles:
    """Surface of a box with half extents (3,), m."""
    return _CORNERS * half, _FACES


def _surfaces(model: mujoco.MjModel) -> dict[str, list[Triangles]]:
    """Triangles of all meshes and boxes; the same mesh in the same place counts once."""
    found: dict[str, list[Triangles]] = {}
    seen = set()
    for g in range(model.ngeom):
        kind = mujoco.mjtGeom(int(model.geom_type[g]))
        body = int(model.geom_bodyid[g])
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
            faces = model.mesh_face[at : at + count].copy()
        else:
            vertices, faces = box(model.geom_size[g])
        T = pose(model.geom_pos[g], model.geom_quat[g])
        found.setdefault(model.body(body).name, []).append((vertices @ T[:3, :3].T + T[:3, 3], faces))
    return found


def _contacts(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Outermost points of the spheres and capsules that collide; meshes and boxes are surfaces already."""
    found: dict[str, list[np.ndarray]] = {}
    for g in range(model.ngeom):
        kind = mujoco.mjtGeom(int(model.geom_type[g]))
        if not (model.geom_contype[g] | model.geom_conaffinity[g]) or model.geom_bodyid[g] == 0:
            continue
        radius, half = float(model.geom_size[g, 0]), float(model.geom_size[g, 1])
        if kind not in (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE):
            continue
        half = half if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0.0
        T = pose(model.geom_pos[g], model.geom_quat[g])
        ends = T[:3, 3] + np.array([[-1.0], [1.0]]) * half * T[:3, 2]
        ball = radius * np.concatenate([np.eye(3), -np.eye(3)])
        points = (ends[:, None] + ball).reshape(-1, 3)
        found.setdefault(model.body(int(model.geom_bodyid[g])).name, []).append(points)
    return {name: np.concatenate(points) for name, points in found.items()}
