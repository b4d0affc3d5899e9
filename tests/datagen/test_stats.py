"""Statistics: against plain NumPy, against LeRobot's own, and folded in any grouping."""

from __future__ import annotations

import numpy as np
import pytest

from datagen.lerobot.read import Dataset
from datagen.lerobot.stats import QUANTILES, Fold, ImageStats, array_stats, from_lists, to_lists
from tests.datagen.conftest import FIXTURE


def test_folded_statistics_are_those_of_all_values():
    rng = np.random.default_rng(0)
    parts = [1e6 + rng.normal(size=(n, 3)) for n in (3, 40, 1, 17)]
    fold = Fold()
    for part in parts:
        fold.add({"x": array_stats(part)})
    whole, folded = np.concatenate(parts), fold.result()["x"]
    for name, expected in {
        "min": whole.min(0),
        "max": whole.max(0),
        "mean": whole.mean(0),
        "std": whole.std(0),
    }.items():
        np.testing.assert_allclose(folded[name], expected, rtol=1e-9, atol=1e-9, err_msg=name)
    assert folded["count"] == len(whole)


@pytest.mark.parametrize("kind", ["normal", "outlier", "constant", "few", "bool"])
def test_quantiles_are_those_of_all_frames_in_any_order(kind):
    """The mean of the episodes' quantiles, as it was, leaves most frames outside [q01, q99] when episodes differ."""
    rng = np.random.default_rng(1)
    parts = {
        "normal": [rng.normal(loc=k, scale=0.1, size=(200, 2)) for k in range(12)],
        "outlier": [rng.normal(size=(500, 2)) + (1e3 * (k == 7)) for k in range(10)],
        "constant": [np.full((9, 2), 0.3)] * 4,
        "few": [np.array([[1.5, -2.0]]), np.array([[1.5, 3.0]])],
        "bool": [rng.random((40, 2)) < 0.3 for _ in range(5)],
    }[kind]
    folds = []
    for order in (parts, parts[::-1]):
        fold = Fold()
        for part in order:
            fold.add({"x": array_stats(part)})
            fold.histograms.add({"x": part})
        folds.append(fold)
    whole, found = np.concatenate(parts).astype(float), folds[0].result()["x"]
    for name, p in QUANTILES.items():
        assert (found[name] == folds[1].result()["x"][name]).all()
        near = np.ptp(whole, axis=0) / 2048 + 1e-12
        assert (np.abs(found[name] - np.quantile(whole, p, axis=0)) <= near).all(), name


def test_image_quantiles_follow_the_episodes_distributions():
    rng = np.random.default_rng(0)
    videos = [np.clip(rng.normal(60 + 50 * k, 20, (6, 30, 40, 3)), 0, 255).astype(np.uint8) for k in range(4)]
    fold = Fold()
    for video in videos:
        collector = ImageStats(len(video))
        for index, frame in enumerate(video):
            collector.add(index, frame)
        fold.add({"x": collector.result()})
    found, pixels = fold.result()["x"], np.concatenate(videos).reshape(-1, 3) / 255.0
    for name, p in QUANTILES.items():
        assert found[name].shape == (3, 1, 1)
        np.testing.assert_allclose(found[name].ravel(), np.quantile(pixels, p, axis=0), atol=0.03, err_msg=name)


def test_our_statistics_agree_with_lerobots():
    with Dataset(FIXTURE) as dataset:
        fold = Fold()
        for episode in range(len(dataset)):
            theirs, arrays = dataset.episode_stats(episode), dataset.arrays(episode)
            fold.add(theirs)
            for name in ("observation.state", "action", "timestamp"):
                ours = array_stats(arrays[name])
                spread = float(np.ptp(arrays[name]))
                for stat in ("min", "max", "mean", "std", "count"):
                    np.testing.assert_allclose(ours[stat], theirs[name][stat], atol=1e-6 * spread, err_msg=stat)
                values = np.sort(arrays[name].reshape(len(arrays[name]), -1), axis=0)
                for stat, p in QUANTILES.items():  # LeRobot's come from histograms: at most two samples off
                    for column, quantile in zip(values.T, theirs[name][stat], strict=True):
                        assert abs(np.searchsorted(column, quantile) - p * len(column)) <= 2, stat
        for name, stats in fold.result().items():
            for stat, value in stats.items():
                if stat in QUANTILES:
                    continue  # LeRobot averages those of the episodes; ours are of all frames
                np.testing.assert_allclose(value, dataset.stats[name][stat], rtol=1e-5, atol=1e-6, err_msg=name)


def test_image_statistics_are_those_of_the_pixels():
    frames = np.random.default_rng(0).integers(0, 200, (30, 40, 50, 3)).astype(np.uint8)
    collector = ImageStats(len(frames))
    for index, frame in enumerate(frames):
        collector.add(index, frame)
    stats, values = collector.result(), frames.reshape(-1, 3) / 255.0
    assert stats["mean"].shape == (3, 1, 1)
    np.testing.assert_allclose(stats["mean"].ravel(), values.mean(0))
    np.testing.assert_allclose(stats["std"].ravel(), values.std(0))
    np.testing.assert_allclose(stats["q50"].ravel(), np.median(values, axis=0), atol=1 / 255)
    assert (stats["min"].ravel() == values.min(0)).all()
    assert (stats["max"].ravel() == values.max(0)).all()
    assert stats["count"] == 30


@pytest.mark.parametrize("length", [1, 2, 99, 100, 101, 1000])
def test_at_most_a_hundred_frames_are_looked_at(length):
    collector = ImageStats(length)
    for index in range(length):
        collector.add(index, np.zeros((2, 2, 3), np.uint8))
    assert collector.result()["count"] == min(length, 100)


def test_json_keeps_every_bit():
    stats = {"x": array_stats(np.random.default_rng(0).normal(size=(50, 4)))}
    again = from_lists(to_lists(stats))
    assert all(again["x"][name].tobytes() == value.tobytes() for name, value in stats["x"].items())
