"""Success checks see what is there: contacts, support, containment, grips, in scenes built to tell them apart."""

from __future__ import annotations

import numpy as np
import pytest

from sim.bimanual.skills import Skills
from sim.bimanual.world import World
from tests.sim.bimanual.scenes import cube, rest, simulation, thing
from twinloom.transforms import rotation_about

G = 9.81
SIDES = ("left", "right")


@pytest.fixture(scope="module")
def blocks() -> World:
    """A stack of two, a neighbour that touches the lower one from the side, one held up by nothing but a shelf."""
    return rest(
        simulation(
            cube("low", 0.0, 0.15, density=800.0),
            cube("top", -0.005, 0.15, above=0.05),
            cube("beside", 0.0501, 0.15),
            cube("shelf", -0.3, 0.15, above=0.1, half=(0.05, 0.05, 0.005), mode="static"),
            cube("up", -0.3, 0.15, above=0.11),
            cube("far", 0.3, 0.15),
        )
    )


def on(world: World) -> set[tuple[str, str]]:
    actors = world._sim.actors
    return {(a, b) for a in actors for b in (*actors, "table", "floor") if a != b and world.on(actors[a], b)}


def test_on_means_carried(blocks):
    assert on(blocks) == {
        ("low", "table"),
        ("top", "low"),
        ("beside", "table"),
        ("up", "shelf"),
        ("far", "table"),
    }


def test_touching_does_not_ask_who_carries(blocks):
    actors = blocks._sim.actors
    assert blocks.touching(actors["low"], "top")
    assert blocks.touching("top", "low")
    assert blocks.touching("low", "table")
    assert not blocks.touching("top", "table")
    assert not blocks.touching("far", "low")
    assert not any(blocks.touched_by(a, side) or blocks.held_by(a, side) for a in actors.values() for side in SIDES)
    assert blocks.released(*actors.values())


def test_contact_force_is_the_weight_above(blocks):
    actors = blocks._sim.actors
    top, low = actors["top"].asset.mass, actors["low"].asset.mass
    assert blocks.contact_force("top", "low") == pytest.approx(top * G, rel=0.02)
    assert blocks.contact_force("low", "table") == pytest.approx((top + low) * G, rel=0.02)
    assert blocks.contact_force("far", "low") == 0.0


def test_contact_points_lie_between_the_two(blocks):
    points = blocks.contact_points("top", "low")
    assert len(points) >= 3
    np.testing.assert_allclose(points[:, 2], blocks.table_z + 0.05, atol=1e-3)
    assert np.abs(points[:, 0]).max() < 0.031
    assert blocks.contact_points("top", "far").shape == (0, 3)


def test_positions(blocks):
    low, top, far = (blocks._sim.actors[n] for n in ("low", "top", "far"))
    np.testing.assert_allclose(blocks.offset(top, low), [-0.005, 0, 0.05], atol=1e-3)
    np.testing.assert_allclose(blocks.offset(top.point("center"), np.zeros(3)), top.center, atol=1e-9)
    assert blocks.near(top, low, xy=0.006)
    assert not blocks.near(top, low, xy=0.004)
    assert not blocks.near(top, low, xy=0.006, z=0.04)
    assert blocks.near(top, low, xy=0.006, z=0.06)
    assert not blocks.near(far, low, xy=0.29)
    assert blocks.height(top) == pytest.approx(0.05, abs=1e-3)
    assert blocks.height(top.point("top")) == pytest.approx(0.10, abs=1e-3)


@pytest.mark.parametrize("degrees", [0.0, 10.0, 40.0, 90.0, 179.0])
def test_upright_is_the_angle_to_the_vertical(degrees):
    q = (np.cos(np.radians(degrees) / 2), 0.0, np.sin(np.radians(degrees) / 2), 0.0)
    world = World(simulation(cube("a", 0, 0.1, above=0.2, quat=q)))
    a = world._sim.actors["a"]
    assert world.upright(a, degrees + 0.5)
    assert world.upright(a, degrees - 0.5) is False or degrees == 0.0


def test_aligned_is_the_angle_between_directions(blocks):
    a = np.array([1.0, 2.0, -0.5])
    turned = 3.0 * rotation_about(np.cross(a, [0, 0, 1]), np.radians(10)) @ a
    assert blocks.aligned(a, turned, 10.1)
    assert not blocks.aligned(a, turned, 9.9)
    assert not blocks.aligned(a, -a, 90)


@pytest.mark.parametrize(
    ("where", "expected"),
    [((0.0, 0.0, 0.02), True), ((0.0, 0.0, 0.2), False), ((0.25, 0.0, 0.0), False), ((0.0, 0.0, -0.06), False)],
)
@pytest.mark.parametrize("yaw", [0.0, 0.9])
def test_inside(where, expected, yaw):
    box = thing("box", "basket", 0.1, 0.1, yaw, mode="static")
    world = World(simulation(box, cube("a", 0.1 + where[0], 0.1 + where[1], above=where[2], half=(0.02, 0.02, 0.02))))
    a, basket = (world._sim.actors[n] for n in ("a", "box"))
    assert world.inside(a, basket) is expected


