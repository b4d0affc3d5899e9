"""Stratified mean-field observer: what a policy sees of a cascade, the same numbers whatever the size of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.observe import kernels
from sim.cascade.process.models import Model
from twinloom.errors import TwinloomError, UnknownNameError

KINDS: dict[str, str] = {
    "tiers": "counts, ages and pressure of each tier",
    "global": "the same of all nodes together: blind to hubs",
    "oracle": "tiers, and the exact number of edges between susceptible and infectious nodes",
}
BLOCKS = ("shares", "events", "ages", "pressure", "counts", "static")
ORDER = (*BLOCKS[:-1], "edges", "static")
FEATURES: dict[str, tuple[str, ...]] = {"full": BLOCKS, "basic": ("shares",)}
GLOBALS = ("time", "spent", "log10_nodes", "log10_kappa")
LIMIT = 10.0  # bound of the features that have no natural one
MOST_NODES = 5000  # for those that look at every node: beyond, a decision costs more than the episode it decides about


class Observer:
    """Maps the counters of R replicas to float32 [R, D]. Costs O(R K M), whatever the number of nodes.

    For each tier k of K, hubs first (n: its nodes, M compartments), block by block:

    * shares: share of each compartment (M);
    * events: contact steps and nodal steps since the last decision, divided by n (2);
    * ages: mean age of its infectious nodes divided by the mean residence time, and the share of them older than the
      median residence time (2);
    * pressure: mean number of infectious neighbours of its susceptible nodes divided by its mean degree (1);
    * counts: log10(1 + infectious) / log10(1 + n), which still resolves few infectious nodes among many (1);
    * edges, only of the oracle: share of its edge ends that lead from a susceptible to an infectious node, and the
      same on the scale of counts (2);
    * static: population share, share of edge ends, log10 of the mean degree, and the shares of its edges that lead to
      each tier (3 + K).

    Then, once: time as a share of the horizon, spent share of the budget, log10 N, log10 kappa (4); with ``parameters``
    also log10 beta, and log10 mean and CV of each residence time.

    Args:
        graph, tiers, model: what is simulated; the model with the laws that are simulated.
        features: "full", "basic", or names of blocks.
        kind: one of KINDS.
        parameters: whether the policy may know the parameters of the model.

    Raises:
        TwinloomError: unknown kind or features.
    """

    def __init__(
        self,
        graph: Graph,
        tiers: Tiers,
        model: Model,
        features: str | Sequence[str] = "full",
        kind: str = "tiers",
        parameters: bool = False,
    ) -> None:
        blocks = check(features, kind)
        self.kind, self.model = kind, model
        self._group = np.zeros(tiers.k, np.int64) if kind == "global" else np.arange(tiers.k)
        index = self._group[tiers.index]
        self.k = int(self._group[-1]) + 1
        sizes = np.bincount(index, minlength=self.k).astype(np.float64)
        stubs, mixing = _mixing(graph, index, self.k)
        degree = stubs / sizes
        step = model.step_from(model.infectious)
        self._scales = np.empty((self.k, 5))
        self._scales[:, 0] = 1.0 / sizes
        self._scales[:, 1] = np.where(stubs > 0, 1.0 / np.maximum(degree, 1e-300), 0.0)
        self._scales[:, 2] = 1.0 / np.log10(1.0 + sizes)
        self._scales[:, 3] = stubs
        self._scales[:, 4] = 1.0 / step.law.mean if step is not None else 0.0
        widths = (model.size, 2, 2, 1, 1, 2, 3 + self.k)
        first = np.cumsum([width * (block in blocks) for block, width in zip(ORDER, widths, strict=True)])
        at = [end - width if block in blocks else -1 for block, width, end in zip(ORDER, widths, first, strict=True)]
        self._at = np.array(at, np.int64)
        self._template = np.zeros((self.k, int(first[-1])))
        if "static" in blocks:
            self._template[:, self._at[-1] :] = np.column_stack(
                (sizes / graph.n, stubs / max(stubs.sum(), 1.0), np.log10(np.maximum(degree, 1e-3)), mixing)
            )
        extras = _parameters(model) if parameters else {}
        self._rest = np.array([0.0, 0.0, np.log10(graph.n), np.log10(max(graph.kappa, 1e-3)), *extras.values()])
        self._names = [f"tier{k}/{name}" for k in range(self.k) for name in self._tier_names(blocks)]
        self._names += [*GLOBALS, *extras]
        self.low, self.high = self._bounds()
        self._ages = "ages" in blocks and step is not None
        self._pressure = "pressure" in blocks or "edges" in blocks

    @property
    def size(self) -> int:
        """Length D of an observation."""
        return len(self._names)

    @property
    def space(self) -> Any:
        """Gymnasium space of one observation."""
        from gymnasium.spaces import Box

        return Box(self.low, self.high)

    def names(self) -> list[str]:
        """Name of each of the D numbers, such as "tier0/share/S"."""
        return list(self._names)

    def observe(
        self, sim: Any, counts: np.ndarray, contacts: np.ndarray, nodal: np.ndarray, time: np.ndarray, spent: np.ndarray
    ) -> np.ndarray:
        """Observations of all replicas.

        Args:
            sim: CascadeSim, TierODE, or anything with their ``age_stats`` and ``pressure``.
            counts: float64 [R, K, M] now.
            contacts, nodal: [R, K] steps since the last decision.
            time: [R] share of the horizon that has passed.
            spent: [R] share of the budget that is gone.

        Returns:
            float32 [R, D], within ``low`` and ``high``.
        """
        none = np.zeros(counts.shape)
        means, older = sim.age_stats() if self._ages else (none, none)
        pressure = sim.pressure() if self._pressure else none[:, :, 0]
        return kernels.observe(
            counts,
            contacts,
            nodal,
            means,
            older,
            pressure,
            time,
            spent,
            self.model.infectious,
            self._group,
            self._template,
            self._rest,
            self._scales,
            self._at,
            self.low,
            self.high,
        )

    def _tier_names(self, blocks: Sequence[str]) -> list[str]:
        names = {
            "shares": [f"share/{name}" for name in self.model.compartments],
            "events": ["contacts", "nodal"],
            "ages": ["age", "older"],
            "pressure": ["pressure"],
            "counts": ["infectious"],
            "edges": ["edges", "log_edges"],
            "static": ["population", "edge_ends", "log10_degree", *(f"mixing/{k}" for k in range(self.k))],
        }
        return [name for block in blocks for name in names[block]]

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        free = {"contacts", "nodal", "age", "pressure"}
        low, high = np.zeros(self.size, np.float32), np.ones(self.size, np.float32)
        for position, name in enumerate(self._names):
            last = name.rpartition("/")[2]
            if last.startswith("log10"):
                low[position], high[position] = -LIMIT, LIMIT
            elif last in free or last.startswith("cv_"):
                high[position] = LIMIT
        return low, high


def check(features: str | Sequence[str], kind: str) -> tuple[str, ...]:
    """Blocks of an observer, in order. Raises UnknownNameError for unknown names."""
    if kind not in KINDS:
        raise UnknownNameError("observer", str(kind), KINDS, ", ".join(KINDS))
    if isinstance(features, str):
        if features not in FEATURES:
            raise UnknownNameError(
                "feature set", features, FEATURES, f"{', '.join(FEATURES)}, or blocks: {', '.join(BLOCKS)}"
            )
        features = FEATURES[features]
    for block in features:
        if block not in BLOCKS:
            raise UnknownNameError("feature block", block, BLOCKS, ", ".join(BLOCKS))
    if not features:
        raise TwinloomError(f"no features; allowed: {', '.join(FEATURES)}, or blocks: {', '.join(BLOCKS)}")
    return tuple(b for b in ORDER if b in features or (b == "edges" and kind == "oracle"))


def _mixing(graph: Graph, index: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Edge ends of each tier [K], shares of them that lead to each tier [K, K]; from integers, so in any node order."""
    pairs = index[graph.sources].astype(np.int64) * k + index[graph.indices]
    table = np.bincount(pairs, minlength=k * k).reshape(k, k).astype(np.float64)
    stubs = table.sum(axis=1)
    return stubs, table / np.maximum(stubs, 1.0)[:, None]


def _parameters(model: Model) -> dict[str, float]:
    """What a policy may know of the process."""
    found = {"log10_beta": float(np.log10(max(model.beta, 1e-9)))}
    for step in model.steps:
        name = model.compartments[step.source]
        found |= {f"log10_mean_{name}": float(np.log10(step.law.mean)), f"cv_{name}": step.law.cv}
    return found
