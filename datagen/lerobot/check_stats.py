"""Checks of statistics: those of an episode against its frames, those of the dataset against its episodes."""

from __future__ import annotations

import json

import numpy as np

from datagen.lerobot import layout
from datagen.lerobot.check import Check
from datagen.lerobot.stats import QUANTILES, Fold, Stats, array_stats, from_lists

RELATIVE = 1e-4  # of the range of values: other writers compute in single precision
IMAGE_ABSOLUTE = 0.04  # in [0, 1]: coding loss, and statistics that look at a sample of the frames


def check_array_stats(check: Check, number: int, name: str, array: np.ndarray) -> None:
    """Statistics of a numeric feature in meta/episodes against the (T, ...) values themselves."""
    stored = check.stats[number].get(name)
    if not check.statistics:
        return
    if stored is None:
        if check.ours:
            check.add("meta/episodes", f'statistics of "{name}" are missing', number, kind=f"stats {name}")
        return
    actual = array_stats(array)
    wrong = _differences(stored, actual)
    values = np.asarray(array, dtype=np.float64).reshape(len(array), -1)
    wrong += [q for q, p in QUANTILES.items() if q in stored and not _is_quantile(stored[q], p, values)]
    if wrong:
        message = f'{", ".join(wrong)} of "{name}" in the statistics do not fit the frames'
        check.add("meta/episodes", message, number, kind=f"stats {name}")


def check_image_stats(check: Check, number: int, name: str, mean: np.ndarray) -> None:
    """Mean colour in meta/episodes against that of the decoded frames, (3,) in [0, 1]."""
    stored = check.stats[number].get(name)
    if not check.statistics:
        return
    if stored is None or "mean" not in stored:
        if check.ours:
            check.add("meta/episodes", f'statistics of "{name}" are missing', number, kind=f"stats {name}")
        return
    if np.abs(stored["mean"].reshape(-1) - mean).max() > IMAGE_ABSOLUTE:
        said, seen = np.round(stored["mean"].reshape(-1), 3).tolist(), np.round(mean, 3).tolist()
        message = f'mean colour of "{name}" is {said} in the statistics, {seen} in the video'
        check.add("meta/episodes", message, number, kind=f"stats {name}")


def check_totals(check: Check) -> None:
    """stats.json against the statistics of the episodes."""
    path = check.root / layout.STATS
    if not path.is_file():
        check.add(layout.STATS, "the file is missing")
        return
    try:
        stored = from_lists(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, AttributeError) as error:
        check.add(layout.STATS, f"not readable: {error}")
        return
    if len(check.stats) != check.info["total_episodes"]:
        return  # named before
    fold = Fold()
    for stats in check.stats:
        fold.add(stats)
    for name, expected in fold.result().items():
        if name not in stored:
            check.add(layout.STATS, f'"{name}" is missing')
            continue
        wrong = _differences(stored[name], expected)
        if wrong:
            check.add(layout.STATS, f'{", ".join(wrong)} of "{name}" do not fit the episodes')
    for name in sorted(stored.keys() - layout.BOOKKEEPING.keys()):
        _check_quantiles(check, name, stored[name])


def _check_quantiles(check: Check, name: str, stored: Stats) -> None:
    """Quantiles of the dataset against all frames; and its other statistics, where no episode has any."""
    histograms = check.histograms
    if not histograms.total(name) or histograms.total(name) != check.info["total_frames"]:
        return
    low, high = histograms.quantile(name, 0.0), histograms.quantile(name, 1.0)
    near = (high - low) * 2e-3 + np.maximum(np.abs(low), np.abs(high)) * RELATIVE + 1e-9
    wrong = []
    for q, p in QUANTILES.items():
        if q in stored and stored[q].size == low.size:
            least, most = (histograms.quantile(name, min(max(p + d, 0.0), 1.0)) for d in (-0.005, 0.005))
            found = stored[q].reshape(-1)
            if not ((found >= least - near) & (found <= most + near)).all():
                wrong.append(q)
    if wrong:
        text = f'{", ".join(wrong)} of "{name}" are not those of the frames; set right by: datagen stats {check.root}'
        if check.ours:
            check.add(layout.STATS, text)
        else:
            check.note(layout.STATS, f"{text} (LeRobot averages the quantiles of the episodes)")
    bounds = [s for s, value in (("min", low), ("max", high)) if s in stored and stored[s].size == low.size
              and not (np.abs(stored[s].reshape(-1) - value) <= near).all()]  # fmt: skip
    if bounds and not any(check.stats):
        check.add(layout.STATS, f'{", ".join(bounds)} of "{name}" are not those of the frames')


def _differences(stored: Stats, expected: Stats) -> list[str]:
    """Names of exact statistics that are missing or differ by more than rounding."""
    scale = np.maximum(np.abs(expected["min"]), np.abs(expected["max"])) * RELATIVE + 1e-9
    wrong = [
        stat
        for stat in ("min", "max", "mean", "std")
        if stat not in stored
        or stored[stat].shape != expected[stat].shape
        or not (np.abs(stored[stat] - expected[stat]) <= scale).all()
    ]
    if "count" not in stored or int(stored["count"].reshape(-1)[0]) != int(expected["count"].reshape(-1)[0]):
        wrong.append("count")
    return wrong


def _is_quantile(stored: np.ndarray, p: float, values: np.ndarray) -> bool:
    """Whether a stored quantile, perhaps an approximate one, can be the p-quantile of (T, n) values."""
    if stored.shape != values.shape[1:]:
        return False
    slack = 0.01 + 1.0 / len(values)
    near = (values.max(axis=0) - values.min(axis=0)) * 1e-3 + np.abs(values).max(axis=0) * RELATIVE + 1e-9
    below = (values < stored - near).mean(axis=0)
    up_to = (values <= stored + near).mean(axis=0)
    return bool((below <= p + slack).all() and (up_to >= p - slack).all())
