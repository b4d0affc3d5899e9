"""Reading and generating networks beside networkx and numpy."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.bench.harness import Samples, benchmark, rates

EDGES = 100_000


def _file(folder: str) -> Path:
    """An edge list of EDGES lines as SNAP lays it out."""
    import numpy as np

    path = Path(folder) / "edges.txt"
    pairs = np.random.default_rng(0).integers(0, EDGES // 4, (EDGES, 2))
    np.savetxt(path, pairs, fmt="%d", delimiter="\t", header="a comment")
    return path


@benchmark(
    "networks/load_vs_networkx",
    unit="edges/s",
    peer="networkx.read_edgelist with integer ids, no CSR made of it",
    needs=("networkx", "numba"),
)
def load_networkx() -> Samples:
    """A text file to a simple graph."""
    import networkx as nx

    from assets.networks.load import read_edges

    with tempfile.TemporaryDirectory() as folder:
        path = _file(folder)
        return rates(lambda: read_edges(path), lambda: nx.read_edgelist(path, nodetype=int), EDGES, repetitions=3)


@benchmark(
    "networks/load_vs_numpy",
    unit="edges/s",
    peer="numpy.loadtxt of the two columns, no graph made of it",
    needs=("numba",),
)
def load_numpy() -> Samples:
    """A text file to a simple graph, beside only reading its numbers."""
    import numpy as np

    from assets.networks.load import read_edges

    with tempfile.TemporaryDirectory() as folder:
        path = _file(folder)
        return rates(lambda: read_edges(path), lambda: np.loadtxt(path, np.int64), EDGES)


@benchmark(
    "networks/barabasi_albert_vs_networkx",
    unit="edges/s",
    peer="networkx.barabasi_albert_graph, no CSR made of it",
    needs=("networkx", "numba"),
)
def barabasi_albert() -> Samples:
    """Preferential attachment with 20,000 nodes that bring 4 edges each."""
    import networkx as nx
    import numpy as np

    from assets.networks.generate import barabasi_albert as ours

    n, m = 20_000, 4
    rng = np.random.default_rng(0)
    return rates(lambda: ours(n, m, rng), lambda: nx.barabasi_albert_graph(n, m, seed=0), m * (n - m), repetitions=3)
