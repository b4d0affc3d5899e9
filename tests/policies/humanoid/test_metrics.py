"""What a walk is measured by, against walks whose numbers are known."""

import numpy as np
import pytest

from policies.humanoid.metrics import REFERENCE, SETTLE, Recorder
from policies.humanoid.pupil import DT
from policies.humanoid.world import World
from sim.humanoid.walking.gait import Command
from tests.policies.humanoid.test_senses import make_walker


def glide(speed: float, yaw_rate: float, command: Command, seconds: float = 8.0):
    """Metrics of a body that is moved along a circle by hand, in the air, without effort."""
    walker = make_walker()
    world = World(walker.body, np.random.default_rng(0), 0.0)
    recorder, data = Recorder(world), world.data
    for step in range(round(seconds / DT)):
        angle = yaw_rate * step * DT
        data.time = (step + 1) * DT
        data.qpos[:3] += np.array([np.cos(angle), np.sin(angle), 0.0]) * speed * DT
        data.qvel[:3] = np.array([np.cos(angle), np.sin(angle), 0.0]) * speed
        rotation = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0, 0, 1.0]])
        data.xmat[walker.body.base] = rotation.ravel()
        recorder.observe(command)
    return walker.body, recorder.metrics(seconds)


def test_a_perfect_walk_has_no_error_and_score_one():
    _, metrics = glide(0.3, 0.2, Command((0.3, 0.0), 0.2))
    assert metrics.forward_error == pytest.approx(0.0, abs=1e-9)
    assert metrics.sideways_error == pytest.approx(0.0, abs=1e-9)
    assert metrics.yaw_error == pytest.approx(0.0, abs=1e-6)
    assert metrics.score == pytest.approx(1.0, abs=0.02)


def test_errors_are_scaled_to_the_reference():
    body, metrics = glide(0.3, 0.0, Command((0.5, 0.0), 0.0))
    assert metrics.forward_error == pytest.approx(0.2 / np.sqrt(body.leg_length / REFERENCE))
    assert metrics.score < 0.6


def test_time_after_a_fall_scores_nothing():
    _, whole = glide(0.3, 0.0, Command((0.3, 0.0)), seconds=12.0)
    walker = make_walker()
    world = World(walker.body, np.random.default_rng(0), 0.0)
    assert Recorder(world).metrics(20.0).score == 0.0
    assert whole.score > 0.95


def test_what_happens_while_settling_does_not_count():
    _, metrics = glide(0.3, 0.0, Command((0.3, 0.0)), seconds=SETTLE)
    assert np.isnan(metrics.forward_error)
