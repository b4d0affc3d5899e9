"""Coloured point clouds of the table's contents from a depth camera."""

from __future__ import annotations

import numpy as np

from sim.bimanual.spec import TABLE_HALF, SceneSpec
from sim.engine.render import StateRenderer

CLEARANCE = 0.002  # metres above the table; lower points belong to the table itself
CEILING = 2.0


def point_cloud(draw: StateRenderer, camera: str, scene: SceneSpec, count: int) -> np.ndarray:
    """(count, 6) float32: x y z in the world (m) and r g b in [0, 1] of what stands above the table.

    Points are spread evenly over the visible surface pixels; where fewer than ``count`` are visible they repeat.
    """
    rgb, depth = draw.rgb(camera), draw.depth(camera)
    height, width = depth.shape
    data, model = draw.state, draw.model
    cam = model.camera(camera).id
    focal = 0.5 * height / np.tan(np.radians(model.cam_fovy[cam]) / 2)
    v, u = np.mgrid[:height, :width]
    rays = np.stack([(u + 0.5 - width / 2) / focal, -(v + 0.5 - height / 2) / focal, -np.ones_like(depth)], -1)
    points = (rays * depth[..., None]) @ data.cam_xmat[cam].reshape(3, 3).T + data.cam_xpos[cam]
    above = points[..., :2] - scene.table_offset
    keep = (
        (np.abs(above) < TABLE_HALF).all(-1) & (points[..., 2] > scene.table_z + CLEARANCE) & (points[..., 2] < CEILING)
    )
    cloud = np.concatenate([points[keep], rgb[keep] / 255.0], 1)
    if not len(cloud):
        return np.zeros((count, 6), np.float32)
    return cloud[np.linspace(0, len(cloud) - 1, count).round().astype(int)].astype(np.float32)
