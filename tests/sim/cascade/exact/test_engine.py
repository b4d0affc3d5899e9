"""The exact engine keeps its books, its random streams and its time semantics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert, complete, erdos_renyi, star
from assets.networks.graph import from_edges
from assets.networks.tiers import cut
from sim.cascade.process import laws, models
from sim.cascade.process.rng import keys
from sim.cascade.simulator import CascadeSim, _keys
from twinloom.errors import TwinloomError, UnknownNameError

GRAPH = erdos_renyi(400, 6.0, np.random.default_rng(0))
SHORT = laws.gamma(2.0, cv=0.5)
MODELS = [
    models.si(0.2),
    models.sis(0.3, SHORT),
    models.sir(0.3, SHORT),
    models.seir(0.3, SHORT, SHORT),
    models.seirs(0.3, SHORT, SHORT, SHORT),
    models.adopt_r(0.3, SHORT, SHORT, SHORT),
    models.thresh(0.5, churn=SHORT, theta=(0.1, 0.3)),
    replace(models.seirs(0.05, SHORT, SHORT, SHORT), contact="power"),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{m.name}-{m.contact}")
def test_counts_flows_states_and_tree_agree(model):
    sim = CascadeSim(GRAPH, model, 3, seed=1, tiers=cut(GRAPH, k=3), tree=True)
    sim.reset(20)
    start = sim.counts
    if model.name == "adopt_r":
        sim.set_control("speed:X", 1.0)
    for step in range(12):
        sim.set_control("out", 1.0 + (step % 3) * np.arange(3))
        sim.set_control("in", 1.0 / (1.0 + (step % 2) * np.arange(3)))
        sim.advance(0.7)
        if step == 5:
            sim.move(0, model.entry, [[1, 2, 3]])
        flows = sim.flows
        np.testing.assert_array_equal(sim.counts, start + flows.sum(2) - flows.sum(3))
        for r in range(3):
            cell = sim.tiers.index.astype(int) * model.size + sim.state[r]
            books = np.bincount(cell, minlength=3 * model.size).reshape(3, -1)
            np.testing.assert_array_equal(sim.counts[r], books)
    assert sim.flows[:, :, 0, model.entry].sum() > 100
    for r in range(3):
        tree, state = sim.tree[r], sim.state[r]
        infected = np.flatnonzero(tree >= 0)
        assert all(tree[v] in GRAPH.neighbours(int(v)) for v in infected)
        assert np.all(tree[state == 0] == -2) or model.returns()
        assert np.all(tree[state != 0] != -2)
        if not model.returns():  # one infection each, so the tree leads back to a seed
            ancestors = infected
            for _ in range(GRAPH.n):
                ancestors = tree[ancestors[ancestors >= 0]]
            assert len(ancestors) == 0


@pytest.mark.parametrize("model", [MODELS[4], MODELS[6]], ids=lambda m: m.name)
def test_a_replica_depends_on_neither_the_others_nor_the_threads(model):
    runs = []
    for replicas, threads in ((2, None), (5, None), (5, 2)):
        sim = CascadeSim(GRAPH, model, replicas, seed=7, threads=threads)
        sim.reset(10)
        for _ in range(4):
            sim.advance(1.0)
        runs.append(sim.state[:2].copy())
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[1], runs[2])
    assert np.any(runs[0][0] != runs[0][1])


def test_a_reset_of_some_replicas_leaves_the_others_alone_and_counts_episodes():
    def run(sim):
        sim.advance(1.5)
        return sim.state.copy()

    sim, twin = (CascadeSim(GRAPH, MODELS[4], 3, seed=3) for _ in range(2))
    sim.reset(10)
    twin.reset(10)
    run(sim)
    run(twin)
    sim.set_control("in", 0.5)
    twin.set_control("in", 0.5)
    sim.reset(10, mask=np.array([False, True, False]))
    assert sim.time.tolist() == [1.5, 0.0, 1.5]
    assert sim.episodes.tolist() == [0, 1, 0]
    after, expected = run(sim), run(twin)
    np.testing.assert_array_equal(after[[0, 2]], expected[[0, 2]])
    assert np.any(after[1] != expected[1])
    sim.reset(10, episode=1)
    run(sim)
    fresh = CascadeSim(GRAPH, MODELS[4], 3, seed=3)
    fresh.reset(10, episode=1)
    np.testing.assert_array_equal(run(fresh), sim.state)  # nothing of the earlier episodes is left
    fresh.reset(10, episode=2)
    assert np.any(run(fresh) != sim.state)


def test_one_seed_for_each_replica_makes_each_the_first_of_its_seed():
    both = CascadeSim(GRAPH, MODELS[2], 2, seed=[11, 5])
    both.reset(10)
    both.advance(3.0)
    for r, seed in enumerate((11, 5)):
        alone = CascadeSim(GRAPH, MODELS[2], 1, seed=seed)
        alone.reset(10)
        alone.advance(3.0)
        np.testing.assert_array_equal(alone.state[0], both.state[r])
    both.reseed([5, 11])
    with pytest.raises(TwinloomError, match="reset"):
        both.advance(1.0)
    both.reset(10)
    both.advance(3.0)
    np.testing.assert_array_equal(alone.state[0], both.state[0])


def test_an_interval_holds_the_events_at_its_start_and_not_those_at_its_end():
    sim = CascadeSim(star(3), models.sir(0.0, laws.deterministic(2.0)), seed=0)
    sim.reset([0])
    sim.advance(2.0)
    assert sim.counts[0, 0].tolist() == [2, 1, 0]
    sim.advance(1e-9)
    assert sim.counts[0, 0].tolist() == [2, 0, 1]
    assert not sim.alive[0]


def test_a_clock_at_another_speed_moves_exits_and_ages():
    sim = CascadeSim(star(3), models.sir(0.0, laws.deterministic(2.0)), seed=0)
    sim.reset([0])
    sim.advance(1.0)
    sim.set_control("speed:I", 0.0)
    sim.advance(50.0)
    assert sim.age[0, 0] == 1.0
    sim.set_control("speed:I", 0.25)
    sim.advance(3.9)
    assert sim.state[0, 0] == 1
    assert sim.age[0, 0] == pytest.approx(1.975)
    sim.advance(0.2)
    assert sim.state[0, 0] == 2
    assert sim.age[0, 0] == pytest.approx(0.1)
    assert sim.age[0, 1] == pytest.approx(55.1)


def test_age_statistics_are_those_of_the_ages():
    sim = CascadeSim(GRAPH, MODELS[3], 2, seed=0, tiers=cut(GRAPH, k=2))
    sim.reset(30)
    sim.advance(3.0)
    mean, older = sim.age_stats()
    for r in range(2):
        for k in range(2):
            for c in range(4):
                ages = sim.age[r, (sim.tiers.index == k) & (sim.state[r] == c)]
                step = sim.model.step_from(c)
                assert mean[r, k, c] == pytest.approx(ages.mean() if len(ages) else 0.0, rel=1e-5)
                share = np.mean(ages > step.law.median) if step is not None and len(ages) else 0.0
                assert older[r, k, c] == pytest.approx(share)


def test_pressure_is_the_mean_number_of_infectious_neighbours():
    sim = CascadeSim(GRAPH, MODELS[1], 2, seed=0, tiers=cut(GRAPH, k=3))
    sim.reset(100)
    sim.advance(1.0)
    for r in range(2):
        infectious = sim.state[r] == 1
        reached = np.array([infectious[GRAPH.neighbours(v)].sum() for v in range(GRAPH.n)])
        for k in range(3):
            expected = reached[(sim.tiers.index == k) & ~infectious].mean()
            assert sim.pressure()[r, k] == pytest.approx(expected)


def test_moved_nodes_are_random_nodes_of_the_tier_and_at_most_all_of_them():
    sim = CascadeSim(GRAPH, MODELS[2], 200, seed=0, tiers=cut(GRAPH, k=2))
    sim.reset(0)
    moved = sim.move("S", "R", [[3, 10_000]])
    assert moved.tolist() == [[3, sim.tiers.sizes[1]]] * 200
    assert not sim.alive.any()
    picked = (sim.state == 2)[:, sim.tiers.index == 0].sum(0)
    share = 3 / sim.tiers.sizes[0]
    assert abs(picked - 200 * share).max() < 5 * np.sqrt(200 * share)
    assert sim.move("I", "R", 5).sum() == 0
    sim.advance(1.0)
    assert sim.flows[0, :, 0, 2].tolist() == moved[0].tolist()


def test_keys_of_replicas_are_those_of_the_random_numbers():
    seeds, episodes, lanes = np.array([0, 7, 2**60], np.uint64), np.array([3, 0, 9]), np.array([0, 1, 0])
    np.testing.assert_array_equal(_keys(seeds, episodes, lanes), keys(seeds, episodes, lanes))


def test_random_seeds_are_distinct_and_differ_between_replicas_and_episodes():
    sim = CascadeSim(GRAPH, models.si(0.0), 3, seed=0)
    sim.reset(17)
    first = sim.state.copy()
    assert (first.sum(1) == 17).all()
    assert len(np.unique(first, axis=0)) == 3
    sim.reset(17)
    assert np.any(sim.state != first)


def test_seeds_may_differ_between_replicas_and_go_into_any_compartment():
    sim = CascadeSim(GRAPH, MODELS[3], 2)
    sim.reset([np.array([1, 2]), np.array([3])], into="I")
    assert np.flatnonzero(sim.state[0]).tolist() == [1, 2]
    assert sim.state[1, 3] == 2
    sim.reset([5, 5, 6])
    assert sim.counts[:, 0, 1].tolist() == [2, 2]


def test_degenerate_settings_give_the_right_answer():
    silent = CascadeSim(GRAPH, models.sir(0.0, SHORT))
    silent.reset(5)
    silent.advance(1e4)
    assert silent.counts[0, 0].tolist() == [395, 0, 5]
    everyone = CascadeSim(GRAPH, models.sir(1.0, SHORT))
    everyone.reset(np.arange(400))
    everyone.advance(1e4)
    assert everyone.counts[0, 0].tolist() == [0, 0, 400]
    nobody = CascadeSim(GRAPH, models.sir(1.0, SHORT))
    nobody.reset([])
    nobody.advance(10.0)
    assert nobody.counts[0, 0].tolist() == [400, 0, 0]
    lonely = CascadeSim(from_edges(1, []), models.sis(1.0, SHORT))
    lonely.reset([0])
    lonely.advance(100.0)
    assert lonely.counts[0, 0].tolist() == [1, 0]


def test_a_node_that_is_never_reached_stays_susceptible():
    islands = from_edges(4, np.array([[0, 1], [2, 3]]))
    sim = CascadeSim(islands, models.si(5.0))
    sim.reset([0])
    sim.advance(1e3)
    assert sim.state[0].tolist() == [1, 1, 0, 0]
    arcs = from_edges(3, np.array([[0, 1], [2, 1]]), directed=True)
    sim = CascadeSim(arcs, models.si(5.0))
    sim.reset([1])
    sim.advance(1e3)
    assert sim.state[0].tolist() == [0, 1, 0]


BAD = {
    "unknown seed node 400; nodes of this graph are 0 to 399": lambda s: s.reset([1, 400]),
    "unknown seed node -1": lambda s: s.reset([-1]),
    "401 seeds in a graph of 400": lambda s: s.reset(401),
    "node numbers": lambda s: s.reset([0.5]),
    'not "3"; graph.find': lambda s: s.reset("3"),
    "not texts": lambda s: s.move(0, 1, "3"),
    "3 lists of seeds for 2": lambda s: s.reset([[1], [2], [3]]),
    "mask": lambda s: s.reset(1, mask=np.array([True])),
    "episode -1": lambda s: s.reset(1, episode=-1),
    "unknown compartment": lambda s: s.reset(1, into="Z"),
    "cannot advance by -1": lambda s: s.advance(-1.0),
    "cannot advance by inf": lambda s: s.advance(float("inf")),
    "cannot advance by nan": lambda s: s.advance(float("nan")),
    "not negative, not -0.5": lambda s: s.set_control("in", -0.5),
    "not negative, not nan": lambda s: s.set_control("out", float("nan")),
    "do not fit": lambda s: s.set_control("out", np.ones(7)),
    "unknown control": lambda s: s.set_control("beta", 1.0),
    "has no clock": lambda s: s.set_control("speed:R", 1.0),
    "must be integers": lambda s: s.move(0, 1, 1.5),
    "cannot move -1 nodes": lambda s: s.move(0, 1, -1),
    "to itself": lambda s: s.move(1, 1, 1),
    "compartment 9": lambda s: s.move(0, 9, 1),
    "tree=True": lambda s: s.tree,
    "seed must be": lambda s: s.reseed(-4),
}


@pytest.mark.parametrize("said", BAD)
def test_bad_input_is_answered_in_one_line(said):
    sim = CascadeSim(GRAPH, MODELS[2], 2)
    sim.reset(3)
    with pytest.raises(TwinloomError, match=said) as caught:
        BAD[said](sim)
    assert "\n" not in str(caught.value)


def test_a_simulator_that_cannot_be_is_refused():
    refused: list[tuple[dict[str, Any], str]] = [
        ({"replicas": 0}, "replicas is 0"),
        ({"threads": 0}, "threads is 0"),
        ({"engine": "fast"}, 'no engine "fast"'),
        ({"backend": "torch"}, 'no engine "exact" with backend "torch"'),
        ({"device": "cuda"}, "runs on the CPU"),
        ({"tiers": cut(star(5), k=1)}, "tiers are of a graph of 5"),
    ]
    for arguments, said in refused:
        with pytest.raises(TwinloomError, match=said):
            CascadeSim(GRAPH, MODELS[2], **arguments)
    with pytest.raises(TwinloomError, match="reset every replica"):
        CascadeSim(GRAPH, MODELS[2]).advance(1.0)
    with pytest.raises(TwinloomError, match="needs linear contact"):
        CascadeSim(GRAPH, models.thresh().with_shedding(models.Shedding(1.0, (1.0,))))
    sim = CascadeSim(GRAPH, MODELS[2])
    with pytest.raises(UnknownNameError, match="speed:I"):
        sim.set_control("sped:I", 1.0)


def test_a_queue_full_of_replaced_contacts_makes_room():
    graph = complete(60)  # 59 sources compete for each node: many more contacts than the queue has places
    sim = CascadeSim(graph, models.sis(50.0, laws.gamma(1.0, cv=0.3)), 2, seed=0)
    sim.reset(30)
    for _ in range(5):
        sim.advance(1.0)
        assert sim.counts.sum() == 120
    assert sim.counts[:, 0, 1].min() > 50


def test_hubs_catch_it_first():
    graph = barabasi_albert(2000, 3, np.random.default_rng(1))
    sim = CascadeSim(graph, models.si(0.05), 20, seed=0, tiers=cut(graph, k=3))
    sim.reset(10)
    sim.advance(3.0)
    share = sim.counts[:, :, 1].sum(0) / (20 * sim.tiers.sizes)
    assert share[0] > share[1] > share[2]
