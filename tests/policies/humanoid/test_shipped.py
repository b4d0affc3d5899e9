"""The walking network that ships: by name, small, and on its feet on bodies that nothing was trained on."""

import pytest

from policies.humanoid.evaluate import Exercise, episode
from twinloom.machine import REPOSITORY

FOLDER = REPOSITORY / "assets" / "checkpoints" / "humanoid_walk"


def test_it_is_small():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 5_000_000


@pytest.mark.parametrize("body", ["random:0", "random:2"])
def test_it_walks_a_body_that_it_never_saw(body):
    row = episode(str(FOLDER), body, Exercise("0.3", 0.3), 0.0, 0, seconds=6.0)
    assert row.survived
    assert row.metrics.forward_error < 0.15


def test_it_stands():
    assert episode(str(FOLDER), "random:0", Exercise("stand", walk=False), 0.0, 0, seconds=6.0).survived
