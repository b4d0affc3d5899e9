"""Images: geometry that can be worked out by hand, labels, colours, and the same bytes for the same state."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from sim.bimanual.compile import compile_scene
from sim.bimanual.pointcloud import point_cloud
from sim.bimanual.simulation import Simulation
from sim.bimanual.spec import TABLE_HALF, CameraSpec
from sim.engine.render import StateRenderer
from tests.sim.bimanual.scenes import cube, scene, simulation
from twinloom.machine import REPOSITORY

SIZE = (160, 120)
GREEN, BLUE = (0.05, 0.9, 0.05, 1.0), (0.05, 0.05, 0.9, 1.0)
TOP = CameraSpec((0.0, 0.1, 1.74), (0.0, 0.0, -1.0), 50.0)
SHELF = 0.1  # metres above the table


@pytest.fixture(scope="module")
def sim() -> Simulation:
    """Seen from 1 m above the table: a green block in front of a blue one that stands higher and to the right."""
    placements = (
        cube("green", -0.2, 0.1, half=(0.05, 0.05, 0.02), rgba=GREEN),
        cube("blue", 0.2, 0.2, above=SHELF, half=(0.05, 0.05, 0.02), rgba=BLUE, mode="static"),
    )
    return simulation(*placements, cameras={**scene().cameras, "top": TOP})


@pytest.fixture(scope="module")
def draw(sim):
    with StateRenderer(sim.model, SIZE, "fast") as renderer:
        renderer.set_state(sim.data.qpos)
        yield renderer


def project(x: float, y: float, z: float) -> tuple[float, float]:
    """(row, column) of a world point in the top camera, from the pinhole model."""
    focal = 0.5 * SIZE[1] / np.tan(np.radians(TOP.fovy) / 2)
    depth = TOP.pos[2] - z
    return SIZE[1] / 2 - focal * (y - TOP.pos[1]) / depth, SIZE[0] / 2 + focal * (x - TOP.pos[0]) / depth


def pixel(x: float, y: float, z: float) -> tuple[int, int]:
    row, column = project(x, y, z)
    return int(row), int(column)


def test_depth_is_the_distance_along_the_view(sim, draw):
    depth = draw.depth("top")
    assert depth.shape == SIZE[::-1]
    assert depth.dtype == np.float32
    table, green, blue = 0.74, 0.74 + 0.04, 0.74 + SHELF + 0.04
    for x, y, z in ((0.0, 0.1, table), (0.3, -0.1, table), (-0.2, 0.1, green), (0.2, 0.2, blue)):
        assert depth[pixel(x, y, z)] == pytest.approx(TOP.pos[2] - z, abs=1e-3)


def test_segmentation_names_bodies(sim, draw):
    ids = draw.segmentation("top")
    assert ids.dtype == np.int32
    name = {b: sim.model.body(b).name for b in range(sim.model.nbody)}
    for what, (x, y, z) in {"table": (0, 0.1, 0.74), "green": (-0.2, 0.1, 0.78), "blue": (0.2, 0.2, 0.88)}.items():
        assert name[int(ids[pixel(x, y, z)])] == what
    outline = [project(x, y, z) for x in (-0.25, -0.15) for y in (0.05, 0.15) for z in (0.74, 0.78)]
    area = ConvexHull(outline).volume  # of a flat hull this is its area
    assert (ids == sim.model.body("green").id).sum() == pytest.approx(area, rel=0.12)


def test_colours_are_where_the_labels_are(sim, draw):
    rgb, ids = draw.rgb("top").astype(int), draw.segmentation("top")
    for name, channel in (("green", 1), ("blue", 2)):
        mean = rgb[ids == sim.model.body(name).id].mean(0)
        assert np.argmax(mean) == channel
        assert mean[channel] > 2 * np.delete(mean, channel).max()


def test_one_kind_of_image_does_not_disturb_another(draw):
    first = draw.rgb("head"), draw.depth("head"), draw.segmentation("head")
    for again in (draw.rgb("head"), draw.depth("head"), draw.segmentation("head"), draw.rgb("head")):
        twin = next(f for f in first if f.dtype == again.dtype)
        np.testing.assert_array_equal(twin, again)


def test_images_are_fresh_arrays(draw):
    a = draw.rgb("head")
    copy = a.copy()
    draw.rgb("third")
    np.testing.assert_array_equal(a, copy)


@pytest.mark.parametrize("camera", ["head", "front", "third", "left_wrist", "right_wrist"])
def test_every_camera_sees_something(sim, draw, camera):
    image = draw.rgb(camera)
    assert image.shape == (*SIZE[::-1], 3)
    assert image.dtype == np.uint8
    assert image.std() > 10
    ids = set(np.unique(draw.segmentation(camera)))
    assert sim.model.body("table").id in ids
    if camera in ("head", "third", "front"):
        assert {sim.model.body("green").id, sim.model.body("blue").id} & ids


def test_a_state_changes_the_picture_and_the_way_back_restores_it(sim, draw):
    before = draw.images(sim.data.qpos, ["top", "left_wrist"])
    moved = sim.data.qpos.copy()
    moved[sim.model.joint("green").qposadr[0]] += 0.1
    moved[sim.arms["left"].qpos_ids[0]] += 0.2
    between = draw.images(moved, ["top", "left_wrist"])
    after = draw.images(sim.data.qpos, ["top", "left_wrist"])
    for camera in before:
        assert (before[camera] != between[camera]).any()
        np.testing.assert_array_equal(before[camera], after[camera])


@pytest.mark.parametrize("mode", ["fast", "nice", "best"])
def test_shadows_and_smoothing_follow_the_mode(sim, mode):
    model = compile_scene(sim.spec, "simple")
    with StateRenderer(model, SIZE, mode) as renderer:
        renderer.set_state(sim.data.qpos)
        rgb, ids = renderer.rgb("top").astype(int), renderer.segmentation("top")
    table = rgb[ids == model.body("table").id].sum(1)
    dark = (table < 0.75 * np.median(table)).mean()
    assert (dark > 0.02) == (mode != "fast")
    assert model.vis.quality.offsamples == (4 if mode == "best" else 0)


# ------------------------------------------------------------------ point cloud


@pytest.mark.parametrize("camera", ["head", "top", "third"])
def test_points_lie_on_the_surfaces_they_show(sim, draw, camera):
    cloud = point_cloud(draw, camera, sim.spec, 2000)
    assert cloud.shape == (2000, 6)
    assert cloud.dtype == np.float32
    xyz, rgb = cloud[:, :3], cloud[:, 3:]
    assert (np.abs(xyz[:, :2]) < TABLE_HALF).all()
    assert (xyz[:, 2] > 0.74).all()
    assert rgb.min() >= 0
    assert rgb.max() <= 1
    green = (rgb[:, 1] > 2 * rgb[:, 0]) & (rgb[:, 1] > 2 * rgb[:, 2])
    assert green.sum() > 20
    off = np.abs(xyz[green] - [-0.2, 0.1, 0.76]) - [0.05, 0.05, 0.02]
    assert off.max() < 0.01  # within a pixel of the block
    assert np.abs(off.max(1)).mean() < 0.004  # and on its surface


def test_the_cloud_follows_a_shifted_table():
    sim = simulation(
        cube("green", 0.7, 0.1, half=(0.05, 0.05, 0.02), rgba=GREEN),
        table_offset=(0.3, 0.0),
        table_bias=0.02,
        cameras={"top": CameraSpec((0.3, 0.1, 1.74), (0.0, 0.0, -1.0), 50.0)},
    )
    sim.data.joint("green").qpos[2] += 0.02
    with StateRenderer(sim.model, SIZE, "fast") as draw:
        draw.set_state(sim.data.qpos)
        cloud = point_cloud(draw, "top", sim.spec, 500)
    green = cloud[(cloud[:, 4] > 2 * cloud[:, 3]) & (cloud[:, 4] > 2 * cloud[:, 5])]
    assert len(green) > 50
    assert green[:, 0].max() > 0.7
    assert cloud[:, 2].min() > 0.76
    assert cloud[:, 0].min() > -0.3


def test_an_empty_table_gives_zeros():
    empty = simulation(cameras={"top": CameraSpec((0.0, 0.3, 1.0), (0.0, 0.0, -1.0), 20.0)})
    with StateRenderer(empty.model, (32, 24), "fast") as draw:
        draw.set_state(empty.data.qpos)
        cloud = point_cloud(draw, "top", empty.spec, 10)
    np.testing.assert_array_equal(cloud, np.zeros((10, 6), np.float32))


# ------------------------------------------------------------------- repetition


@pytest.mark.parametrize("first", ["mujoco", "assets.robots.build", "sim.bimanual.view", "sim.bimanual.randomize"])
def test_pictures_do_not_depend_on_what_is_imported_first(first):
    body = f"import {first}, mujoco; from sim.bimanual.rollout import StateRenderer\n"
    body += "model = mujoco.MjModel.from_xml_string('<mujoco><worldbody><geom size=\"1\"/></worldbody></mujoco>')\n"
    body += "StateRenderer(model, (8, 8), 'fast').close()"
    environment = {k: v for k, v in os.environ.items() if k != "MUJOCO_GL"}
    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, cwd=REPOSITORY, env=environment)
    assert done.returncode == 0, done.stderr


SCRIPT = """
import hashlib, sys
import numpy as np
from sim.bimanual.rollout import expert_rollout
from sim.bimanual.randomize import AXES
from twinloom.seeding import episode_seed
r = expert_rollout("click_bell", "franka-panda", episode_seed(5, "click_bell", 0), frozenset(AXES))
digest = hashlib.sha256(r.qpos.tobytes() + r.arrays["action"].tobytes())
r.qpos = r.qpos[::20]
for images in r.render(["head", "left_wrist"], (80, 60), "nice"):
    for image in images.values():
        digest.update(image.tobytes())
print(r.success, r.instruction, digest.hexdigest())
"""


def test_an_episode_and_its_pictures_are_the_same_in_every_process():
    salts = ({"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1"}, {"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "2"})
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY, env=os.environ | salt
        )
        for salt in salts
    ]
    found = [process.communicate(timeout=120)[0] for process in processes]
    assert found[0] == found[1]
    assert found[0].startswith("True ")


def test_images_larger_than_the_off_screen_buffer_of_the_scene(sim):
    size = (sim.model.vis.global_.offwidth + 2, 8)
    with StateRenderer(sim.model, size, "fast") as renderer:
        assert renderer.images(sim.data.qpos, ["top"])["top"].shape == (8, size[0], 3)
