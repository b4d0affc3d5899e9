"""The observers by name."""

from __future__ import annotations

from typing import Any

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.observe.tiers import KINDS, Observer
from sim.cascade.process.models import Model
from twinloom.errors import UnknownNameError

NODEWISE = {
    "gnn": "totals, and the whole graph through message passing and pooling; an upper reference",
    "graph": "every node as a row, for graph networks of your own",
}
"""Observers that look at every node of a small graph."""
OBSERVERS = KINDS | NODEWISE


def make(kind: str, graph: Graph, tiers: Tiers, model: Model, features: Any, parameters: bool) -> Any:
    """The observer of that name. Raises UnknownNameError for an unknown one, and what it raises itself."""
    if kind not in OBSERVERS:
        raise UnknownNameError("observer", str(kind), OBSERVERS, ", ".join(OBSERVERS))
    if kind == "gnn":
        from sim.cascade.observe.gnn import GnnObserver  # needs torch

        return GnnObserver(graph, tiers, model, features, parameters)
    if kind == "graph":
        from sim.cascade.observe.nodes import GraphObserver

        return GraphObserver(graph, model)
    return Observer(graph, tiers, model, features, kind, parameters)
