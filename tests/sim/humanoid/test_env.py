"""The batched environment: seeds, spaces, rewards, commands, worlds that diverge, worlds of different bodies."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import sim
from assets.robots.humanoid.humanoid import Humanoid
from sim.humanoid.env import draws
from sim.humanoid.env.backends import MujocoBackend
from sim.humanoid.env.commands import NAMES, WAIST
from sim.humanoid.env.config import CommandConfig, EnvConfig, EventConfig
from sim.humanoid.env.curriculum import penalty, raised
from sim.humanoid.env.population import add_sensors, real_population
from sim.humanoid.env.rewards import FALL, REWARDS
from sim.humanoid.env.state import Slots, read
from sim.humanoid.env.vector import HumanoidVecEnv
from sim.humanoid.morphology.body import sample_body
from twinloom.errors import TwinloomError, UnknownNameError

CALM = EventConfig(joints=0, joint_speed=0, root_speed=0, push=0, push_turn=0, intervention=0, noise=0, late=0)
STAND = EnvConfig(commands=CommandConfig(standing=1.0, height=(0, 0), pitch=(0, 0), waist=0), events=CALM)


def actions(envs: HumanoidVecEnv, steps: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.3, 0.3, (steps, 4, 32))[:, : envs.num_envs]


def same(a: dict, b: dict, rows: slice | np.ndarray) -> bool:
    return all(np.array_equal(a[name][rows], b[name][rows]) for name in a)


def test_an_environment_is_the_same_whatever_runs_beside_it():
    few, many = HumanoidVecEnv(num_envs=2, bodies=2, threads=1), HumanoidVecEnv(num_envs=4, bodies=2, threads=2)
    first, second = few.reset(seed=7)[0], many.reset(seed=7)[0]
    assert same(first, second, slice(0, 2))
    assert not same(second, {name: np.roll(value, 2, 0) for name, value in second.items()}, slice(0, 2))
    ended = 0
    for action in actions(many, 120):
        left, right = few.step(action[:2]), many.step(action)
        assert same(left[0], right[0], slice(0, 2))
        assert np.array_equal(left[1], right[1][:2])
        ended += left[2].sum()
    assert ended  # so new episodes were compared too


def test_gymnasium_checker_is_silent():
    env = sim.make("humanoid/random")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


def test_names_of_environments():
    with pytest.raises(UnknownNameError, match="random"):
        sim.make("humanoid/randm")
    envs = sim.make_vec("humanoid/random", 2, bodies=1, threads=1)
    observation, _ = envs.reset(seed=0)
    assert envs.observation_space.contains(observation)
    with pytest.raises(TwinloomError, match="num_envs"):
        HumanoidVecEnv(num_envs=0)


def test_a_body_that_stands_is_paid_for_it():
    envs = HumanoidVecEnv(num_envs=3, threads=1, config=STAND)
    envs.reset(seed=1)
    for _ in range(100):
        _, reward, down, _, info = envs.step(np.zeros((3, 32)))
        assert not down.any()
    terms = dict(zip(REWARDS, info["terms"].T, strict=True))
    assert np.allclose(terms["standing"], 0.02)
    assert (terms["standing_in_air"] == 0).all()
    assert (terms["linear_velocity"] > 0.95 * 2 * 0.02).all()
    assert np.allclose(reward, info["terms"].sum(axis=1), atol=1e-5)


def test_episodes_end_by_falls_and_by_time():
    short = EnvConfig(episode=0.2, commands=STAND.commands, events=CALM)
    envs = HumanoidVecEnv(num_envs=2, threads=1, config=short)
    envs.reset(seed=0)
    tilted = envs.backend.qpos[1].copy()
    tilted[3:7] = np.cos(0.6), np.sin(0.6), 0, 0  # 1.2 rad of roll
    envs.backend.place(np.array([1]), tilted[None], np.zeros((1, envs.bodies.model.nv)))
    _, reward, down, over, info = envs.step(np.zeros((2, 32)))
    assert down.tolist() == info["fallen"].tolist() == [False, True]
    assert reward[1] - info["terms"][1].sum() == pytest.approx(FALL * 0.02, abs=1e-4)
    _, reward, down, _, _ = envs.step(np.zeros((2, 32)))  # the next step begins its next episode
    assert not down.any()
    assert reward[1] == 0
    for _ in range(8):
        _, _, down, over, _ = envs.step(np.zeros((2, 32)))
    assert over.tolist() == [True, False]
    assert not down.any()


def test_a_world_that_diverges_is_counted_dumped_and_harms_no_other(tmp_path):
    good, bad = (HumanoidVecEnv(num_envs=3, threads=1, dumps=tmp_path / "dumps") for _ in range(2))
    for envs in (good, bad):
        envs.reset(seed=3)
    others = np.array([0, 2])
    for step, action in enumerate(actions(bad, 8)):
        if step == 3:
            bad.backend.qvel[1, 8] = np.nan
        left, right = good.step(action), bad.step(action)
        assert same(left[0], right[0], others)
        assert np.array_equal(left[1][others], right[1][others])
        assert all(np.isfinite(value).all() for value in right[0].values())
        assert np.isfinite(right[1]).all()
        assert right[4]["diverged"].tolist() == [False, step == 3, False] == right[2].tolist()
    assert bad.diverged.tolist() == [0, 1, 0]
    (file,) = (tmp_path / "dumps").iterdir()
    with np.load(file) as dump:
        assert not np.isfinite(dump["qvel"]).all()
        assert dump["step"] == 4
        assert dump["actions"].shape == (3, 32)


def test_masked_actions_change_nothing():
    one, two = (HumanoidVecEnv(num_envs=3, threads=1) for _ in range(2))
    for envs in (one, two):
        envs.reset(seed=5)
    assert not one.bodies.mask.all()
    for action in actions(one, 5):
        left, right = one.step(action), two.step(np.where(two.bodies.mask, action, 1.0))
        assert same(left[0], right[0], slice(None))
        assert np.array_equal(left[1], right[1])


def _humanoid() -> Humanoid:
    return sample_body(0).humanoid


def test_slots_agree_with_the_humanoid():
    humanoid = _humanoid()
    slots = Slots(real_population(humanoid))
    q = np.random.default_rng(0).normal(size=(1, humanoid.num_joints))
    assert np.allclose(slots.positions(q), humanoid.to_slots(q))
    assert np.allclose(slots.rates(q), humanoid.rates_to_slots(q))
    assert np.allclose(slots.joints(humanoid.to_slots(q)), q)


def test_state_agrees_with_the_simulator():
    humanoid = _humanoid()
    bodies = real_population(humanoid)
    backend = MujocoBackend(bodies.model, 1, {}, 1)
    backend.place(np.array([0]), bodies.qpos, np.zeros((1, bodies.model.nv)))
    for _ in range(100):
        backend.step(humanoid.default_pose[None], 4)
    state = read(backend, Slots(bodies), bodies.qpos)
    assert state.force[0, :, 2].sum() == pytest.approx(humanoid.mass * 9.81, rel=0.02)
    assert np.abs(state.foot_height).max() < 0.003
    assert state.foot_place[0, 0, 1] - state.foot_place[0, 1, 1] == pytest.approx(humanoid.foot_spacing, abs=0.01)
    data = mujoco.MjData(bodies.model)
    data.qpos[:], data.qvel[:] = backend.qpos[0], np.random.default_rng(1).normal(size=bodies.model.nv)
    mujoco.mj_forward(bodies.model, data)
    backend.place(np.array([0]), data.qpos[None], data.qvel[None])
    state = read(backend, Slots(bodies), bodies.qpos)
    R = data.xmat[1].reshape(3, 3)
    assert np.allclose(state.velocity[0], R.T @ data.qvel[:3])
    assert np.allclose(state.up[0], R[2])
    assert np.allclose(state.foot_speed[0], data.sensordata[6:12].reshape(2, 3))


def test_a_diverging_world_is_not_reset_by_the_engine():
    model = add_sensors(_humanoid().spec())
    assert model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_AUTORESET


def test_commands_keep_their_rules():
    envs = HumanoidVecEnv(num_envs=4, bodies=4, threads=1)
    commands, ids = envs.commands, np.arange(4)
    seen = []
    for step in range(400):
        commands.draw(ids, envs._key, np.full(4, step))
        seen.append(commands.values / np.where(commands.unit == 0, 1, commands.unit))
        assert (commands.values[commands.standing, :3] == 0).all()
        assert (commands.values[:, WAIST][~envs.bodies.mask[:, 12:15]] == 0).all()
    drawn = dict(zip(NAMES, np.concatenate(seen).T, strict=True))
    speed = np.hypot(drawn["velocity_x"], drawn["velocity_y"])
    assert ((speed == 0) | (speed >= 0.15)).all()
    assert np.abs(drawn["velocity_x"]).max() == pytest.approx(0.6, abs=0.02)
    assert (drawn["swing"][(drawn["frequency"] > 2.5) | (drawn["height"] < -0.15)] <= 0.2).all()
    assert (drawn["pitch"][drawn["height"] < -0.2] <= 0.3).all()


def test_the_gait_clock():
    envs = HumanoidVecEnv(num_envs=2, bodies=2, threads=1)
    envs.reset(seed=0)
    commands = envs.commands
    commands.standing[:], commands.phase[:] = False, 0.1
    feet = commands.feet()
    assert np.allclose(feet, [[0.6, 0.1]] * 2)
    assert np.allclose(commands.contact(feet), [[0.0228, 0.977]] * 2, atol=1e-3)  # two deviations past the edge
    commands.standing[0] = True
    assert (commands.contact(commands.feet())[0] == 1).all()


def test_draws_are_uniform_and_of_one_purpose_each():
    key = draws.keys(np.arange(2000), np.zeros(2000))
    u = draws.uniform(key, "a", 0, 5)
    assert abs(u.mean() - 0.5) < 0.01
    assert abs(u.var() - 1 / 12) < 0.003
    assert np.abs(np.corrcoef(u.T) - np.eye(5)).max() < 0.1
    assert not np.intersect1d(u, draws.uniform(key, "b", 0, 5)).size
    assert not np.intersect1d(u, draws.uniform(key, "a", 1, 5)).size


def test_curricula():
    assert [round(penalty(0.2, step, 100), 2) for step in (0, 100, 200)] == [0.2, 0.28, 0.36]
    ceiling = raised(np.ones(2), np.array([0.9, 0.5]), np.array([0.9, 0.9]))
    assert np.allclose(ceiling, 1.01)
    assert (raised(ceiling, np.zeros(1), np.zeros(1)) == ceiling).all()


def test_pushes_and_arms():
    events = EventConfig(push_interval=0.1, intervention=1.0, intervention_switch=0.0, late=0, noise=0)
    envs = HumanoidVecEnv(num_envs=4, bodies=4, threads=1, config=EnvConfig(events=events))
    envs.reset(seed=2)
    envs.commands.values[:, 12] = envs.commands._arms
    change = envs.events.pushes(envs._key, np.full(4, 5), 0.02, 1.0)
    assert change is not None
    assert (np.abs(change[:, :2]) > 0).all()
    assert (change[:, 2] == 0).all()
    assert envs.events.pushes(envs._key, np.full(4, 6), 0.02, 1.0) is None
    flag = envs.commands.values[:, 12] > 0
    target = envs.events.intervene(envs.bodies.default, flag, envs._key, np.zeros(4, int))
    moved = target != envs.bodies.default
    assert moved[flag][:, 15:29].any()
    assert not moved[:, :15].any()
    assert not moved[:, 29:].any()
    assert not moved[~envs.bodies.mask].any()


def test_models_differ_by_environment_and_episode():
    envs = HumanoidVecEnv(num_envs=2, bodies=1, threads=1)
    envs.reset(seed=0)
    first = envs.events.drawn.copy()
    assert (first[0] != first[1]).all()
    envs.reset()
    assert (envs.events.drawn != first).all()
