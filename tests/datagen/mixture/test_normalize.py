"""Normalisation of mixtures: pooled by shares, undone exactly, harmless where nothing moves."""

import json

import numpy as np
import pytest

from datagen.mixture.normalize import Normalizer, weighted_quantile


def test_sources_count_by_their_shares_not_their_sizes():
    small, large = np.zeros((10, 1)), np.ones((1000, 1))
    one = Normalizer.of([small, large], [0.5, 0.5], "mean_std")
    assert one.center[0] == pytest.approx(0.5)
    assert one.scale[0] == pytest.approx(0.5)
    other = Normalizer.of([small, large], [0.9, 0.1], "mean_std")
    assert other.center[0] == pytest.approx(0.1)


@pytest.mark.parametrize("mode", ["quantile", "min_max", "mean_std"])
def test_values_come_back(mode):
    values = np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32) * [1.0, 10.0, 0.0] + [0.0, 5.0, 2.0]
    one = Normalizer.from_json(json.loads(json.dumps(Normalizer.of([values], [1.0], mode).to_json())))
    inside = np.abs(one.normalized(values)).max(axis=1) < 1.5
    assert one.restored(one.normalized(values))[inside] == pytest.approx(values[inside], abs=1e-4)
    assert one.normalized(values)[:, 2] == pytest.approx(np.clip(2.0, -1.5, 1.5) if mode == "quantile" else 2.0)
    assert one.center[2] == 0.0
    assert one.scale[2] == 1.0


def test_quantiles_ignore_outliers_and_cut_them():
    values = np.linspace(-1.0, 1.0, 1001)[:, None]
    one = Normalizer.of([np.vstack([values, [[1e6]]])], [1.0], "quantile")
    assert one.scale[0] == pytest.approx(0.98, abs=0.01)
    assert one.normalized(np.array([1e6]))[0] == 1.5


def test_missing_elements_do_not_count():
    values = np.array([[1.0, np.nan], [3.0, np.nan]])
    one = Normalizer.of([values, np.array([[np.nan, 4.0], [np.nan, 8.0]])], [0.5, 0.5], "min_max")
    assert one.center.tolist() == [2.0, 6.0]
    assert one.scale.tolist() == [1.0, 2.0]


def test_equal_weights_give_numpys_quantiles():
    values = np.random.default_rng(1).normal(size=999)
    mine = weighted_quantile(values, np.full(999, 1 / 999), (0.01, 0.5, 0.99))
    assert mine == pytest.approx(np.quantile(values, [0.01, 0.5, 0.99], method="hazen"))
