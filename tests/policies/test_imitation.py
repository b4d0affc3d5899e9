"""Cloning: what is read is what was recorded, an interrupted training ends where an uninterrupted one does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

import policies  # noqa: E402 (needs torch)
from datagen.lerobot.read import Dataset  # noqa: E402
from policies.bimanual.evaluate import trials  # noqa: E402
from policies.imitation import train as module  # noqa: E402
from policies.imitation.config import TrainingConfig  # noqa: E402
from policies.imitation.data import load_demonstrations, shrink  # noqa: E402
from policies.imitation.network import chunk_loss  # noqa: E402
from policies.imitation.policy import Scale  # noqa: E402
from policies.imitation.train import Training  # noqa: E402
from twinloom.features import STATE  # noqa: E402
from twinloom.progress import Progress  # noqa: E402

HEAD = "observation.images.head"
SETTINGS = TrainingConfig(
    task="bimanual/click_bell",
    cameras=("head",),
    image_size=(16, 12),
    horizon=6,
    n_action_steps=3,
    width=24,
    channels=4,
    steps=8,
    batch_size=8,
)
RECORD = ["-m", "datagen", "--tasks", "click_bell", "lift_pot", "--episodes", "2", "--cameras", "head"]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "two"
    command = [sys.executable, *RECORD, "--size", "64x48", "--workers", "1", "--seed", "7", "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def demonstrations(dataset):
    return load_demonstrations(dataset, SETTINGS)


class Stop:
    """Catches its signal after some looks."""

    def __init__(self, after=10**9):
        self.left = after

    @property
    def signal(self):
        self.left -= 1
        return signal.SIGINT if self.left < 0 else 0


def trained(demonstrations, settings, out, after=10**9):
    training = Training(demonstrations, settings, out)
    return training, training.run(Stop(after), Progress(settings.steps))


def weights(folder):
    return policies.checkpoint.read(folder).tensors


# ------------------------------------------------------------------------ data


def test_the_episodes_of_the_task_are_read_as_recorded(dataset, demonstrations):
    with Dataset(dataset) as source:
        chosen = [e for e in range(len(source)) if source.row(e)["task_name"] == "click_bell"]
        assert demonstrations.episodes == len(chosen) == 2
        second = slice(demonstrations.first[1], demonstrations.first[2])
        arrays = source.arrays(chosen[1])
        np.testing.assert_array_equal(demonstrations.state[second], arrays[STATE])
        np.testing.assert_array_equal(demonstrations.action[second], arrays["action"])
        image = source.frame(chosen[1], 5, HEAD)
    mean = image.reshape(12, 4, 16, 4, 3).mean((1, 3)).transpose(2, 0, 1)
    np.testing.assert_allclose(demonstrations.images[demonstrations.first[1] + 5, 0], mean, atol=0.51)
    assert demonstrations.seeds == (7,)
    assert demonstrations.robot == "franka-panda"


def test_shrinking_takes_any_size():
    image = torch.randint(0, 256, (2, 5, 37, 53, 3), dtype=torch.uint8)
    small = shrink(image, (16, 12))
    assert small.shape == (2, 5, 3, 12, 16)
    assert abs(float(small.float().mean()) - float(image.float().mean())) < 3


def test_a_chunk_ends_with_its_episode(demonstrations):
    end = int(demonstrations.first[1])
    actions, there = demonstrations.chunks(np.array([0, end - 2, end]), 4)
    assert there.tolist() == [[True] * 4, [True, True, False, False], [True] * 4]
    np.testing.assert_array_equal(actions[0], demonstrations.action[:4])
    np.testing.assert_array_equal(actions[1, :2], demonstrations.action[end - 2 : end])
    np.testing.assert_array_equal(actions[2], demonstrations.action[end : end + 4])


def test_what_is_behind_the_end_does_not_count():
    wanted, there = torch.zeros(1, 3, 2), torch.tensor([[True, True, False]])
    predicted = wanted.clone()
    predicted[0, 2] = 99
    assert chunk_loss(predicted, wanted, there) == 0
    predicted[0, 0] = 1
    assert chunk_loss(predicted, wanted, there) == 0.5


def test_whole_episodes_are_held_out(demonstrations):
    learn, validate = demonstrations.split(0.5, 0)
    assert len(learn) + len(validate) == len(demonstrations.state)
    first = demonstrations.first
    assert sorted([len(learn), len(validate)]) == sorted([first[1], first[2] - first[1]])


def test_scaling_is_undone_and_leaves_what_never_changed_alone():
    rows = np.array([[0.0, 5.0, -2.0], [1.0, 5.0, 4.0]], np.float32)
    scale = Scale.from_json(Scale.of(rows).to_json())
    scaled = scale.scaled(torch.from_numpy(rows))
    np.testing.assert_allclose(scaled, [[-1, 0, -1], [1, 0, 1]], atol=1e-6)
    np.testing.assert_allclose(scale.unscaled(scaled), rows, atol=1e-6)
    with pytest.raises(TwinloomError, match="damaged"):
        Scale.from_json({"low": [1.0], "high": [1.0]})


def test_wrong_data_is_named(dataset, tmp_path):
    with pytest.raises(TwinloomError, match="no LeRobot dataset"):
        load_demonstrations(tmp_path, SETTINGS)
    with pytest.raises(UnknownNameError, match="click_bell"):
        load_demonstrations(dataset, replace(SETTINGS, task="click_alarmclock"))
    with pytest.raises(InvalidSettingsError) as caught:
        replace(SETTINGS, horizon=0, batch_size=0, learning_rate=2.0, noise=-1.0)
    assert len(caught.value.problems) == 5


# -------------------------------------------------------------------- training


def test_an_interrupted_training_ends_where_an_uninterrupted_one_does(demonstrations, tmp_path):
    _, whole = trained(demonstrations, SETTINGS, tmp_path / "whole")
    assert (whole.steps, whole.signal) == (8, 0)
    _, first = trained(demonstrations, SETTINGS, tmp_path / "parts", after=5)
    assert first.signal == signal.SIGINT
    assert 0 < first.steps < 8
    with (tmp_path / "parts" / "train.jsonl").open("a") as log:
        log.write('{"step": 999, "loss')  # as a kill would leave it
    _, second = trained(demonstrations, SETTINGS, tmp_path / "parts")
    assert second.steps == 8
    one, other = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])
    lines = (tmp_path / "parts" / "train.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert '"step": 8' in lines[-1]


def test_other_settings_or_data_are_not_mixed_into_a_run(demonstrations, tmp_path):
    trained(demonstrations, SETTINGS, tmp_path / "run", after=3)
    with pytest.raises(TwinloomError, match="begun with batch_size 8, not 4"):
        Training(demonstrations, replace(SETTINGS, batch_size=4), tmp_path / "run")
    with pytest.raises(TwinloomError, match="other data"):
        Training(replace(demonstrations, seeds=(8,)), SETTINGS, tmp_path / "run")
    assert Training(demonstrations, replace(SETTINGS, steps=99), tmp_path / "run").step > 0
    (tmp_path / "run" / "last" / "training" / "state.pt").write_bytes(b"x")
    with pytest.raises(TwinloomError, match=r"state\.pt is damaged"):
        Training(demonstrations, SETTINGS, tmp_path / "run")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("x")
    with pytest.raises(TwinloomError, match="no training of ours"):
        Training(demonstrations, SETTINGS, tmp_path / "other")


def test_it_learns_and_the_checkpoint_acts_as_the_network_did(demonstrations, tmp_path):
    settings = replace(
        SETTINGS, steps=150, width=64, noise=0.0, jitter=0.0, holdout=0.0, ema_decay=0.5, learning_rate=3e-3
    )
    training, _ = trained(demonstrations, settings, tmp_path / "run")
    untrained = Training(demonstrations, settings, tmp_path / "none")
    frames = np.arange(len(demonstrations.state))
    state, images, wanted, there = training._batch(frames)
    with torch.inference_mode():
        before = float(chunk_loss(untrained.averaged(state, images), wanted, there))
        after = float(chunk_loss(training.averaged(state, images), wanted, there))
        chunk = training.averaged(state[9:10], images[9:10])
    assert after < before / 5
    policy = policies.load(tmp_path / "run")
    image = demonstrations.images[9, 0].permute(1, 2, 0).numpy().repeat(4, 0).repeat(4, 1)
    acted = policy.act({STATE: demonstrations.state[9].numpy(), HEAD: image})
    np.testing.assert_allclose(acted, policy._action.unscaled(chunk)[0], atol=1e-5)


def test_a_loss_that_is_not_finite_ends_the_training(demonstrations, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "chunk_loss", lambda predicted, *_: predicted.sum() * float("nan"))
    with pytest.raises(TwinloomError, match="the loss is nan at step 8"):
        trained(demonstrations, SETTINGS, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_policy_sees_pictures_and_joints_and_nothing_else(demonstrations, tmp_path):
    training, _ = trained(demonstrations, SETTINGS, tmp_path / "run", after=3)
    assert set(training.spec.observation) == {STATE, HEAD}
    policy = policies.load(tmp_path / "run")
    found = list(trials(policy, "click_bell", "franka-panda", episodes=1, seed=3))
    assert found[0].steps > 0
    with pytest.raises(TwinloomError, match="do not fit the description"):
        policies.imitation.policy.ImitationPolicy(replace(training.spec, horizon=7), weights(tmp_path / "run"))


def test_interrupting_the_command_keeps_the_work(dataset, tmp_path):
    words = [
        "train",
        "bimanual/click_bell",
        "--data",
        str(dataset),
        "--out",
        str(tmp_path / "run"),
        "--image-size",
        "16x12",
    ]
    command = [sys.executable, "-m", "policies", *words, "--threads", "1", "--steps", "100000", "--batch-size", "8"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    assert "2 episodes" in process.stdout.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "continue with: policies train bimanual/click_bell" in out
    assert "Traceback" not in errors
    assert policies.load(tmp_path / "run").spec.extra["training"]["steps"] == 100000
    assert policies.checkpoint.read(tmp_path / "run").made["command"].startswith("policies train bimanual/click_bell")
