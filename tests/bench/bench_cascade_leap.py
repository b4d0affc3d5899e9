"""The leap engine: node updates a second, threads, and a graph of a million nodes."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache

import numpy as np

from tests.bench.harness import Samples, Skip, benchmark, cpu_seconds, wall_seconds

NODES, DEGREE, DAYS, SUBSTEPS = 100_000, 8.0, 50, 10
UPDATES_PER_SECOND = 150e6  # a core
REPLICAS = 8


@cache
def network():
    """Erdos-Renyi graph of mean degree 8."""
    from assets.networks.generate import erdos_renyi

    return erdos_renyi(NODES, DEGREE, np.random.default_rng(0))


def epidemic(replicas: int, threads: int):
    """A callable that plays a full SEIR epidemic, log-normal times, in steps of 0.1."""
    from sim.cascade.process import models
    from sim.cascade.simulator import CascadeSim

    sim = CascadeSim(network(), models.seir(), replicas, engine="leap", substeps=SUBSTEPS, threads=threads)

    def run() -> None:
        sim.reset(100)
        for _ in range(DAYS):
            sim.advance(1.0)
        if sim.counts[:, 0, 0].max() > 0.1 * NODES:
            raise Skip("no full epidemic")

    return run


@benchmark(
    "cascade/leap_updates",
    unit="M updates/cpu-s",
    peer="the bound of 150 M",
    needs=("numba",),
)
def updates() -> Samples:
    """Nodes times steps for each CPU second of one thread, over a whole epidemic that reaches nearly everybody."""
    run = epidemic(1, 1)
    run()
    work = NODES * DAYS * SUBSTEPS
    ours = [work / cpu_seconds(run) / 1e6 for _ in range(7)]
    return Samples(ours, [UPDATES_PER_SECOND / 1e6] * len(ours))


@benchmark(
    "cascade/leap_threads",
    unit="speed-up",
    peer="0.9 of linear, two threads (wall time: needs two idle cores)",
    needs=("numba",),
)
def threads() -> Samples:
    """Two threads beside one, eight replicas, measured in turns."""
    one, two = epidemic(REPLICAS, 1), epidemic(REPLICAS, 2)
    one()
    two()
    ours = [wall_seconds(one) / wall_seconds(two) for _ in range(5)]
    return Samples(ours, [1.8] * len(ours))


@cache
def large(repetition: int, engine: str) -> dict[str, float]:
    """One epidemic on the YouTube-like graph in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.youtube_like", engine], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    result = json.loads(done.stdout)
    if result["infected"] < 100_000:
        raise Skip("no large epidemic")
    return result


def beside_exact(figure: str) -> Samples:
    """One figure of both engines."""
    large(-1, "leap")  # compiles, once and for all
    large(-1, "exact")
    return Samples(*([large(i, engine)[figure] for i in range(3)] for engine in ("leap", "exact")))


@benchmark(
    "cascade/youtube_like",
    unit="cpu-s",
    peer="our exact engine (on a CPU it is the faster one)",
    better="lower",
    needs=("numba",),
)
def youtube() -> Samples:
    """SEIR on 1.13 million nodes from start to end: imports, generating the graph, tiers, 60 days."""
    return beside_exact("cpu_s")


@benchmark(
    "cascade/youtube_like_memory",
    unit="MiB",
    peer="our exact engine; generating the graph sets the peak",
    better="lower",
    needs=("numba",),
)
def youtube_memory() -> Samples:
    """Peak memory of the processes of cascade/youtube_like."""
    return beside_exact("peak_mib")
