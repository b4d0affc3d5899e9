"""A network as compressed sparse rows: the one form in which every simulator, observer and loader passes it on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from twinloom.arguments import is_whole
from twinloom.errors import TwinloomError, UnknownNameError

MAX_NODES = 2**31 - 1
LIGHTEST, HEAVIEST = (float(bound) for bound in (np.finfo(np.float32).tiny, np.finfo(np.float32).max))  # weights


@dataclass(frozen=True, eq=False)
class Graph:
    """A simple graph: no self-loops, no parallel edges. Nodes are 0 .. n-1.

    Attributes:
        indptr: int64 [N+1]; the out-neighbours of node i are ``indices[indptr[i]:indptr[i + 1]]``.
        indices: int32 [nnz] out-neighbours, ascending within a node. An undirected graph holds both directions.
        directed: whether an edge leads one way only.
        weights: float32 [nnz] > 0, one factor on the contact rate for each entry of ``indices``; None: all are 1.
        labels: [N] original ids (int64, or text) of the nodes; None: the ids are 0 .. n-1 themselves.
        name: for titles and tables.
        synthetic: whether it was generated, so that no result on it passes for one on data.
    """

    indptr: np.ndarray
    indices: np.ndarray
    directed: bool = False
    weights: np.ndarray | None = None
    labels: np.ndarray | None = None
    name: str = ""
    synthetic: bool = False

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def edges(self) -> int:
        """Undirected pairs, or arcs of a directed graph."""
        return len(self.indices) if self.directed else len(self.indices) // 2

    @cached_property
    def degree(self) -> np.ndarray:
        """int32 [N] number of (out-)neighbours."""
        return np.diff(self.indptr).astype(np.int32)

    @property
    def mean_degree(self) -> float:
        """Mean number of (out-)neighbours."""
        return len(self.indices) / self.n

    @cached_property
    def kappa(self) -> float:
        """Mean excess degree (<k^2> - <k>) / <k>; on a tree-like graph R0 is transmissibility times kappa.

        It counts the ways on for a walk that has come through a random edge and does not turn back. On a directed graph
        that is (<k_in k_out> - <two-way arcs>) / <k>. NaN without edges.
        """
        if not len(self.indices):
            return float("nan")
        k = self.degree.astype(np.float64)
        if not self.directed:
            return float((k @ k - k.sum()) / k.sum())
        sources, targets = self.sources.astype(np.int64), self.indices.astype(np.int64)
        two_way = np.isin(sources * self.n + targets, targets * self.n + sources).sum()
        return float((self.reverse().degree @ k - two_way) / k.sum())

    def neighbours(self, node: int) -> np.ndarray:
        """int32 out-neighbours of a node, ascending."""
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    @cached_property
    def sources(self) -> np.ndarray:
        """int32 [nnz] the node that each entry of ``indices`` belongs to."""
        return np.repeat(np.arange(self.n, dtype=np.int32), self.degree)

    def pairs(self) -> np.ndarray:
        """int32 [E, 2] every edge once: arcs, or undirected pairs with the smaller node first; sorted."""
        both = np.column_stack((self.sources, self.indices))
        return both if self.directed else both[both[:, 0] < both[:, 1]]

    def reverse(self) -> Graph:
        """The graph with every arc turned round, whose out-neighbours are our in-neighbours; itself if undirected."""
        return self._reverse if self.directed else self

    @cached_property
    def _reverse(self) -> Graph:
        order = np.argsort(self.indices, kind="stable")  # stable: sources stay ascending within each target
        indptr = np.zeros(self.n + 1, np.int64)
        np.cumsum(np.bincount(self.indices, minlength=self.n), out=indptr[1:])
        weights = None if self.weights is None else self.weights[order]
        return replace(self, indptr=indptr, indices=self.sources[order], weights=weights)

    def find(self, labels: Any) -> np.ndarray:
        """Nodes that carry these original ids: the way back from a file's ids.

        Args:
            labels: one id or several, as they stand in the file.

        Returns:
            int64 array of the shape of ``labels``.

        Raises:
            TwinloomError: no node has such an id.
        """
        wanted = np.asarray(labels)
        known = np.arange(self.n) if self.labels is None else self.labels
        if known.dtype.kind == "U" and wanted.dtype.kind != "U":
            wanted = wanted.astype(str)
        if wanted.dtype.kind not in ("iu" if known.dtype.kind == "i" else "U"):
            raise TwinloomError(f"ids of {self.name or 'this graph'} are integers; {labels!r} is not")
        order = np.argsort(known, kind="stable")
        place = np.searchsorted(known, wanted, sorter=order)
        nodes = order[np.minimum(place, self.n - 1)]
        missing = wanted[known[nodes] != wanted]
        if missing.size:
            name, some = str(missing.flat[0]), known[:: max(1, self.n // 10_000)].astype(str)
            raise UnknownNameError("node id", name, some.tolist(), "the first columns of the edge list")
        return nodes

    def __repr__(self) -> str:
        kind = ("directed" if self.directed else "undirected") + (", synthetic" if self.synthetic else "")
        return f"Graph({self.name or 'unnamed'}: {self.n:,} nodes, {self.edges:,} edges, {kind})"


def from_edges(
    n: int,
    pairs: Any,
    directed: bool = False,
    weights: Any = None,
    *,
    labels: np.ndarray | None = None,
    name: str = "",
    synthetic: bool = False,
) -> Graph:
    """Build a simple graph; self-loops are dropped, repeated edges merged into one (of the largest weight).

    The way from networkx, SciPy or arrays; docs/cascade/networks.md shows each.

    Args:
        n: number of nodes, at least 1; nodes in no pair are isolated.
        pairs: int [E, 2] source and target, in 0 .. n-1.
        directed: whether (a, b) and (b, a) are two arcs, or one edge.
        weights: float [E] > 0, or None.
        labels: original ids of the nodes, n integers or texts; None: the ids are 0 .. n-1.
        name, synthetic: see `Graph`.

    Raises:
        TwinloomError: no nodes, a node out of range, a weight that is not positive, or labels that are not n different
            integers or texts.
    """
    pairs = np.asarray(pairs)
    if pairs.size == 0:
        pairs = np.empty((0, 2), np.int64)
    if not is_whole(n):
        raise TwinloomError(f"n is {n!r}; the first argument is the number of nodes, an integer")
    if not 1 <= n <= MAX_NODES:
        raise TwinloomError(f"a graph of {n} nodes: at least 1 and at most {MAX_NODES:,} are allowed")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise TwinloomError(f"edges must be an int array [E, 2], not {kind_of(pairs)} {list(pairs.shape)}")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= n):
        bad = pairs[((pairs < 0) | (pairs >= n)).any(axis=1)][0].tolist()
        raise TwinloomError(f"edge {bad}: nodes of a graph of {n} are 0 to {n - 1}")
    if weights is not None:
        weights = _numbers(weights)
        if weights.shape != (len(pairs),) or not np.all((weights >= LIGHTEST) & (weights <= HEAVIEST)):
            raise TwinloomError(
                f"weights must be {len(pairs)} positive numbers ({LIGHTEST:.2g} to {HEAVIEST:.2g}), one for each edge"
            )
    if labels is not None:
        labels = _labels(labels, n)
    n = int(n)
    return assemble(n, merge(n, pairs, directed, weights), labels=labels, name=name, synthetic=synthetic)


def check_graph(given: Any, allowed: str = "a Graph", subject: str = "graph is") -> None:
    """Raise TwinloomError, with the way to make a Graph, unless ``given`` is one."""
    if not isinstance(given, Graph):
        kind = type(given)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        raise TwinloomError(
            f"{subject} {name}; allowed: {allowed}. assets.networks.graph.from_edges(n, pairs) makes a Graph "
            "from arrays, SciPy or networkx (docs/cascade/networks.md)"
        )


def kind_of(values: np.ndarray) -> str:
    """What an array holds, in words."""
    kinds = {"U": "texts", "S": "bytes", "O": "objects", "b": "truth values", "f": "decimals", "c": "complex numbers"}
    return kinds.get(values.dtype.kind, "integers" if values.dtype.kind in "iu" else str(values.dtype))


def _numbers(weights: Any) -> np.ndarray:
    """float64 array. Raises TwinloomError for what is none."""
    given = np.asarray(weights)
    if given.dtype.kind not in "fiu" and given.size:
        raise TwinloomError(f"weights must be an array of numbers, not of {kind_of(given)}")
    return given.astype(np.float64)


def _labels(labels: Any, n: int) -> np.ndarray:
    """int64 or str array [n] without repetitions. Raises TwinloomError for anything else."""
    given = np.asarray(labels)
    if given.shape != (n,) or given.dtype.kind not in "iuU":
        raise TwinloomError(
            f"labels must be {n} integers or {n} texts, one for each node, not {kind_of(given)} {list(given.shape)}"
        )
    if len(np.unique(given)) < n:
        raise TwinloomError("two nodes have the same label")
    return given if given.dtype.kind == "U" else given.astype(np.int64)


def assemble(
    n: int, merged: Merged, *, labels: np.ndarray | None = None, name: str = "", synthetic: bool = False
) -> Graph:
    """The graph of edges that are simple already (see `merge`)."""
    sources, targets = _ends(merged.keys, n)
    keys, weights = merged.keys, merged.weights
    if not merged.directed:
        keys = np.concatenate((keys, targets * n + sources))
        if weights is None:
            keys.sort()
        else:
            order = np.argsort(keys)
            keys, weights = keys[order], np.concatenate((weights, weights))[order]
        sources, targets = _ends(keys, n)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=n), out=indptr[1:])
    weights = None if weights is None else weights.astype(np.float32)
    return Graph(indptr, targets.astype(np.int32), merged.directed, weights, labels, name, synthetic)


def _ends(keys: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """int64 sources and targets of keys; numpy's floor division by a scalar is vectorised, its divmod is not."""
    sources = keys // n
    return sources, keys - sources * n


