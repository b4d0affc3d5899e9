"""Problems, their contact rates, and what scenarios draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert, circulant, erdos_renyi, star
from assets.networks.graph import from_edges
from sim.cascade.env.scenarios import GraphRange, Scenarios
from sim.cascade.problems import PROBLEMS, Prices
from sim.cascade.process import laws, models
from sim.cascade.process.reproduction import beta_for, branching_factor
from twinloom.errors import TwinloomError


def graph(n=300, m=3, seed=0):
    return barabasi_albert(n, m, np.random.default_rng(seed))


@pytest.mark.parametrize("name", PROBLEMS)
def test_r0_of_a_problem_is_the_stated_number_on_any_graph(name):
    problem = PROBLEMS[name]
    for network in (graph(), graph(500, 6, 1), None):
        scenario = Scenarios(problem, network).draw(0, 0)
        # law.transmissibility is in closed form, model.transmissibility is a quadrature
        assert scenario.r0 == pytest.approx(problem.r0, rel=1e-4)
        assert scenario.branching == scenario.graph.kappa


def test_beta_of_an_exponential_duration_in_closed_form():
    model = models.sir(recovery=laws.exponential(2.0))
    # T = 2 beta / (1 + 2 beta) = 1.5 / 6
    assert beta_for(model, 6.0, 1.5) == pytest.approx(0.25 / 0.75 / 2, rel=1e-12)


def test_beta_with_infectivity_that_depends_on_age():
    model = models.sir(recovery=laws.deterministic(2.0)).with_shedding(models.Shedding(1.0, (1.0, 1.0, 1.0)))
    plain = models.sir(recovery=laws.deterministic(2.0))
    assert beta_for(model, 6.0, 1.5) == pytest.approx(beta_for(plain, 6.0, 1.5), rel=1e-4)


@pytest.mark.parametrize(
    ("model", "branching", "r0", "message"),
    [
        (models.si(), 5.0, 1.5, "nobody stops being infectious"),
        (models.thresh(churn=laws.exponential(1.0)), 5.0, 1.5, "its contagion is threshold"),
        (models.sir(), 5.0, 0.0, "r0 0.0 must be positive"),
        (models.sir(), 2.0, 2.5, "r0 2.5 cannot be reached on this graph: its branching factor is 2"),
    ],
)
def test_reproduction_numbers_that_cannot_be(model, branching, r0, message):
    with pytest.raises(TwinloomError, match=message):
        beta_for(model, branching, r0)


def test_spectral_branching_factor_of_known_graphs():
    rng = np.random.default_rng(0)
    assert branching_factor(circulant(40, 6, rng), "spectral") == pytest.approx(5.0, rel=1e-5)
    network = erdos_renyi(400, 8.0, rng)
    dense = np.zeros((800, 800))
    dense[:400, :400][network.sources, network.indices] = 1.0
    dense[:400, 400:] = np.eye(400) - np.diag(network.degree)
    dense[400:, :400] = np.eye(400)
    largest = np.abs(np.linalg.eigvals(dense)).max()
    assert branching_factor(network, "spectral") == pytest.approx(largest, rel=1e-4)


def test_only_the_spectral_factor_sees_who_is_linked_to_whom():
    rng = np.random.default_rng(0)
    apart = from_edges(80, np.concatenate((circulant(40, 4, rng).pairs(), 40 + circulant(40, 10, rng).pairs())))
    assert branching_factor(apart) == pytest.approx((16 + 100 - 14) / 14)
    assert branching_factor(apart, "spectral") == pytest.approx(9.0, rel=1e-4)  # that of its denser part


@pytest.mark.parametrize(
    ("network", "by", "message"),
    [
        (from_edges(5, np.empty((0, 2), int)), "kappa", "has no edges"),
        (from_edges(4, np.array([[0, 1], [2, 3]])), "kappa", "branching factor 0"),
        (star(5), "kapa", 'r0_by "kapa" is unknown; allowed: kappa, spectral'),
    ],
)
def test_graphs_on_which_nothing_spreads(network, by, message):
    with pytest.raises(TwinloomError, match=message):
        branching_factor(network, by)


def test_prices_are_per_seed_dearer_for_hubs():
    from sim.cascade.env.actions import Actions

    scenario = Scenarios(PROBLEMS["adopt_profit"], graph()).draw(0, 0)
    actions = Actions(PROBLEMS["adopt_profit"], scenario.graph, scenario.tiers, scenario.model)
    degree = [scenario.graph.degree[scenario.tiers.index == k].mean() for k in range(3)]
    np.testing.assert_allclose(actions.seed_price, 2 + 0.5 * np.log(1 + np.array(degree)))


# ------------------------------------------------------------------- ranges


def test_scenarios_depend_on_seed_and_block_only():
    ranged = GraphRange(n=(60, 200), m=(2, 4))
    first, second = (Scenarios(PROBLEMS["adopt_profit"], ranged) for _ in range(2))
    first.draw(3, 0)
    a, b, other, later = first.draw(3, 5), second.draw(3, 5), first.draw(4, 5), first.draw(3, 6)
    assert np.array_equal(a.graph.indices, b.graph.indices)
    assert a.model == b.model
    assert len({s.graph.indices.tobytes() for s in (a, other, later)}) == 3


def test_ranges_are_kept_and_filled():
    ranged = GraphRange(n=(60, 200), m=(2, 4))
    problem = PROBLEMS["adopt_profit"]
    drawn = [Scenarios(problem, ranged).draw(0, block) for block in range(60)]
    nominal = problem.model()
    factor = [s.model.beta / beta_for(nominal, s.branching, problem.r0) for s in drawn]
    assert 0.7 <= min(factor) < 0.8
    assert 1.2 < max(factor) <= 1.3
    assert abs(np.log(factor).mean() - 0.5 * (np.log(0.7) + np.log(1.3))) < 0.08
    for step, base in zip(range(2), nominal.steps, strict=True):
        means = [s.model.steps[step].law.mean / base.law.mean for s in drawn]
        cvs = [s.model.steps[step].law.cv for s in drawn]
        assert 0.8 <= min(means) < 0.85
        assert 1.15 < max(means) <= 1.2
        assert 0.4 - 1e-9 <= min(cvs) < 0.5
        assert 1.1 < max(cvs) <= 1.2 + 1e-9
    assert {s.graph.n for s in drawn} <= set(range(60, 201))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n": (300, 200)}, "n \\(300, 200\\) must be two whole numbers"),
        ({"n": (5, 9), "m": (2, 6)}, "must lie above m"),
        ({"every": 0}, "every 0 must be a whole number of at least 1"),
        ({"beta": 1.0}, "beta 1.0 must be a number from 0, below 1"),
        ({"cv": (0.0, 1.0)}, "cv \\(0.0, 1.0\\)"),
        ({"n": "ab"}, 'n "ab" must be two whole numbers'),
        ({"every": "a"}, "every"),
        ({"cv": 1}, "cv 1 must be two positive numbers"),
        ({"m": (1.5, 3)}, "m"),
    ],
)
def test_ranges_that_cannot_be(settings, message):
    with pytest.raises(TwinloomError, match=message):
        GraphRange(**settings)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"r0": 2.0, "beta": 0.1}, "say the same thing twice"),
        ({"tiers": "stubs"}, 'unknown tiers "stubs"; allowed: stub, top, pop'),
        ({"tiers": 3}, "tiers is int"),
        ({"graph": 7}, "graph is int; allowed: a Graph"),
        ({"graph": lambda rng: rng}, "the graph function returned numpy.*Generator; allowed: a Graph"),
    ],
)
def test_sources_that_cannot_be(arguments, message):
    with pytest.raises(TwinloomError, match=message):
        Scenarios(PROBLEMS["adopt_profit"], **({"graph": graph()} | arguments)).draw(0, 0)


def test_what_is_no_graph_is_told_how_to_become_one(tmp_path):
    import networkx

    from sim.cascade.simulator import CascadeSim

    said = r"networkx\.classes\.graph\.Graph; allowed: .*from_edges\(n, pairs\) makes a Graph"
    foreign = networkx.path_graph(5)
    for use in (
        lambda: Scenarios(PROBLEMS["escape"], foreign),
        lambda: Scenarios(PROBLEMS["escape"], lambda rng: foreign).draw(0, 0),
        lambda: CascadeSim(foreign, models.sir()),
    ):
        with pytest.raises(TwinloomError, match=said):
            use()
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n1 2\n2 0\n")
    assert Scenarios(PROBLEMS["escape"], path, r0=0.5).draw(0, 0).graph.n == 3


def test_prices_default_to_the_documented_ones():
    prices = Prices()
    assert (prices.price, prices.margin, prices.seed, prices.seed_log) == (1.0, 0.02, 2.0, 0.5)
    assert replace(PROBLEMS["escape"], r0=0.5).r0 == 0.5


def test_tables_of_the_documentation_equal_the_code():
    from sim.cascade.docs import PAGE, with_tables

    page = PAGE.read_text(encoding="utf-8")
    assert with_tables(page) == page, "run: python -m sim.docs"


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_incentives_may_be_paid_for_each_acquaintance(power):
    from sim.cascade.env.actions import Actions

    problem = replace(PROBLEMS["adopt_profit"], prices=Prices(boost=0.3, by_degree=power))
    scenario = Scenarios(problem, graph()).draw(0, 0)
    actions = Actions(problem, scenario.graph, scenario.tiers, scenario.model, "boost")
    counts = np.zeros((1, 3, 4))
    counts[:, :, 2] = 1.0
    degree = np.array([scenario.graph.degree[scenario.tiers.index == k].mean() for k in range(3)])
    expected = 0.3 * (degree / scenario.graph.mean_degree) ** power
    np.testing.assert_allclose(actions.unit_costs(counts, np.ones(1, bool))[0], expected)
