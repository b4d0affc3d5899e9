"""What a camera sees of a scene, by geometry alone: whether a point is in its image, and how much the robot hides."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from sim.bimanual.actor import Actor
from sim.bimanual.spec import CameraSpec

ASPECT = 4 / 3  # width over height of an image
RAYS = (32, 24)  # across and down, for shares of an image
SAMPLES = 12  # of an episode, evenly spread, from which the robot's share of the image is taken
HIDDEN_GROUP = 3  # shapes that are felt and not drawn


def camera_frame(camera: CameraSpec) -> np.ndarray:
    """(3, 3) columns: right, up and backwards of a fixed camera with level horizon, in the world."""
    forward = np.asarray(camera.forward, float)
    back = -forward / np.linalg.norm(forward)
    right = np.cross([0.0, 0.0, 1.0], back)
    length = np.linalg.norm(right)
    right = np.array([1.0, 0.0, 0.0]) if length < 1e-9 else right / length  # straight down: y is up
    return np.column_stack([right, np.cross(back, right), back])


def in_image(camera: CameraSpec, points: np.ndarray, aspect: float = ASPECT) -> np.ndarray:
    """(K,) whether points (K, 3) of the world lie within the image of a camera, nothing being in the way."""
    local = (np.atleast_2d(points) - camera.pos) @ camera_frame(camera)
    depth = np.maximum(-local[:, 2], 1e-9)
    half = np.tan(np.radians(camera.fovy) / 2)
    return (-local[:, 2] > 0) & (np.abs(local[:, 0]) < half * aspect * depth) & (np.abs(local[:, 1]) < half * depth)


def seen_at_start(camera: CameraSpec, actors: Mapping[str, Actor]) -> dict[str, bool]:
    """Name of each object to whether the middle of its box is in the image where it was placed."""
    middles = {name: a.start[:3, 3] + a.start[:3, :3] @ a.box.mean(0) for name, a in actors.items()}
    if not middles:
        return {}
    return dict(zip(middles, in_image(camera, np.array(list(middles.values()))).tolist(), strict=True))


class RobotShare:
    """How much of a camera's image the robot and its stand cover, found by casting rays.

    Args:
        model: a compiled scene.
        camera: name of one of its cameras.
        rays: (across, down); the error of one image is about half a ray in each direction.
    """

    def __init__(self, model: mujoco.MjModel, camera: str = "head", rays: tuple[int, int] = RAYS) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        self._camera = model.camera(camera).id
        half = np.tan(np.radians(float(model.cam_fovy[self._camera])) / 2)
        x, y = (2 * (np.arange(n) + 0.5) / n - 1 for n in rays)
        across, down = np.meshgrid(half * ASPECT * x, half * y)
        local = np.stack([across, down, -np.ones_like(across)], -1).reshape(-1, 3)
        self._local = local / np.linalg.norm(local, axis=1, keepdims=True)
        roots = [model.body(f"{side}_base").id for side in ("left", "right")]
        part = np.zeros(model.nbody, bool)
        for body in range(model.nbody):
            part[body] = body in roots or (body > 0 and part[model.body_parentid[body]])
        names = [model.geom(g).name for g in range(model.ngeom)]
        self._robot = part[model.geom_bodyid] | np.array([name.startswith("stand") for name in names])
        self._group = np.array([i != HIDDEN_GROUP for i in range(mujoco.mjNGROUP)], np.uint8)

    def __call__(self, qpos: np.ndarray) -> float:
        """Share in [0, 1] at positions (nq,)."""
        model, data = self._model, self._data
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        rays = self._local @ data.cam_xmat[self._camera].reshape(3, 3).T
        hit, distance = np.full(len(rays), -1, np.int32), np.empty(len(rays))
        mujoco.mj_multiRay(
            model, data, data.cam_xpos[self._camera], rays.ravel(), self._group, True, -1, hit, distance, None,
            len(rays), mujoco.mjMAXVAL,
        )  # fmt: skip
        return float(self._robot[hit[hit >= 0]].sum() / len(rays))


def episode_views(model: mujoco.MjModel, qpos: np.ndarray, seen: Mapping[str, bool]) -> dict[str, float]:
    """What the head camera saw of an episode.

    Args:
        qpos: (T, nq) positions of everything at each frame.
        seen: as of `seen_at_start`.

    Returns:
        "objects": share of the task's objects that began in the image; "robot": share of the image that the robot
        covered, mean over SAMPLES frames; "robot_95": what 95 % of them stay below.
    """
    share = RobotShare(model)
    covered = [share(qpos[i]) for i in np.linspace(0, len(qpos) - 1, SAMPLES).astype(int)]
    return {
        "objects": float(np.mean(list(seen.values()))) if seen else 1.0,
        "robot": round(float(np.mean(covered)), 4),
        "robot_95": round(float(np.quantile(covered, 0.95)), 4),
    }
