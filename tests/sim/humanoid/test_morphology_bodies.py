"""Random bodies: reproducible, possible, symmetric, able to stand, and as varied as real robots."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from assets.robots.humanoid.humanoid import Humanoid
from assets.robots.humanoid.inertia import mass_com_inertia
from assets.robots.humanoid.slots import AXES, MIRROR_INDEX, SLOT_INDEX, mirror_slots
from assets.robots.humanoid.standing import stand
from sim.humanoid.morphology.body import Body, draw_body, sample_body
from sim.humanoid.morphology.config import MorphologyConfig
from sim.humanoid.morphology.feasible import problems
from sim.humanoid.morphology.inertia import is_possible, mirrored

COUNT = 24


@pytest.fixture(scope="module")
def bodies() -> list[Body]:
    return [sample_body(index) for index in range(COUNT)]


def test_the_same_seed_is_the_same_body_and_another_is_another(bodies):
    again = sample_body(3)
    assert again.full.hinges == bodies[3].full.hinges
    np.testing.assert_array_equal(again.humanoid.model.body_inertia, bodies[3].humanoid.model.body_inertia)
    assert sample_body(3, seed=1).full.mass() != bodies[3].full.mass()


def test_a_range_that_changes_leaves_other_draws_alone():
    normal, stiff = sample_body(5), sample_body(5, config=MorphologyConfig(density=(0.0, 0.0)))
    assert [hinge.axis for hinge in normal.full.hinges] == [hinge.axis for hinge in stiff.full.hinges]
    assert normal.full.mass() != stiff.full.mass()


def test_width_zero_is_one_body():
    config = MorphologyConfig(width=0.0)
    first, second = sample_body(0, config=config), sample_body(1, config=config)
    assert first.full.hinges == second.full.hinges
    assert first.humanoid.num_joints == 32


def test_left_and_right_are_mirror_images(bodies):
    for body in bodies:
        tree = body.full
        of = {link.hinge.slot: link for link in tree.links if link.hinge}
        for slot, link in of.items():
            twin = of[list(SLOT_INDEX)[MIRROR_INDEX[SLOT_INDEX[slot]]]]
            np.testing.assert_allclose(np.array(link.pos) * (1, -1, 1), twin.pos, atol=1e-12)
            np.testing.assert_allclose(mirrored(link.inertia), twin.inertia, atol=1e-12)
            assert link.hinge.effort == twin.hinge.effort


def test_feasible_bodies_have_possible_links_and_no_problems(bodies):
    for body in bodies:
        assert is_possible(np.array([link.inertia for link in body.full.links])).all()
        assert problems(body) == []


def test_problems_names_what_is_wrong():
    weak = draw_body(0, 0, 0, MorphologyConfig(knee_effort=(0.01, 0.02)))
    assert any("single support" in text for text in problems(weak))


def test_joints_keep_the_convention_of_their_slots(bodies):
    for body in bodies:
        humanoid = body.humanoid
        assert (humanoid.sign == 1).all()
        assert (humanoid.offset == 0).all()
        legs = humanoid.slot < 12
        assert (humanoid.cosine[legs] > 0.6).all(), body.name
        straight = humanoid.tree.frames(humanoid.tree.positions())
        assert np.allclose(straight[:, :3, :3], np.eye(3))
        hips = [i for i, slot in enumerate(humanoid.slot) if slot in (0, 1, 2)]
        assert (
            abs(np.linalg.det(humanoid.tree.axes(humanoid.tree.positions())[hips])) > 0.3
        )  # three directions of freedom


def test_the_standing_pose_has_flat_soles_on_the_floor(bodies):
    for body in bodies:
        humanoid = body.humanoid
        data = mujoco.MjData(humanoid.model)
        data.qpos[:] = humanoid.default_qpos
        mujoco.mj_forward(humanoid.model, data)
        for sole in ("left_sole", "right_sole"):
            R = data.geom(sole).xmat.reshape(3, 3)
            rolls = humanoid.mask[SLOT_INDEX["left_ankle_roll"]]
            assert R[2, 2] > (0.9999 if rolls else 0.97), body.name
            assert abs(data.geom(sole).xpos[2] - humanoid.recipe.sole) < (1e-4 if rolls else 0.02)
        middle = (data.geom("left_sole").xpos + data.geom("right_sole").xpos) / 2
        assert abs(data.subtree_com[1][0] - middle[0]) < 0.02 * humanoid.leg_length
        assert abs(data.subtree_com[1][1]) < 1e-3


def test_nineteen_of_twenty_stand_without_a_policy(bodies):
    outcome = [stand(body.humanoid).stands for body in bodies]
    assert np.mean(outcome) >= 0.95


def test_a_body_that_cannot_stand_is_told_apart(bodies):
    from dataclasses import replace

    humanoid = bodies[0].humanoid
    leaning = replace(humanoid, default_pose=humanoid.default_pose + 0.5 * (humanoid.slot == 4))
    assert not stand(leaning).stands


def test_mirrored_states_step_to_mirrored_states(bodies):
    for body in bodies[:6]:
        humanoid, rng = body.humanoid, np.random.default_rng(0)
        model = humanoid.model
        model_data = [mujoco.MjData(model), mujoco.MjData(model)]
        q = mirror_free(humanoid, rng.uniform(-0.1, 0.1, humanoid.num_joints))
        for data, flip in zip(model_data, (False, True), strict=True):
            slots = humanoid.to_slots(humanoid.default_pose) + humanoid.rates_to_slots(q)
            omega, velocity = np.array([0.3, -0.2, 0.4]), np.array([0.2, 0.3, 0.0])
            if flip:
                slots, omega, velocity = mirror_slots(slots), omega * (-1, 1, -1), velocity * (1, -1, 1)
            data.qpos[:] = (0, 0, humanoid.base_height + 0.3, 1, 0, 0, 0, *humanoid.from_slots(slots))
            data.qvel[:3], data.qvel[3:6] = velocity, omega
            data.ctrl[:] = humanoid.from_slots(slots) + 0.05 * humanoid.rates_from_slots(AXES[:, 1])
            for _ in range(20):
                mujoco.mj_step(model, data)
        left, right = model_data
        np.testing.assert_allclose(
            mirror_slots(humanoid.to_slots(left.qpos[7:])), humanoid.to_slots(right.qpos[7:]), atol=1e-8
        )
        np.testing.assert_allclose(left.qpos[:3] * (1, -1, 1), right.qpos[:3], atol=1e-8)
        np.testing.assert_allclose(left.qvel[3:6] * (-1, 1, -1), right.qvel[3:6], atol=1e-7)


def mirror_free(humanoid: Humanoid, q: np.ndarray) -> np.ndarray:
    """Joint offsets without any symmetry of their own, so that the test cannot pass by chance."""
    assert not np.allclose(mirror_slots(humanoid.rates_to_slots(q)), humanoid.rates_to_slots(q))
    return q


def test_merging_links_keeps_mass_and_centre(bodies):
    for body in bodies:
        humanoid = body.humanoid
        assert np.isclose(humanoid.mass, body.full.mass())
        np.testing.assert_allclose(
            humanoid.tree.com(humanoid.tree.positions()), body.full.com(body.full.positions()), atol=1e-9
        )
        masses, _, _ = mass_com_inertia(np.array([link.inertia for link in humanoid.tree.links]))
        assert len(masses) == humanoid.num_joints + 1


@pytest.mark.slow
def test_ten_thousand_bodies_have_no_impossible_link_and_cover_the_real_robots():
    """The bar of the family: 0 impossible links in 10,000 bodies; 12 to 32 joints, 16 to 90 kg."""
    mass, joints = [], []
    for index in range(10_000):
        body = draw_body(index, 0, 0, MorphologyConfig())
        assert is_possible(np.array([link.inertia for link in body.full.links])).all(), index
        mass.append(body.full.mass())
        joints.append(int(body.present.sum()))
    assert min(joints) <= 12
    assert max(joints) == 32
    assert np.percentile(mass, 2) < 16
    assert np.percentile(mass, 98) > 90
