"""The mean-field world: `CascadeSim` without chance, for training where nothing is random and for planning."""

from __future__ import annotations

from typing import Any

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.process.models import Model
from sim.cascade.simulator import CascadeSim
from twinloom.errors import TwinloomError


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

    def load(self, counts: np.ndarray, ages: np.ndarray) -> None:
        """Begin an episode from observed numbers, to plan ahead from there.

        Args:
            counts: [R, K, M] nodes of each tier in each compartment.
            ages: [R, K, M] their mean ages, as `age_stats` gives them; they decide how far the stages have come.

        Raises:
            TwinloomError: a wrong shape, or a number that is negative or not finite.
        """
        shape = (self.replicas, self.tiers.k, self.model.size)
        for name, values in (("counts", counts), ("ages", ages)):
            if np.shape(values) != shape or not np.all(np.isfinite(values) & (np.asarray(values) >= 0)):
                raise TwinloomError(f"{name} to load must be {list(shape)} finite numbers that are not negative")
        self.reset(0)
        self._backend.load(np.asarray(counts, np.float64), np.asarray(ages, np.float64))  # type: ignore[attr-defined]

    def _nodes(self, seeds: Any, rows: np.ndarray, key: np.ndarray) -> list[Any]:
        found = super()._nodes(seeds, rows, key)
        return [int(seeds)] * len(rows) if isinstance(seeds, (int, np.integer)) else found
