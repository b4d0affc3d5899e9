"""Walks that do not turn back: the matrix of Hashimoto, from an arc u v on to each arc v x but the one to u.

Its leading eigenvalue is how much faster than the last the next generation of contacts is, if graphs are locally trees
(Karrer, Newman and Zdeborová 2014). It is 0 on forests, where every such walk ends, and 1 on cycles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from assets.networks.graph import Graph
from twinloom.errors import TwinloomError, require

njit = require("numba", "cascade").njit

_TOLERANCE, _NOISE = 1e-11, 1e-15
_SPACE, _FLOATS = 40, 2e7  # most vectors of a Krylov space, and most numbers in it
_PRODUCTS, _LOOK = 10_000, 5  # by the matrix at most, and between looks at the eigenvalue


@dataclass(frozen=True, eq=False)
class Arcs:
    """Some arcs of a graph, ordered by source.

    Attributes:
        indptr: int64 [N+1] where the arcs out of each node begin.
        sources, targets: int64 [A] nodes.
        back: int64 [A] the arc that leads back, or -1.
        origin: int64 [A] position in ``graph.indices``.
    """

    indptr: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    back: np.ndarray
    origin: np.ndarray

    @classmethod
    def of(cls, graph: Graph) -> Arcs:
        """All arcs of a graph; an edge is two."""
        sources, targets = graph.sources.astype(np.int64), graph.indices.astype(np.int64)
        origin = np.arange(len(targets))
        if graph.directed:
            keys, turned = sources * graph.n + targets, targets * graph.n + sources  # keys ascend
            back = np.minimum(np.searchsorted(keys, turned), len(keys) - 1)
            back = np.where(keys[back] == turned, back, -1)
        else:
            back = _by_target(graph.indptr, targets)[1]
        return cls(graph.indptr, sources, targets, back, origin)

    def __len__(self) -> int:
        return len(self.targets)

    def where(self, mask: np.ndarray) -> Arcs:
        """Those of a mask."""
        place = np.where(mask, np.cumsum(mask) - 1, -1)
        back = np.append(place, -1)[self.back[mask]]
        sources = self.sources[mask]
        indptr = np.searchsorted(sources, np.arange(len(self.indptr)))
        return Arcs(indptr, sources, self.targets[mask], back, self.origin[mask])

    def onward(self) -> np.ndarray:
        """int64 [A] number of arcs that a walk may take after each."""
        return np.diff(self.indptr)[self.targets] - (self.back >= 0)

    def recurrent(self) -> tuple[Arcs, np.ndarray]:
        """The arcs on closed walks, and int [N] a component of nodes for each; walks cannot leave one.

        Within a component every arc leads to every other, but where it is an undirected cycle, which has two senses.
        For suppose that every arc has one after and one before it, and nodes are strongly connected. Arcs that some
        closed set of arcs leaves out lead back along it, and only from nodes that it enters once; then those arcs
        follow each other round a cycle, and nothing else enters it.
        """
        arcs, size = self, -1
        labels = np.zeros(len(self.indptr) - 1, np.int64)
        while len(arcs) != size:
            size = len(arcs)
            alive = np.ones(size, np.bool_)
            _prune(arcs.indptr, arcs.sources, arcs.targets, *_by_target(arcs.indptr, arcs.targets), arcs.back, alive)
            arcs = arcs.where(alive)
            matrix = csr_array((np.ones(len(arcs), np.int8), arcs.targets, arcs.indptr), shape=2 * labels.shape)
            labels = connected_components(matrix, connection="strong")[1]
            arcs = arcs.where(labels[arcs.sources] == labels[arcs.targets])
        return arcs, labels


class Walk:
    """The non-backtracking matrix of a graph whose arcs have factors.

    Args:
        graph: any graph; its weights do not count.
    """

    def __init__(self, graph: Graph) -> None:
        arcs, labels = Arcs.of(graph).recurrent()
        component = labels[arcs.sources]
        surplus = np.bincount(component, arcs.onward() - 1, graph.n)[component]
        self._cycles, self._rest = arcs.where(surplus == 0), arcs.where(surplus > 0)
        self._start = np.ones(len(self._rest))
        self._sense, self._length = _senses(self._cycles)

    def radius(self, factors: np.ndarray) -> float:
        """Leading eigenvalue if the arc at each position of ``graph.indices`` counts ``factors`` >= 0.

        Raises:
            TwinloomError: iterations do not come to an end, as on cycles of thousands of nodes with few chords.
        """
        largest = 0.0
        if len(self._cycles):
            with np.errstate(divide="ignore"):
                logs = np.log(factors[self._cycles.origin])
            largest = float(np.exp((np.bincount(self._sense, logs) / self._length).max()))
        rest = factors[self._rest.origin]
        if len(rest) and rest.max() > 0:
            largest = max(largest, float(rest.max()) * self._iterate(np.sqrt(rest / rest.max())))
        return largest

    def _iterate(self, root: np.ndarray) -> float:
        """By Arnoldi iteration, begun anew from the best vector; of D B D instead of B D D, which is less balanced."""
        size = len(self._rest)
        room = min(size, _SPACE, max(8, int(_FLOATS / size)))
        start = self._start + 0.01 * math.sqrt(self._start @ self._start / size)  # other factors, other components
        for _ in range(_PRODUCTS // room):
            space, small = np.empty((room + 1, size)), np.zeros((room + 1, room))
            space[0] = start / math.sqrt(start @ start)
            for k in range(room):
                vector = self._onward(root, space[k])
                small[: k + 1, k], small[k + 1, k] = _orthogonal(vector, space[: k + 1])
                last = k + 1 == room or not small[k + 1, k]  # 0: the space is closed, and has eigenvalues of the matrix
                if last or k % _LOOK == _LOOK - 1:
                    values, vectors = np.linalg.eig(small[: k + 1, : k + 1])
                    best = int(np.argmax(np.real(values)))
                    value, mix = max(0.0, float(np.real(values[best]))), vectors[:, best]
                    error = abs(small[k + 1, k] * mix[-1])
                    settled = error <= max(_TOLERANCE * value, _NOISE * float(np.abs(small).max()))
                    if settled or last:
                        break
                space[k + 1] = vector / small[k + 1, k]
            start = np.abs(np.real(mix) @ space[: k + 1])  # all of one sign (Perron and Frobenius)
            if settled:
                self._start = start
                return value
        raise TwinloomError('the leading eigenvalue did not settle on this graph; use r0_by="kappa"')

    def _onward(self, root: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """One step of the walks."""
        arcs, carried = self._rest, root * vector
        total = np.bincount(arcs.sources, carried, len(arcs.indptr) - 1)
        return root * (total[arcs.targets] - np.append(carried, 0.0)[arcs.back])


def _orthogonal(vector: np.ndarray, space: np.ndarray) -> tuple[np.ndarray, float]:
    """Take from ``vector`` what lies in ``space``; how much that was, and the length of the rest (0: rounding)."""
    along, length = np.zeros(len(space)), math.sqrt(vector @ vector)
    whole = length
    for _ in range(2):
        more = space @ vector
        vector -= more @ space
        along += more
        before, length = length, math.sqrt(vector @ vector)
        if length > 0.7 * before:  # otherwise once is not orthogonal enough
            break
    return along, length if length > 1e-14 * whole else 0.0


def _by_target(indptr: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the arcs into each node begin, and the arcs in this order."""
    n = len(indptr) - 1
    turned = csr_array((np.arange(len(targets)), targets, indptr), shape=(n, n)).tocsc()
    return turned.indptr.astype(np.int64), turned.data


