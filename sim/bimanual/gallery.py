"""The images of the documentation: ``python -m sim.bimanual.gallery`` draws them all again from the experts."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
from PIL import Image

from sim.bimanual.randomize import AXES
from sim.bimanual.rollout import Rollout, expert_rollout
from sim.engine.render import StateRenderer
from twinloom.machine import REPOSITORY
from twinloom.seeding import episode_seed

IMAGES = REPOSITORY / "docs" / "img"
HERO = {  # task: randomised
    "handover_block": False,
    "stack_blocks_three": True,
    "hanging_mug": False,
    "scan_object": False,
    "dump_bin_bigbin": True,
    "place_burger_fries": False,
    "lift_pot": True,
    "place_can_basket": True,
    "place_dual_shoes": True,
    "open_laptop": True,
    "place_bread_skillet": False,
    "pick_dual_bottles": True,
}
COLUMNS, TILE = 4, (240, 180)
FRAMES, HOLD, FPS = 54, 6, 12  # of the animation: moving, then still


def viewpoint(azimuth: float = -115.0, elevation: float = -28.0, distance: float = 1.48) -> mujoco.MjvCamera:
    """A free camera that looks at the table from beside the robot's front; angles in degrees, metres."""
    camera = mujoco.MjvCamera()
    camera.lookat[:] = (0.0, -0.2, 1.0)
    camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, distance
    return camera


def moments(rollout: Rollout, camera: mujoco.MjvCamera, size: tuple[int, int] = TILE) -> list[np.ndarray]:
    """FRAMES + HOLD images (H, W, 3) of a rollout at equal distances, each drawn twice as large and averaged down."""
    assert rollout.model is not None
    images = []
    with StateRenderer(rollout.model, (2 * size[0], 2 * size[1]), "best") as draw:
        for step in np.linspace(0, rollout.length - 1, FRAMES).round().astype(int):
            draw.set_state(rollout.qpos[step])
            images.append(np.asarray(Image.fromarray(draw.rgb(camera)).resize(size, Image.Resampling.LANCZOS)))
    return images + images[-1:] * HOLD


def hero(path: Path = IMAGES / "hero.webp") -> None:
    """A grid of experts at work, clean and randomised, as an animation below 3 MB."""
    tiles = []
    for i, (task, randomised) in enumerate(HERO.items()):
        axes = frozenset(AXES) if randomised else frozenset()
        rollout = expert_rollout(task, "franka-panda", episode_seed(4, task, 0), axes)
        tiles.append(moments(rollout, viewpoint(-118.0 if i % 2 else -62.0)))
        print(f"{task}: {'success' if rollout.success else rollout.detail}")
    grids = [
        np.vstack([np.hstack(images[i : i + COLUMNS]) for i in range(0, len(images), COLUMNS)])
        for images in zip(*tiles, strict=True)
    ]
    first, *others = [Image.fromarray(grid) for grid in grids]
    path.parent.mkdir(parents=True, exist_ok=True)
    first.save(path, save_all=True, append_images=others, duration=1000 // FPS, loop=0, quality=45, method=4)


if __name__ == "__main__":
    hero()
