"""The simulated robot between ticks: both rates hold, and it moves as the simulator of the datasets does."""

from __future__ import annotations

import numpy as np
import pytest

from real.contract import load_contract
from real.robots.plant import SimPlant
from sim.bimanual.episode import prepare
from sim.bimanual.rate import TIMESTEP
from tests.real.conftest import small_contract
from twinloom.errors import TwinloomError
from twinloom.seeding import episode_seed

ROBOT, TASK = "franka-panda", "click_bell"


@pytest.fixture(scope="module")
def contract():
    return load_contract(ROBOT)


@pytest.fixture
def plant(contract):
    plant = SimPlant(contract, TASK)
    plant.start()
    return plant


def steps(plant) -> int:
    """Steps of physics so far."""
    return round(plant.scene.prepared.sim.time / TIMESTEP)


def test_physics_keeps_its_rate_and_is_never_a_step_behind(plant):
    pattern = []
    for tick in range(1, 41):
        before = steps(plant)
        plant.advance(0.005, plant.target)
        pattern.append(steps(plant) - before)
        assert -1e-9 <= plant.scene.prepared.sim.time - 0.005 * tick < TIMESTEP - 1e-9
    assert pattern == [2, 1, 1, 1] * 10


def test_the_state_lies_between_the_steps_around_the_tick(plant, monkeypatch):
    sim, target = plant.scene.prepared.sim, plant.target
    engine_step, passed, states = sim.engine.step, [sim.state()[0]], []

    def step(ctrl):
        engine_step(ctrl)
        passed.append(sim.state()[0])

    monkeypatch.setattr(sim.engine, "step", step)
    for tick in range(60):
        target[0] = sim.home_action[0] + 0.2 * (1 - np.cos(0.05 * tick))
        plant.advance(0.005, target)
        states.append((plant.time, passed[-2], plant.read()[0][0], passed[-1]))
    for moment, older, now, newer in states:
        assert min(older, newer) - 1e-12 <= now <= max(older, newer) + 1e-12
        if round(moment / TIMESTEP, 6).is_integer():
            assert now == pytest.approx(newer, abs=1e-12)
    moves = np.diff([now for _, _, now, _ in states])
    assert np.abs(np.diff(moves)).max() < 0.2 * np.abs(moves).max()  # no unevenness from the two rates


def test_velocity_is_that_of_the_positions(plant):
    target, q = plant.target.copy(), []
    for k in range(60):
        target[1] = plant.scene.prepared.sim.home_action[1] + 0.2 * np.sin(0.05 * k)
        plant.advance(0.005, target)
        q.append((plant.read()[0][1], plant.read()[1][1]))
    positions, velocities = np.array(q).T
    np.testing.assert_allclose(velocities[21:-1], np.gradient(positions, 0.005)[21:-1], atol=0.05)


def test_it_moves_as_the_simulator_of_the_datasets(plant):
    """The same actions at 50 Hz: there as control steps, here as ramps of four ticks, one physics step later."""
    sim = prepare(TASK, ROBOT, episode_seed(0, TASK, 0), fps=50).sim
    rng, last = np.random.default_rng(0), sim.home_action
    theirs, ours = [], []
    for k in range(50):
        action = sim.home_action + 0.1 * np.sin(0.1 * k) * rng.uniform(0.5, 1.0, 16) * (np.arange(16) % 8 < 7)
        sim.step(action)
        theirs.append(sim.state())
        for tick in range(1, 5):
            plant.advance(0.005, last + (action - last) * tick / 4)
        ours.append(plant.read()[0])
        last = action
    moving = np.abs(np.diff(theirs, axis=0)).max()
    apart = np.abs(np.array(ours) - theirs)[5:].max()
    assert plant.delay_s == TIMESTEP
    assert apart < 1.5 * moving * plant.delay_s / 0.02  # what one physics step of delay makes


def test_a_rate_below_that_of_physics_also_works(contract):
    plant = SimPlant(contract, TASK)
    plant.start()
    for _ in range(50):
        plant.advance(0.020, plant.target)
    assert steps(plant) == 250
    np.testing.assert_allclose(plant.read()[0], contract.home, atol=0.03)


def test_success_is_judged_as_in_the_simulator(plant):
    assert not plant.success
    assert plant.record()["task"] == TASK
    assert plant.instruction()


def test_robots_that_cannot_be_simulated_are_refused(contract):
    with pytest.raises(TwinloomError, match="has no model"):
        SimPlant(small_contract(), TASK)