def _senses(cycles: Arcs) -> tuple[np.ndarray, np.ndarray]:
    """For arcs that have one successor each: int [A] the closed walk each is on, and the lengths of these walks."""
    first = cycles.indptr[cycles.targets]
    successor = first + (first == cycles.back)
    size = len(cycles)
    matrix = csr_array((np.ones(size, np.int8), successor, np.arange(size + 1)), shape=(size, size))
    labels = connected_components(matrix, directed=False)[1] if size else successor
    return labels, np.bincount(labels)


@njit(cache=True)
def _prune(indptr, sources, targets, inptr, incoming, back, alive):
    """Clear ``alive`` until every arc left has an arc after and one before it that is not its own reverse."""
    n = len(indptr) - 1
    ways_out, ways_in = indptr[1:] - indptr[:-1], inptr[1:] - inptr[:-1]
    stack = list(range(n))
    while stack:
        node = stack.pop()
        if ways_out[node] < 2:
            for k in range(inptr[node], inptr[node + 1]):
                arc = incoming[k]
                turns = back[arc] >= 0 and alive[back[arc]]
                if alive[arc] and ways_out[node] - turns == 0:
                    _drop(arc, sources, targets, ways_out, ways_in, alive, stack)
        if ways_in[node] < 2:
            for arc in range(indptr[node], indptr[node + 1]):
                turns = back[arc] >= 0 and alive[back[arc]]
                if alive[arc] and ways_in[node] - turns == 0:
                    _drop(arc, sources, targets, ways_out, ways_in, alive, stack)


@njit(cache=True)
def _drop(arc, sources, targets, ways_out, ways_in, alive, stack):
    """Remove an arc; its ends are looked at again when one way is left or none."""
    source, target = sources[arc], targets[arc]
    alive[arc] = False
    ways_out[source] -= 1
    ways_in[target] -= 1
    if ways_out[source] < 2:
        stack.append(source)
    if ways_in[target] < 2:
        stack.append(target)
