"""Body of ``assets graph info``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from assets.networks.catalogue import NETWORKS, load
from assets.networks.load import read_edges
from assets.networks.stats import measure
from twinloom.errors import TwinloomError


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
