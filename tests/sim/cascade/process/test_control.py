"""Channels and hard budgets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from sim.cascade.process.control import CHANNELS, price_factor, project
from twinloom.errors import TwinloomError, UnknownNameError

levels = st.lists(st.floats(0, 1), min_size=1, max_size=6)


@given(levels, st.data())
@settings(max_examples=200, deadline=None)
def test_the_projected_action_meets_the_budget_and_keeps_what_is_affordable(u, data):
    cost = data.draw(st.lists(st.floats(0, 1e4), min_size=len(u), max_size=len(u)))
    budget = data.draw(st.floats(0, 2e4))
    u, cost = np.array(u), np.array(cost)
    found = project(u, cost, budget)
    assert np.all((found >= 0) & (found <= u))
    assert found @ cost <= budget * (1 + 1e-9) + 1e-6
    if u @ cost <= budget:
        np.testing.assert_array_equal(found, u)
    else:
        assert found @ cost == pytest.approx(budget, rel=1e-6, abs=1e-6)  # nothing is left over


def test_the_projection_is_the_nearest_point():
    rng = np.random.default_rng(0)
    for _ in range(5):
        u, cost = rng.random(4), rng.random(4) * 10
        budget = 0.4 * float(u @ cost)
        found = project(u, cost, budget)
        best = minimize(
            lambda x, u=u: ((x - u) ** 2).sum(),
            np.zeros(4),
            jac=lambda x, u=u: 2 * (x - u),
            bounds=[(0, 1)] * 4,
            constraints={"type": "ineq", "fun": lambda x, c=cost, b=budget: b - c @ x},
            options={"ftol": 1e-14},
        )
        np.testing.assert_allclose(found, best.x, atol=1e-5)


def test_batches_are_projected_row_by_row():
    rng = np.random.default_rng(1)
    u, cost, budget = rng.random((5, 3)), rng.random((5, 3)) * 100, rng.random(5) * 50
    rows = [project(u[r], cost[r], budget[r]) for r in range(5)]
    np.testing.assert_array_equal(project(u, cost, budget), rows)


def test_free_entries_are_left_alone_and_an_empty_budget_leaves_nothing_else():
    np.testing.assert_array_equal(project(np.array([0.7, 0.5]), np.array([0.0, 3.0]), 0.0), [0.7, 0.0])


@pytest.mark.parametrize(("cost", "budget"), [(1.0, -1e-9), (1.0, float("nan")), (-1.0, 1.0), (float("inf"), 1.0)])
def test_impossible_budgets_and_costs_are_refused(cost, budget):
    with pytest.raises(TwinloomError):
        project(np.array([0.5]), np.array([cost]), budget)


def test_channels_slow_down_or_speed_up_by_their_strength():
    assert CHANNELS["shield"].factor(np.array([0.0, 0.5, 1.0]), 0.8).tolist() == [1.0, 0.6, pytest.approx(0.2)]
    assert CHANNELS["boost"].factor(np.array([1.0]), 1.5).tolist() == [2.5]
    for u, strength in ((1.5, 0.5), (0.5, 1.5), (0.5, -0.1)):
        with pytest.raises(TwinloomError):
            CHANNELS["isolate"].factor(np.array([u]), strength)
    with pytest.raises(UnknownNameError, match="shield"):
        CHANNELS["sheild"]


def test_a_dearer_product_is_adopted_more_slowly():
    assert price_factor(np.array([1.0, 2.0]), 1.0, 0.7).tolist() == [1.0, pytest.approx(np.exp(-0.7))]
