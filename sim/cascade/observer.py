"""Stratified mean-field observer: what a policy sees of a cascade, the same numbers whatever the size of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assets.errors import TwinloomError, UnknownNameError
from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.models import Model

KINDS: dict[str, str] = {
    "tiers": "counts, ages and pressure of each tier",
    "global": "the same of all nodes together: blind to hubs",
    "oracle": "tiers, and the exact number of edges between susceptible and infectious nodes",
}
BLOCKS = ("shares", "events", "ages", "pressure", "counts", "static")
FEATURES: dict[str, tuple[str, ...]] = {"full": BLOCKS, "basic": ("shares",)}
GLOBALS = ("time", "spent", "log10_nodes", "log10_kappa")
LIMIT = 10.0  # bound of the features that have no natural one


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
        self.kind, self.model, self.merge = kind, model, kind == "global" and tiers.k > 1
        index = np.zeros(graph.n, np.int8) if self.merge else tiers.index
        self.k = 1 if self.merge else tiers.k
        self.sizes = np.bincount(index, minlength=self.k).astype(np.float64)
        stubs, mixing = _mixing(graph, index, self.k)
        self.degree = stubs / self.sizes
        self._stubs = np.maximum(stubs, 1.0)
        self._per_node = 1.0 / self.sizes
        self._per_degree = np.where(stubs > 0, 1.0 / np.maximum(self.degree, 1e-300), 0.0)
        self._per_log = 1.0 / np.log10(1.0 + self.sizes)
        step = model.step_from(model.infectious)
        self._per_age = 1.0 / step.law.mean if step is not None else 0.0
        widths = {
            "shares": model.size,
            "events": 2,
            "ages": 2,
            "pressure": 1,
            "counts": 1,
            "edges": 2,
            "static": 3 + self.k,
        }
        self._at: dict[str, slice] = {}
        width = 0
        for block in blocks:
            self._at[block] = slice(width, width + widths[block])
            width += widths[block]
        extras = _parameters(model) if parameters else {}
        self._template = np.zeros((self.k, width))
        if "static" in self._at:
            self._template[:, self._at["static"]] = np.column_stack(
                (self.sizes / graph.n, stubs / max(stubs.sum(), 1.0), np.log10(np.maximum(self.degree, 1e-3)), mixing)
            )
        self._globals = np.array([0.0, 0.0, np.log10(graph.n), np.log10(max(graph.kappa, 1e-3)), *extras.values()])
        self._names = [f"tier{k}/{name}" for k in range(self.k) for name in self._tier_names()] + [*GLOBALS, *extras]
        self.low, self.high = self._bounds()

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
        self, sim: Any, contacts: np.ndarray, nodal: np.ndarray, time: np.ndarray, spent: np.ndarray
    ) -> np.ndarray:
        """Observations of all replicas.

        Args:
            sim: CascadeSim, TierODE, or anything with their ``counts``, ``age_stats`` and ``pressure``.
            contacts, nodal: [R, K] steps since the last decision.
            time: [R] share of the horizon that has passed.
            spent: [R] share of the budget that is gone.

        Returns:
            float32 [R, D], within ``low`` and ``high``.
        """
        counts = sim.counts
        replicas, at, infectious = len(counts), self._at, self.model.infectious
        weight = counts
        if self.merge:
            counts = counts.sum(axis=1, keepdims=True)
            contacts, nodal = contacts.sum(axis=1, keepdims=True), nodal.sum(axis=1, keepdims=True)
        full = np.empty((replicas, self.size))
        tiers = full[:, : self._template.size].reshape(replicas, *self._template.shape)
        tiers[:] = self._template
        if "shares" in at:
            np.multiply(counts, self._per_node[:, None], out=tiers[:, :, at["shares"]])
        if "events" in at:
            first = at["events"].start
            tiers[:, :, first] = contacts * self._per_node
            tiers[:, :, first + 1] = nodal * self._per_node
        if "ages" in at and self._per_age:
            first = at["ages"].start
            means, older = sim.age_stats()
            means, older = means[:, :, infectious], older[:, :, infectious]
            if self.merge:
                means, older = (_merged(x, weight[:, :, infectious]) for x in (means, older))
            tiers[:, :, first] = means * self._per_age
            tiers[:, :, first + 1] = older
        if "pressure" in at or "edges" in at:
            pressure = sim.pressure()
            if self.merge:
                pressure = _merged(pressure, weight[:, :, 0])
            if "pressure" in at:
                tiers[:, :, at["pressure"].start] = pressure * self._per_degree
            if "edges" in at:
                first, edges = at["edges"].start, pressure * counts[:, :, 0]
                tiers[:, :, first] = edges / self._stubs
                tiers[:, :, first + 1] = np.log10(1.0 + edges) / np.log10(1.0 + self._stubs)
        if "counts" in at:
            tiers[:, :, at["counts"].start] = np.log10(1.0 + counts[:, :, infectious]) * self._per_log
        rest = full[:, self._template.size :]
        rest[:] = self._globals
        rest[:, 0], rest[:, 1] = time, spent
        return np.clip(full, self.low, self.high, out=full).astype(np.float32)

    def _tier_names(self) -> list[str]:
        names = {
            "shares": [f"share/{name}" for name in self.model.compartments],
            "events": ["contacts", "nodal"],
            "ages": ["age", "older"],
            "pressure": ["pressure"],
            "counts": ["infectious"],
            "edges": ["edges", "log_edges"],
            "static": ["population", "edge_ends", "log10_degree", *(f"mixing/{k}" for k in range(self.k))],
        }
        return [name for block in self._at for name in names[block]]

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
                "features", features, FEATURES, f"{', '.join(FEATURES)}, or blocks: {', '.join(BLOCKS)}"
            )
        features = FEATURES[features]
    for block in features:
        if block not in BLOCKS:
            raise UnknownNameError("feature block", block, BLOCKS, ", ".join(BLOCKS))
    if not features:
        raise TwinloomError(f"no features; allowed: {', '.join(FEATURES)}, or blocks: {', '.join(BLOCKS)}")
    order = (*BLOCKS[:-1], "edges", "static")
    return tuple(b for b in order if b in features or (b == "edges" and kind == "oracle"))


def _merged(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """[R, 1] mean over tiers, weighted by counts; 0 where they are all 0."""
    total = weights.sum(axis=1, keepdims=True)
    return (values * weights).sum(axis=1, keepdims=True) / np.maximum(total, 1e-300)


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
