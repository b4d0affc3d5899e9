"""What a network sees: measured, mirrored, and nothing that a robot does not have."""

import mujoco
import numpy as np
import pytest

from assets.robots.humanoid.slots import SLOT_INDEX
from policies.humanoid import mirror
from policies.humanoid.bodies import Walker
from policies.humanoid.senses import DESCRIPTION, FRAME, LEGS, TASK, Measurement, Senses
from policies.humanoid.world import World
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.gait import RIGHT, Command, GaitClock, Mode
from tests.sim.humanoid.biped import biped


def make_walker(**shape) -> Walker:
    """The biped of boxes, its joints in their slots."""
    body = biped(**shape)
    names = [body.model.actuator(i).name for i in range(body.model.nu)]
    senses = Senses(body, np.array([SLOT_INDEX[name] for name in names]), np.ones(len(names)))
    return Walker(body, WalkingGains(), senses, senses.description(WalkingGains()))


@pytest.fixture(scope="module")
def walker() -> Walker:
    return make_walker()


def _measurement(walker: Walker, rng: np.random.Generator) -> Measurement:
    up = np.array([*rng.normal(0, 0.1, 2), 1.0])
    nu = len(walker.body.kp)
    qpos = walker.body.default_targets + rng.normal(0, 0.2, nu)
    return Measurement(qpos, rng.normal(0, 1, nu), rng.normal(0, 0.5, 3), up / np.linalg.norm(up), 0.3)


def test_actions_and_targets_are_inverse(walker):
    action = np.random.default_rng(0).normal(0, 0.3, LEGS)
    assert walker.senses.action(walker.senses.targets(action)) == pytest.approx(action)
    assert walker.senses.targets(np.zeros(LEGS)) == pytest.approx(walker.body.default_targets)


def test_standing_still_looks_like_nothing(walker):
    body = walker.body
    nu = len(body.kp)
    still = Measurement(body.default_targets, np.zeros(nu), np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.0)
    frame = walker.senses.frame(still, np.zeros(LEGS))
    assert frame.shape == (FRAME,)
    assert frame[3:6] == pytest.approx([0, 0, 1])
    assert np.delete(frame, [3, 4, 5]) == pytest.approx(np.zeros(FRAME - 3), abs=1e-12)
    assert walker.description.shape == (DESCRIPTION,)
    assert np.isfinite(walker.description).all()


def test_a_foot_that_stands_tells_the_velocity_of_the_base(walker):
    """Leg odometry: a sole at rest moves against the base as the base moves against the ground."""
    body, rng = walker.body, np.random.default_rng(1)
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.qpos_default
    data.qvel[6:] = rng.normal(0, 0.5, len(body.kp))
    data.qvel[3:6] = rng.normal(0, 0.3, 3)
    mujoco.mj_forward(body.model, data)
    sole, _ = body.sole(data, 0)
    jacobian = np.zeros((3, body.model.nv))
    mujoco.mj_jac(body.model, data, jacobian, None, sole, body.feet[0])
    data.qvel[:3] = -jacobian @ data.qvel  # the base moves so that the left sole rests
    measured = Measurement(data.qpos[7:], data.qvel[6:], data.qvel[3:6], np.array([0.0, 0.0, 1.0]), 0.0)
    seen = walker.senses.frame(measured, np.zeros(LEGS))[3 + 3 + 3 * LEGS + 6 :][:3]
    assert seen == pytest.approx(-data.qvel[:3] / body.speed_unit, abs=1e-9)


def test_the_mirror_image_of_a_body_is_seen_as_the_mirror_image(walker):
    """Swap the legs' measurements by hand, with the signs of the axes, and compare with the table."""
    one = _measurement(walker, np.random.default_rng(2))
    index, sign = mirror.ACTION
    names = [walker.body.model.actuator(i).name for i in range(LEGS)]
    slots = np.array([SLOT_INDEX[name] for name in names])

    def mirrored(values: np.ndarray) -> np.ndarray:
        in_slots = np.zeros(LEGS)
        in_slots[slots] = values
        return (in_slots[index] * sign)[slots]

    rest = walker.body.default_targets
    other = Measurement(
        rest + mirrored(one.qpos - rest),
        mirrored(one.qvel),
        one.angular_velocity * [-1, 1, -1],
        one.up * [1, -1, 1],
        -one.heading,
    )
    action = np.random.default_rng(3).normal(0, 0.2, LEGS)
    seen = walker.senses.frame(one, action)
    expected = walker.senses.frame(other, action[index] * sign)
    assert seen[mirror.FRAME[0]] * mirror.FRAME[1] == pytest.approx(expected, abs=1e-6)


def test_the_mirror_image_of_a_command_is_seen_as_the_mirror_image(walker):
    clock, other = (GaitClock(0.27, 1.3, 1.6, 0.02) for _ in range(2))
    for _ in range(60):
        clock.advance(Command((0.2, 0.1), 0.3))
        other.advance(Command((0.2, -0.1), -0.3))
    assert clock.mode is Mode.STEP
    other.stance = 1 - other.stance
    seen, expected = walker.senses.task(clock, 0.1), walker.senses.task(other, -0.1)
    assert seen.shape == (TASK,)
    assert seen[mirror.TASK[0]] * mirror.TASK[1] == pytest.approx(expected, abs=1e-6)
    assert {clock.stance, other.stance} == {RIGHT, 1 - RIGHT}


def test_a_world_without_hardship_measures_the_truth(walker):
    world = World(walker.body, np.random.default_rng(0), level=0.0)
    measured = world.measure()
    assert np.array_equal(measured.qpos, world.data.qpos[7:])
    assert np.array_equal(measured.qvel, world.data.qvel[6:])
    assert measured.up == pytest.approx([0, 0, 1], abs=1e-9)


def test_hardship_changes_the_world_but_not_the_body_it_was_made_from(walker):
    friction = walker.body.model.geom_friction.copy()
    worlds = [World(walker.body, np.random.default_rng(seed), level=1.0) for seed in range(3)]
    frictions = {round(float(world.model.geom_friction[0, 0]), 6) for world in worlds}
    assert len(frictions) == 3
    assert np.array_equal(walker.body.model.geom_friction, friction)
    a, b = worlds[0].measure(), worlds[0].measure()
    assert np.abs(a.qpos - b.qpos).max() > 0.0
