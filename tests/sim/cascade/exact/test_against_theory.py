"""The exact engine has the distribution that mathematics says, whatever the decision intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert, complete, erdos_renyi, random_regular
from assets.networks.graph import Graph, from_edges
from sim.cascade.process import laws, models
from sim.cascade.process.markov_chains import CompleteSis, master_equation
from sim.cascade.process.models import Model
from sim.cascade.process.theory import Degrees, extinction, final_size, message_passing_sir, well_mixed_sir
from sim.cascade.simulator import CascadeSim

FIVE = from_edges(5, np.array([[0, 1], [0, 2], [1, 2], [2, 3], [3, 4]]))
ARCS = from_edges(
    5, np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 2]]), directed=True, weights=[1.0, 0.5, 2.0, 1.5, 1.0, 0.2]
)
FAST = laws.exponential(1.0)
TIMES = np.array([0.3, 0.8, 1.5, 2.5, 4.0])


def played(graph: Graph, model: Model, replicas: int, seeds, times, seed: int = 0, into: str | None = None):
    """Counts [T, R, M] at the given times."""
    sim = CascadeSim(graph, model, replicas, seed=seed)
    sim.reset(seeds, into=into)
    found, now = [], 0.0
    for time in times:
        sim.advance(time - now)
        now = time
        found.append(sim.counts.sum(1))
    return np.array(found)


def gap(samples: np.ndarray, expected, limit: float = 4.0) -> None:
    """The mean of ``samples`` [R] is within ``limit`` standard errors of ``expected``."""
    error = samples.std() / np.sqrt(len(samples))
    assert abs(samples.mean() - expected) <= limit * error + 1e-12, (samples.mean(), expected, error)


@pytest.mark.parametrize("graph", [FIVE, ARCS], ids=["undirected", "weighted arcs"])
@pytest.mark.parametrize(
    "model",
    [
        models.sis(0.9, FAST),
        models.sir(0.9, FAST),
        models.seirs(1.5, laws.exponential(0.5), FAST, FAST),
        replace(models.sis(0.9, FAST), name="sis nonlinear", contact="power", power=1.0),
    ],
    ids=lambda m: m.name,
)
def test_means_follow_the_master_equation(graph, model):
    state = np.zeros(5, int)
    state[0] = model.entry
    expected = master_equation(graph, replace(model, contact="linear"), state, TIMES)
    counts = played(graph, model, 40_000, [0], TIMES)
    for t in range(len(TIMES)):
        for c in range(model.size):
            gap(counts[t, :, c], expected[t, c], 4.5)  # 120 comparisons in all


@pytest.mark.parametrize(("infected", "time"), [(1, 5.0), (1, 10.0), (1, 20.0), (5, 10.0)])
def test_prevalence_on_the_complete_graph_is_below_the_mean_field(infected, time):
    chain, at = CompleteSis(100, 1.5, 1.0, infected), np.array([time])
    mean, _, extinct = (float(x[0]) for x in chain.moments(at))
    x = played(complete(100), models.sis(1.5 / 99, FAST), 800, infected, at)[0, :, 1] / 100
    gap(x, mean)
    gap((x == 0).astype(float), extinct)
    assert x.mean() < chain.ode(at)[0] - 0.02


@pytest.mark.parametrize(("law", "size"), [(laws.erlang(1.0, 3), 0.94244), (FAST, 0.8541)])
def test_final_size_and_outbreak_probability_on_a_regular_graph(law, size):
    graph = random_regular(20_000, 4, np.random.default_rng(0))
    model, degrees = models.sir(1.0, law), Degrees.of(graph.degree)
    share = played(graph, model, 150, 1, [1000.0])[0, :, 2] / graph.n
    outbreak = share > 0.02
    assert final_size(degrees, model.transmissibility()) == pytest.approx(size, abs=5e-5)
    gap(share[outbreak], size)
    gap(outbreak.astype(float), 1 - extinction(degrees, law, 1.0)[1])
    assert np.abs(share - share.mean()).min() > 0.05  # the mean is not an outcome


@pytest.mark.slow
def test_final_size_on_a_regular_graph_to_three_digits():
    rng = np.random.default_rng(1)
    share = np.concatenate(
        [
            played(random_regular(20_000, 4, rng), models.sir(1.0, laws.erlang(1.0, 3)), 150, 1, [1000.0], seed)[
                0, :, 2
            ]
            for seed in range(10)
        ]
    )
    outbreak = share > 400
    assert outbreak.sum() > 200
    assert share[outbreak].mean() / 20_000 == pytest.approx(0.94244, abs=3e-4)
    gap(outbreak.astype(float), 0.87369)


def test_susceptibles_follow_the_message_passing_equation():
    graph = erdos_renyi(50_000, 8.0, np.random.default_rng(3))
    law = laws.lognormal(7.5, median=5.0)
    times, _, s = message_passing_sir(Degrees.of(graph.degree), law, 0.25, 0.99, 50.0)
    at = np.arange(1, 51)
    found = played(graph, models.sir(0.25, law), 6, 500, at)[:, :, 0].mean(1) / graph.n
    assert np.abs(found - np.interp(at, times, s)).max() < 0.0027
    assert found[-1] == pytest.approx(s[-1], abs=4e-4)


def test_a_complete_graph_follows_the_renewal_equation():
    n, law = 2000, laws.gamma(2.0, cv=0.5)
    times, s, i = well_mixed_sir(law, 1.2, 0.02, 15.0)
    at = np.arange(0.5, 15.0, 0.5)
    counts = played(complete(n), models.sir(1.2 / n, law), 4, 40, at) / n
    for r in range(4):
        assert np.abs(counts[:, r, 0] - np.interp(at, times, s)).max() < 4 / np.sqrt(n)
        assert np.abs(counts[:, r, 1] - np.interp(at, times, i)).max() < 4 / np.sqrt(n)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["er", "regular", "ba"])
def test_outbreaks_are_as_likely_as_branching_says(name):
    rng = np.random.default_rng(5)
    graph, beta = {
        "er": lambda: (erdos_renyi(20_000, 4.0, rng), 0.6),
        "regular": lambda: (random_regular(20_000, 4, rng), 0.9),
        "ba": lambda: (barabasi_albert(20_000, 4, rng), 0.12),
    }[name]()
    law = laws.gamma(1.0, cv=3**-0.5)
    share = played(graph, models.sir(beta, law), 2000, 1, [1000.0])[0, :, 2] / graph.n
    expected = 1 - extinction(Degrees.of(graph.degree), law, beta)[1]
    outbreak = (share > 0.02).astype(float)
    error = outbreak.std() / np.sqrt(len(outbreak))
    assert abs(outbreak.mean() - expected) < 4 * error + (0.02 if name == "ba" else 0.003)


@pytest.mark.parametrize("runs", [150, pytest.param(4000, marks=pytest.mark.slow)])
def test_decision_intervals_do_not_matter(runs):
    graph = erdos_renyi(1000, 7.88, np.random.default_rng(0))
    at = np.array([5.0, 10.0, 15.0, 20.0, 25.0, 35.0, 50.0])
    model = models.seir()
    once = np.concatenate([played(graph, model, runs, 10, [t], seed=i) for i, t in enumerate(at)]) / graph.n
    for seed, step in enumerate((5.0, 1.0, 0.5)):
        fine = played(graph, model, runs, 10, np.arange(1, round(50 / step) + 1) * step, seed=100 + seed) / graph.n
        fine = fine[np.round(at / step).astype(int) - 1]
        error = np.sqrt((once.var(1) + fine.var(1)) / runs)
        difference = np.abs(once.mean(1) - fine.mean(1))
        assert np.all(difference <= 4.5 * error + 1e-12)
        if runs >= 4000:
            assert difference.max() < 0.008


def test_returning_nodes_do_not_feel_the_intervals_either():
    graph = erdos_renyi(300, 5.0, np.random.default_rng(0))
    model = models.seirs(0.6, laws.gamma(0.5, 0.5), laws.weibull(1.0, 0.6), laws.lognormal(2.0, median=1.5))
    at, runs = np.array([2.0, 4.0, 8.0, 16.0]), 400
    coarse = played(graph, model, runs, 30, at)
    fine = played(graph, model, runs, 30, np.arange(1, 65) * 0.25, seed=1)[(at / 0.25).astype(int) - 1]
    error = np.sqrt((coarse.var(1) + fine.var(1)) / runs)
    assert np.all(np.abs(coarse.mean(1) - fine.mean(1)) <= 4.5 * error)
