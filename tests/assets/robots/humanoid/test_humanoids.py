"""Every real humanoid that is here: its figures, its place in the joint space, its standing. Others are skipped."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from assets.robots.humanoid import humanoids, load_humanoid, load_record
from assets.robots.humanoid.canonical import forearm_end
from assets.robots.humanoid.fetch import is_pulled
from assets.robots.humanoid.humanoid import Humanoid
from assets.robots.humanoid.inertia import mass_com_inertia
from assets.robots.humanoid.slots import LEG, MIRROR_INDEX, NUM_SLOTS, SIDES, SLOT_INDEX, mirror_slots, mirror_vector
from assets.robots.humanoid.standing import stand

# joints, mass in kg, leg in m: of the makers' models, read independently of our reader
FIGURES = {
    "g1": (29, 33.3, 0.69),
    "g1-23": (23, 32.1, 0.69),
    "h1": (19, 51.4, 0.87),
    "t1": (23, 31.6, 0.56),
    "t1-29": (29, 34.5, 0.57),
    "k1": (22, 19.7, 0.47),
    "apollo": (32, 80.9, 0.93),
    "berkeley": (12, 16.1, 0.48),
    "op3": (20, 3.1, 0.25),
    "gr1t2": (32, 54.5, 0.76),
    "gr2": (29, 62.7, 0.88),
    "gr3": (31, 71.0, 0.92),
    "qinglong": (31, 70.7, 0.86),
    "gene01": (31, 79.7, 0.99),
    "jvrc1": (32, 62.4, 0.86),
    "icub": (32, 33.1, 0.52),
    "talos": (30, 90.3, 0.81),
    "romeo": (30, 40.5, 0.68),
    "alexander": (13, 49.1, 0.81),
}


@pytest.fixture(params=humanoids())
def humanoid(request) -> Humanoid:
    if not is_pulled(load_record(request.param)):
        pytest.skip(f"needs: assets pull {request.param}")
    return load_humanoid(request.param)


def test_the_benchmark_has_fourteen_designs_and_all_records_are_valid():
    records = [load_record(name) for name in humanoids()]
    assert sum(record.benchmark for record in records) == 14
    assert set(FIGURES) == {record.name for record in records}
    assert humanoids()[0] == "g1"


def test_figures(humanoid):
    joints, mass, leg = FIGURES[humanoid.name]
    assert (humanoid.num_joints, humanoid.mask.sum()) == (joints, joints)
    assert abs(humanoid.mass - mass) < 0.06
    assert abs(humanoid.leg_length - leg) < 0.011


def test_every_link_can_exist(humanoid):
    J = np.array([link.inertia for link in humanoid.tree.links])
    assert (np.linalg.eigvalsh(J) > 0).all()
    moments = np.linalg.eigvalsh(mass_com_inertia(J)[2])
    assert (moments[:, 0] + moments[:, 1] >= moments[:, 2] * (1 - 1e-6)).all()


def test_orders_agree(humanoid):
    model = humanoid.model
    assert [model.joint(k + 1).name for k in range(humanoid.num_joints)] == list(humanoid.joints)
    assert [model.actuator(k).name for k in range(model.nu)] == list(humanoid.joints)
    np.testing.assert_allclose(model.actuator_gainprm[:, 0], humanoid.kp)
    np.testing.assert_allclose(-model.actuator_biasprm[:, 2], humanoid.kd)
    np.testing.assert_allclose(model.actuator_forcerange[:, 1], humanoid.effort)
    np.testing.assert_allclose(model.jnt_range[1:], np.stack([humanoid.lower, humanoid.upper], axis=1))
    assert model.body(1).name == humanoid.base_body
    assert (humanoid.effort > 0).all()
    assert (humanoid.effort < 1000).all()


def test_leg_axes_are_what_their_slots_say(humanoid):
    legs = humanoid.slot < 12
    assert (humanoid.cosine[legs] > 0.6).all()
    assert (humanoid.cosine >= 0).all()


def test_canonical_pose_is_upright_with_straight_legs_and_hanging_arms(humanoid):
    tree = humanoid.tree
    frames = tree.frames(tree.positions())
    for side in SIDES:
        hip, ankle = (frames[tree.link_of(f"{side}_{name}"), :3, 3] for name in ("hip_pitch", "ankle_pitch"))
        assert (ankle - hip)[2] / np.linalg.norm((ankle - hip)[[0, 2]]) < -0.99
        assert hip[1] * (1 if side == "left" else -1) > 0
        if tree.has(f"{side}_elbow"):
            elbow = frames[tree.link_of(f"{side}_elbow"), :3, 3]
            shoulder = frames[tree.link_of(f"{side}_shoulder_roll"), :3, 3]
            for part in (elbow - shoulder, forearm_end(tree, side, frames) - elbow):
                assert part[2] / np.linalg.norm(part) < -0.9


def test_round_trip_through_the_slots(humanoid):
    q = np.random.default_rng(0).uniform(-1, 1, (7, humanoid.num_joints))
    slots = humanoid.to_slots(q)
    assert slots.shape == (7, NUM_SLOTS)
    np.testing.assert_allclose(humanoid.from_slots(slots), q, atol=1e-12)
    assert (slots[:, ~humanoid.mask] == 0).all()
    np.testing.assert_allclose(humanoid.to_slots(humanoid.offset), 0, atol=1e-12)
    np.testing.assert_allclose(humanoid.rates_from_slots(humanoid.rates_to_slots(q)), q, atol=1e-12)


@pytest.mark.parametrize(
    ("slot", "direction"),
    [("knee", (-1, 0, 1)), ("hip_pitch", (-1, 0, 1)), ("hip_roll", (0, 1, 0)), ("ankle_pitch", (0, 0, 0))],
)
def test_a_positive_turn_moves_the_heel_the_way_the_convention_says(humanoid, slot, direction):
    """+1 rad at the knee takes the heel backward, at the hip too, at the hip's roll to the left."""
    tree = humanoid.tree
    names = [link.name for link in tree.links]
    for side, box in zip(SIDES, humanoid.feet, strict=True):
        foot = names.index(box.link)
        heel = np.array([*box.pos, 1.0])
        moved = (tree.frames(tree.positions({f"{side}_{slot}": 1.0}))[foot] @ heel)[:3]
        still = (tree.frames(tree.positions())[foot] @ heel)[:3]
        for k, sign in enumerate(direction):
            assert (moved - still)[k] * sign >= 0
            assert not sign or abs(moved - still)[k] > 0.1 * humanoid.leg_length


