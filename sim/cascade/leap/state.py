"""What the steps of the leap engine read and write, on every backend, grouped by how long it lives.

Times of nodes are whole *ticks*, so that a comparison has the same outcome on every device. Each (tier, compartment)
has a clock that runs at the speed its controls say; a node leaves when that clock reaches the time it drew on entry.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.process.laws import Law, deterministic
from sim.cascade.process.models import CONTACTS, Model
from sim.cascade.process.residence_times import tables
from twinloom.errors import TwinloomError

# Values of `due` that are no times: of nodes without a next step, and of susceptible ones with and without exposure.
NEVER, ALWAYS, QUIET = 2**31 - 1, -(2**31), 2**31 - 2
LONGEST = 2**30 - 4  # ticks of the longest residence time
REBASE = 2**29  # ticks after which clocks are set back
PER_MEAN = 2.0**18  # ticks in the shortest mean residence time, at least

NOBODY, SEEDED = -2, -1  # parents of nodes that nobody infected


class Net(NamedTuple):
    """Graph.

    Attributes:
        indptr, indices: who is reached, int64 [N+1] and int32 [nnz].
        weights: int32 [nnz] in units of `Rules.unit`, empty where all weights are 1.
        back_indptr, back_indices, back_weights: from whom a node is reached; only for infection trees.
        tier: int8 [N].
        strength: float64 [N] number of in-neighbours, at least 1.
    """

    indptr: Any
    indices: Any
    weights: Any
    back_indptr: Any
    back_indices: Any
    back_weights: Any
    tier: Any
    strength: Any


class Rules(NamedTuple):
    """Model: ``following[m]`` is where the nodal step from m leads (-1: nowhere), mode and table are its law."""

    compartments: int
    entry: int
    infectious: int
    following: Any
    mode: Any
    table: Any
    ticks: float
    contact: int
    beta: float
    unit: float
    theta: float
    theta_span: float
    eps: float
    power: float


class Levers(NamedTuple):
    """Controls that act on contacts, constant during an interval: float64 [R, K], [R, K], [R]."""

    incoming: Any
    outgoing: Any
    contact: Any


class Batch(NamedTuple):
    """Everything that changes, first axis replicas.

    Attributes:
        cell: int16 [R, N] tier * M + compartment of each node.
        due: int32 [R, N] time at which the node leaves, on the clock of its cell. What susceptible nodes have here is
            the affair of a backend.
        entered: int32 [R, N] time at which it came.
        exposure: int8, int16 or int32 [R, N, K] infectious in-neighbours by their tier (sums of weights, if any).
        ever: uint8 [R, N] whether the node has ever been infectious.
        parent: int32 [R, N] who infected it, or [R, 0].
        counts: int64 [R, K, M] nodes.
        flows: int64 [R, K, M, M] transitions since the reset.
        reached: int64 [R, K] nodes that have ever been infectious.
        key: uint32 [R, 2].
    """

    cell: Any
    due: Any
    entered: Any
    exposure: Any
    ever: Any
    parent: Any
    counts: Any
    flows: Any
    reached: Any
    key: Any


def net_of(graph: Graph, tiers: Tiers, tree: bool) -> tuple[Net, float]:
    """Arrays of a graph, and the weight that one unit of exposure stands for."""
    weights, back_weights, unit = np.empty(0, np.int32), np.empty(0, np.int32), 1.0
    back = graph.reverse()
    if graph.weights is not None:
        unit = _unit(graph)
        weights = _whole(graph.weights, unit)
        back_weights = _whole(back.weights, unit) if tree else back_weights
    return Net(
        graph.indptr,
        graph.indices,
        weights,
        back.indptr if tree else np.zeros(1, np.int64),
        back.indices if tree else np.empty(0, np.int32),
        back_weights,
        np.ascontiguousarray(tiers.index, np.int8),
        np.maximum(back.degree, 1).astype(np.float64),
    ), unit


def _unit(graph: Graph) -> float:
    """A power of two, as small as sums of weights in 31 bits allow: whole numbers add up the same in any order."""
    strength = np.bincount(graph.indices, weights=graph.weights, minlength=1)
    largest = max(float(strength.max()), 1e-30)
    return 2.0 ** (math.ceil(math.log2(largest)) - 29)


def _whole(weights: Any, unit: float) -> np.ndarray:
    return np.maximum(np.rint(np.asarray(weights, np.float64) / unit), 1).astype(np.int32)


def ticks_of(laws: list[Law]) -> float:
    """Ticks in one unit of time, a power of two: fine for the shortest law, coarse enough for the longest."""
    if not laws:
        return PER_MEAN
    longest = max(float(law.inverse_cumulative_hazard(22.9)) for law in laws)  # the last 32-bit uniform
    finest = PER_MEAN / min(law.mean for law in laws)
    return 2.0 ** math.floor(math.log2(min(finest, LONGEST / longest)))


def rules_of(model: Model, unit: float) -> Rules:
    """Arrays of a model.

    Raises:
        TwinloomError: the model needs what only the exact engine has.
    """
    if model.shedding is not None:
        raise TwinloomError('the leap engine has no infectivity by age of the source; use engine="exact"')
    following = np.full(model.size, -1, np.int64)
    laws = [deterministic(1.0)] * model.size  # never drawn where no step leads on
    for step in model.steps:
        following[step.source], laws[step.source] = step.target, step.law
    mode, table = tables(laws)
    return Rules(
        model.size,
        model.entry,
        model.infectious,
        following,
        mode,
        table,
        ticks_of([step.law for step in model.steps]),
        CONTACTS.index(model.contact),
        float(model.beta),
        unit,
        float(model.theta[0]),
        float(model.theta[1] - model.theta[0]),
        float(model.eps),
        float(model.power),
    )


def batch_of(replicas: int, graph: Graph, tiers: Tiers, model: Model, tree: bool, narrow: bool) -> Batch:
    """Memory for so many replicas. Counts of neighbours get the smallest type that holds the largest in-degree.

    Args:
        narrow: whether the backend can add to integers of 8 and 16 bits.
    """
    n, k, m = graph.n, tiers.k, model.size
    largest = int(graph.reverse().degree.max())
    small = narrow and graph.weights is None
    exposure = np.int8 if small and largest <= 127 else np.int16 if small and largest <= 32767 else np.int32
    return Batch(
        cell=np.zeros((replicas, n), np.int16),
        due=np.full((replicas, n), QUIET, np.int32),
        entered=np.zeros((replicas, n), np.int32),
        exposure=np.zeros((replicas, n, k), exposure),
        ever=np.zeros((replicas, n), np.uint8),
        parent=np.full((replicas, n if tree else 0), NOBODY, np.int32),
        counts=np.zeros((replicas, k, m), np.int64),
        flows=np.zeros((replicas, k, m, m), np.int64),
        reached=np.zeros((replicas, k), np.int64),
        key=np.zeros((replicas, 2), np.uint32),
    )
