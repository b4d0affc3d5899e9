"""Runs: every algorithm learns and exports, kills lose little, settings are not mixed, a coin keeps two outcomes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import policies
from policies import checkpoint
from policies.rl import learning_curve, weight_average
from policies.rl import train as module
from policies.rl.config import OLD_NAMES, LearnerConfig
from policies.rl.learning_curve import CURVE, read_curve
from policies.rl.train import TrainingJob, steps_done, train
from tests.policies.rl.toys import Broken, Clock, Coin, Unbounded, vector
from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.locks import exclusive

SMALL = LearnerConfig(
    steps=320, num_envs=4, steps_per_update=4, learning_starts=64, batch_size=32, actor=(8,), critic=(16,),
    buffer_size=1_000, horizon_ends=False,
)  # fmt: skip


def clock(**changes) -> TrainingJob:
    return TrainingJob(
        "toy/clock", replace(SMALL, **changes), lambda n: vector([Clock] * n), {"limit": 5}, ["t"], ["a", "b"]
    )


def weights(folder: Path) -> dict[str, np.ndarray]:
    return checkpoint.read(folder).tensors


@pytest.mark.parametrize("algo", ["tqc", "sac", "td3", "ppo"])
def test_the_exported_actor_acts_as_the_learner(algo, tmp_path, monkeypatch):
    made = []
    original = module.learner.make
    monkeypatch.setattr(weight_average, "SHARE", 1e-6)  # the weights of now
    monkeypatch.setattr(module.learner, "make", lambda *a: made.append(original(*a)) or made[-1])
    train(clock(algo=algo), tmp_path / "run")
    policy = policies.load(tmp_path / "run")
    observations = np.array([[0.0], [3.0], [400.0]], np.float32)
    model = made[0]
    normal = model.get_vec_normalize_env().normalize_obs(observations)
    unit = model.predict(normal, deterministic=True)[0]
    expected = np.array([0.0, -2.0]) + (unit + 1) / 2 * np.array([1.0, 8.0])
    np.testing.assert_allclose(policy.act_batch(observations), expected, atol=2e-5)
    assert policy.act({"observation.state": observations[0]}).shape == (1, 2)
    assert policy.spec.action.names == ("a", "b")
    with torch.no_grad():
        x, u = torch.as_tensor(normal), torch.as_tensor(unit)
        if algo == "ppo":
            values = model.policy.predict_values(x)
        else:
            values = model.critic(x, u)
            values = values.flatten(1) if algo == "tqc" else torch.cat(values, 1)
    scale = policy.return_std
    np.testing.assert_allclose(policy.atoms(observations), values.numpy() * scale, rtol=1e-3, atol=1e-4)


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tmp_path):
    one, two, other = (weights(train(clock(seed=s), tmp_path / n)) for n, s in (("a", 0), ("b", 0), ("c", 1)))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert not all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("algo", ["tqc", "ppo"])
def test_a_longer_run_continues_and_a_finished_one_does_nothing(algo, tmp_path):
    more = 4_200 if algo == "ppo" else 480  # whole rollouts of 2,048
    half, full = clock(algo=algo), clock(algo=algo, steps=more)
    before = weights(train(half, tmp_path / "run"))
    train(half, tmp_path / "run")
    assert all(np.array_equal(before[n], value) for n, value in weights(tmp_path / "run").items())
    train(full, tmp_path / "run")
    assert checkpoint.describe(tmp_path / "run")[0].extra["steps"] >= more
    steps = [row["step"] for row in read_curve(tmp_path / "run" / CURVE)]
    assert steps == sorted(set(steps))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_saves_and_goes_on_to_the_same_count(number, tmp_path, monkeypatch):
    calls = []
    original = module._Overseer._on_step

    def step(self):
        calls.append(1)
        if len(calls) == 40:
            os.kill(os.getpid(), number)
        return original(self)

    monkeypatch.setattr(module._Overseer, "_on_step", step)
    with pytest.raises(KeyboardInterrupt, match=r"160 steps are saved in .*last; the same command goes on"):
        train(clock(), tmp_path / "run")
    assert checkpoint.describe(tmp_path / "run")[0].extra["steps"] == 160
    train(clock(), tmp_path / "run")
    assert checkpoint.describe(tmp_path / "run")[0].extra["steps"] == 320
    assert len(calls) == 80
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_after_a_crash_the_run_goes_on_from_the_last_checkpoint_with_its_memory(tmp_path, monkeypatch):
    original, calls = module._Overseer._on_step, []

    def step(self):
        calls.append(1)
        if len(calls) == 60:
            raise MemoryError("killed")
        return original(self)

    monkeypatch.setattr(module._Overseer, "_on_step", step)
    with pytest.raises(MemoryError):
        train(clock(), tmp_path / "run", checkpoint_every=100)
    assert checkpoint.describe(tmp_path / "run")[0].extra["steps"] == 200
    memories = []
    load = module.training_state.load
    monkeypatch.setattr(
        module.training_state, "load", lambda m, *a: (load(m, *a), memories.append(m.replay_buffer.size()))[0]
    )
    train(clock(), tmp_path / "run", checkpoint_every=100)
    assert memories == [200]
    assert checkpoint.describe(tmp_path / "run")[0].extra["steps"] == 320


def test_after_kill_9_the_same_call_goes_on_where_the_last_checkpoint_is(tmp_path, monkeypatch):
    program = (
        "from pathlib import Path\nfrom tests.policies.rl.test_train import clock\n"
        "from policies.rl.train import train\n"
        f"train(clock(steps=1_000_000), Path({str(tmp_path / 'run')!r}), checkpoint_every=80)"
    )
    child = subprocess.Popen([sys.executable, "-c", program])
    while not (tmp_path / "run" / "last" / "policy.json").exists():
        assert child.poll() is None
        time.sleep(0.05)
    child.kill()
    child.wait()
    checkpoint.recover(tmp_path / "run" / "last")
    reached = int(checkpoint.describe(tmp_path / "run")[0].extra["steps"])
    resumed = []
    load = module.training_state.load
    monkeypatch.setattr(module.training_state, "load", lambda *a: resumed.append(load(*a)) or resumed[-1])
    train(clock(steps=reached + 40), tmp_path / "run")
    assert [int(numbers["steps"]) for numbers in resumed] == [reached]
    assert checkpoint.describe(tmp_path / "run")[0].extra["steps"] == reached + 40
    steps = [row["step"] for row in read_curve(tmp_path / "run" / CURVE)]
    assert steps == sorted(set(steps))


def test_settings_are_not_mixed(tmp_path):
    train(clock(), tmp_path / "run")
    with pytest.raises(TwinloomError, match=r"learner\.gamma 0\.99 \(now 0\.9\).*--out"):
        train(clock(gamma=0.9), tmp_path / "run")
    with pytest.raises(TwinloomError, match=r"world\.limit 5 \(now 6\)"):
        train(replace(clock(), world={"limit": 6}), tmp_path / "run")


def test_a_run_of_an_earlier_version_goes_on_under_the_new_names(tmp_path):
    train(clock(), tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    new = json.loads(path.read_text())
    before = {today: old for old, today in OLD_NAMES.items()}
    learner = {before.get(name, name): value for name, value in new["learner"].items()}
    assert {"replicas", "warm_up", "drop"} <= set(learner)
    path.write_text(json.dumps(new | {"learner": learner}))
    assert steps_done(train(clock(steps=400), tmp_path / "run")) == 400
    assert json.loads(path.read_text()) == new
    assert LearnerConfig.from_json(learner | {"steps": 320}) == SMALL


def test_values_end_with_the_score_unless_one_says_otherwise():
    assert LearnerConfig().horizon_ends


def test_a_reward_that_is_no_number_ends_in_one_line_and_a_dump(tmp_path):
    broken = replace(clock(), make_env=lambda n: vector([Broken] * n))
    with pytest.raises(
        TwinloomError, match=r"environment 0 returned the reward nan at step 3 .*not_finite.npz"
    ) as error:
        train(broken, tmp_path / "run")
    assert "\n" not in str(error.value)
    with np.load(tmp_path / "run" / "not_finite.npz") as dump:
        assert np.isnan(dump["reward"]).all()
        assert dump["before"].ravel().tolist() == [2.0] * 4
        assert dump["action"].shape == (4, 2)


def test_fewer_steps_than_were_done_leave_the_run_as_it_is(tmp_path):
    train(clock(), tmp_path / "run")
    assert steps_done(train(clock(steps=160), tmp_path / "run")) == 320 == steps_done(tmp_path / "run")


def test_a_refused_call_takes_no_folder(tmp_path):
    unbounded = replace(clock(), make_env=lambda n: vector([Unbounded] * n))
    with pytest.raises(TwinloomError, match="bounded"):
        train(unbounded, tmp_path / "run")
    train(clock(seed=2**32 - 1), tmp_path / "run")


def test_curves_show_actions_by_name_in_their_own_units(tmp_path):
    train(clock(start=-0.9, critic_first=10_000, learning_starts=0, start_spread=1e-3), tmp_path / "run")
    row = read_curve(tmp_path / "run" / CURVE)[-1]
    np.testing.assert_allclose([row["action/a"], row["action/b"]], [0.05, -2 + 0.05 * 8], atol=0.02)
    assert not {"action/0", "action/1"} & {*row}


def test_tensorboard_shows_the_curve_and_forgets_what_a_kill_undid(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    curve = learning_curve.TensorBoard(tmp_path, 0)
    curve.write({"a/b": 1.5, "words": "x"}, {}, 10)
    curve.write({"a/b": np.float32(2.5), "hidden": 1}, {"hidden": ("tensorboard",)}, 20)
    time.sleep(1.1)  # files are read in the order of their seconds
    again = learning_curve.TensorBoard(tmp_path, 15)
    again.write({"a/b": 3.5}, {}, 30)
    curve.close()
    again.close()
    read = EventAccumulator(str(tmp_path))
    read.Reload()
    assert read.Tags()["scalars"] == ["a/b"]
    assert [(event.step, event.value) for event in read.Scalars("a/b")] == [(10, 1.5), (30, 3.5)]


def test_two_processes_do_not_train_in_one_folder(tmp_path):
    with exclusive(tmp_path / "run" / ".lock", ""), pytest.raises(TwinloomError, match="another process"):
        train(clock(), tmp_path / "run")
    train(clock(), tmp_path / "run")


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(TwinloomError, match="not empty"):
        train(clock(), tmp_path)


def test_it_works_outside_the_main_thread(tmp_path):
    thread = threading.Thread(target=train, args=(clock(), tmp_path / "run"))
    thread.start()
    thread.join()
    assert (tmp_path / "run" / "last" / "policy.json").exists()


def test_the_average_is_of_the_last_tenth():
    layer = torch.nn.Linear(1, 1)
    mean = weight_average.Average([layer, torch.nn.ReLU()])
    with torch.no_grad():
        for step in range(1, 2_001):
            layer.weight.fill_(step)
            mean.update(10)
    value = mean.pairs()[0][0].item()
    assert 1_780 < value < 1_860  # a window of 200, exponentially weighted
    again = weight_average.Average([layer])
    again.restore(mean.state())
    assert again.pairs()[0][0].item() == value


def test_an_actor_can_begin_at_an_action_and_wait_for_its_critics(tmp_path):
    for algo in "tqc", "sac", "td3":
        job = clock(algo=algo, start=-0.9, critic_first=10_000, learning_starts=0)
        policy = policies.load(train(job, tmp_path / algo))
        action = policy.act_batch(np.array([[0.0], [4.0]], np.float32))  # type: ignore[attr-defined]
        np.testing.assert_allclose((action - [0, -2]) / [1, 8], 0.05, atol=0.01)


def test_wrong_settings_are_all_named_at_once():
    with pytest.raises(InvalidSettingsError, match=r"steps 0.*top_quantiles_to_drop_per_net 25.*risk 0"):
        LearnerConfig(steps=0, top_quantiles_to_drop_per_net=25, risk=0)
    with pytest.raises(InvalidSettingsError, match="steps_per_update 3"):
        LearnerConfig(steps_per_update=3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": -1},
        {"seed": 2**32},
        {"huber": np.nan},
        {"learning_rate": 0.0},
        {"start_spread": np.inf},
        {"learning_starts": -1},
        {"noise": -0.1},
        {"critic_first": -1},
        {"tau": 1.5},
        {"actor": (8, 0)},
        {"entropy": "auto_0"},
        {"entropy": "automatic"},
    ],
)
def test_settings_that_no_learner_takes_are_refused_before_anything_is_made(wrong):
    with pytest.raises(InvalidSettingsError, match=next(iter(wrong))):
        LearnerConfig(**wrong)
    assert LearnerConfig(entropy="auto").entropy == "auto"
    assert LearnerConfig(entropy="0", seed=2**32 - 1).entropy == "0"


def test_the_critic_of_a_coin_has_two_groups_of_atoms_and_the_mean_between_them(tmp_path):
    settings = LearnerConfig(
        steps=6_000, num_envs=8, learning_starts=500, batch_size=128, top_quantiles_to_drop_per_net=0, huber=0.1,
        actor=(16,), critic=(64, 64),
    )  # fmt: skip
    train(TrainingJob("toy/coin", settings, lambda n: vector([Coin] * n), {}), tmp_path / "run")
    atoms = policies.load(tmp_path / "run").atoms(np.zeros((1, 2), np.float32))[0]  # type: ignore[attr-defined]
    assert abs(atoms.mean() - 0.5) < 0.1
    middle = (atoms > 0.25) & (atoms < 0.75)
    assert middle.mean() < 0.25
    assert min((atoms < 0.25).mean(), (atoms > 0.75).mean()) > 0.3
    outcomes = np.repeat([0.0, 1.0], 500)
    fitted = np.quantile(atoms, (np.arange(1000) + 0.5) / 1000)
    assert np.abs(np.sort(outcomes) - fitted).mean() < 0.1
