"""Replay memory: what ended, what was cut off, wrapping, and life after a kill."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces

from policies.rl.replay import Replay
from twinloom.errors import TwinloomError

OBSERVATION, ACTION = spaces.Box(-9, 9, (2,), np.float32), spaces.Box(-1, 1, (1,), np.float32)


def make(size: int = 6, **options) -> Replay:
    return Replay(size, OBSERVATION, ACTION, n_envs=2, **options)


def add(replay: Replay, value: float, done=(False, False), infos=({}, {})) -> None:
    two = np.full((2, 2), value, np.float32)
    replay.add(two, two + 1, np.full((2, 1), value / 10), np.array([value, -value]), np.array(done), list(infos))


def test_a_time_limit_is_not_an_end_and_keeps_its_last_observation():
    last = np.array([7.0, 8.0], np.float32)
    infos = ({"TimeLimit.truncated": True, "raw_terminal_observation": last}, {"raw_terminal_observation": last})
    replay = make()
    add(replay, 1.0, (True, True), infos)
    np.testing.assert_array_equal(replay.rows[0], [1, 1, 7, 8, np.float32(0.1), 1, 0])
    np.testing.assert_array_equal(replay.rows[1], [1, 1, 7, 8, np.float32(0.1), -1, 1])
    ending = make(horizon_ends=True)
    add(ending, 1.0, (True, True), infos)
    assert ending.rows[0, -1] == 1


def test_the_oldest_rows_go_first():
    replay = make(5)
    for value in 1.0, 2.0, 3.0:
        add(replay, value)
    assert (replay.pos, replay.full, replay.size()) == (1, True, 5)
    np.testing.assert_array_equal(replay.rows[:, 0], [3, 1, 2, 2, 3])


def test_minibatches_repeat_with_their_seed_and_know_what_belongs_together():
    one, two = make(seed=3), make(seed=3)
    for value in 1.0, 2.0, 3.0:
        add(one, value)
        add(two, value)
    a, b = one.sample(64), two.sample(64)
    np.testing.assert_array_equal(a.observations.numpy(), b.observations.numpy())
    np.testing.assert_array_equal(a.next_observations.numpy(), a.observations.numpy() + 1)
    np.testing.assert_array_equal(a.rewards.abs().numpy(), a.observations[:, :1].numpy())
    assert len(np.unique(a.observations)) == 3


def test_rows_in_a_file_are_there_again(tmp_path):
    first = make(path=str(tmp_path / "r.npy"))
    add(first, 4.0)
    del first  # nothing is closed or saved: the same as a kill
    second = make(path=str(tmp_path / "r.npy"), resumed=True)
    np.testing.assert_array_equal(second.rows[:2, 0], 4.0)
    fresh = make(path=str(tmp_path / "r.npy"))
    assert not fresh.rows.any()


def test_a_file_of_other_settings_or_a_damaged_one_is_refused(tmp_path):
    make(path=str(tmp_path / "r.npy"))
    with pytest.raises(TwinloomError, match="another --out"):
        make(8, path=str(tmp_path / "r.npy"), resumed=True)


def truncate(path: Path, change: int) -> None:
    os.truncate(path, path.stat().st_size + change)


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (Path.unlink, "is missing; without these transitions"),
        (lambda path: path.write_bytes(b""), "damaged"),
        (lambda path: path.write_bytes(b"nothing"), "damaged"),
        (lambda path: np.savez(path.open("wb"), a=1), "damaged"),
        (lambda path: truncate(path, -4), "damaged"),
        (lambda path: truncate(path, 4), "damaged: .* bytes instead of"),
        (lambda path: (path.unlink(), path.mkdir()), "damaged"),
    ],
)
def test_a_run_that_goes_on_needs_the_whole_file(tmp_path, damage, text):
    path = tmp_path / "r.npy"
    make(path=str(path))
    damage(path)
    with pytest.raises(TwinloomError, match=text) as error:
        make(path=str(path), resumed=True)
    assert "train into a new --out" in str(error.value)


@pytest.mark.parametrize("wrong", [{"position": -1}, {"position": 6}, {"position": 2.0}, {"full": None}])
def test_a_place_outside_of_the_memory_is_refused(wrong):
    replay = make(6)
    add(replay, 1.0)
    place = replay.place()
    again = make(6)
    again.restore(place)
    assert (again.pos, again.full) == (2, False)
    with pytest.raises(ValueError, match="in a replay memory of 6 rows"):
        again.restore(place | wrong)


def test_rows_that_are_not_finite_are_refused():
    replay = make(6)
    add(replay, np.nan)
    with pytest.raises(ValueError, match="not finite"):
        replay.restore(replay.place())


def test_the_whole_file_has_its_place_on_the_disk_before_the_first_step(tmp_path):
    path = tmp_path / "r.npy"
    make(50_000, path=str(path))
    assert path.stat().st_blocks * 512 >= path.stat().st_size


def test_a_full_disk_is_said_at_the_start_and_leaves_nothing(tmp_path, monkeypatch):
    def full(handle: int, offset: int, size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(TwinloomError, match=r"cannot write .*r\.npy: the disk is full"):
        make(path=str(tmp_path / "r.npy"))
    assert not list(tmp_path.iterdir())
