"""The pictures of the documentation: ``python -m sim.bimanual.gallery`` draws them all again from the experts."""

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
# task, moment of the episode (0..1), randomised
HERO = (
    ("handover_block", 0.56, False),
    ("stack_blocks_three", 0.93, True),
    ("hanging_mug", 0.86, False),
    ("scan_object", 0.97, False),
    ("dump_bin_bigbin", 0.78, True),
    ("place_burger_fries", 0.83, False),
    ("lift_pot", 0.95, True),
    ("place_can_basket", 0.97, True),
    ("place_dual_shoes", 0.52, True),
    ("open_laptop", 0.85, True),
    ("place_bread_skillet", 0.85, False),
    ("pick_dual_bottles", 0.98, True),
)
COLUMNS, TILE = 4, (400, 300)


def viewpoint(azimuth: float = -115.0, elevation: float = -28.0, distance: float = 1.48) -> mujoco.MjvCamera:
    """A free camera that looks at the table from beside the robot's front; angles in degrees, metres."""
    camera = mujoco.MjvCamera()
    camera.lookat[:] = (0.0, -0.2, 1.0)
    camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, distance
    return camera


def moment(rollout: Rollout, fraction: float, camera: mujoco.MjvCamera, size: tuple[int, int] = TILE) -> np.ndarray:
    """(H, W, 3) picture of a rollout at a fraction of its length, drawn twice as large and averaged down."""
    assert rollout.model is not None
    with StateRenderer(rollout.model, (2 * size[0], 2 * size[1]), "best") as draw:
        draw.set_state(rollout.qpos[round(fraction * (rollout.length - 1))])
        large = Image.fromarray(draw.rgb(camera))
    return np.asarray(large.resize(size, Image.Resampling.LANCZOS))


def hero(path: Path = IMAGES / "hero.png") -> None:
    """A grid of experts at work, clean and randomised."""
    tiles = []
    for i, (task, fraction, randomised) in enumerate(HERO):
        axes = frozenset(AXES) if randomised else frozenset()
        rollout = expert_rollout(task, "franka-panda", episode_seed(4, task, 0), axes)
        tiles.append(moment(rollout, fraction, viewpoint(-118.0 if i % 2 else -62.0)))
        print(f"{task}: {'success' if rollout.success else rollout.detail}")
    rows = [np.hstack(tiles[i : i + COLUMNS]) for i in range(0, len(tiles), COLUMNS)]
    picture = Image.fromarray(np.vstack(rows)).quantize(256, dither=Image.Dither.FLOYDSTEINBERG)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path, optimize=True)


if __name__ == "__main__":
    hero()