@dataclass(frozen=True, eq=False)
class Merged:
    """Simple edges, each once.

    Attributes:
        keys: int64 [E] ascending, ``source * n + target``; source < target if undirected.
        directed: whether a key is an arc or a pair.
        weights: float64 [E], or None.
        loops: edges from a node to itself, dropped.
        repeated: further copies of an edge in the same direction.
        reversed: edges that also came in the other direction (undirected only).
        conflicts: merged copies whose weight was not the one kept.
    """

    keys: np.ndarray
    directed: bool
    weights: np.ndarray | None
    loops: int
    repeated: int
    reversed: int
    conflicts: int


def merge(n: int, pairs: np.ndarray, directed: bool, weights: np.ndarray | None = None) -> Merged:
    """Drop self-loops and merge copies of an edge; of several weights the largest stays.

    The largest, because it does not depend on the order of the lines and does not double the contact rate of a file
    that lists every pair in both directions.

    Args:
        n: number of nodes; all entries of ``pairs`` are in 0 .. n-1.
        pairs: int [E, 2].
        directed: whether (a, b) and (b, a) stay two.
        weights: float64 [E] > 0, or None.
    """
    source, target = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    proper = source != target
    loops = len(pairs) - int(np.count_nonzero(proper))
    if loops:
        source, target = source[proper], target[proper]
        weights = None if weights is None else weights[proper]
    flipped = np.zeros(len(source), bool) if directed else source > target
    keys = np.where(flipped, target * n + source, source * n + target)
    if weights is None:
        tagged = np.sort(keys * 2 + flipped)  # the last bit remembers the direction
        arcs = int(np.count_nonzero(_first_of_each(tagged)))
        keys = tagged >> 1
        first = _first_of_each(keys)
        kept, conflicts = None, 0
    else:
        order = np.lexsort((-weights, keys))  # the largest weight of an edge comes first
        arcs = len(np.unique(keys * 2 + flipped))
        keys, weights = keys[order], weights[order]
        first = _first_of_each(keys)
        kept = weights[first]
        conflicts = int(np.count_nonzero(weights != kept[np.cumsum(first) - 1])) if len(keys) else 0
    edges = int(np.count_nonzero(first))
    return Merged(keys[first], directed, kept, loops, len(keys) - arcs, arcs - edges, conflicts)


def _first_of_each(ordered: np.ndarray) -> np.ndarray:
    """bool mask of the first entry of each run of equal values."""
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first
