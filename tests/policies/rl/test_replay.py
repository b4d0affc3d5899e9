"""Replay memory: what ended, what was cut off, wrapping, and life after a kill."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces

from assets.errors import TwinloomError
from policies.rl.replay import Replay

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
    second = make(path=str(tmp_path / "r.npy"))
    np.testing.assert_array_equal(second.rows[:2, 0], 4.0)


def test_a_file_of_other_settings_or_a_damaged_one_is_refused(tmp_path):
    make(path=str(tmp_path / "r.npy"))
    with pytest.raises(TwinloomError, match="another --out"):
        make(8, path=str(tmp_path / "r.npy"))
    (tmp_path / "x.npy").write_bytes(b"nothing")
    with pytest.raises(TwinloomError, match="cannot read the replay memory"):
        make(path=str(tmp_path / "x.npy"))
