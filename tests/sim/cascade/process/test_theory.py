"""Oracles against the figures they must reproduce."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from assets.networks.generate import complete, erdos_renyi
from sim.cascade.process import laws, models
from sim.cascade.process.markov_chains import CompleteSis, complete_sis_table, master_equation
from sim.cascade.process.theory import (
    Degrees,
    Valley,
    extinction,
    final_size,
    message_passing_sir,
    transmitted_in_the_end,
    well_mixed_sir,
)
from twinloom.errors import TwinloomError

REGULAR = Degrees.of(np.full(10, 4))
GAMMA3 = laws.erlang(1.0, 3)


def test_complete_sis_table():
    """Mean, standard deviation, extinction and mean field, to 1e-4."""
    expected = [
        (0.05456, 0.0955, 0.6547, 0.09683, 1.775),
        (0.08758, 0.1405, 0.6792, 0.28545, 3.259),
        (0.09931, 0.1543, 0.6842, 0.33962, 3.420),
        (0.24355, 0.1399, 0.1614, 0.32895, 1.351),
        (0.10736, 0.1536, 0.6680, 0.32917, 3.066),
    ]
    for row, (mean, sd, extinct, ode, ratio) in zip(complete_sis_table(), expected, strict=True):
        assert (row["mean"], row["sd"], row["extinct"]) == pytest.approx((mean, sd, extinct), abs=1e-4)
        assert (row["ode"], row["ratio"]) == pytest.approx((ode, ratio), abs=1e-3)


@pytest.mark.parametrize(("n", "infected", "t"), [(100, 1, 5.0), (100, 5, 10.0), (200, 2, 3.0)])
def test_sis_identity(n, infected, t):
    """The growth of the mean lacks what the variance takes: 1e-8."""
    assert abs(CompleteSis(n, 1.5, 1.0, infected).residual(t, h=0.02)) < 1e-8


def test_master_equation_on_the_complete_graph():
    """The chain of the number infected is the same process."""
    times = np.array([0.5, 1.0, 3.0])
    chain = CompleteSis(5, 1.5, 1.0, 1)
    counts = master_equation(complete(5), models.sis(1.5 / 4, laws.exponential(1.0)), np.array([1, 0, 0, 0, 0]), times)
    assert counts[:, 1] / 5 == pytest.approx(chain.moments(times)[0], abs=1e-10)
    assert counts.sum(axis=1) == pytest.approx(5)


def test_master_equation_refuses():
    with pytest.raises(TwinloomError, match="states"):
        master_equation(complete(20), models.sir(), np.zeros(20, int), np.array([1.0]))
    with pytest.raises(TwinloomError, match="not Markovian"):
        master_equation(complete(3), models.sir(), np.zeros(3, int), np.array([1.0]))


def test_final_size_and_outbreak_probability():
    """Random 4-regular graph, beta 1, gamma(3) recovery of mean 1."""
    assert final_size(REGULAR, GAMMA3.transmissibility(1.0)) == pytest.approx(0.94244, abs=1e-5)
    assert final_size(REGULAR, 0.5) == pytest.approx(0.8541, abs=1e-4)
    # for a gamma law E[exp(-j D)] is known, so both generating functions are polynomials of q
    laplace = [(1 + j / 3) ** -3 for j in range(5)]

    def branch(q, edges):
        return sum(comb(edges, j) * q ** (edges - j) * (1 - q) ** j * laplace[j] for j in range(edges + 1))

    q, lost = extinction(REGULAR, GAMMA3, 1.0)
    assert q == pytest.approx(branch(q, 3), abs=1e-9)
    assert lost == pytest.approx(branch(q, 4), abs=1e-9)
    assert 1 - lost == pytest.approx(0.8737, abs=1e-4)


def test_outbreak_probability_equals_final_size_for_a_fixed_time():
    law, poisson = laws.deterministic(1.0), Degrees.poisson(3.0)
    t = law.transmissibility(0.7)
    assert 1 - extinction(poisson, law, 0.7)[1] == pytest.approx(final_size(poisson, t), abs=1e-9)
    assert extinction(poisson, laws.exponential(1.0), 0.2)[1] == pytest.approx(1.0, abs=1e-6)  # below the threshold


def test_message_passing():
    """Poisson degrees of mean 8, one percent infectious, log-normal infectious time."""
    poisson, law = Degrees.poisson(8.0), laws.lognormal(7.5, 5.0)
    times, h, s = message_passing_sir(poisson, law, 0.25, 0.99, 50.0)
    assert s[np.searchsorted(times, [5.0, 10.0, 20.0])] == pytest.approx([0.0447, 0.00603, 0.00441], rel=5e-3)
    h_end, s_end = transmitted_in_the_end(poisson, law.transmissibility(0.25), 0.99)
    assert (h_end, s_end) == pytest.approx((0.322178, 0.0043716), abs=2e-6)
    assert (h[-1], s[-1]) == pytest.approx((h_end, s_end), abs=1e-4)


def test_well_mixed_renewal_equation_is_the_ode_for_exponential_times():
    times, s, i = well_mixed_sir(laws.exponential(1.0), 2.0, 0.01, 12.0)
    r = 1 - s - i
    assert s == pytest.approx(0.99 * np.exp(-2.0 * r), abs=1e-4)  # the invariant of the SIR equations
    assert np.gradient(r, times)[1:-1] == pytest.approx(i[1:-1], abs=1e-4)


def test_degrees():
    graph = erdos_renyi(2000, 6.0, np.random.default_rng(0))
    degrees = Degrees.of(graph.degree)
    assert degrees.mean == pytest.approx(graph.mean_degree)
    assert float(degrees.g0(1.0)) == pytest.approx(1.0)
    assert float(degrees.g1(0.3)) == pytest.approx(
        np.sum(graph.degree * 0.3 ** (graph.degree - 1.0)) / graph.degree.sum()
    )
    assert Degrees.poisson(5.0).p.sum() == pytest.approx(1.0)


def test_valley():
    valley = Valley()
    b = np.round(np.arange(0, 1.01, 0.1), 1)
    assert [valley.outbreak(x) for x in b] == pytest.approx(
        [0, 0, 0, 0.546, 0.901, 0.977, 0.994, 0.998, 1, 1, 1], abs=6e-4
    )
    profit = [0, -0.060, -0.120, -0.139, -0.054, 0.006, 0.041, 0.057, 0.061, 0.055, 0.042]
    assert [valley.profit(x) for x in b] == pytest.approx(profit, abs=6e-4)
    assert valley.edge == pytest.approx(0.25)
    with pytest.raises(TwinloomError):
        Valley(seeds=0)
