"""The observer that sees the whole graph: message passing against loops, and what may not change it."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks.generate import barabasi_albert, erdos_renyi
from assets.networks.graph import from_edges
from assets.networks.tiers import cut
from sim.cascade.env.single import CascadeEnv
from sim.cascade.env.vector import CascadeVecEnv
from sim.cascade.observe.tiers import Observer
from sim.cascade.process import models
from sim.cascade.simulator import CascadeSim
from twinloom.errors import TwinloomError

torch = pytest.importorskip("torch", reason="message passing needs the extra rl")
from sim.cascade.observe import gnn, gnn_training  # noqa: E402

MODEL = models.seir()


def state(n, replicas=2, seed=0):
    """Random compartments and ages."""
    rng = np.random.default_rng(seed)
    compartments = rng.choice(4, (replicas, n), p=[0.6, 0.1, 0.2, 0.1]).astype(np.int8)
    return compartments, rng.exponential(6.0, (replicas, n)).astype(np.float32)


def test_message_passing_against_loops():
    edges = np.array([[0, 1], [1, 2], [3, 2], [2, 0], [4, 3]])
    graph = from_edges(6, edges, directed=True)
    compartments, ages = state(6)
    network = gnn.trained()
    found = network(gnn.node_inputs(graph, MODEL, compartments, ages), gnn.adjacency_of(graph)).numpy()
    own, received = ([layer.weight.numpy() for layer in layers] for layers in (network.own, network.received))
    bias = [layer.bias.numpy() for layer in network.own]
    for r in range(2):
        h = []
        for v in range(6):
            c, infectious = compartments[r, v], compartments[r, v] == 2
            age = min(ages[r, v] / MODEL.steps[1].law.mean, 10.0) if infectious else 0.0
            h.append(np.array([c == 0, infectious, c == 1, age, np.log10(1 + graph.degree[v])], float))
        for i in range(gnn.ROUNDS):
            total = [sum((h[a] for a, b in edges if b == v), np.zeros_like(h[0])) for v in range(6)]
            h = [
                np.maximum(own[i] @ x + bias[i] + received[i] @ np.log1p(t), 0.0) for x, t in zip(h, total, strict=True)
            ]
        assert found[r] == pytest.approx(np.log1p(sum(h)) / np.log1p(6), abs=1e-5)


def test_weights_count_and_parts_are_joined():
    graph = from_edges(3, np.array([[0, 1], [1, 2]]), weights=np.array([2.0, 0.5]))
    assert gnn.adjacency_of(graph).to_dense().tolist() == [[0, 2, 0], [2, 0, 0.5], [0, 0.5, 0]]
    compartments, ages = state(3, replicas=5)
    whole = gnn.pooled(graph, MODEL, compartments, ages, batch=2)
    single = np.concatenate([gnn.pooled(graph, MODEL, compartments[r : r + 1], ages[r : r + 1]) for r in range(5)])
    assert whole == pytest.approx(single, abs=1e-6)


def test_renumbering_and_copies():
    graph = barabasi_albert(300, 3, np.random.default_rng(0))
    compartments, ages = state(300)
    found = gnn.pooled(graph, MODEL, compartments, ages)
    new = np.random.default_rng(5).permutation(300)
    renumbered = from_edges(300, new[graph.pairs()])
    moved, older = np.empty_like(compartments), np.empty_like(ages)
    moved[:, new], older[:, new] = compartments, ages
    assert gnn.pooled(renumbered, MODEL, moved, older) == pytest.approx(found, abs=1e-5)
    twice = from_edges(600, np.concatenate((graph.pairs(), graph.pairs() + 300)))
    pair = gnn.pooled(twice, MODEL, np.tile(compartments, 2), np.tile(ages, 2))
    total = np.expm1(found * np.log1p(300))
    assert pair == pytest.approx(np.log1p(2 * total) / np.log1p(600), abs=1e-5)


def test_hubs_and_leaves_look_different():
    graph = barabasi_albert(2000, 4, np.random.default_rng(0))
    order = np.argsort(-graph.degree, kind="stable")
    views = []
    for nodes in (order[:50], order[-50:]):
        sim = CascadeSim(graph, MODEL, tiers=cut(graph))
        sim.reset(nodes, into="I")
        none = np.zeros((1, 3))
        observer = gnn.GnnObserver(graph, sim.tiers, MODEL, ("shares",))
        views.append(observer.observe(sim, sim.counts.astype(float), none, none, none[:, 0], none[:, 0])[0])
        assert len(views[-1]) == observer.size == len(observer.names())
    totals = Observer(graph, cut(graph), MODEL, ("shares",), "global").size
    assert np.array_equal(views[0][:totals], views[1][:totals])
    assert np.abs(views[0][totals:] - views[1][totals:]).max() > 0.05


def test_environments_show_it():
    env = CascadeEnv("adopt_profit", observer="gnn")
    scalar, _ = env.reset(seed=3)
    envs = CascadeVecEnv("adopt_profit", num_envs=3, observer="gnn")
    batch, _ = envs.reset(seed=3)
    assert env.observation_space.contains(scalar)
    action = np.full(env.action_space.shape, 0.4, np.float32)
    for _ in range(3):
        scalar = env.step(action)[0]
        batch = envs.step(np.tile(action, (3, 1)))[0]
    assert batch[0] == pytest.approx(scalar, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"graph": erdos_renyi(5001, 4, np.random.default_rng(0))}, "at most 5,000 nodes"),
        ({"world": "ode"}, "tiers, not nodes"),
        ({"observer": "gmn"}, "Did you mean gnn"),
    ],
)
def test_what_it_cannot_see_is_said(options, words):
    with pytest.raises(TwinloomError, match=words):
        CascadeEnv("adopt_profit", **({"observer": "gnn"} | options)).reset(seed=0)


def test_training_learns(monkeypatch):
    monkeypatch.setattr(gnn_training, "NODES", (200, 300))
    material = gnn_training.lessons(4)
    spread = float(torch.cat([one.target for one in material]).var())
    _, _, error = gnn_training.train(material, epochs=30)
    assert error < 0.5 * spread
