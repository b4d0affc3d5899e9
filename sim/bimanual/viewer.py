"""A page in the browser that plays a rollout: one coloured mesh per body, moved to where the body was."""

from __future__ import annotations

import contextlib
import io
import socket
import time
from types import ModuleType

import mujoco
import numpy as np

from sim.bimanual.rollout import Rollout
from twinloom.errors import TwinloomError, require

CREASE = 0.6  # radians between faces from which an edge is drawn sharp
HIDDEN = ("wall",)  # names of geoms begin with; they would stand between the scene and whoever looks at it
FLOOR = 1.6  # metres, half the side of the piece of floor that is shown


def require_port(port: int) -> None:
    """Raises TwinloomError if nothing can listen on ``port``."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except (OSError, OverflowError) as error:
            raise TwinloomError(f"port {port} cannot be used ({error}); choose another with --port") from error


def serve(rollout: Rollout, port: int) -> None:
    """Play a rollout in the browser until interrupted. Raises TwinloomError as ``require_port`` does."""
    viser = require("viser", "viz")
    require_port(port)
    assert rollout.model is not None
    model, data = rollout.model, mujoco.MjData(rollout.model)
    with contextlib.redirect_stdout(io.StringIO()):  # it prints boxes and lines of its own
        server = viser.ViserServer(port=port, verbose=False)
    server.scene.set_up_direction("+z")
    server.initial_camera.position, server.initial_camera.look_at = (0.0, 1.15, 1.5), (0.0, -0.2, 0.85)
    mujoco.mj_kinematics(model, data)
    # flat names: poses are the world's, and a slash would make one body the child of another
    handles = {body: server.scene.add_mesh_trimesh(f"/body{body}", mesh) for body, mesh in body_meshes(model).items()}
    playing = server.gui.add_checkbox("play", True)
    frame = server.gui.add_slider("frame", 0, rollout.length - 1, 1, 0)
    server.gui.add_markdown(f"**{rollout.record['task']}**: {rollout.instruction}")
    print(f"viewer  http://localhost:{server.get_port()}   (Ctrl-C ends it)", flush=True)
    try:
        _play(rollout, server, data, handles, playing, frame)
    finally:
        with contextlib.redirect_stdout(io.StringIO()):
            server.stop()


def _play(rollout: Rollout, server, data: mujoco.MjData, handles: dict, playing, frame) -> None:
    period, shown = 1.0 / rollout.record["fps"], -1
    while True:
        due = time.monotonic() + period
        now = int(frame.value)
        if now != shown:
            data.qpos[:] = rollout.qpos[now]
            mujoco.mj_kinematics(rollout.model, data)
            with server.atomic():
                for body, handle in handles.items():
                    handle.position, handle.wxyz = data.xpos[body].copy(), data.xquat[body].copy()
            shown = now
        if playing.value:
            frame.value = (now + 1) % rollout.length
        time.sleep(max(0.0, due - time.monotonic()))


def body_meshes(model: mujoco.MjModel) -> dict[int, object]:
    """Body id to a trimesh of everything seen of it, in the body's frame, coloured by vertex (textures averaged)."""
    trimesh = require("trimesh", "viz")
    parts: dict[int, list] = {}
    for geom in range(model.ngeom):
        if model.geom_group[geom] < 3 and not model.geom(geom).name.startswith(HIDDEN):
            mesh = _shape(trimesh, model, geom)
            T = np.eye(4)
            mujoco.mju_quat2Mat(rotation := np.empty(9), model.geom_quat[geom])
            T[:3, :3], T[:3, 3] = rotation.reshape(3, 3), model.geom_pos[geom]
            mesh.apply_transform(T)
            mesh = trimesh.graph.smooth_shade(mesh, angle=CREASE)
            mesh.visual.vertex_colors = np.tile([*_color(model, geom), 255], (len(mesh.vertices), 1)).astype(np.uint8)
            parts.setdefault(int(model.geom_bodyid[geom]), []).append(mesh)
    return {body: trimesh.util.concatenate(meshes) for body, meshes in parts.items()}


def _shape(trimesh: ModuleType, model: mujoco.MjModel, geom: int):
    """A geom as a trimesh in its own frame."""
    kind, size, types = int(model.geom_type[geom]), model.geom_size[geom], mujoco.mjtGeom
    if kind == types.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        v, f = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
        vertices = model.mesh_vert[v : v + model.mesh_vertnum[mesh]]
        return trimesh.Trimesh(vertices.astype(float), model.mesh_face[f : f + model.mesh_facenum[mesh]])
    make = trimesh.creation
    return {
        types.mjGEOM_BOX: lambda: make.box(2 * size),
        types.mjGEOM_SPHERE: lambda: make.icosphere(2, size[0]),
        types.mjGEOM_CYLINDER: lambda: make.cylinder(size[0], 2 * size[1]),
        types.mjGEOM_CAPSULE: lambda: make.capsule(2 * size[1], size[0]),
        types.mjGEOM_ELLIPSOID: lambda: make.icosphere(2, 1.0).apply_scale(size),
        types.mjGEOM_PLANE: lambda: make.box([2 * FLOOR, 2 * FLOOR, 0.002]),
    }[kind]()


def _color(model: mujoco.MjModel, geom: int) -> tuple[int, int, int]:
    material = int(model.geom_matid[geom])
    if material < 0:
        rgb = model.geom_rgba[geom, :3]
    else:
        rgb = model.mat_rgba[material, :3]
        texture = int(model.mat_texid[material, int(mujoco.mjtTextureRole.mjTEXROLE_RGB)])
        if texture >= 0:
            start, n = int(model.tex_adr[texture]), model.tex_height[texture] * model.tex_width[texture]
            pixels = model.tex_data[start : start + n * model.tex_nchannel[texture]].reshape(n, -1)
            rgb = rgb * pixels[:, :3].mean(0) / 255
    r, g, b = (int(255 * np.clip(c, 0, 1)) for c in rgb)
    return r, g, b
