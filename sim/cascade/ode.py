"""The mean-field world: `CascadeSim` without chance, for training where nothing is random and for planning."""

from __future__ import annotations

from typing import Any

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.models import Model
from sim.cascade.simulator import CascadeSim


class TierODE(CascadeSim):
    """Expected numbers of nodes by the mean-field equation of degree tiers with Erlang stages.

    Used as CascadeSim is; counts, flows and moved numbers are floats, a number of seeds is spread evenly over the
    nodes, and there are no nodes to ask about. A cascade that can grow never dies out here, however few its seeds.

    Args:
        graph: only the sizes of its tiers and the edges between them matter.
        model: without infectivity by age.
        tiers: groups of nodes taken for alike; one for all if None.
        replicas: copies under different control.
    """

    def __init__(self, graph: Graph, model: Model, tiers: Tiers | None = None, replicas: int = 1) -> None:
        super().__init__(graph, model, replicas, engine="ode", tiers=tiers)  # type: ignore[arg-type]

    def _nodes(self, seeds: Any, rows: np.ndarray, key: np.ndarray) -> list[Any]:
        found = super()._nodes(seeds, rows, key)
        return [int(seeds)] * len(rows) if isinstance(seeds, (int, np.integer)) else found
