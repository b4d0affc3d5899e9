"""Spreading processes beside other simulators: whole runs of an outbreak, and runs under control."""

from __future__ import annotations

from functools import cache

import numpy as np

from tests.bench.harness import Samples, Skip, benchmark, cpu_seconds, durations

NODES, LINKS, RATE, SEEDS, HORIZON = 10_000, 4, 0.2, 100, 100.0
PEER_RUNS, OUR_RUNS = 3, 60
FINAL_SIZE, TOLERANCE = 5100, 0.1  # mean with SEEDS seeds; a single run has a standard deviation of 170


@cache
def outbreak():
    """A Barabasi-Albert graph, ours and its edges [2 E, 2] in both directions, and the seeds."""
    from assets.networks.generate import barabasi_albert

    graph = barabasi_albert(NODES, LINKS, np.random.default_rng(0))
    edges = np.stack((graph.sources, graph.indices), axis=1).astype(np.int64)
    return graph, edges, np.random.default_rng(1).choice(NODES, SEEDS, replace=False)


def check(sizes: list[float]) -> None:
    """All simulators must play the same game. Raises Skip if one does not."""
    if abs(np.mean(sizes) / FINAL_SIZE - 1) > TOLERANCE:
        raise Skip(f"mean final size {np.mean(sizes):.0f}, not about {FINAL_SIZE}: not the same process")


def our_runs():
    """A callable that plays OUR_RUNS outbreaks to their end, one replica after the other."""
    from sim.cascade.process import laws, models
    from sim.cascade.simulator import CascadeSim

    graph, _, seeds = outbreak()
    sim = CascadeSim(graph, models.sir(RATE, laws.exponential(1.0)), seed=0)

    def run() -> None:
        sizes = []
        for _ in range(OUR_RUNS):
            sim.reset(seeds)
            sim.advance(HORIZON)
            sizes.append(sim.counts[0, 0, 2])
        check(sizes)

    return run


def per_run(samples: Samples) -> Samples:
    """Milliseconds for one outbreak of each side."""
    return Samples([1e3 * s / OUR_RUNS for s in samples.ours], [1e3 * s / PEER_RUNS for s in samples.peer])


@benchmark(
    "cascade/exact_vs_spkmc",
    unit="cpu-ms/run",
    peer="spkmc, shortest paths over drawn delays",
    better="lower",
    needs=("numba", "spkmc"),
)
def beside_spkmc() -> Samples:
    """SIR on a Barabasi-Albert graph of 10,000 nodes to its end."""
    from spkmc.core.distributions import ExponentialDistribution
    from spkmc.core.simulation import SPKMC

    _, edges, seeds = outbreak()
    peer = SPKMC(ExponentialDistribution(mu=1.0, lmbd=RATE))
    ends = np.array([HORIZON])

    def theirs() -> None:
        check([NODES * peer.run_single_simulation(NODES, edges, seeds, ends)[2][-1] for _ in range(PEER_RUNS)])

    return per_run(durations(our_runs(), theirs))


@benchmark(
    "cascade/exact_vs_eon",
    unit="cpu-ms/run",
    peer="EoN fast_nonMarkov_SIR, event queue",
    better="lower",
    needs=("numba", "EoN", "networkx"),
)
def beside_eon() -> Samples:
    """SIR on a Barabasi-Albert graph of 10,000 nodes to its end."""
    import random

    import EoN
    import networkx as nx

    _, edges, seeds = outbreak()
    network = nx.Graph(edges.tolist())
    draw = random.Random(0).expovariate

    def times(node, susceptible):
        stay = draw(1.0)
        return {v: delay for v in susceptible if (delay := draw(RATE)) < stay}, stay

    def theirs() -> None:
        check(
            [
                EoN.fast_nonMarkov_SIR(network, trans_and_rec_time_fxn=times, initial_infecteds=seeds.tolist())[3][-1]
                for _ in range(PEER_RUNS)
            ]
        )

    return per_run(durations(our_runs(), theirs))


@benchmark(
    "cascade/decisions",
    unit="cpu-ms/episode",
    peer="the bound of 1.5 ms",
    better="lower",
    needs=("numba",),
)
def decisions() -> Samples:
    """50 decisions, controls set and counts and flows read in each, over a full SEIR epidemic of 1,000 nodes."""
    from assets.networks.generate import erdos_renyi
    from assets.networks.tiers import cut
    from sim.cascade.process import models
    from sim.cascade.simulator import CascadeSim

    replicas = 64
    graph = erdos_renyi(1000, 7.88, np.random.default_rng(0))
    sim = CascadeSim(graph, models.seir(), replicas, seed=0, tiers=cut(graph, k=3))
    level = np.random.default_rng(1).random((50, replicas, 3))

    def episode() -> None:
        sim.reset(10)
        for step in range(50):
            sim.set_control("out", 1.0 - 0.01 * level[step])
            sim.advance(1.0)
            sim.counts, sim.flows  # noqa: B018 (what an observer reads)
        if sim.counts[:, :, 0].sum() > 0.2 * replicas * graph.n:
            raise Skip("no full epidemic")

    episode()
    ours = [1e3 * cpu_seconds(episode) / replicas for _ in range(7)]
    return Samples(ours, [1.5] * len(ours))
