"""The figure of outcomes beside the critic's quantiles."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from policies.cascade.figures import LEARNED, MEASURED, outcomes_and_quantiles
from twinloom.errors import TwinloomError


def pixels(path, colour: str) -> np.ndarray:
    """(row, column) of the pixels of a colour."""
    with Image.open(path) as file:
        image = np.asarray(file.convert("RGB")).astype(int)
    wanted = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return np.argwhere(np.abs(image - wanted).max(axis=2) < 12)


@pytest.fixture
def two_futures():
    rng = np.random.default_rng(0)
    outcomes = np.where(rng.random(400) < 0.4, rng.normal(0, 0.02, 400), rng.normal(0.6, 0.05, 400))
    return outcomes, np.quantile(outcomes, (np.arange(69) + 0.5) / 69)


def test_both_halves_share_the_axis_of_returns(two_futures, tmp_path):
    path = outcomes_and_quantiles(*two_futures, tmp_path / "f.png", title="two futures", means={"SAC": 0.35})
    bars, atoms = pixels(path, MEASURED), pixels(path, LEARNED)
    assert bars[:, 1].min() < 640
    assert atoms[:, 1].min() > 640
    rows = np.unique(bars[bars[:, 1] < 400][:, 0])
    gap = np.diff(rows).max()
    assert gap > 100  # two groups of outcomes with nothing between them
    empty = slice(rows[np.diff(rows).argmax()] + 20, rows[np.diff(rows).argmax() + 1] - 20)
    assert not ((atoms[:, 0] > empty.start) & (atoms[:, 0] < empty.stop)).any()  # nor atoms


def test_wrong_atoms_lie_elsewhere(two_futures, tmp_path):
    outcomes, _ = two_futures
    path = outcomes_and_quantiles(outcomes, np.full(69, outcomes.mean()), tmp_path / "f.png", title="one atom")
    right = pixels(path, LEARNED)
    dots = right[right[:, 0] > 220]  # below the legend
    assert np.ptp(dots[:, 0]) < 12


@pytest.mark.parametrize(
    ("outcomes", "atoms", "said"),
    [
        ([1.0], [1.0], "at least 2 finite outcomes"),
        ([1, 2], [], "at least 1 finite atoms"),
        ([1, np.nan], [1], "finite"),
    ],
)
def test_what_cannot_be_drawn_is_refused(outcomes, atoms, said, tmp_path):
    with pytest.raises(TwinloomError, match=said):
        outcomes_and_quantiles(outcomes, atoms, tmp_path / "f.png", title="")


def test_equal_outcomes_are_drawn(tmp_path):
    assert outcomes_and_quantiles([0.0] * 5, [0.0], tmp_path / "f.png", title="null").stat().st_size > 5_000
