"""Observations and actions are checked at the border, all problems at once."""

from __future__ import annotations

import numpy as np
import pytest

from policies.base import PolicySpec, check_actions, check_observation
from twinloom.errors import TwinloomError
from twinloom.features import IMAGE_AXES, Feature

SPEC = PolicySpec(
    kind="imitation",
    observation={
        "observation.state": Feature("float32", (2,), ("a", "b"), "rad"),
        "observation.images.head": Feature("video", (4, 6, 3), IMAGE_AXES),
    },
    action=Feature("float32", (2,), ("a", "b"), "rad"),
    fps=25,
    horizon=3,
)
GOOD = {"observation.state": np.zeros(2), "observation.images.head": np.zeros((4, 6, 3), np.uint8), "more": np.zeros(9)}


def test_what_fits_passes():
    check_observation(SPEC, GOOD)
    assert check_actions(SPEC, np.zeros((3, 2), np.float32)).dtype == np.float64


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"observation.state": np.zeros(3)}, r"shape \(3,\), not \(2,\)"),
        ({"observation.state": np.array([0, np.inf])}, "not finite"),
        ({"observation.state": np.array(["a", "b"])}, "not numbers"),
        ({"observation.images.head": np.zeros((4, 6, 3), np.float32)}, "float32, not uint8"),
    ],
)
def test_what_does_not_fit_is_named(change, text):
    with pytest.raises(TwinloomError, match=text):
        check_observation(SPEC, GOOD | change)


def test_all_problems_are_named_at_once():
    with pytest.raises(TwinloomError, match=r"state is missing; .*head is missing"):
        check_observation(SPEC, {})


@pytest.mark.parametrize("actions", [np.zeros((2, 2)), np.full((3, 2), np.nan), "x", np.array([["a", "b"]] * 3)])
def test_actions_that_are_none_are_refused(actions):
    with pytest.raises(TwinloomError, match="imitation policy gave"):
        check_actions(SPEC, actions)


def test_a_description_survives_json():
    import json

    assert PolicySpec.from_json(json.loads(json.dumps(SPEC.to_json()))) == SPEC
