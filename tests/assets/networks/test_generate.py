"""Generators: the counts they promise, the laws they follow, and that a seed is all that matters."""

from __future__ import annotations

import numpy as np
import pytest

from assets.networks import generate
from assets.networks.degree_sequences import TWITTER, YOUTUBE, graphical
from assets.networks.generate import (
    barabasi_albert,
    chung_lu,
    circulant,
    complete,
    configuration,
    erdos_renyi,
    random_regular,
    small_world,
    star,
    stochastic_block,
)  # fmt: skip
from assets.networks.kernels import triangles
from twinloom.errors import TwinloomError

MAKERS = {
    "barabasi_albert": lambda rng: barabasi_albert(500, 3, rng),
    "erdos_renyi": lambda rng: erdos_renyi(500, 6, rng),
    "random_regular": lambda rng: random_regular(500, 4, rng),
    "circulant": lambda rng: circulant(500, 6, rng),
    "configuration": lambda rng: configuration(np.r_[np.full(10, 40), np.full(400, 3)], rng),
    "chung_lu": lambda rng: chung_lu(np.linspace(1, 20, 500), rng),
    "stochastic_block": lambda rng: stochastic_block([200, 300], [[4, 3], [2, 5]], rng),
    "small_world": lambda rng: small_world(500, 6, 0.2, rng),
}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_gives_the_same_simple_graph_and_another_seed_another(name):
    make = MAKERS[name]
    first, again, other = make(rng(1)), make(rng(1)), make(rng(2))
    assert np.array_equal(first.indices, again.indices)
    assert not np.array_equal(first.indices, other.indices)
    assert first.synthetic
    assert name.replace("_", "-") in first.name
    pairs = first.pairs()
    assert np.all(pairs[:, 0] < pairs[:, 1])
    assert len(np.unique(pairs, axis=0)) == len(pairs)


def test_preferential_attachment():
    graph = barabasi_albert(10_000, 4, rng())
    assert graph.edges == 4 * (10_000 - 4)
    assert graph.degree.min() == 4
    # P(k) = 2 m (m + 1) / (k (k + 1) (k + 2)) for many nodes: a third of them has degree 4 at m = 4
    for k in (4, 5, 8):
        expected = 2 * 4 * 5 / (k * (k + 1) * (k + 2))
        assert np.mean(graph.degree == k) == pytest.approx(expected, abs=4 * np.sqrt(expected / 10_000) + 1e-3)
    assert graph.degree.max() > 150
    assert barabasi_albert(2, 1, rng()).pairs().tolist() == [[0, 1]]


def test_erdos_renyi_is_binomial():
    n, mean = 2_000, 7.0
    edges = np.array([erdos_renyi(n, mean, rng(seed)).edges for seed in range(40)])
    expected = n * mean / 2
    assert edges.mean() == pytest.approx(expected, abs=4 * np.sqrt(expected / 40))
    assert edges.std() == pytest.approx(np.sqrt(expected), rel=0.5)
    graph = erdos_renyi(n, mean, rng())
    assert graph.degree.var() == pytest.approx(mean, rel=0.15)
    assert erdos_renyi(5, 0, rng()).edges == 0
    assert erdos_renyi(5, 4, rng()).edges == 10
    assert erdos_renyi(1, 0, rng()).edges == 0


def test_every_pair_of_a_small_random_graph_is_equally_likely():
    seen = np.zeros((6, 6))
    for seed in range(3_000):
        a, b = erdos_renyi(6, 2, rng(seed)).pairs().T
        seen[a, b] += 1
    frequency = seen[np.triu_indices(6, 1)] / 3_000
    assert np.all(np.abs(frequency - 0.4) < 5 * np.sqrt(0.4 * 0.6 / 3_000))


@pytest.mark.parametrize("n", [1, 2, 5, 8, 11])
def test_all_degrees_of_small_regular_graphs(n):
    for d in range(n):
        if n * d % 2 == 0:
            assert random_regular(n, d, rng(d)).degree.tolist() == [d] * n
            assert circulant(n, d, rng(d)).degree.tolist() == [d] * n


