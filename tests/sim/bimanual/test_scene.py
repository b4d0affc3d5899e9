"""What tasks place: spots within their ranges, actors that rest, keep-outs that cover what an actor covers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.objects import library
from assets.objects.model import IDENTITY
from assets.objects.shapes import bounds
from sim.bimanual.scene import Scene, SceneRejectedError, other, side_of
from sim.bimanual.simulation import Simulation
from sim.bimanual.spec import BlockSpec, SceneSpec
from tests.sim.bimanual.scenes import RED, ROBOT, rest
from twinloom.transforms import quat_multiply, quat_to_matrix, yaw_quat


def empty(seed: int = 0, **changes) -> Scene:
    return Scene(SceneSpec(ROBOT, **changes), np.random.default_rng(seed))


@given(st.integers(0, 1000), st.floats(0.0, 0.08), st.floats(0.0, 0.1))
@settings(max_examples=60)
def test_spots_keep_every_condition(seed, apart, midline):
    scene = empty(seed)
    spots: list[tuple[float, float]] = []
    for _ in range(4):
        x, y = scene.sample_xy(
            [(-0.3, -0.1), (0.05, 0.4)], (-0.2, 0.1), apart=apart, avoid=spots, min_abs_x=midline,
            accept=lambda x, y: x + y < 0.3,
        )  # fmt: skip
        assert -0.3 <= x <= -0.1 or 0.05 <= x <= 0.4
        assert -0.2 <= y <= 0.1
        assert abs(x) >= midline
        assert x + y < 0.3
        assert all(np.hypot(x - a, y - b) >= apart for a, b in spots)
        spots.append((x, y))


def test_both_ranges_are_drawn_and_filled():
    scene = empty()
    xs = np.array([scene.sample_xy([(-0.3, -0.2), (0.1, 0.2)], (0.0, 0.1))[0] for _ in range(300)])
    assert 100 < (xs < 0).sum() < 200
    for low, high in ((-0.3, -0.2), (0.1, 0.2)):
        inside = xs[(xs >= low) & (xs <= high)]
        assert inside.min() < low + 0.01
        assert inside.max() > high - 0.01


def test_a_full_table_is_a_rejected_scene():
    with pytest.raises(SceneRejectedError, match="no free spot"):
        empty().sample_xy((0, 0.1), (0, 0.1), apart=1.0, avoid=[(0.05, 0.05)])


def test_actors_avoid_actors():
    scene = empty()
    first = scene.add_block("a", BlockSpec((0.02, 0.02, 0.02), RED), (0.1, 0.0))
    for _ in range(50):
        x, y = scene.sample_xy((0.0, 0.2), (-0.1, 0.1), apart=0.08, avoid=[first])
        assert np.hypot(x - 0.1, y) >= 0.08


def test_sides():
    scene = empty()
    left = scene.add_block("a", BlockSpec((0.02, 0.02, 0.02), RED), (-0.1, 0.0))
    assert side_of(left) == "left"
    assert side_of(np.array([0.1, 0.0, 1.0])) == "right"
    assert other("left") == "right"
    assert {scene.side() for _ in range(30)} == {"left", "right"}


def test_instances_come_from_the_category_or_the_list():
    scene = empty()
    assert {scene.instance("bottle", [2, 5]).index for _ in range(40)} == {2, 5}
    drawn = {scene.instance("cup").index for _ in range(200)}
    assert drawn == set(range(library.instances("cup")))


def test_two_actors_of_one_name_are_refused():
    scene = empty()
    scene.add_block("a", BlockSpec((0.02, 0.02, 0.02), RED), (0, 0))
    with pytest.raises(ValueError, match="two actors are called 'a'"):
        scene.add_block("a", BlockSpec((0.02, 0.02, 0.02), RED), (0.2, 0))


def test_a_joint_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"cabinet/0 has no joint at \['drawr'\]"):
        empty().add("c", library.load("cabinet", 0), (0, 0.1), mode="fixed", joints={"drawr": 0.1})


@pytest.mark.parametrize("bias", [-0.02, 0.03])
@pytest.mark.parametrize("category", ["bottle", "mug", "skillet", "shoe"])
def test_objects_are_placed_resting_on_the_table_in_every_stable_orientation(category, bias):
    asset = library.load(category, 1)
    for quat in asset.stable_quats:
        scene = empty(table_bias=bias)
        scene.add("it", asset, (-0.05, 0.2), 0.7, quat=quat)
        sim = Simulation(scene.spec, visuals="simple")
        start = scene.actors["it"].start
        np.testing.assert_allclose(sim.actors["it"].pose(), start, atol=1e-9)
        world = rest(sim, 0.4)
        assert world.on(sim.actors["it"], "table")
        np.testing.assert_allclose(sim.actors["it"].pose(), start, atol=5e-3)


@pytest.mark.parametrize("category", ["skillet", "mug", "bottle", "kettle", "hammer", "can"])
@pytest.mark.parametrize("yaw", [0.0, 0.8, 2.5])
@pytest.mark.parametrize("lying", [False, True])
def test_keep_outs_cover_what_an_object_really_covers(category, yaw, lying):
    asset = library.load(category, 0)
    quat = asset.stable_quats[-1] if lying else IDENTITY
    scene = empty()
    scene.add("it", asset, (0.1, -0.05), yaw, quat=quat, keep_out=0.04)
    low, high = bounds(asset, quat_to_matrix(quat_multiply(yaw_quat(yaw), quat)))[:, :2] + [0.1, -0.05]
    area = scene.keep_outs[0]
    assert area.x[0] <= low[0] - 0.04 + 1e-9
    assert area.x[1] >= high[0] + 0.04 - 1e-9
    assert area.y[0] <= low[1] - 0.04 + 1e-9
    assert area.y[1] >= high[1] + 0.04 - 1e-9
    assert max(np.ptp(area.x), np.ptp(area.y)) < 2 * np.linalg.norm(asset.extents)  # and not the whole table


def test_keep_outs_of_points_and_areas():
    scene = empty()
    scene.keep_out((0.1, 0.2), 0.05)
    scene.keep_out_area((-0.1, 0.1), (0.0, 0.3))
    assert [(k.x, k.y) for k in scene.keep_outs] == [
        (pytest.approx((0.05, 0.15)), pytest.approx((0.15, 0.25))),
        ((-0.1, 0.1), (0.0, 0.3)),
    ]


def test_the_record_holds_what_was_placed():
    scene = empty()
    scene.add("bottle", library.load("bottle", 3), (0.1, 0.0), 1.0, mass=0.4)
    scene.add("cabinet", library.load("cabinet", 0), (-0.2, 0.2), mode="fixed", joints={"drawer": 0.02})
    block = BlockSpec((0.02, 0.03, 0.04), RED, "brick")
    scene.add_block("block", block, (0.3, 0.0), z=0.9, mode="static")
    bottle, cabinet, brick = scene.spec.placements
    assert (bottle.name, bottle.category, bottle.index, bottle.mass, bottle.mode) == (
        "bottle",
        "bottle",
        3,
        0.4,
        "free",
    )
    np.testing.assert_allclose(bottle.quat, yaw_quat(1.0))
    assert cabinet.joints == {"drawer": 0.02}
    assert (brick.block, brick.pos[2], brick.mode) == (block, 0.9, "static")
    assert not any(p.clutter for p in scene.spec.placements)