def test_a_heap_may_rise_above_the_rim_but_not_hang_over_it():
    box = thing("box", "bread_basket", 0.1, 0.1, mode="static")
    world = World(simulation(box, cube("a", 0.1, 0.1, above=0.065), cube("b", 0.25, 0.1, above=0.065)))
    a, b, basket = (world._sim.actors[n] for n in ("a", "b", "box"))
    assert not world.inside(a, basket)
    assert world.inside(a, basket, heap=0.03)
    assert not world.inside(b, basket, heap=0.03)


def test_inside_knows_where_the_box_really_is():
    """The handle of a skillet puts its bounding box far off its origin."""
    sim = simulation(thing("pan", "skillet", 0.0, 0.1, np.pi / 2, mode="static"), cube("a", 0.2, 0.1, above=0.01))
    world = World(sim)
    a, pan = sim.actors["a"], sim.actors["pan"]
    assert pan.box[0, 1] < -0.2
    assert pan.box[1, 1] < 0.12
    assert world.inside(a, pan)  # a quarter turn puts the handle, which points along -y, along +x
    assert not world.inside(a, pan, margin=0.08)


def test_center_of_a_ball_is_its_origin():
    sim = simulation(cube("ball", 0, 0.1, above=0.1, ball=True), cube("box", 0.2, 0.1, above=0.1))
    np.testing.assert_allclose(sim.actors["ball"].center, sim.actors["ball"].position, atol=1e-9)
    np.testing.assert_allclose(sim.actors["box"].center, sim.actors["box"].point("center")[:3, 3], atol=1e-9)


def test_joint_positions_are_read_as_fractions_of_their_range():
    sim = simulation(thing("cabinet", "cabinet", 0.0, 0.2, mode="fixed", drawer=0.06))
    cabinet = sim.actors["cabinet"]
    low, high = cabinet.joint_limits("drawer")
    assert low < 0.06 < high
    assert cabinet.joint("drawer") == pytest.approx(0.06)
    assert cabinet.joint_fraction("drawer") == pytest.approx((0.06 - low) / (high - low))
    assert not cabinet.is_hinge("drawer")
    axis, _ = cabinet.joint_axis("drawer")
    shut = simulation(thing("cabinet", "cabinet", 0.0, 0.2, mode="fixed", drawer=0.0)).actors["cabinet"]
    np.testing.assert_allclose(cabinet.point("drawer")[:3, 3] - shut.point("drawer")[:3, 3], 0.06 * axis, atol=1e-9)


def test_contacts_are_not_remembered_over_a_reset():
    sim = simulation(cube("a", 0, 0.1, above=0.02))
    world = World(sim)
    assert not world.touching("a", "table")
    sim.data.joint("a").qpos[2] -= 0.0205
    sim.step(sim.action)
    sim.step(sim.action)
    assert world.touching("a", "table")
    sim.reset()
    assert sim.time == 0.0
    assert not world.touching("a", "table")


def test_a_gripper_counts_as_open_when_it_is_measured_so():
    sim = simulation()
    world = World(sim)
    assert world.gripper_open("left")
    action = sim.home_action
    action[7] = 0.6
    sim.step(action)
    assert world.gripper_open("left")  # commanded shut, but not there yet
    rest(sim, 0.5)
    assert not world.gripper_open("left")
    assert world.opening("left") == pytest.approx(0.6, abs=0.02)
    assert world.gripper_open("right")


@pytest.fixture(scope="module")
def grasped() -> World:
    """The left hand holds a block 6 cm above another one."""
    sim = simulation(cube("a", -0.2, 0.0), cube("b", 0.2, 0.0))
    world = rest(sim, 0.2)
    robot = Skills(sim, world, np.random.default_rng(0))
    robot.do(robot.grasp("left", sim.actors["a"], "top"))
    robot.do(robot.lift("left", 0.06))
    return world


def test_a_grasp_is_measured_at_both_fingers(grasped):
    a, b = grasped._sim.actors["a"], grasped._sim.actors["b"]
    assert grasped.held_by(a, "left")
    assert not grasped.held_by(a, "right")
    assert not grasped.held_by(b, "left")
    assert grasped.touched_by(a, "left")
    assert not grasped.released(a)
    assert not grasped.released(b, a)
    assert grasped.released(b)
    assert grasped.height(a) == pytest.approx(0.06, abs=0.01)


def test_what_is_held_in_the_air_is_on_nothing(grasped):
    assert on(grasped) == {("b", "table")}
    assert not grasped.touching("a", "table")


def test_what_a_hand_presses_onto_the_table_is_not_on_it_either(grasped):
    sim, robot = grasped._sim, Skills(grasped._sim, grasped, np.random.default_rng(0))
    robot.do(robot.move_by("left", (0, 0, -0.063), check=False))
    rest(sim, 0.2)
    assert grasped.touching("a", "table")
    assert not grasped.on(sim.actors["a"], "table")
    robot.do(robot.open("left"))
    robot.do(robot.retreat("left"))
    assert grasped.on(sim.actors["a"], "table")
