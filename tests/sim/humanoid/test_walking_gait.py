"""The clock and the swing foot."""

from itertools import pairwise

import numpy as np
import pytest

from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.gait import LEFT, RIGHT, Command, GaitClock, Mode
from sim.humanoid.walking.swing import SwingFoot, cubic_acceleration
from tests.sim.humanoid.biped import biped

GO, STOP = Command((0.3, 0.0), 0.2), Command(walk=False)


def _clock() -> GaitClock:
    return GaitClock(time_unit=0.27, period=1.25, shift=1.6, dt=0.02)


def test_clock_stands_shifts_steps_and_stands_again():
    clock, seen = _clock(), []
    for tick in range(300):
        clock.advance(GO if 10 <= tick < 150 else STOP)
        seen.append(clock.mode)
    assert seen[:10] == [Mode.STAND] * 10
    assert seen[10] is Mode.SHIFT
    assert seen[149] is Mode.STEP
    assert seen[-1] is Mode.STAND
    assert sorted(set(seen)) == list(Mode)


def test_stance_alternates_every_period():
    clock = _clock()
    switches = [(tick, clock.stance) for tick in range(200) if clock.advance(GO) and clock.mode is Mode.STEP]
    assert {b[0] - a[0] for a, b in pairwise(switches)} == {round(clock.period / clock.dt)}
    assert [stance for _, stance in switches[:3]] == [RIGHT, LEFT, RIGHT]


def test_velocity_changes_no_faster_than_the_limit():
    clock, last = _clock(), np.zeros(2)
    for _ in range(200):
        clock.advance(GO)
        assert np.abs(clock.velocity - last).max() <= 0.3 * clock.dt + 1e-12
        last = clock.velocity
    assert clock.velocity == pytest.approx(GO.velocity)
    assert clock.yaw_rate == pytest.approx(GO.yaw_rate)


def test_features_are_continuous_within_a_step_and_mirror_between_sides():
    clock, rows = _clock(), []
    for _ in range(200):
        clock.advance(GO)
        rows.append((clock.mode, clock.stance, clock.features()))
    ticks = round(clock.period / clock.dt)
    one, other = rows[-1][2], rows[-1 - ticks][2]
    assert one[:3] == pytest.approx(other[:3])
    assert one[3:5] == pytest.approx(-other[3:5])  # the stride's waves
    assert one[5:] == pytest.approx(other[5:])  # the step's waves


def test_cubic_acceleration_is_that_of_the_interpolating_cubic():
    gap, velocity, time = 0.3, -0.4, 0.25
    # p(0) = 0, p'(0) = v, p(t) = gap, p'(t) = 0
    rows = [[0, 0, 0, 1], [0, 0, 1, 0], [time**3, time**2, time, 1], [3 * time**2, 2 * time, 1, 0]]
    cubic = np.linalg.solve(np.array(rows, float), [0.0, velocity, gap, 0.0])
    found = cubic_acceleration(np.array([gap]), np.array([velocity]), time)
    assert found[0] == pytest.approx(2 * cubic[1])


def test_swing_height_and_its_derivatives_agree():
    swing, clock, eps = SwingFoot(biped(), WalkingGains()), _clock(), 1e-5
    swing.restart(np.array([0.0, 0.1, 0.01]), 0.02)
    for here in np.linspace(0.03, 1.1 * clock.period, 9):
        z = []
        for clock.time in (here - eps, here, here + eps):
            z.append(swing._bump(clock))
        assert (z[2][0] - z[0][0]) / (2 * eps) == pytest.approx(z[1][1], rel=1e-4, abs=1e-6)
        assert (z[2][1] - z[0][1]) / (2 * eps) == pytest.approx(z[1][2], rel=1e-4, abs=1e-3)


def test_swing_foot_arrives_at_the_foothold():
    body, gains, clock = biped(), WalkingGains(), _clock()
    while clock.mode is not Mode.STEP or clock.steps < 3:
        clock.advance(GO)
    swing, foothold = SwingFoot(body, gains), np.array([0.25, 0.12])
    swing.restart(np.array([0.0, 0.1, 0.0]))
    way = swing.follow(foothold, clock)
    while clock.steps == 3:
        way = swing.follow(foothold, clock)
        clock.advance(GO)
    assert way.position[:2] == pytest.approx(foothold, abs=0.02)
    assert way.position[2] <= 0.002
