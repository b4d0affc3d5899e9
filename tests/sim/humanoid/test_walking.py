"""The controller walks a body it never saw, and its targets are what the servos need."""

import mujoco
import numpy as np
import pytest

from sim.humanoid.walking.controller import FORESIGHT, WalkingController
from sim.humanoid.walking.episode import Trial, walk
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.gait import Command, Mode
from sim.humanoid.walking.inverse_dynamics import Solution
from sim.humanoid.walking.state import BodyState
from tests.sim.humanoid.biped import biped


@pytest.mark.parametrize(
    "shape",
    [{}, {"rolls": False}, {"thigh": 0.2, "shank": 0.22, "trunk": 8.0}, {"thigh": 0.42, "shank": 0.40, "trunk": 40.0}],
    ids=["plain", "no ankle roll", "small", "large"],
)
def test_walks_and_turns(shape):
    outcome = walk(biped(**shape), WalkingGains(), Trial(0.2, yaw_rate=0.2, duration=7.0))
    assert outcome.survived == 7.0
    assert outcome.velocity == pytest.approx(outcome.commanded, abs=0.08)
    assert outcome.yaw_rate == pytest.approx(0.2, abs=0.06)
    assert outcome.upright > 0.95


def test_stands_without_moving():
    outcome = walk(biped(), WalkingGains(), Trial(walk=False, duration=5.0))
    assert outcome.survived == 5.0
    assert abs(outcome.velocity) < 0.005
    assert outcome.upright > 0.998


def test_recovers_from_a_push():
    assert walk(biped(), WalkingGains(), Trial(0.1, push=0.2, duration=7.0, seed=2)).survived == 7.0


def test_same_seed_same_walk():
    trial = Trial(0.2, duration=3.0, seed=5)
    paths = []
    for _ in range(2):
        path: list[np.ndarray] = []
        walk(biped(), WalkingGains(), trial, lambda data, path=path: path.append(data.qpos.copy()))
        paths.append(np.array(path))
    assert np.array_equal(*paths)


def test_walking_stops_with_the_feet_side_by_side():
    body = biped()
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.qpos_default
    mujoco.mj_forward(body.model, data)
    controller = WalkingController(body, WalkingGains())
    for step in range(450):
        data.ctrl[:] = controller.targets(data, Command((0.2, 0.0), 0.0, walk=20 < step < 250))
        mujoco.mj_step(body.model, data, 4)
        BodyState.refresh(body.model, data)
    assert controller.clock.mode is Mode.STAND
    apart = body.sole(data, 0)[0] - body.sole(data, 1)[0]
    assert abs(apart[0]) < 0.05
    assert abs(apart[1]) == pytest.approx(body.stance_width, abs=0.1)
    assert data.xmat[body.base, 8] > 0.99
    assert np.abs(data.qvel[:2]).max() < 0.02


def test_servos_give_the_wanted_torque_in_the_mean_of_a_control_step():
    """One joint that moves as wanted: with foresight its servo gives the torque, without it less."""
    body = biped()
    data = mujoco.MjData(body.model)
    mujoco.mj_forward(body.model, data)
    controller = WalkingController(body, WalkingGains())
    controller.targets(data, Command())
    kp, kd, torque, inertia, dt = body.kp[0], body.kd[0], 12.0, 0.6, controller.clock.dt
    means = {}
    for foresight in (0.0, 1.0):
        acceleration = np.full(body.model.nv, torque / inertia * foresight / FORESIGHT)
        force = np.append(np.zeros(6), np.full(len(body.kp), torque))
        target = controller._position_targets(Solution(acceleration, (), force))[0]
        q, rate, given = controller._state.qpos[0], controller._state.qvel[0], []
        for _ in range(200):
            given.append(kp * (target - q) - kd * rate)
            rate += torque / inertia * dt / 200  # as wanted
            q += rate * dt / 200
        means[foresight] = float(np.mean(given))
    assert means[1.0] == pytest.approx(torque, rel=0.01)
    assert means[0.0] < 0.9 * torque
