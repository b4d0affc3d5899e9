"""Every node of a small graph as a row of numbers: what a graph network would be given, as an upper reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from assets.networks.graph import Graph
from sim.cascade.observe.tiers import GLOBALS, LIMIT, MOST_NODES
from sim.cascade.process.models import Model
from twinloom.errors import TwinloomError


class GraphObserver:
    """Observation "nodes" float32 [N, M + 2]: compartment (one-hot), age / mean residence time of infectious nodes,
    log10(1 + degree); and "globals" float32 [4] as in `Observer`. The edges are those of the graph, which stays fixed.

    Args:
        graph, model: what is simulated.

    Raises:
        TwinloomError: the graph has more than MOST_NODES nodes.
    """

    def __init__(self, graph: Graph, model: Model) -> None:
        if graph.n > MOST_NODES:
            raise TwinloomError(f'observer "graph" takes at most {MOST_NODES:,} nodes, this graph has {graph.n:,}')
        step = model.step_from(model.infectious)
        self._per_age = 1.0 / step.law.mean if step is not None else 0.0
        self._template = np.zeros((graph.n, model.size + 2), np.float32)
        self._template[:, -1] = np.log10(1.0 + graph.degree)
        self._globals = np.array([0.0, 0.0, np.log10(graph.n), np.log10(max(graph.kappa, 1e-3))], np.float32)

    @property
    def space(self) -> spaces.Dict:
        """Space of one observation."""
        low = np.array([0.0, 0.0, -LIMIT, -LIMIT], np.float32)
        high = np.array([1.0, 1.0, LIMIT, LIMIT], np.float32)
        return spaces.Dict(
            {"nodes": spaces.Box(0.0, LIMIT, self._template.shape, np.float32), "globals": spaces.Box(low, high)}
        )

    def names(self) -> list[str]:
        """Names of the entries of "globals"."""
        return list(GLOBALS)

    def observe(
        self, sim: Any, counts: np.ndarray, contacts: np.ndarray, nodal: np.ndarray, time: np.ndarray, spent: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Observations of all replicas: "nodes" [R, N, M + 2], "globals" [R, 4]. See `Observer.observe`."""
        state = np.asarray(sim.state)
        nodes = np.repeat(self._template[None], len(state), axis=0)
        np.put_along_axis(nodes, state[:, :, None].astype(np.int64), 1.0, axis=2)
        nodes[:, :, -2] = np.minimum(np.asarray(sim.age) * self._per_age, LIMIT)
        rest = np.repeat(self._globals[None], len(state), axis=0)
        rest[:, 0], rest[:, 1] = time, np.minimum(spent, 1.0)
        return {"nodes": nodes, "globals": rest}
