"""Statistics against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from policies.cascade import stats
from twinloom.errors import TwinloomError


def test_the_interval_of_a_mean_covers_it_as_often_as_it_says():
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(200):
        low, high = stats.mean_interval(rng.normal(3.0, 2.0, 60), seed)
        hits += low < 3.0 < high
    assert 178 <= hits <= 198


def test_missing_values_are_left_out_and_nothing_stays_unknown():
    assert stats.mean_interval([np.nan, 2.0, 2.0]) == (2.0, 2.0)
    assert np.isnan(stats.mean_interval([np.nan])).all()


def test_tails():
    x = np.arange(10.0)
    assert stats.cvar(x, 0.1) == 0
    assert stats.cvar(x, 0.3) == 1
    assert stats.cvar(x, 1.0) == 4.5
    assert stats.upper(x, 0.2) == 8.5
    np.testing.assert_array_equal(stats.cvar(np.stack([x, -x]), 0.2), [0.5, -8.5])
    with pytest.raises(TwinloomError, match="level 0"):
        stats.cvar(x, 0)


def test_the_tail_of_a_normal_law():
    x = np.random.default_rng(0).normal(size=200_000)
    assert stats.cvar(x, 0.1) == pytest.approx(-1.755, abs=0.01)


def test_bimodality_of_known_laws():
    rng = np.random.default_rng(0)
    assert stats.bimodality([0, 1]) == pytest.approx(1)
    assert stats.bimodality(rng.uniform(size=100_000)) == pytest.approx(5 / 9, abs=0.01)
    assert stats.bimodality(rng.normal(size=100_000)) == pytest.approx(1 / 3, abs=0.01)
    assert np.isnan(stats.bimodality([2.0, 2.0]))


def test_two_groups_are_found_whatever_their_sizes():
    low, high, share = stats.two_groups([5.0, 0.0, 0.1, 5.2, 0.2])
    assert (low, high, share) == pytest.approx((0.1, 5.1, 0.4))


def test_distance_of_samples_of_different_sizes():
    assert stats.wasserstein([0, 1], [0, 0, 1, 1]) == 0
    assert stats.wasserstein([0.0], [1.0, 3.0]) == 2
