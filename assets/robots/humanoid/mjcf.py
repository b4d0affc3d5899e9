"""MJCF: MuJoCo compiles it; the surfaces are taken from what it compiled."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from assets.robots.humanoid.source import SourceModel, box
from assets.robots.meshes import Triangles
from twinloom.transforms import pose


def open_mjcf(path: Path) -> SourceModel:
    """Read an MJCF file and the meshes it names. Raises ValueError from MuJoCo."""
    spec = mujoco.MjSpec.from_file(str(path))
    for group in (spec.keys, spec.sensors):
        for item in list(group):
            spec.delete(item)
    model = spec.compile()
    return SourceModel(model, _surfaces(model), _contacts(model))


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
