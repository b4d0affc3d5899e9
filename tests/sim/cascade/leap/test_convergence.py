"""The leap engine converges to the exact one, at first order; both to the limit of large graphs."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import erdos_renyi
from sim.cascade.leap.convergence import course, extrapolated, table
from sim.cascade.process import laws, models
from sim.cascade.process.markov_chains import complete_sis_table
from sim.cascade.process.theory import Degrees, message_passing_sir
from sim.cascade.simulator import CascadeSim


def test_engines_agree_as_the_step_vanishes():
    """Halving the step halves the error; extrapolation leaves what chance explains."""
    graph, model = erdos_renyi(1000, 7.876, np.random.default_rng(0)), models.seir(0.25)
    exact = course(graph, model, 1000, days=35)
    coarse, fine = (course(graph, model, 1000, days=35, engine="leap", substeps=n) for n in (1, 2))
    errors = coarse.distance(exact), fine.distance(exact)
    assert 1.7 < errors[0] / errors[1] < 2.3
    limit = extrapolated(coarse, fine)
    assert limit.distance(exact) < 4 * limit.noise(exact)


@pytest.mark.slow
def test_convergence_table():
    """Four step lengths, 6,000 runs each."""
    exact, *steps, limit = table()
    errors = np.array([row["largest_error"] for row in steps])
    assert 1.7 < errors[0] / errors[1] < 2.3
    assert 1.7**3 < errors[0] / errors[3] < 2.3**3  # the last errors are few standard errors long
    assert limit["largest_error"] < 4 * limit["standard_error"]
    assert exact["R_at_the_end"] == pytest.approx(0.96, abs=0.01)


@pytest.mark.parametrize("engine", ["exact", "leap"])
def test_large_graphs_follow_the_message_passing_equation(engine):
    """SIR with a log-normal infectious time on 50,000 nodes; degrees as realised."""
    graph = erdos_renyi(50_000, 8.0, np.random.default_rng(0))
    law = laws.lognormal(7.5, 5.0)
    degrees = Degrees.of(graph.degree)
    times, _, s = message_passing_sir(degrees, law, 0.25, 0.99, 50.0)
    halved = (1,) if engine == "exact" else (8, 16)
    sims = [CascadeSim(graph, models.sir(0.25, law), 8, engine=engine, substeps=n) for n in halved]
    for sim in sims:
        sim.reset(500, into="I")
    for day in range(1, 16):
        for sim in sims:
            sim.advance(1.0)
        shares = [sim.counts[:, 0, 0] / graph.n for sim in sims]
        found = shares[0] if engine == "exact" else 2 * shares[1] - shares[0]
        noise = found.std() / len(found) ** 0.5
        assert abs(found.mean() - s[np.searchsorted(times, day - 1e-9)]) < 5 * noise + 2e-3
    assert noise < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["exact", "leap"])
def test_complete_graph_sis(engine):
    """The table of exact means and extinction probabilities, within 4 standard errors."""
    from assets.networks.generate import complete

    for row in complete_sis_table()[:4]:
        graph = complete(int(row["n"]))
        model = models.sis(1.5 / (graph.n - 1), laws.exponential(1.0))
        runs, means = 2000, []
        for substeps in (20, 40) if engine == "leap" else (1,):
            sim = CascadeSim(graph, model, runs, engine=engine, substeps=substeps, seed=substeps)
            sim.reset(int(row["infected"]), into="I")
            for _ in range(int(row["t"])):
                sim.advance(1.0)
            x = sim.counts[:, 0, 1] / graph.n
            means.append((x.mean(), (x == 0).mean()))
        mean, extinct = means[0] if engine == "exact" else 2 * np.array(means[1]) - means[0]
        factor = 1 if engine == "exact" else 5**0.5
        assert abs(mean - row["mean"]) < 4 * factor * row["sd"] / runs**0.5
        spread = (row["extinct"] * (1 - row["extinct"]) / runs) ** 0.5
        assert abs(extinct - row["extinct"]) < 4 * factor * spread
