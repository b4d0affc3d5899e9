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


def require_viewer(port: int) -> None:
    """Raises TwinloomError, in one line, if there can be no viewer on ``port``."""
    require("viser", "viz")
    require_port(port)


class Page:
    """A page with one scene.

    Args:
        model: the scene.
        port: where it is served.
        text: Markdown beside it.

    Raises:
        TwinloomError: see require_viewer.
    """

    def __init__(self, model: mujoco.MjModel, port: int, text: str) -> None:
        viser = require("viser", "viz")
        require_port(port)
        self.model = model
        with contextlib.redirect_stdout(io.StringIO()):  # it prints boxes and lines of its own
            self.server = viser.ViserServer(port=port, verbose=False)
        scene, camera = self.server.scene, self.server.initial_camera
        scene.set_up_direction("+z")
        camera.position, camera.look_at = (0.0, 1.15, 1.5), (0.0, -0.2, 0.85)
        # flat names: poses are the world's, and a slash would make one body the child of another
        self._handles = {
            body: scene.add_mesh_trimesh(f"/body{body}", mesh) for body, mesh in body_meshes(model).items()
        }
        self.server.gui.add_markdown(text)
        print(f"viewer  http://localhost:{self.server.get_port()}   (Ctrl-C ends it)", flush=True)

    def show(self, data: mujoco.MjData) -> None:
        """Move every body to where it is in a state with poses."""
        with self.server.atomic():
            for body, handle in self._handles.items():
                handle.position, handle.wxyz = data.xpos[body].copy(), data.xquat[body].copy()

    def close(self) -> None:
        """End it."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()


def serve(rollout: Rollout, port: int) -> None:
    """Play a rollout in the browser until interrupted. Raises TwinloomError as ``require_viewer`` does."""
    assert rollout.model is not None
    page = Page(rollout.model, port, f"**{rollout.record['task']}**: {rollout.instruction}")
    playing = page.server.gui.add_checkbox("play", True)
    frame = page.server.gui.add_slider("frame", 0, rollout.length - 1, 1, 0)
    try:
        _play(rollout, page, playing, frame)
    finally:
        page.close()


def _play(rollout: Rollout, page: Page, playing, frame) -> None:
    period, shown, data = 1.0 / rollout.record["fps"], -1, mujoco.MjData(page.model)
    while True:
        due = time.monotonic() + period
        now = int(frame.value)
        if now != shown:
            data.qpos[:] = rollout.qpos[now]
            mujoco.mj_kinematics(page.model, data)
            page.show(data)
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
    types = mujoco.mjtGeom
    kind, size = types(model.geom_type[geom]), model.geom_size[geom]
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
