"""Input that somebody will give: one clear error or the right answer, in every engine, environment and world."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert, erdos_renyi
from assets.networks.graph import from_edges
from assets.networks.load import read_edges
from sim.cascade.env.scenarios import GraphRange
from sim.cascade.env.single import CascadeEnv
from sim.cascade.env.vector import CascadeVecEnv
from sim.cascade.mean_field.simulator import TierODE
from sim.cascade.problems import PROBLEMS, Prices, Problem
from sim.cascade.process import laws, models
from sim.cascade.process.reproduction import branching_factor
from sim.cascade.simulator import CascadeSim
from twinloom.errors import TwinloomError, UnknownNameError

GRAPH = barabasi_albert(40, 2, np.random.default_rng(0))
MODEL = models.sir(0.3, laws.gamma(2.0, 0.5))
NAN, INF = float("nan"), float("inf")


def started(**options) -> CascadeSim:
    sim = CascadeSim(GRAPH, MODEL, replicas=2, **options)
    sim.reset(3)
    return sim


@pytest.mark.parametrize(
    "options",
    [{"replicas": NAN}, {"replicas": True}, {"threads": 1.5}, {"threads": "2"}, {"substeps": NAN, "engine": "leap"}],
)
def test_numbers_of_things_are_whole(options):
    with pytest.raises(TwinloomError, match="whole number of at least 1"):
        CascadeSim(GRAPH, MODEL, **options)


@pytest.mark.parametrize("engine", ["exact", "leap"])
def test_a_misspelt_option_is_not_swallowed(engine):
    with pytest.raises(UnknownNameError, match="epz"):
        CascadeSim(GRAPH, MODEL, engine=engine, epz=0.1)


def test_moves_must_fit_tiers_and_never_wrap_around():
    sim = started()
    with pytest.raises(TwinloomError, match=r"\[3\] do not fit \[2, 1\]"):
        sim.move("S", "I", [1, 2, 3])
    with pytest.raises(TwinloomError, match="compartment"):
        sim.move("S", None, 1)  # type: ignore[arg-type]
    susceptible = sim.counts[:, :, 0]
    assert np.array_equal(sim.move("S", "I", np.uint64(2**64 - 1)), susceptible)


@pytest.mark.parametrize("episode", [1.5, "x", 2**63, [1, 2, 3]])
def test_episodes_are_whole_numbers(episode):
    sim = started()
    with pytest.raises(TwinloomError, match="episode"):
        sim.reset(1, episode=episode)


@pytest.mark.parametrize("values", [None, 1j, "x", [1.0, -1.0, NAN]])
def test_factors_are_numbers(values):
    with pytest.raises(TwinloomError, match="control in"):
        started().set_control("in", values)


def test_the_leap_engine_never_steps_over_whole_residence_times():
    """One decision of 40 residence times: eight steps would infect everybody at any rate."""
    graph = erdos_renyi(300, 10.0, np.random.default_rng(1))
    model = models.sir(0.08, laws.deterministic(1.0))  # below threshold
    sizes = {}
    for engine in ("exact", "leap"):
        sim = CascadeSim(graph, model, replicas=200, engine=engine, seed=1)
        sim.reset(5)
        sim.advance(40.0)
        assert not sim.alive.any()
        sizes[engine] = sim.counts[:, 0, 2].mean()
    assert sizes["leap"] == pytest.approx(sizes["exact"], rel=0.35)


def test_escape_has_the_same_outcome_in_the_renewal_world():
    graph = erdos_renyi(300, 20.0, np.random.default_rng(2))
    profits = []
    for world in ("exact", "renewal"):
        env = CascadeVecEnv("escape", 100, graph=graph, world=world)
        env.reset(seed=0)
        profits.append(env.step(np.zeros((100, 1), np.float32))[1].mean())
    assert profits[1] == pytest.approx(profits[0], abs=0.05)


@pytest.mark.parametrize("make", [lambda: TierODE(GRAPH, MODEL), lambda: CascadeSim(GRAPH, MODEL, engine="leap")])
def test_an_interval_that_would_take_for_ever_is_refused(make):
    sim = make()
    sim.reset(3)
    with pytest.raises(TwinloomError, match="advance by less"):
        sim.advance(1e9)


def test_branching_of_directed_graphs_counts_ways_on():
    chain = from_edges(5, [(i, i + 1) for i in range(4)], directed=True)
    assert branching_factor(chain) == pytest.approx(3 / 4)
    with pytest.raises(TwinloomError, match="nothing spreads"):
        branching_factor(from_edges(5, [(0, i) for i in range(1, 5)], directed=True))
    both_ways = from_edges(GRAPH.n, np.concatenate((GRAPH.pairs(), GRAPH.pairs()[:, ::-1])), directed=True)
    assert both_ways.kappa == pytest.approx(GRAPH.kappa)


def test_r0_is_the_measured_reproduction_number_on_a_directed_graph():
    """Second generation from random seeds of a random directed graph with unequal degrees."""
    rng = np.random.default_rng(3)
    n = 20_000
    heavy = rng.permutation(np.repeat([1, 9], n // 2))
    sources = np.repeat(np.arange(n), heavy)
    graph = from_edges(n, np.column_stack((sources, rng.permutation(sources))), directed=True)
    transmits = 0.3
    model = models.sir(-np.log1p(-transmits), laws.deterministic(1.0))
    sim = CascadeSim(graph, model, replicas=20, seed=1, tree=True)
    sim.reset(50)
    sim.advance(50.0)
    tree = sim.tree[:, :]
    first = second = 0
    for parent in tree:
        seeds = parent == -1
        one = (parent >= 0) & seeds[np.maximum(parent, 0)]
        first += one.sum()
        second += ((parent >= 0) & one[np.maximum(parent, 0)]).sum()
    assert second / first == pytest.approx(transmits * branching_factor(graph), rel=0.1)


@pytest.mark.parametrize("weight", ["1e50", "1e-50"])
def test_weights_that_float32_would_lose_are_refused(tmp_path, weight):
    path = tmp_path / "edges.txt"
    path.write_text(f"1 2 1\n2 3 {weight}\n")
    with pytest.raises(TwinloomError, match="weight"):
        read_edges(path, weights=2)
    with pytest.raises(TwinloomError, match="weights"):
        from_edges(3, [(0, 1), (1, 2)], weights=[1.0, float(weight)])


@pytest.mark.parametrize("prices", [{"seed": -1.0}, {"seed": NAN}, {"boost": INF}, {"price_range": (0.5, NAN)}])
def test_prices_are_finite_and_not_negative(prices):
    with pytest.raises(TwinloomError, match="finite and not negative"):
        Prices(**prices)


@pytest.mark.parametrize(
    "change",
    [{"strengths": {"retain": 1.5}}, {"strengths": {"bost": 1.0}}, {"strengths": {"boost": NAN}}, {"horizon": 0},
     {"delta": NAN}, {"initial": -1.0}, {"seed_limit": NAN}],
)  # fmt: skip
def test_problems_are_checked(change):
    given = {f: getattr(PROBLEMS["adopt_profit"], f) for f in Problem.__dataclass_fields__}
    with pytest.raises(TwinloomError, match="problem adopt_profit"):
        Problem(**{**given, **change})


@pytest.mark.parametrize(
    "options",
    [{"prices": 3}, {"model": "sir"}, {"horizon": True}, {"seed": 2**64}, {"graph": GRAPH, "tiers": "stub50"}],
)
def test_options_are_checked(options):
    with pytest.raises(TwinloomError):
        CascadeEnv("adopt_profit", **options)


def test_numpy_integers_are_whole_numbers():
    env = CascadeVecEnv("adopt_profit", np.int64(2), graph=GRAPH, horizon=np.int64(3), seed=np.int64(1))  # type: ignore[arg-type]
    assert env.reset(seed=np.int64(2))[0].shape[0] == 2  # type: ignore[arg-type]
    with pytest.raises(TwinloomError, match="seed"):
        env.reset(seed=2**64)
    with pytest.raises(TwinloomError, match="scenario_seed"):
        env.reset(options={"scenario_seed": -1})


@pytest.mark.parametrize("wrong", [{"every": 1.5}, {"cv": (1.0, INF)}])
def test_ranges_are_checked(wrong):
    with pytest.raises(TwinloomError, match="GraphRange"):
        GraphRange(**wrong)


@pytest.mark.parametrize(
    "make",
    [
        lambda: laws.erlang(1.0, NAN),  # type: ignore[arg-type]
        lambda: laws.erlang(1.0, INF),  # type: ignore[arg-type]
        lambda: laws.gamma(1.0, 1e-9),
        lambda: laws.gamma(1.0, 1e9),
        lambda: models.thresh(theta=(0.1,)),  # type: ignore[arg-type]
        lambda: models.thresh(power=INF),
        lambda: MODEL.with_beta(1e6).markov("transmissibility"),
    ],
)
def test_processes_that_cannot_be(make):
    with pytest.raises(TwinloomError):
        make()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tiers": "stub"}, "cut"),
        ({"model": None}, "sim.cascade.models"),
        ({"engine": []}, "there is no engine"),
    ],
)
def test_arguments_of_the_simulator_of_another_kind(given, words):
    from sim.cascade.process import models
    from sim.cascade.simulator import CascadeSim

    with pytest.raises(TwinloomError, match=words):
        CascadeSim(**({"graph": GRAPH, "model": models.sir()} | given))
