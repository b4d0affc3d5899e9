"""Search finds what can be known beforehand, and compares candidates in the same episodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert
from policies.cascade import resolve, tune
from policies.cascade.baselines import Constant
from policies.cascade.evaluate import evaluate
from sim.cascade.env.scenarios import GraphRange
from sim.cascade.problems import PROBLEMS, Prices
from twinloom.errors import TwinloomError

GRAPH = barabasi_albert(100, 3, np.random.default_rng(0))
FREE = replace(
    PROBLEMS["adopt_profit"],
    channels=("seed",),
    horizon=10,
    seed_limit=0.3,
    prices=Prices(seed=0.0, seed_log=0.0, margin=0.1),
)
DEAR = replace(FREE, prices=Prices(seed=50.0))


@pytest.mark.parametrize(("graphs", "episodes"), [([], 4), ([{"graph": GRAPH}], 0)])
def test_nothing_to_tune_on_is_refused(graphs, episodes):
    with pytest.raises(TwinloomError, match="both must be at least 1"):
        tune.Ground("adopt_profit", graphs, episodes)


def test_candidates_play_the_same_episodes():
    ground = tune.Ground("adopt_profit", [{"graph": GRAPH}], 4)
    half = Constant(np.full(9, 0.5))
    one, two, other = tune.scores([half, half, Constant(np.ones(9))], ground)
    assert one == two != other


def test_scores_do_not_depend_on_how_many_fit_together(monkeypatch):
    ground = tune.Ground("adopt_profit", [{"graph": GRAPH}, {"graph": GraphRange(n=(50, 90)), "scenario_seed": 3}], 3)
    candidates = [Constant(np.full(9, level)) for level in (0.0, 0.3, 0.9)]
    whole = tune.scores(candidates, ground)
    monkeypatch.setattr(tune, "CELLS", 300)
    np.testing.assert_array_equal(whole, tune.scores(candidates, ground))
    assert whole[0] == 0


def test_free_seeds_are_used_and_dear_ones_are_not():
    policy, score = tune.constant(tune.Ground(FREE, [{"graph": GRAPH}], 3))
    assert policy.action.max() > 0
    assert score > 0
    policy, score = tune.constant(tune.Ground(DEAR, [{"graph": GRAPH}], 3))
    assert (score, policy.action.max()) == (0, 0) or np.floor(policy.action * 2).max() == 0


def test_every_baseline_survives_json_and_acts():
    ground = tune.Ground(FREE, [{"graph": GRAPH}], 2)
    for name in ("null", "random", "constant", "degree_targeted", "bang_bang", "mpc"):
        policy = resolve.from_json(resolve.tuned(name, FREE, ground))
        outcomes = evaluate(policy, FREE, {"graph": GRAPH}, 2)
        assert np.isfinite(outcomes.profit).all(), name
