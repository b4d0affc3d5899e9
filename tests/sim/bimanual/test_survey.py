"""What every expert keeps to: grips that hold, shallow contacts, gentle carrying, views, and the arms it names."""

from __future__ import annotations

import numpy as np
import pytest

from sim.bimanual.episode import draw
from sim.bimanual.randomize import AXES
from sim.bimanual.scene import SceneRejectedError
from sim.bimanual.spec import DEFAULT_CAMERAS, CameraSpec, SceneSpec
from sim.bimanual.survey import survey_episode
from sim.bimanual.task import task_class, task_names
from sim.bimanual.views import RobotShare, in_image, seen_at_start
from tests.sim.bimanual.scenes import ROBOT, simulation
from twinloom.seeding import episode_seed

HARD = (
    "place_bread_basket",
    "place_can_basket",
    "put_bottles_dustbin",
    "dump_bin_bigbin",
    "open_microwave",
    "place_bread_skillet",
)
EASY = tuple(task for task in task_names() if task not in HARD)


def keeps_to_the_rules(task: str) -> None:
    found = survey_episode(task, ROBOT, episode_seed(1, task, 0), frozenset(AXES), visuals="simple")
    assert found["failure"] == ""
    assert found["lasts"], "success did not last for 10 s"
    assert found["creep"] < 0.001
    assert found["turn"] < np.radians(1.0)
    assert found["deepest"] < 0.003, found["between"]
    assert found["fastest"] < task_class(task).carry_speed, found["what"]
    assert np.mean(found["robot"]) < 0.25
    assert np.quantile(found["robot"], 0.95) < 0.5
    named = {value for key, value in found["slots"].items() if key.islower() and value in ("left", "right")}
    assert named <= {side for _, side in found["touched"]}


@pytest.mark.parametrize("task", HARD)
def test_the_hardest_episodes_keep_to_the_rules(task):
    keeps_to_the_rules(task)


@pytest.mark.slow
@pytest.mark.parametrize("task", EASY)
def test_all_other_episodes_keep_to_the_rules(task):
    keeps_to_the_rules(task)


@pytest.mark.parametrize("task", task_names())
def test_the_head_camera_sees_every_task_object_at_the_start(task):
    for episode in range(5):
        try:
            _, scene = draw(task, ROBOT, episode_seed(5, task, episode))
        except SceneRejectedError:
            continue
        assert all(seen_at_start(DEFAULT_CAMERAS["head"], scene.actors).values())


def test_a_point_is_in_an_image_or_beside_it():
    camera = CameraSpec((0.0, 0.0, 2.0), (0.0, 0.0, -1.0), 90.0)  # sees 1.33 m to either side and 1 m up and down
    inside = [(0.0, 0.0, 1.0), (1.3, 0.0, 1.0), (0.0, 0.9, 1.0)]
    outside = [(1.4, 0.0, 1.0), (0.0, 1.1, 1.0), (0.0, 0.0, 3.0)]
    assert in_image(camera, np.array(inside)).all()
    assert not in_image(camera, np.array(outside)).any()


def test_the_share_of_the_robot_is_that_of_its_shapes_in_the_image():
    sim = simulation()
    share = RobotShare(sim.model)
    home = share(sim.data.qpos)
    assert 0.0 < home < 0.3
    assert SceneSpec(ROBOT).cameras["head"].fovy == 45.0
    sim.model.cam_pos[sim.model.camera("head").id] = (0.0, 2.5, 1.0)  # behind the wall
    assert RobotShare(sim.model)(sim.data.qpos) == 0.0