def test_both_sides_share_one_convention(humanoid):
    """Joint axes of the mirrored configuration are the mirrored axes, as lines in space."""
    tree, rng = humanoid.tree, np.random.default_rng(1)
    paired = humanoid.mask & humanoid.mask[MIRROR_INDEX]
    slots = np.where(paired, rng.uniform(-0.5, 0.5, NUM_SLOTS), 0.0)
    frames, mirrored = (tree.frames(humanoid.from_slots(values)) for values in (slots, mirror_slots(slots)))
    of = {SLOT_INDEX[link.hinge.slot]: k for k, link in enumerate(tree.links) if link.hinge}
    for slot, link in of.items():
        twin = of[int(MIRROR_INDEX[slot])]
        error = mirror_vector(frames[link][:3, 3]) - mirrored[twin][:3, 3]
        axis = mirrored[twin][:3, :3] @ tree.links[twin].hinge.axis
        image = mirror_vector(frames[link][:3, :3] @ tree.links[link].hinge.axis)
        assert abs(axis @ image) > 0.99, tree.links[link].name
        assert np.linalg.norm(error - (error @ axis) * axis) < 0.03 * humanoid.leg_length, tree.links[link].name


def test_limits_of_both_sides_are_mirror_images_on_the_legs(humanoid):
    low, high = humanoid.to_slots(humanoid.lower), humanoid.to_slots(humanoid.upper)
    low, high = np.minimum(low, high), np.maximum(low, high)
    for name in LEG:
        left, right = SLOT_INDEX[f"left_{name}"], SLOT_INDEX[f"right_{name}"]
        pair = (low[left], high[left]) if name.endswith(("pitch", "knee")) else (-high[left], -low[left])
        np.testing.assert_allclose((low[right], high[right]), pair, atol=0.06)


def test_graph_follows_the_chain(humanoid):
    graph = humanoid.graph
    assert (graph == graph.T).all()
    assert graph.diagonal().all()
    degree = graph.sum(axis=1) - 1
    assert (degree[:NUM_SLOTS][~humanoid.mask] == 0).all()
    assert graph.sum() == 33 + 2 * humanoid.num_joints  # a tree: one edge a joint
    assert (np.linalg.matrix_power(graph.astype(int), 33) > 0)[32, :NUM_SLOTS][humanoid.mask].all()


def test_the_standing_pose_is_within_the_limits_and_flat_on_the_floor(humanoid):
    assert (humanoid.lower < humanoid.default_pose).all()
    assert (humanoid.default_pose < humanoid.upper).all()
    data = mujoco.MjData(humanoid.model)
    data.qpos[:] = humanoid.default_qpos
    mujoco.mj_forward(humanoid.model, data)
    for name in ("left_sole", "right_sole"):
        assert data.geom(name).xmat.reshape(3, 3)[2, 2] > 0.9999
        assert data.geom(name).xmat.reshape(3, 3)[0, 0] > 0.99
    middle = (data.geom("left_sole").xpos + data.geom("right_sole").xpos) / 2
    assert abs(data.subtree_com[1] - middle)[0] < 0.01 * humanoid.leg_length


def test_stands_three_seconds_without_a_policy(humanoid):
    result = stand(humanoid)
    assert result.stands, result


def test_spec_compiles_to_the_model(humanoid):
    again = humanoid.spec().compile()
    np.testing.assert_array_equal(again.body_inertia, humanoid.model.body_inertia)
    np.testing.assert_array_equal(again.actuator_gainprm, humanoid.model.actuator_gainprm)
