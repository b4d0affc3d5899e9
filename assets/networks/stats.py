"""Measures of a network, and the tables of the ``assets`` command."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assets.networks.catalogue import FOLDER_VARIABLE, NETWORKS, find_file, load
from assets.networks.graph import Graph, check_graph, from_edges
from assets.networks.load import read_edges
from assets.networks.tiers import cut
from twinloom.errors import TwinloomError

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Stats:
    """What decides how far something spreads.

    Degrees and kappa are of the graph as it is; components, cores, clustering and triangles of its undirected form.

    Attributes:
        nodes, edges, directed: of the graph.
        mean_degree, median_degree, max_degree: of neighbours (out-neighbours if directed).
        kappa: mean excess degree `Graph.kappa`, which environments use; NaN without edges.
        components: weakly connected components.
        largest: nodes of the largest one.
        max_core: largest core number.
        clustering: share of a node's pairs of neighbours that know each other (0 below degree 2), mean of the nodes.
        triangles: number of them.
        tiers: nodes in each of the three tiers of equal degree share, hubs first; fewer tiers on tiny graphs.
        weights: least, mean and greatest weight of an edge; None if all are 1 because the graph has none.
    """

    nodes: int
    edges: int
    directed: bool
    mean_degree: float
    median_degree: float
    max_degree: int
    kappa: float
    components: int
    largest: int
    max_core: int
    clustering: float
    triangles: int
    tiers: list[int]
    weights: list[float] | None = None

    def lines(self) -> list[str]:
        """For people, one measure a line."""
        tiers = " / ".join(f"{size:,}" for size in self.tiers)
        excess = "mean excess degree along arcs, as environments use it" if self.directed else "mean excess degree"
        passes = "transmissibility" if self.weights is None else "mean transmissibility of the edges"
        rows = {
            "nodes": f"{self.nodes:,}",
            "arcs" if self.directed else "edges": f"{self.edges:,}",
            "degree": f"mean {self.mean_degree:.2f}, median {self.median_degree:g}, largest {self.max_degree:,}",
            "kappa": f"{self.kappa:.4g} {excess}; R0 = {passes} x kappa on a tree-like graph",
            "components": f"{self.components:,}; the largest holds {self.largest / self.nodes:.1%} of the nodes",
            "core": f"{self.max_core} is the largest core number",
            "clustering": f"{self.clustering:.3f} on average, {self.triangles:,} triangles",
            "tiers": f"{tiers} nodes own equal shares of all edge ends, hubs first",
        }
        if self.weights is not None:
            least, mean, greatest = self.weights
            rows["weights"] = f"{least:g} to {greatest:g}, mean {mean:.4g}"
        return [f"  {name:11}{text}" for name, text in rows.items()]

    def to_json(self) -> dict[str, Any]:
        """Plain values; NaN becomes None."""
        return asdict(self) | {"kappa": self.kappa if self.kappa == self.kappa else None}


def measure(graph: Graph) -> Stats:
    """Measure a graph; seconds for millions of edges."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    from assets.networks.kernels import core_numbers, triangles

    check_graph(graph)
    both = from_edges(graph.n, graph.pairs()) if graph.directed else graph
    matrix = csr_array((np.ones(len(both.indices), np.int8), both.indices, both.indptr), shape=(graph.n, graph.n))
    components, member = connected_components(matrix, directed=False)
    degree, closed = both.degree.astype(np.float64), triangles(both.indptr, both.indices)
    wedges = degree * (degree - 1) / 2
    return Stats(
        nodes=graph.n, edges=graph.edges, directed=graph.directed, mean_degree=graph.mean_degree,
        median_degree=float(np.median(graph.degree)), max_degree=int(graph.degree.max()), kappa=graph.kappa,
        components=int(components), largest=int(np.bincount(member).max()),
        max_core=int(core_numbers(both.indptr, both.indices).max()),
        clustering=float(np.mean(closed / np.maximum(wedges, 1))), triangles=int(closed.sum()) // 3,
        tiers=cut(graph, k=min(3, graph.n)).sizes.tolist(), weights=_range(graph.weights),
    )  # fmt: skip


def _range(weights: np.ndarray | None) -> list[float] | None:
    """Least, mean and greatest; an undirected graph holds every edge twice, which changes none of them."""
    if weights is None or not len(weights):
        return None
    return [float(weights.min()), float(np.mean(weights, dtype=np.float64)), float(weights.max())]


def list_networks() -> Table:
    """Name, size, degrees and origin of every known network."""
    from rich.table import Table

    table = Table(title="networks", title_justify="left")
    for heading in ("network", "nodes", "edges", "largest degree", "kappa", "state", "source"):
        table.add_column(heading, justify="left" if heading in ("network", "state", "source") else "right")
    for name in NETWORKS:
        record = NETWORKS[name]
        state = "synthetic, generated"
        if record.stand_in is None:
            try:
                state = f"found: {find_file(record).name}"
            except TwinloomError:
                state = "make the file" if record.command else "bring the file"
        counted = f"{record.edges:,}" + (" arcs" if record.directed else "")
        cells = [name, f"{record.nodes:,}", counted, f"{record.k_max:,}", f"{record.kappa:g}", state]
        table.add_row(*cells, record.command or record.source or "degrees of the original, random otherwise")
    folder = os.environ.get(FOLDER_VARIABLE)
    table.caption = (
        f"files are looked for in {folder}" if folder else f"set {FOLDER_VARIABLE} to the folder of the files"
    )
    return table


def info(
    file: str,
    directed: bool = False,
    nodes: int | None = None,
    weights: int | None = None,
    columns: tuple[int, int] = (0, 1),
    text: bool = False,
    header: bool = False,
    as_json: bool = False,
) -> str:
    """What reading a file (or a network by name) did, and the measures of the graph, as text or JSON.

    See `assets.networks.load.read_edges` for the arguments and errors.
    """
    if file in NETWORKS or not Path(file).exists():
        given = {
            "nodes": nodes is not None,
            "weights": weights is not None,
            "columns": columns != (0, 1),
            "text": text,
            "header": header,
        }
        if file in NETWORKS and any(given.values()):
            flags = ", ".join(f"--{name}" for name, is_given in given.items() if is_given)
            raise TwinloomError(
                f"{file} is a network of known form, without {flags}; name its file to read it otherwise"
            )
        graph, report = load(file, directed=directed), None
    else:
        graph, report = read_edges(
            file, directed, nodes, weights=weights, columns=columns, text=text, header=header or None
        )
    stats = measure(graph)
    if as_json:
        account = {} if report is None else asdict(report) | {"path": str(report.path)}
        return json.dumps({"name": graph.name, "synthetic": graph.synthetic, "reading": account} | stats.to_json())
    head = [f"{graph.name}: {'synthetic' if graph.synthetic else 'data'}"] if report is None else report.lines()
    return "\n".join([*head, "", *stats.lines()])
