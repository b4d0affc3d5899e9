"""The control loop: physics that can be worked out by hand, exact commands, exact repetition."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim.bimanual.rate import TIMESTEP, substeps
from sim.bimanual.spec import TABLE_HEIGHT, DynamicsSpec
from sim.bimanual.world import World
from sim.engine.base import DivergedError
from tests.sim.bimanual.scenes import cube, rest, simulation, thing
from twinloom.errors import TwinloomError

G = 9.81


def wobble(n: int, seed: int = 0) -> np.ndarray:
    """(n, 16) actions around home for the default robot."""
    rng = np.random.default_rng(seed)
    home = simulation().home_action
    return np.clip(home + rng.normal(0, 0.05, (n, len(home))).cumsum(0), home - 0.4, home + 0.4) * ([*[1] * 7, 0.8] * 2)


# ---------------------------------------------------------------------- physics


def test_free_fall():
    sim = simulation(cube("a", 0.0, 0.2, above=0.3), cube("b", 0.2, 0.2, above=0.35, density=4000.0))
    for _ in range(5):
        sim.step(sim.action)
    time = 5 * sim.substeps * TIMESTEP
    assert sim.time == pytest.approx(time)
    fallen = G * time**2 / 2  # the mass does not matter
    for name, above in (("a", 0.3), ("b", 0.35)):
        assert sim.actors[name].position[2] == pytest.approx(TABLE_HEIGHT + above - fallen, rel=3e-3)
        assert sim.actors[name].up[2] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("bias", [-0.03, 0.0, 0.03])
def test_resting_height_follows_the_table(bias):
    sim = simulation(
        cube("low", -0.2, 0.1, above=0.05), cube("tall", 0.2, 0.1, half=(0.02, 0.03, 0.06), above=0.05), table_bias=bias
    )
    rest(sim, 0.8)
    for name in ("low", "tall"):
        height = sim.actors[name].position[2] - TABLE_HEIGHT - bias
        assert -5e-4 < height < 1e-4
        assert np.abs(sim.data.joint(name).qvel).max() < 1e-3


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.25])
@pytest.mark.parametrize("steepness", [0.9, 1.1])
def test_a_block_slides_where_the_slope_exceeds_its_friction(factor, steepness):
    flat = cube("a", -0.3, 0.1, half=(0.05, 0.05, 0.005), friction=0.7)
    sim = simulation(flat, dynamics=DynamicsSpec(friction=factor))
    rest(sim, 0.2)
    friction = 1.0 * factor  # of the table, which is the rougher of the two
    slope, start = np.arctan(steepness * friction), sim.actors["a"].position[0]
    sim.model.opt.gravity[:] = G * np.sin(slope), 0, -G * np.cos(slope)
    rest(sim, 0.4)
    slid = sim.actors["a"].position[0] - start
    if steepness < 1:
        assert abs(slid) < 5e-4
    else:
        assert slid == pytest.approx(G * (np.sin(slope) - friction * np.cos(slope)) * 0.4**2 / 2, rel=0.04)


def test_resting_clutter_sleeps_until_something_touches_it():
    clutter = replace(cube("clutter", 0.0, 0.15), clutter=True)
    sim = simulation(clutter, cube("task", 0.2, 0.15), cube("hammer", -0.2, 0.15, density=4000.0))
    rest(sim, 0.4)
    bodies = {name: actor.bodies["base"] for name, actor in sim.actors.items()}
    asleep = {name: not sim.data.body_awake[body] for name, body in bodies.items()}
    assert asleep == {"clutter": True, "task": False, "hammer": False}
    world = World(sim)
    assert world.on(sim.actors["task"], "table")
    sim.data.joint("hammer").qpos[:3] = 0.03, 0.15, TABLE_HEIGHT + 0.2
    sim.data.joint("hammer").qvel[2] = -3.0
    rest(sim, 0.08)
    assert sim.data.body_awake[bodies["clutter"]]


# --------------------------------------------------------------------- commands


def test_servos_follow_a_ramp_and_hold_the_goal():
    sim = simulation()
    goal = sim.home_action + 0.2 * np.array([1, -1, 1, 1, -1, 1, 1, 0, -1, 1, -1, 1, 1, -1, -1, 0])
    start = sim.action
    lag = []
    for i in range(1, 26):
        command = start + (goal - start) * i / 25
        sim.step(command)
        lag.append(np.abs(sim.state() - command)[[*range(7), *range(8, 15)]].max())
    assert max(lag) < 0.05  # 0.2 rad/s
    rest(sim, 0.6)
    assert np.abs(sim.state() - goal).max() < 0.01


def test_the_gripper_goes_where_it_is_told():
    sim = simulation()
    for opening in (0.0, 0.5, 1.0):
        action = sim.home_action
        action[[7, 15]] = opening
        for _ in range(20):
            sim.step(action)
        assert sim.state()[[7, 15]] == pytest.approx(opening, abs=0.02)
        stroke = sim.data.joint("left_finger1").qpos[0] + sim.data.joint("left_finger2").qpos[0]
        assert stroke == pytest.approx(opening * sim.record.gripper.max_opening, abs=0.003)


def test_tcp_is_between_the_fingertips_and_x_points_out():
    sim = simulation()
    for side in ("left", "right"):
        T = sim.tcp(side)
        fingers = [sim.data.xpos[body] for body in sim.arms[side].finger_bodies]
        across = (fingers[1] - fingers[0]) / np.linalg.norm(fingers[1] - fingers[0])
        assert abs(abs(T[:3, 1] @ across) - 1) < 1e-6
        middle = T[:3, 3] - np.mean(fingers, 0)
        assert T[:3, 0] @ middle > 0.02
        assert np.linalg.norm(middle - T[:3, 0] * (T[:3, 0] @ middle)) < 1e-3


def test_commands_move_linearly_within_a_control_step():
    fine, coarse = simulation(fps=250), simulation(fps=25)
    goal = coarse.home_action + 0.1
    goal[[7, 15]] = 0.5
    stored = goal.astype(np.float32).astype(float)
    coarse.step(goal)
    for i in range(1, 11):
        fine.step(fine.home_action + (stored - fine.home_action) * i / 10)
    np.testing.assert_allclose(fine.data.ctrl, coarse.data.ctrl, atol=1e-6)
    np.testing.assert_allclose(fine.data.qpos, coarse.data.qpos, atol=1e-6)


@pytest.mark.parametrize("latency", [1, 7, 10, 13])
def test_latency_shifts_commands_by_whole_physics_steps(latency):
    prompt, late = simulation(fps=250), simulation(fps=250, latency=latency)
    home = prompt.data.ctrl.copy()
    sent, arrived = [], []
    for action in wobble(40):
        for sim, log in ((prompt, sent), (late, arrived)):
            sim.step(action)
            log.append(sim.data.ctrl.copy())
    np.testing.assert_array_equal(arrived[:latency], np.repeat(home[None], latency, 0))
    np.testing.assert_array_equal(arrived[latency:], sent[:-latency])


def test_latency_is_counted_in_physics_steps_at_any_control_rate():
    sim = simulation(fps=25, latency=7)
    start, goal = sim.home_action, wobble(1)[0]
    sim.step(goal)
    stored = goal.astype(np.float32).astype(float)
    expected = start + (stored - start) * 0.3  # three of ten physics steps have arrived
    np.testing.assert_allclose(sim.data.ctrl[:7], expected[:7], atol=1e-12)


@pytest.mark.parametrize("fps", [0, -25, 24, 30, 60, 12.5, 251])
def test_control_rates_that_do_not_fit_are_refused(fps):
    with pytest.raises(TwinloomError, match=r"allowed: 1, 2, 5, 10, 25, 50, 125, 250"):
        simulation(fps=fps)


def test_control_steps_fill_physics_time_exactly():
    for fps in (1, 2, 5, 10, 25, 50, 125, 250):
        assert substeps(fps) * fps * TIMESTEP == 1.0


@pytest.mark.parametrize("bad", [np.zeros(15), np.zeros((1, 16)), np.full(16, np.nan), np.full(16, np.inf), 0.0])
def test_a_bad_action_changes_nothing(bad):
    sim = simulation(cube("a", 0, 0.1))
    sim.step(sim.home_action + 0.01)
    before = sim.data.qpos.copy(), sim.data.ctrl.copy(), sim.time, sim.action.copy(), sim.revision
    with pytest.raises(ValueError, match=r"\(16,\) finite numbers"):
        sim.step(bad)
    after = sim.data.qpos, sim.data.ctrl, sim.time, sim.action, sim.revision
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_diverging_physics_is_noticed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file where it stands
    sim = simulation(cube("a", 0, 0.1))
    sim.step(sim.action)
    sim.data.qvel[:] = 1e12
    with pytest.raises(DivergedError):
        sim.step(sim.action)
    sim.reset()
    rest(sim)
    assert sim.time == pytest.approx(0.4)


# ------------------------------------------------------------------- repetition


def run(sim, actions) -> np.ndarray:
    log = []
    for action in actions:
        sim.step(action)
        log.append(np.concatenate([sim.data.qpos, sim.data.qvel, sim.state(), sim.tcp("left").ravel()]))
    return np.array(log)


def busy(**changes):
    """Contacts of many kinds: a stack, a rolling ball, sleeping clutter, a drawer that stands open, late commands."""
    return simulation(
        replace(cube("clutter", 0.4, 0.1), clutter=True),
        cube("a", 0.0, 0.1),
        cube("b", 0.005, 0.1, above=0.06),
        cube("ball", 0.2, 0.1, above=0.05, ball=True),
        thing("cabinet", "cabinet", -0.2, 0.2, mode="fixed", drawer=0.05),
        latency=3,
        **changes,
    )


def test_reset_reproduces_every_bit():
    actions = wobble(40)
    sim = busy()
    first = run(sim, actions)
    sim.reset()
    assert sim.time == 0.0
    np.testing.assert_array_equal(run(sim, actions), first)
    np.testing.assert_array_equal(run(busy(), actions), first)


def test_actions_count_as_a_dataset_stores_them():
    actions = wobble(30)
    np.testing.assert_array_equal(run(busy(), actions), run(busy(), actions.astype(np.float32)))


def test_reset_puts_everything_where_the_spec_says():
    sim = busy()
    run(sim, wobble(40))
    sim.reset()
    for p in sim.spec.placements:
        np.testing.assert_allclose(sim.actors[p.name].pose()[:3, 3], p.pos, atol=1e-12)
        np.testing.assert_allclose(sim.actors[p.name].pose(), sim.actors[p.name].start, atol=1e-9)
    assert sim.actors["cabinet"].joint("drawer") == pytest.approx(0.05)
    np.testing.assert_allclose(sim.state(), sim.home_action, atol=1e-9)


def test_observers_see_the_state_just_reached():
    sim = simulation(cube("a", 0, 0.1, above=0.2))
    seen = []
    sim.observers.append(lambda s: seen.append((s.time, s.actors["a"].position[2], s.data.joint("a").qpos[2])))
    for _ in range(3):
        sim.step(sim.action)
    assert [t for t, _, _ in seen] == pytest.approx([0.04, 0.08, 0.12])
    assert all(pose == qpos for _, pose, qpos in seen)


def test_physics_runs_at_250_hz_with_the_documented_solver():
    option = simulation().model.opt
    assert option.timestep == TIMESTEP == 0.004
    assert option.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    assert option.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert option.impratio == 1000
