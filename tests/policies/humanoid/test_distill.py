"""Distillation: who drives, what is kept, and that a run goes on where it stopped."""

import dataclasses

import numpy as np
import pytest
import torch

from policies.humanoid.distill import gather, train
from policies.humanoid.distill.collect import collect
from policies.humanoid.distill.data import Dataset, Shard
from policies.humanoid.distill.settings import DistillConfig
from policies.humanoid.networks import HISTORY, NetworkConfig, WalkingNetwork
from policies.humanoid.pupil import Pupil
from policies.humanoid.senses import DESCRIPTION, FRAME, LEGS, TASK
from policies.humanoid.student import load_network
from policies.humanoid.world import World
from sim.humanoid.walking.gait import Command
from tests.policies.humanoid.test_senses import make_walker
from twinloom.errors import TwinloomError

SMALL = DistillConfig(
    network=NetworkConfig(hidden=(16,)), bodies=2, episodes=1, seconds=1.0, warm_up=8, steps=4, batch=32, keep=2
)


def test_an_untrained_network_drives_only_when_it_may():
    walker = make_walker()
    network = WalkingNetwork(NetworkConfig(hidden=(8,)))
    with torch.no_grad():
        network.action_mean.fill_(0.8)  # a pose that falls
    teacher = collect(walker, network, 1.0, 0.0, 3.0, np.random.default_rng(0))
    student = collect(walker, network, 0.0, 0.0, 3.0, np.random.default_rng(0))
    assert not teacher.fell
    assert student.fell
    assert len(student.actions) < student.seconds / 0.02  # the moments before the fall are left out
    assert np.abs(teacher.actions).max() < 1.5


def test_a_pupil_that_imitates_perfectly_walks_like_its_teacher():
    """The way from the teacher's targets through action and slots back to targets loses nothing but the upper body."""
    walker = make_walker()
    world = World(walker.body, np.random.default_rng(0), 0.0)
    pupil = Pupil(walker, None)
    pupil.clock.advance(Command())
    pupil.observe(world.measure())
    wanted = walker.body.default_targets + 0.1
    assert pupil.took(walker.senses.action(wanted)) == pytest.approx(wanted)


def _shard(rows: int, value: float) -> Shard:
    full = lambda *shape: np.full(shape, value, np.float32)  # noqa: E731
    frames = full(rows, FRAME)
    frames[:, 0] = np.arange(rows)
    half = rows // 2
    return Shard(
        frames,
        full(rows, TASK),
        full(rows, LEGS),
        full(rows, 3),
        np.repeat([0, half], half).astype(np.int32),
        np.repeat([0, 1], half).astype(np.int32),
        np.ones((2, LEGS), np.float32),
        np.array([[value] * DESCRIPTION, [value + 1] * DESCRIPTION], np.float32),
    )


def test_histories_do_not_cross_episodes_and_bodies_are_not_mixed_up(tmp_path):
    data = Dataset(keep=2)
    for value in (9.0, 1.0, 2.0):  # the first is forgotten
        _shard(8, value).save(tmp_path / "one.npz")
        data.add(Shard.load(tmp_path / "one.npz"))
    assert len(data) == 16
    batch = data.batch(256, torch.Generator().manual_seed(0))
    plain = slice(128, None)  # the first half is mirrored
    steps = batch["frames"][plain, :, 0]
    assert batch["frames"].shape == (256, HISTORY, FRAME)
    assert ((steps[:, 1:] - steps[:, :-1]).abs() <= 1).all()
    begun = torch.where(steps[:, -1] >= 4, 4.0, 0.0)
    assert (steps >= begun[:, None]).all()
    value = batch["task"][plain, 0]
    second = (steps[:, -1] >= 4).float()
    assert torch.equal(batch["description"][plain, 0], value + second)
    assert set(value.tolist()) == {1.0, 2.0}


def _fake_gather(pool, jobs):
    walker = make_walker()
    for job in jobs:
        network = None if job.weights is None else load_network(job.weights)
        rng = np.random.default_rng(job.body)
        samples = collect(walker, network, job.beta, job.hardship, job.seconds, rng)
        yield gather.BodyResult(walker.senses.mask, walker.description, [samples])


class _NoPool:
    def __init__(self, *arguments):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


@pytest.fixture
def in_process(monkeypatch):
    monkeypatch.setattr(train, "gather", _fake_gather)
    monkeypatch.setattr(train, "ProcessPoolExecutor", _NoPool)


def test_a_run_continues_where_it_stopped(tmp_path, in_process):
    said: list[str] = []
    train.distill(tmp_path / "a", SMALL, 2, say=said.append)
    train.distill(tmp_path / "b", SMALL, 1, say=said.append)
    train.distill(tmp_path / "b", SMALL, 2, say=said.append)
    one, other = (load_network(tmp_path / name / "last").state_dict() for name in "ab")
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert len(said) == 4
    assert (tmp_path / "b" / "train.jsonl").read_text().count("\n") == 2


def test_a_run_of_other_settings_is_refused(tmp_path, in_process):
    train.distill(tmp_path, SMALL, 1, say=lambda text: None)
    with pytest.raises(TwinloomError, match="seed"):
        train.distill(tmp_path, dataclasses.replace(SMALL, seed=1), 2, say=lambda text: None)


def test_learning_lowers_the_error(tmp_path, in_process):
    rows: list[str] = []
    config = dataclasses.replace(SMALL, warm_up=10, steps=300, batch=128, network=NetworkConfig(hidden=(64,)))
    train.distill(tmp_path, config, 2, say=rows.append)
    errors = [float(row.split("action_error ")[1].split()[0]) for row in rows]
    assert errors[1] < 0.7 * errors[0]


def test_fine_tuning_begins_with_the_checkpoint(tmp_path, in_process):
    train.distill(tmp_path / "a", SMALL, 1, say=lambda text: None)
    still = dataclasses.replace(SMALL, init=str(tmp_path / "a" / "last"), steps=1, learning_rate=1e-12, last_rate=1e-12)
    train.distill(tmp_path / "b", still, 1, say=lambda text: None)
    one, other = (load_network(tmp_path / name / "last").state_dict() for name in "ab")
    assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one)
    wide = dataclasses.replace(still, network=NetworkConfig(hidden=(8,)))
    with pytest.raises(TwinloomError, match="another shape"):
        train.distill(tmp_path / "c", wide, 1, say=lambda text: None)


def test_a_second_network_learns_from_the_samples_of_the_first(tmp_path, in_process):
    train.distill(tmp_path / "a", SMALL, 1, say=lambda text: None)
    graph = dataclasses.replace(SMALL, network=NetworkConfig("gcn", hidden=(8,), width=8), samples=str(tmp_path / "a"))
    train.distill(tmp_path / "b", graph, 1, say=lambda text: None)
    assert load_network(tmp_path / "b" / "last").frame_std.std() > 0.0  # normalised by what was found
    with pytest.raises(TwinloomError, match="no samples"):
        train.distill(tmp_path / "c", dataclasses.replace(graph, samples=str(tmp_path / "nothing")), 1)


def test_a_checkpoint_loads_as_any_policy(tmp_path, in_process):
    import policies

    train.distill(tmp_path, SMALL, 1, say=lambda text: None)
    policy = policies.load(tmp_path)
    seen = {name: np.ones(feature.shape, np.float32) for name, feature in policy.spec.observation.items()}
    policy.reset()
    assert policy.act(seen).shape == (1, LEGS)
