"""A page in the browser that shows a robot: where it is, where it is sent, its mode, its joints, its cameras."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping

import mujoco
import numpy as np

from real.contract import RobotContract
from real.safety.shadow import Shadow, pose
from sim.bimanual.viewer import body_meshes, require_port
from twinloom.errors import TwinloomError, require

EYE, LOOK_AT = (0.0, 1.15, 1.5), (0.0, -0.2, 0.85)
TARGET = (90, 200, 255)


class RobotPage:
    """Serves the page until closed.

    Args:
        contract: robot file; it must name a model.
        port: of this machine, 0 for a free one.

    Raises:
        TwinloomError: no model, the port is taken, or the extra "viz" is missing.
    """

    def __init__(self, contract: RobotContract, port: int) -> None:
        if not contract.has_hands:
            raise TwinloomError(f"robot {contract.name} has no model with hands, so there is nothing to show")
        viser = require("viser", "viz")
        require_port(port)
        self._contract, self._model = contract, Shadow(contract).model
        self._data = mujoco.MjData(self._model)
        with contextlib.redirect_stdout(io.StringIO()):  # it prints boxes and lines of its own
            self._server = viser.ViserServer(port=port, verbose=False)
        scene = self._server.scene
        scene.set_up_direction("+z")
        self._server.initial_camera.position, self._server.initial_camera.look_at = EYE, LOOK_AT
        meshes = body_meshes(self._model)
        # flat names: poses are the world's, and a slash would make one body the child of another
        self.bodies = {body: scene.add_mesh_trimesh(f"/body{body}", mesh) for body, mesh in meshes.items()}
        self.targets = {
            body: scene.add_mesh_simple(f"/target{body}", mesh.vertices, mesh.faces, color=TARGET, opacity=0.25)  # type: ignore[attr-defined]
            for body, mesh in meshes.items()
            if body
        }
        gui = self._server.gui
        self.mode = gui.add_markdown("")
        self._show_target = gui.add_checkbox("where it is sent", True)
        self.joints = gui.add_markdown("")
        self._images: dict = {}

    @property
    def url(self) -> str:
        """Where to look."""
        return f"http://localhost:{self._server.get_port()}"

    def update(self, q: np.ndarray, sent: np.ndarray | None, mode: str, images: Mapping[str, np.ndarray]) -> None:
        """Show measured joints (J,), the last ones sent (J,), the mode and images (H, W, 3) by camera."""
        wanted = sent is not None and bool(self._show_target.value)
        with self._server.atomic():
            self._place(self.bodies, q)
            for handle in self.targets.values():
                handle.visible = wanted
            if wanted and sent is not None:
                self._place(self.targets, sent)
            self.mode.content = f"**{self._contract.name}**: {mode or 'silent'}"
            self.joints.content = self._table(q, sent)
            for name, image in images.items():
                if name not in self._images:
                    self._images[name] = self._server.gui.add_image(image, label=name, format="jpeg")
                self._images[name].image = image

    def _place(self, handles: Mapping, q: np.ndarray) -> None:
        pose(self._contract, self._model, self._data, q)
        for body, handle in handles.items():
            handle.position, handle.wxyz = self._data.xpos[body].copy(), self._data.xquat[body].copy()

    def _table(self, q: np.ndarray, sent: np.ndarray | None) -> str:
        rows = ["| joint | is | sent |", "|---|---|---|"]
        for k, name in enumerate(self._contract.names):
            rows.append(f"| {name} | {q[k]:.3f} | {'' if sent is None else f'{sent[k]:.3f}'} |")
        return "\n".join(rows)

    def close(self) -> None:
        """End the server."""
        with contextlib.redirect_stdout(io.StringIO()):
            self._server.stop()
