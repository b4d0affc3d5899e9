"""The planner: the mean field starts from observed numbers, plans interpolate, and planning pays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert
from assets.networks.tiers import cut
from policies.cascade.evaluate import evaluate
from policies.cascade.mpc import MeanFieldPlanner, _unfold
from sim.cascade.mean_field.simulator import TierODE
from sim.cascade.problems import PROBLEMS, Prices
from sim.cascade.process import laws, models
from twinloom.errors import TwinloomError

GRAPH = barabasi_albert(300, 3, np.random.default_rng(0))
TIERS = cut(GRAPH)


@pytest.mark.parametrize("churn", [laws.gamma(5.0, cv=0.5), laws.gamma(5.0, cv=1.3), laws.exponential(5.0)])
def test_the_mean_field_goes_on_from_numbers_and_ages_it_is_given(churn):
    model = models.adopt(beta=0.1, decision=laws.gamma(2.0, cv=0.5), churn=churn)
    first = TierODE(GRAPH, model, TIERS)
    first.reset(10)
    first.advance(6.0)
    again = TierODE(GRAPH, model, TIERS)
    again.load(first.counts, first.age_stats()[0])
    np.testing.assert_allclose(again.counts, first.counts, rtol=1e-9)
    np.testing.assert_allclose(again.age_stats()[0], first.age_stats()[0], rtol=1e-9)
    for sim in (first, again):
        sim.advance(8.0)
    np.testing.assert_allclose(again.counts, first.counts, atol=0.02 * GRAPH.n)


def test_numbers_that_cannot_be_are_refused():
    sim = TierODE(GRAPH, models.sir(), TIERS)
    with pytest.raises(TwinloomError, match="counts to load"):
        sim.load(np.zeros((1, 2, 3)), np.zeros((1, 3, 3)))
    with pytest.raises(TwinloomError, match="ages to load"):
        sim.load(np.zeros((1, 3, 3)), np.full((1, 3, 3), -1.0))


def test_plans_are_linear_between_their_knots():
    knots = np.array([[0.0], [1.0], [0.0]])
    np.testing.assert_allclose(_unfold(knots, np.linspace(0, 4, 3), 5)[:, 0], [0, 0.5, 1, 0.5, 0])
    np.testing.assert_allclose(_unfold(knots, np.linspace(0, 0, 3), 1)[:, 0], [0])


def test_planning_pays_and_repeats():
    options = {"graph": GRAPH, "horizon": 20}
    one, two = (evaluate(MeanFieldPlanner(every=10, iterations=2), "adopt_profit", options, 6).profit for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert one.mean() > 0.02


def test_where_nothing_can_be_earned_little_is_spent():
    broke = replace(PROBLEMS["adopt_profit"], prices=Prices(price=0.0, margin=0.0), horizon=10)
    outcomes = evaluate(MeanFieldPlanner(candidates=64, iterations=4), broke, {"graph": GRAPH}, 3)
    assert outcomes.spend.max() < 0.1