def test_configuration_keeps_or_erases():
    degrees = rng().zipf(2.2, 2_000).clip(1, 80)
    degrees[0] += degrees.sum() % 2
    exact = configuration(degrees, rng(), exact=True)
    erased = configuration(degrees, rng())
    assert np.array_equal(exact.degree, degrees)
    assert erased.edges < exact.edges
    assert np.all(erased.degree <= degrees)
    with pytest.raises(TwinloomError, match="Erdos-Gallai"):
        configuration([3, 3, 1, 1], rng(), exact=True)


def test_graphical_sequences_equal_networkx():
    import networkx as nx

    draws = rng()
    for _ in range(500):
        degrees = draws.integers(0, 7, size=draws.integers(1, 9))
        assert graphical(degrees) == nx.is_graphical(degrees.tolist()), degrees


def test_small_regular_graphs_are_uniform():
    """The 2-regular graphs of 6 nodes: 60 hexagons and 10 pairs of triangles."""
    found = [bool(triangles(g.indptr, g.indices).any()) for g in (random_regular(6, 2, rng(k)) for k in range(1_400))]
    assert np.mean(found) == pytest.approx(10 / 70, abs=0.05)


def test_chung_lu_follows_its_weights():
    weights = np.repeat([2.0, 6.0, 30.0], [600, 300, 100])
    weights = rng().permutation(weights)
    degrees = np.mean([chung_lu(weights, rng(seed)).degree for seed in range(30)], axis=0)
    for weight in (2.0, 6.0, 30.0):
        expected = weight - weight**2 / weights.sum()  # without the self-loop
        assert degrees[weights == weight].mean() == pytest.approx(expected, rel=0.03)
    assert chung_lu([0, 0, 0], rng()).edges == 0
    assert chung_lu([9, 9, 9], rng()).edges == 3


def test_blocks_have_the_mean_degrees_asked_for():
    sizes, means = [2_000, 3_000], [[6.0, 1.5], [1.0, 4.0]]
    graph = stochastic_block(sizes, means, rng())
    group = np.repeat([0, 1], sizes)
    for a in range(2):
        for b in range(2):
            links = np.count_nonzero((group[graph.sources] == a) & (group[graph.indices] == b))
            assert links / sizes[a] == pytest.approx(means[a][b], rel=0.06)


def test_small_world_goes_from_ring_to_random():
    ring, mixed, random = (small_world(1_000, 8, p, rng()) for p in (0, 0.1, 1))
    assert ring.edges == mixed.edges == random.edges == 4_000
    assert ring.degree.tolist() == [8] * 1_000
    count = [int(triangles(g.indptr, g.indices).sum()) for g in (ring, mixed, random)]
    assert count[0] == 3 * 1_000 * 6  # each node closes k/2 (k/2 - 1) / 2 = 6 triangles forward
    assert count[0] > count[1] > 10 * count[2]
    moved = 1 - len(np.intersect1d(ring.pairs() @ [1_000, 1], mixed.pairs() @ [1_000, 1])) / 4_000
    assert moved == pytest.approx(0.1, abs=0.02)
    assert small_world(5, 4, 1, rng()).edges == 10  # complete: nothing can move


