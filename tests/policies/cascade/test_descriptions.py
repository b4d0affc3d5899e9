"""Checkpoints whose description does not fit themselves or the environment are refused before they act."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import policies
from assets.networks.generate import barabasi_albert
from policies.cascade.evaluate import evaluate
from policies.cascade.resolve import resolve
from twinloom.errors import TwinloomError
from twinloom.machine import REPOSITORY

OPTIONS = {"graph": barabasi_albert(80, 3, np.random.default_rng(0)), "horizon": 2}
SHIPPED = REPOSITORY / "assets" / "checkpoints" / "adopt_profit"


def play(folder: Path) -> None:
    chosen = resolve(str(folder), "adopt_profit", OPTIONS)
    evaluate(chosen.policy, chosen.problem, chosen.options, 1)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda s: s["extra"]["world"].update(features="basic"),
            "trained with 52 observations, this environment has 16: ",
        ),
        (lambda s: s["extra"]["world"].update(observer="oracle"), "observations, this environment has"),
        (lambda s: s["extra"]["world"].update(tiers="stub2"), "observations, this environment has"),
        (lambda s: s["extra"]["world"].update(zzz=1), "does not know: zzz; update twinloom"),
        (lambda s: s["extra"]["world"].update(tiers=5), "tiers"),
        (lambda s: s["extra"].update(world=5), "extra.world is of 5"),
        (lambda s: s["extra"].update(world={}), "extra.world is of None"),
        (lambda s: s.update(task="cascade/escape"), "extra.world is of 'adopt_profit'"),
        (lambda s: s["extra"].update(low=[0, 0]), r"low is not \(9,\) finite numbers"),
        (lambda s: s["extra"].update(high=[0] * 9), "low is not below high"),
        (lambda s: s["extra"].update(critics=2), "critics 2 is not"),
        (lambda s: s["extra"].update(critics=99), "it lacks 'critic.3"),
        (lambda s: s["extra"].update(return_std=float("nan")), "return_std nan is not"),
        (lambda s: s["extra"].update(squash="foo"), "squash 'foo' is not one of tanh, clip"),
        (lambda s: s["extra"].update(critic_sees_action=False), "critic.0.0 is"),
        (lambda s: s["action"]["names"].reverse(), "9 actions, .* 9: retain/tier2 there, seed/tier0 here and 7 more"),
    ],
)
def test_a_description_that_does_not_fit_is_one_line(tmp_path, change, text):
    folder = tmp_path / "policy"
    shutil.copytree(SHIPPED, folder)
    spec = json.loads((folder / "policy.json").read_text())
    change(spec)
    (folder / "policy.json").write_text(json.dumps(spec))
    with pytest.raises(TwinloomError, match=text) as error:
        play(folder)
    assert "\n" not in str(error.value)


def test_the_order_of_channels_is_that_of_the_training():
    policy = policies.load(SHIPPED)
    assert len(evaluate(policy, "adopt_profit", OPTIONS, 1).profit) == 1  # type: ignore[arg-type]
    with pytest.raises(TwinloomError, match="seed/tier0 there, retain/tier0 here"):
        evaluate(policy, "adopt_profit", OPTIONS | {"channels": "retain,boost,seed"}, 1)  # type: ignore[arg-type]
