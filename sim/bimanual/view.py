"""Watch an expert: an MP4 file, or a page in the browser with the moving scene."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np

from assets.atomic import atomic_file
from assets.errors import TwinloomError, require
from sim.bimanual.rollout import Rollout, expert_rollout
from sim.seeding import episode_seed

VIDEO_SIZE = (640, 480)


def view(
    task: str,
    *,
    robot: str,
    seed: int = 0,
    episode: int = 0,
    axes: Sequence[str] = (),
    camera: str = "third",
    video: Path | None = None,
    port: int = 8080,
) -> None:
    """Run one expert episode and show it.

    Args:
        task, robot, seed, episode, axes: which episode, as datagen counts them (first attempt).
        camera: camera of the video.
        video: MP4 file to write; a browser viewer is served on ``port`` if None.

    Raises:
        TwinloomError: no usable scene, ``video`` is not called .mp4, the port is taken, or the extra "viz" is missing.
    """
    if video is None:
        require("viser", "viz")  # before the expert works for nothing
    elif video.suffix.lower() != ".mp4":
        raise TwinloomError(f"--video {video}: the name must end in .mp4, for example {task}.mp4")
    rollout = expert_rollout(task, robot, episode_seed(seed, task, episode), frozenset(axes))
    if not rollout.length:
        raise TwinloomError(f"{task}: {rollout.detail}; try another --episode")
    verdict = "success" if rollout.success else f"failure ({rollout.detail})"
    print(f"{task} on {robot}, seed {seed}, episode {episode}: {verdict}, {rollout.length / 25:.1f} s")
    print(f'"{rollout.instruction}"')
    if video is not None:
        write_video(rollout, camera, video)
        print(f"video  {video}")
    else:
        serve(rollout, port)


def write_video(rollout: Rollout, camera: str, path: Path, fps: int = 25) -> None:
    """Render one camera of a rollout into an H.264 MP4 file. Raises TwinloomError when the disk refuses."""
    import av

    with atomic_file(path) as temporary, av.open(str(temporary), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": "18", "preset": "medium"})
        stream.width, stream.height = VIDEO_SIZE
        stream.pix_fmt = "yuv420p"
        for images in rollout.render([camera], VIDEO_SIZE, "best"):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(images[camera], "rgb24")))
        container.mux(stream.encode())


def serve(rollout: Rollout, port: int) -> None:
    """Play a rollout in the browser until interrupted."""
    viser = require("viser", "viz")
    assert rollout.model is not None
    server = viser.ViserServer(port=port, verbose=False)
    server.scene.set_up_direction("+z")
    server.initial_camera.position = (0.0, 1.6, 1.7)
    server.initial_camera.look_at = (0.0, -0.1, 0.85)
    model, data = rollout.model, mujoco.MjData(rollout.model)
    handles = {geom: _add_geom(server, model, geom) for geom in range(model.ngeom) if model.geom_group[geom] < 3}
    playing = server.gui.add_checkbox("play", True)
    frame = server.gui.add_slider("frame", 0, rollout.length - 1, 1, 0)
    server.gui.add_markdown(f"**{rollout.record['task']}**: {rollout.instruction}")
    print(f"viewer  http://localhost:{server.get_port()}   (Ctrl-C ends it)")
    while True:
        data.qpos[:] = rollout.qpos[int(frame.value)]
        mujoco.mj_kinematics(model, data)
        quat = np.empty(4)
        for geom, handle in handles.items():
            mujoco.mju_mat2Quat(quat, data.geom_xmat[geom])
            handle.position, handle.wxyz = data.geom_xpos[geom].copy(), quat.copy()
        time.sleep(0.04)
        if playing.value:
            frame.value = (int(frame.value) + 1) % rollout.length


def _add_geom(server, model: mujoco.MjModel, geom: int):
    """One geom as a mesh of the page, in its own colour (textures are averaged)."""
    import trimesh

    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    types = mujoco.mjtGeom
    if kind == types.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        v, f = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
        vertices = model.mesh_vert[v : v + model.mesh_vertnum[mesh]]
        faces = model.mesh_face[f : f + model.mesh_facenum[mesh]]
    else:
        shape = {
            types.mjGEOM_BOX: lambda: trimesh.creation.box(2 * size),
            types.mjGEOM_SPHERE: lambda: trimesh.creation.icosphere(2, size[0]),
            types.mjGEOM_CYLINDER: lambda: trimesh.creation.cylinder(size[0], 2 * size[1]),
            types.mjGEOM_CAPSULE: lambda: trimesh.creation.capsule(2 * size[1], size[0]),
            types.mjGEOM_ELLIPSOID: lambda: trimesh.creation.icosphere(2, 1.0).apply_scale(size),
            types.mjGEOM_PLANE: lambda: trimesh.creation.box([2 * size[0], 2 * size[1], 0.002]),
        }[kind]()
        vertices, faces = shape.vertices, shape.faces
    return server.scene.add_mesh_simple(
        f"/geom{geom}", np.asarray(vertices), np.asarray(faces), color=_color(model, geom), flat_shading=False
    )


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
