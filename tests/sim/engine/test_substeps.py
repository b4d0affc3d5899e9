"""Contacts and grips: nothing sinks in, however fast it falls, and nothing creeps in a hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.objects.model import GraspPoint
from sim.bimanual.rate import TIMESTEP
from sim.bimanual.skills import Skills
from sim.bimanual.spec import TABLE_HEIGHT
from sim.engine.substeps import WAY
from tests.sim.bimanual.scenes import cube, rest, simulation, thing
from twinloom.transforms import inverse, matrix_to_quat, pose, rotation_about, rotation_angle


def test_a_step_is_divided_only_while_something_falls_fast():
    sim = simulation(cube("a", 0.0, 0.2), cube("b", 0.2, 0.2, above=0.6))
    speeds, parts = [], []
    for _ in range(12):
        sim.step(sim.action)
        speeds.append(-float(sim.data.joint("b").qvel[2]))
        parts.append(sim.engine.advance.divisions(sim.data))
    assert all((v > 0.7) == (n > 1) for v, n in zip(speeds, parts, strict=True) if not 0.6 < v < 0.8)
    assert max(parts) == np.ceil(max(speeds) * TIMESTEP / WAY)
    assert sim.model.opt.timestep == TIMESTEP


@pytest.mark.parametrize("speed", [1.0, 2.0, 4.0])
def test_what_is_thrown_down_does_not_sink_in(speed):
    sim = simulation(cube("a", 0.0, 0.2, above=0.1), cube("wall", 0.2, 0.2, above=0.1, mode="static"))
    deepest = [0.0]
    sim.engine.advance.watch = lambda data: deepest.append(-float(data.contact.dist.min(initial=0.0)))
    sim.data.joint("a").qvel[2] = -speed
    rest(sim, 0.3)
    assert 0.0 < max(deepest) < 0.003
    assert sim.actors["a"].position[2] == pytest.approx(TABLE_HEIGHT, abs=5e-4)


def test_a_heavy_thing_held_off_its_centre_stays_where_it_is_in_the_hand():
    """The handle of a pan: half a kilogram that pulls half a decimetre beside the fingers."""
    sim = simulation(cube("bar", -0.2, 0.0, half=(0.10, 0.012, 0.03), density=2500.0))
    world = rest(sim, 0.2)
    robot, bar = Skills(sim, world, np.random.default_rng(0)), sim.actors["bar"]
    end = GraspPoint("end", pose((0.05, 0.0, 0.03), rotation_about([0, 1, 0], np.pi / 2)), width=0.024)
    robot.do(robot.grasp("left", bar, grasps=[end], lift=0.0))
    robot.do(robot.lift("left", 0.1))
    before = inverse(sim.tcp("left")) @ bar.pose()
    rest(sim, 5.0)
    after = inverse(sim.tcp("left")) @ bar.pose()
    assert np.linalg.norm(after[:3, 3] - before[:3, 3]) < 0.001
    assert rotation_angle(before[:3, :3].T @ after[:3, :3]) < np.radians(1.0)


def test_a_ball_rolls_out_of_the_corner_of_a_tipped_bin():
    """With the friction of a flat patch it would hang there for ever."""
    tipped = rotation_about([0.74, -0.34, 0.0], np.radians(-125.0))
    at = np.array([0.0, 0.0, 1.3]) + tipped @ [0.042, 0.042, 0.021]
    bin_ = replace(thing("bin", "table_trash_bin", 0.0, 0.0, index=5, mode="static"), pos=(0.0, 0.0, 1.3))
    ball = cube("ball", at[0], at[1], above=at[2] - TABLE_HEIGHT, half=(0.008,) * 3, density=300.0, ball=True)
    sim = simulation(replace(bin_, quat=matrix_to_quat(tipped)), ball)
    rest(sim, 1.5)
    assert sim.actors["bin"].up[2] < -0.5
    assert sim.actors["ball"].position[2] < 1.0
