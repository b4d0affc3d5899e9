"""replay: equal bit for bit, or it says where the difference begins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datagen.collect import collect
from datagen.replay import replay
from tests.datagen.conftest import FIXTURE, make_run
from tests.datagen.fake import SOURCE, Fake, FakeRollout
from twinloom.errors import TwinloomError


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("replay") / "data"
    collect(make_run(out, 2, 1, randomize=("clutter", "lighting")))
    return out


def test_everything_is_identical(dataset):
    result = replay(dataset, 3, source=SOURCE)
    assert result.equal
    assert [c.name for c in result.comparisons] == [
        "observation.state",
        "action",
        "observation.effort",
        "observation.images.head",
        "observation.images.left_wrist",
    ]
    assert str(result.comparisons[0]) == "observation.state: identical"
    assert len(replay(dataset, 3, source=SOURCE, images=False).comparisons) == 3


class Drifting(Fake):
    """A simulator that is not what it was: the last bit of a joint, and one image."""

    def replay(self, record, actions, fps) -> FakeRollout:
        rollout = super().replay(record, actions, fps)
        state = rollout.arrays["observation.state"]
        state[2, 1] = np.nextafter(state[2, 1], np.float32(np.inf))
        render = rollout.render

        def darker(cameras, size, mode):
            for index, frames in enumerate(render(cameras, size, mode)):
                if index == 1:
                    frames["head"] = frames["head"] // 2
                yield frames

        rollout.render = darker
        return rollout


def test_the_first_difference_is_named(dataset):
    result = replay(dataset, 0, source="tests.datagen.test_replay:Drifting")
    assert not result.equal
    state, head = result.comparisons[0], result.comparisons[3]
    assert (state.equal, state.first) == (False, 2)
    assert 0 < state.largest < 1e-5
    assert not head.equal
    assert head.first is not None
    assert head.first <= 1  # the encoder looks ahead, so the image before may change a little too
    assert head.largest > 10
    assert "observation.images.head: differs from frame" in str(head)
    assert result.comparisons[4].equal


def test_what_cannot_be_replayed_says_why(dataset):
    with pytest.raises(TwinloomError, match='comes from "fake"; replayed are: sim/mujoco'):
        replay(dataset, 0)
    with pytest.raises(TwinloomError, match="has episodes 0 to 3, not 4"):
        replay(dataset, 4, source=SOURCE)
    with pytest.raises(TwinloomError, match="has no randomisation record"):
        replay(FIXTURE, 0)
