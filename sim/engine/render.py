"""Images of simulation states: one renderer per model, one image per camera and state."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from sim.engine.gl import RenderMode, open_renderer, render_mode


class StateRenderer:
    """Draws states of one model from its named cameras.

    Args:
        model: the compiled scene; its quality settings are set to those of the mode.
        size: (width, height) in pixels.
        mode: a RenderMode or its name; "auto" chooses by the machine's renderer.

    Raises:
        NoOpenGLError: this machine cannot render off-screen.
    """

    def __init__(self, model: mujoco.MjModel, size: tuple[int, int], mode: RenderMode | str = "auto") -> None:
        self.mode = render_mode(mode) if isinstance(mode, str) else mode
        model.vis.quality.offsamples = self.mode.offsamples
        buffer = model.vis.global_
        buffer.offwidth, buffer.offheight = max(buffer.offwidth, size[0]), max(buffer.offheight, size[1])
        if self.mode.shadowsize:
            model.vis.quality.shadowsize = self.mode.shadowsize
        self.model = model
        self._data = mujoco.MjData(model)
        self._renderer = open_renderer(model, height=size[1], width=size[0])
        self._option = mujoco.MjvOption()
        self._option.geomgroup[3] = 0  # collision shapes that have a better looking twin
        flags = self._renderer.scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SHADOW] = bool(self.mode.shadowsize)
        flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = False

    def set_state(self, qpos: np.ndarray) -> None:
        """Pose the model: (nq,) positions."""
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_camlight(self.model, self._data)

    @property
    def state(self) -> mujoco.MjData:
        """The posed state that is drawn; read only."""
        return self._data

    def rgb(self, camera: str | mujoco.MjvCamera) -> np.ndarray:
        """(H, W, 3) uint8 image of the present state from a camera of the scene or a free one; a fresh array."""
        self._renderer.update_scene(self._data, camera, self._option)
        return self._renderer.render().copy()

    def depth(self, camera: str) -> np.ndarray:
        """(H, W) float32 distance along the viewing direction in metres."""
        self._renderer.enable_depth_rendering()
        try:
            return self.rgb(camera)
        finally:
            self._renderer.disable_depth_rendering()

    def segmentation(self, camera: str) -> np.ndarray:
        """(H, W) int32 body id of what each pixel shows; -1 where there is nothing."""
        self._renderer.enable_segmentation_rendering()
        try:
            ids = self.rgb(camera)
        finally:
            self._renderer.disable_segmentation_rendering()
        geoms = np.where(ids[..., 1] == mujoco.mjtObj.mjOBJ_GEOM, ids[..., 0], -1)
        bodies = np.append(self.model.geom_bodyid, -1)
        return bodies[geoms].astype(np.int32)

    def images(self, qpos: np.ndarray, cameras: Sequence[str]) -> dict[str, np.ndarray]:
        """Camera name to image of one state."""
        self.set_state(qpos)
        return {camera: self.rgb(camera) for camera in cameras}

    def close(self) -> None:
        """Free the OpenGL context."""
        self._renderer.close()

    def __enter__(self) -> StateRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
