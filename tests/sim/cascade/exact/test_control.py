"""Controls of the exact engine mean what they say, on stars where every probability is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from assets.networks.generate import erdos_renyi, star
from assets.networks.graph import Graph, from_edges
from assets.networks.tiers import Tiers, cut
from sim.cascade.process import laws, models
from sim.cascade.process.models import Shedding
from sim.cascade.simulator import CascadeSim

LEAVES, RUNS = 8, 20_000
STAR = star(LEAVES + 1)


def near(share, expected, runs=RUNS) -> None:
    """Observed shares agree with probabilities to 4.5 standard errors."""
    expected = np.asarray(expected)
    assert np.all(np.abs(share - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / runs) + 1e-12), (
        share,
        expected,
    )


def reached(graph: Graph, model, tiers=None, steps=1, end=50.0, **controls) -> np.ndarray:
    """Share of runs in which each node was infected, the centre 0 being infectious at the start."""
    sim = CascadeSim(graph, model, RUNS, seed=2, tiers=tiers)
    sim.reset([0], into="I")
    for name, values in controls.items():
        sim.set_control(name, values)
    for _ in range(steps):
        sim.advance(end / steps)
    return (sim.state[:, 1:] != 0).mean(0)


@pytest.mark.parametrize("steps", [1, 40])
@pytest.mark.parametrize("law", [laws.deterministic(1.3), laws.gamma(1.3, cv=0.8)], ids=["fixed", "gamma"])
def test_given_the_infectious_time_the_number_infected_is_binomial(law, steps):
    sim = CascadeSim(STAR, models.sir(0.7, law), RUNS, seed=1)
    sim.reset([0])
    for _ in range(steps):
        sim.advance(40.0 / steps)
    sizes = np.bincount(sim.counts[:, 0, 2] - 1, minlength=LEAVES + 1)
    u = (np.arange(4000) + 0.5) / 4000
    passed = -np.expm1(-0.7 * law.quantile(u))
    expected = RUNS * binom.pmf(np.arange(LEAVES + 1)[:, None], LEAVES, passed).mean(1)
    assert chisquare(sizes, expected).pvalue > 1e-4


@pytest.mark.parametrize("steps", [1, 25])
@pytest.mark.parametrize("beta", [0.05, 0.7], ids=["sparse", "dense"])
def test_weights_tiers_and_shedding_thin_the_contacts(beta, steps):
    pairs = np.column_stack((np.zeros(LEAVES, int), np.arange(1, LEAVES + 1)))
    weights = np.linspace(0.5, 3.0, LEAVES)
    graph = from_edges(LEAVES + 1, pairs, weights=weights)
    index = (np.arange(LEAVES + 1) % 2).astype(np.int8)  # the centre is in tier 0
    tiers = Tiers(index, np.bincount(index).astype(np.int64), "pop")
    shedding = Shedding(0.5, (0.0, 1.0, 0.25))  # a ramp up, a ramp down, a level
    model = models.sir(beta, laws.deterministic(2.0)).with_shedding(shedding)
    dose = (0.25 + 0.3125 + 0.25) * beta * weights * np.where(index[1:] == 0, 0.4, 1.5) * 0.8 * 1.1
    share = reached(graph, model, tiers, steps, end=2.5, **{"in": [0.4, 1.5], "out": [0.8, 7.0], "hazard": 1.1})
    near(share, -np.expm1(-dose))


def test_a_standstill_of_all_contact_and_of_the_churn_clock():
    graph = erdos_renyi(300, 6.0, np.random.default_rng(0))
    for name in ("in", "out", "hazard"):
        sim = CascadeSim(graph, models.seir(0.5), 5, tiers=cut(graph, k=3))
        sim.reset(30)
        sim.advance(5.0)
        before = sim.flows
        sim.set_control(name, 0.0)
        sim.advance(20.0)
        assert np.array_equal(sim.flows[..., 0, 1], before[..., 0, 1])
        assert sim.flows[..., 1, 2].sum() > before[..., 1, 2].sum()
    sim = CascadeSim(graph, models.adopt(0.5), 5, tiers=cut(graph, k=3))
    sim.reset(30)
    sim.advance(5.0)
    before = sim.flows
    sim.set_control("speed:A", [1.0, 0.0, 1.0])
    sim.advance(20.0)
    left = (sim.flows - before)[:, :, 2, 3].sum(0)
    assert left[1] == 0
    assert left[0] > 0
    assert left[2] > 0


@pytest.mark.parametrize("model", [models.sir(0.4), models.seirs(0.4), models.sis(0.4)], ids=lambda m: m.name)
def test_silencing_a_tier_is_the_same_as_deleting_its_outgoing_edges(model):
    graph = erdos_renyi(400, 6.0, np.random.default_rng(4))
    tiers = cut(graph, k=3)
    kept = tiers.index[graph.sources] != 1
    arcs = from_edges(graph.n, np.column_stack((graph.sources, graph.indices))[kept], directed=True)
    silenced, deleted = (CascadeSim(g, model, 4, seed=8, tiers=tiers, tree=True) for g in (graph, arcs))
    for sim in (silenced, deleted):
        sim.reset(20)
    silenced.set_control("out", [1.0, 0.0, 1.0])
    for _ in range(15):
        silenced.advance(1.0)
        deleted.advance(1.0)
        np.testing.assert_array_equal(silenced.state, deleted.state)
        np.testing.assert_array_equal(silenced.tree, deleted.tree)
    assert silenced.flows[..., 0, model.entry].sum() > 100


def remaining(model, plan, runs=RUNS) -> np.ndarray:
    """Share of isolated nodes still infectious after each (control, value, time)."""
    sim = CascadeSim(from_edges(runs, []), model, seed=4)
    sim.reset(np.arange(runs))
    found = []
    for name, value, time in plan:
        sim.set_control(name, value)
        sim.advance(time)
        found.append(sim.counts[0, 0, 1] / runs)
    return np.array(found)


@pytest.mark.parametrize("law", [laws.lognormal(7.5, median=5.0), laws.gamma(6.0, cv=0.4), laws.weibull(6.0, cv=1.5)])
def test_proportional_hazards_multiply_the_hazard_and_speed_stretches_time(law):
    hazard = laws.Law.cumulative_hazard
    plan = [("hazard:I", 1.0, 3.0), ("hazard:I", 2.5, 2.0), ("hazard:I", 0.0, 4.0), ("hazard:I", 0.5, 3.0)]
    used = np.cumsum(
        [
            hazard(law, 3.0),
            2.5 * (hazard(law, 5.0) - hazard(law, 3.0)),
            0.0,
            0.5 * (hazard(law, 12.0) - hazard(law, 9.0)),
        ]
    )
    near(remaining(models.sir(0.0, law), plan), np.exp(-used))
    plan = [("speed:I", 2.0, 1.0), ("speed:I", 0.0, 9.0), ("speed:I", 0.5, 6.0)]
    near(remaining(models.sir(0.0, law), plan), law.survival(np.array([2.0, 2.0, 5.0])))
    near(remaining(models.sir(0.0, law), [("hazard:I", 3.0, 2.0)]), np.exp(-3 * hazard(law, 2.0)))


def test_nodes_that_enter_under_a_hazard_factor_feel_it_at_once():
    law, factor = laws.gamma(2.0, cv=0.5), 4.0
    sim = CascadeSim(from_edges(RUNS, []), models.seir(0.0, laws.deterministic(1.0), law), seed=4)
    sim.reset(np.arange(RUNS))
    sim.set_control("hazard:I", factor)
    sim.advance(1.5)
    near(sim.counts[0, 0, 2] / RUNS, law.survival(0.5) ** factor)
    sim.advance(0.5)
    near(sim.counts[0, 0, 2] / RUNS, law.survival(1.0) ** factor)


def test_nonlinear_contact_adds_up_the_neighbours():
    """Node 0 has four neighbours, of which two are infectious for good."""
    graph = from_edges(5, np.array([[0, 1], [0, 2], [0, 3], [0, 4]]))
    tiers = Tiers(np.array([0, 1, 1, 1, 1], np.int8), np.array([1, 4]), "top")
    sigma = 1 / (1 + np.exp((0.4 - 0.5) / 0.1))
    for model, rate in (
        (models.thresh(0.3, power=2.0), 0.3 * 2.0**2),
        (models.thresh(0.3, theta=(0.4, 0.4), eps=0.1), 0.3 * 2 * sigma),
    ):
        sim = CascadeSim(graph, model, RUNS, seed=3, tiers=tiers)
        sim.reset([1, 2])
        sim.set_control("in", [[1.0, 0.0]])
        sim.advance(0.4)
        sim.set_control("hazard", 0.5)
        sim.advance(0.6)
        near((sim.state[:, 0] == 1).mean(), -np.expm1(-rate * (0.4 + 0.3)))
        assert sim.counts[:, 1, 1].max() == 2


def test_reactivation_waits_for_its_control():
    sim = CascadeSim(from_edges(500, []), models.adopt_r(0.0, churn=laws.deterministic(1.0)), seed=0)
    sim.reset(np.arange(500), into="A")
    sim.advance(5.0)
    assert sim.counts[0, 0].tolist() == [0, 0, 0, 500]
    sim.set_control("speed:X", 2.0)
    sim.advance(0.5)
    near(sim.flows[0, 0, 3, 1] / 500, -np.expm1(-2.0 * 0.5 / 5.0), 500)


@pytest.mark.parametrize("steps", [1, 200])
@pytest.mark.parametrize(("power", "beta"), [(0.02, 0.05), (0.2, 1.0)])
def test_nonlinear_contact_needs_an_infectious_neighbour(power, beta, steps):
    """The pressure of eleven nodes that come and go is exactly 0 once all have gone; 1e-17 ** 0.02 would be a half."""
    hub, runs = 11, 4000
    graph = from_edges(12, [(i, hub) for i in range(hub)])
    tiers = Tiers(np.array([0, 1, 2] * 4, np.int8), np.array([4, 4, 4]), "x")
    model = models.thresh(beta=beta, churn=laws.exponential(0.2), power=power)
    sim = CascadeSim(graph, model, runs, seed=1, tiers=tiers, tree=True)
    sim.reset(list(range(hub)))
    sim.set_control("out", [0.3, 0.7, 1.1])
    for _ in range(steps):
        sim.advance(200.0 / steps)
    assert not (sim.tree[:, hub] == -1).any()
    mean_time = 0.2 * (1 / np.arange(1, 12)).sum()  # until all eleven have left
    share = (sim.state[:, hub] != 0).mean()
    assert share < beta * 11.0**power * mean_time
    if power == 0.02:
        near(share, -np.expm1(-beta * mean_time), runs)  # the rate is nearly beta while anybody is infectious
