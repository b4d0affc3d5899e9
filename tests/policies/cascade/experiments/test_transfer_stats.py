"""Comparisons over trainings and common episodes."""

from __future__ import annotations

import numpy as np
import pytest

from policies.cascade.evaluate import Outcomes
from policies.cascade.experiments.transfer_stats import Comparison


def outcomes(profit) -> Outcomes:
    profit = np.asarray(profit, float)
    flat = np.zeros(len(profit))
    return Outcomes(profit, profit, flat, flat, flat + np.nan, flat + np.nan, flat + 100)


@pytest.fixture
def luck():
    return np.random.default_rng(0).normal(0, 1, 300)


def test_intervals_cover_seeds_and_episodes(luck):
    alike = Comparison({"a": [outcomes(luck)] * 3})
    apart = Comparison({"a": [outcomes(luck + shift) for shift in (-1, 0, 1)]})
    narrow, wide = np.diff(alike.interval("a"))[0], np.diff(apart.interval("a"))[0]
    assert narrow == pytest.approx(2 * 1.96 * luck.std() / 300**0.5, rel=0.1)
    seeds = 2 * 1.96 * (2 / 3) ** 0.5 / 3**0.5
    assert wide == pytest.approx((narrow**2 + seeds**2) ** 0.5, rel=0.15)


def test_common_episodes_make_small_differences_clear(luck):
    found = Comparison({"a": [outcomes(luck + 0.01)], "b": [outcomes(luck)]})
    assert found.difference("a", "b") == pytest.approx((0.01, 0.01, 0.01))
    assert found.verdict("a", "b") == "overlap, better paired"
    assert found.verdict("b", "a") == "overlap, worse paired"


def test_verdicts_look_at_intervals(luck):
    noise = np.random.default_rng(1).normal(0, 1, 300)
    found = Comparison({"a": [outcomes(luck + 1)], "b": [outcomes(luck)], "c": [outcomes(noise)]})
    assert found.verdict("a", "b") == "yes"
    assert found.verdict("b", "a") == "no, worse"
    assert found.verdict("b", "c") == "overlap"


def test_a_score_is_zero_for_nothing_and_one_for_the_best(luck):
    found = Comparison({"null": [outcomes(0 * luck)], "a": [outcomes(luck + 2)], "b": [outcomes(luck + 1)]})
    assert found.best() == "a"
    assert found.score("null") == (0, 0, 0)
    score, low, high = found.score("a")
    assert score == 1
    assert low < 1 < high
    assert found.score("b")[0] == pytest.approx((luck.mean() + 1) / (luck.mean() + 2))
    assert Comparison({"null": [outcomes(0 * luck)], "a": [outcomes(luck - 5)]}).score("a") is None


def test_a_ratio_to_almost_nothing_has_no_interval(luck):
    found = Comparison({"a": [outcomes(luck + 5)], "b": [outcomes(luck + 2)], "c": [outcomes(luck - luck.mean())]})
    ratio, low, high = found.ratio("a", "b")
    assert low < ratio < high
    assert ratio == pytest.approx((luck.mean() + 5) / (luck.mean() + 2))
    assert found.ratio("a", "c")[1:] == (None, None)
    assert [found.reading("a", other) for other in "bc"] == ["", "other may be zero"]


def test_a_ratio_of_losses_is_called_one(luck):
    found = Comparison({"a": [outcomes(luck - 5)], "b": [outcomes(luck - 2)], "c": [outcomes(luck + 3)]})
    assert [found.reading(first, "b") for first in "ac"] == ["both lose", "other loses"]


def test_metrics_pool_trainings_and_leave_out_what_is_unknown(luck):
    metrics = Comparison({"a": [outcomes(luck), outcomes(luck + 10)]}).metrics("a")
    assert metrics["share negative"] == pytest.approx((luck < 0).mean() / 2)
    assert metrics["hub retention"] is None
    assert metrics["optimism"] is None
    assert metrics["attack rate"] is None