def test_fixed_graphs():
    assert complete(5).edges == 10
    assert star(4).pairs().tolist() == [[0, 1], [0, 2], [0, 3]]
    assert star(1).edges == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: barabasi_albert(4, 4, rng()), "m is 1 to n - 1"),
        (lambda: erdos_renyi(10, -1, rng()), "mean_degree is 0 to n - 1"),
        (lambda: erdos_renyi(10, 10, rng()), "mean_degree is 0 to n - 1"),
        (lambda: random_regular(5, 3, rng()), "n \\* d is even"),
        (lambda: circulant(5, 5, rng()), "d is 0 to n - 1"),
        (lambda: configuration([1, 1, 1], rng()), "which is odd"),
        (lambda: configuration([1.5, 0.5], rng()), "integers >= 0"),
        (lambda: chung_lu([1, -1], rng()), "finite numbers >= 0"),
        (lambda: chung_lu([1, np.inf], rng()), "finite numbers >= 0"),
        (lambda: stochastic_block([2, 2], [[1, 1], [0, 1]], rng()), "must equal"),
        (lambda: stochastic_block([2, 2], [[5, 0], [0, 5]], rng()), "exceed"),
        (lambda: stochastic_block([2, 2], [1, 2], rng()), "2 by 2"),
        (lambda: small_world(10, 3, 0.1, rng()), "k is even"),
        (lambda: small_world(10, 4, 1.5, rng()), "p is 0 to 1"),
        (lambda: complete(10**6), "mean field"),
        (lambda: star(0), "at least 1"),
        (lambda: barabasi_albert(1e3, 4, rng()), "n is a whole number, not 1000.0"),
        (lambda: barabasi_albert(100, True, rng()), "m is a whole number"),
        (lambda: barabasi_albert(100, 4, 0), r"rng is a generator such as np.random.default_rng\(0\), not 0"),
        (lambda: configuration([1, 1], None), "rng is a generator"),
        (lambda: small_world(10, 4, "a", rng()), "p is a number"),
        (lambda: erdos_renyi("10", 3, rng()), "n is a whole number"),
        (
            lambda: generate.twitter_like(0),
            r"twitter_like: rng is a generator such as .*, not 0",
        ),
        (lambda: generate.youtube_like(None), "youtube_like: rng is a generator"),
        (lambda: TWITTER.generate(0), "twitter-like: rng is a generator"),
    ],
)
def test_bad_parameters_are_refused(make, said):
    with pytest.raises(TwinloomError, match=said):
        make()


def test_twitter_like_has_the_size_and_degrees_of_the_original():
    graph = generate.twitter_like(rng())
    assert (graph.n, graph.edges, graph.degree.max()) == (TWITTER.nodes, TWITTER.edges, TWITTER.k_max)
    assert graph.kappa == pytest.approx(TWITTER.kappa, rel=0.003)
    assert graph.degree.min() == 1
    assert graph.synthetic
    assert graph.name == "twitter-like"


def test_a_plain_power_law_of_the_same_mean_and_cut_off_more_than_doubles_kappa():
    k = np.arange(1, TWITTER.k_max + 1)
    below = np.cumsum(k**-1.562)
    degrees = np.searchsorted(below / below[-1], (np.arange(TWITTER.nodes) + 0.5) / TWITTER.nodes) + 1
    degrees[0] += degrees.sum() % 2
    assert degrees.mean() == pytest.approx(2 * TWITTER.edges / TWITTER.nodes, rel=0.01)
    assert configuration(degrees, rng()).kappa > 2 * TWITTER.kappa


def test_degrees_of_the_youtube_like_graph():
    degrees = YOUTUBE.degrees().astype(np.float64)
    assert (len(degrees), degrees.sum(), degrees.max()) == (1_134_890, 2 * 2_987_624, 28_754)
    assert (degrees @ degrees - degrees.sum()) / degrees.sum() == pytest.approx(493.6, rel=0.003)
    assert graphical(YOUTUBE.degrees())


@pytest.mark.slow
def test_youtube_like_graph():
    graph = generate.youtube_like(rng())
    assert (graph.n, graph.edges, graph.degree.max()) == (1_134_890, 2_987_624, 28_754)
    assert np.array_equal(np.sort(graph.degree), np.sort(YOUTUBE.degrees()))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["barabasi_albert", "erdos_renyi", "random_regular", "circulant", "small_world"])
def test_a_million_nodes_take_seconds(name):
    import time

    extra = {"small_world": (8, 0.1)}.get(name, (8,))
    getattr(generate, name)(100, *extra, rng())  # compiles
    began = time.process_time()
    graph = getattr(generate, name)(1_000_000, *extra, rng())
    assert time.process_time() - began < 10
    assert graph.mean_degree == pytest.approx(16 if name == "barabasi_albert" else 8, rel=0.01)
