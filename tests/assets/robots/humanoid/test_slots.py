"""The canonical joint space by itself: slots, axes, mirror."""

from __future__ import annotations

import numpy as np

from assets.robots.humanoid import slots


def test_there_are_32_slots_and_twelve_of_them_are_legs():
    assert slots.NUM_SLOTS == 32 == len(set(slots.SLOTS))
    assert [slots.SLOTS[k] for k in (0, 3, 6, 12, 15, 18, 29)] == [
        *(
            "left_hip_pitch",
            "left_knee",
            "right_hip_pitch",
            "waist_yaw",
            "left_shoulder_pitch",
            "left_elbow",
            "head_yaw",
        )
    ]
    assert {slots.region(name) for name in slots.SLOTS[:12]} == {"left_leg", "right_leg"}
    assert {slots.region(name) for name in slots.SLOTS} == {
        *("left_leg", "right_leg", "waist", "left_arm", "right_arm", "head")
    }


def test_mirror_twice_is_the_identity_and_swaps_the_sides():
    values = np.random.default_rng(0).normal(size=(5, 32))
    mirrored = slots.mirror_slots(values)
    np.testing.assert_array_equal(slots.mirror_slots(mirrored), values)
    index = slots.SLOT_INDEX
    np.testing.assert_array_equal(mirrored[:, index["right_knee"]], values[:, index["left_knee"]])
    np.testing.assert_array_equal(mirrored[:, index["left_hip_roll"]], -values[:, index["right_hip_roll"]])
    np.testing.assert_array_equal(mirrored[:, index["waist_yaw"]], -values[:, index["waist_yaw"]])
    assert slots.mirror_mask(np.arange(32) < 6).nonzero()[0].tolist() == [6, 7, 8, 9, 10, 11]


def test_mirrored_rotation_is_the_rotation_seen_in_a_mirror():
    rng = np.random.default_rng(1)
    omega, arm = rng.normal(size=3), rng.normal(size=3)
    velocity = np.cross(omega, arm)
    image = np.cross(slots.mirror_rotation(omega), slots.mirror_vector(arm))
    np.testing.assert_allclose(image, slots.mirror_vector(velocity))
