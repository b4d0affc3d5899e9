"""What the compiled loops of the exact engine read and write, grouped by how long it lives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.process.laws import deterministic
from sim.cascade.process.models import CONTACTS, Model
from sim.cascade.process.residence_times import pack

# One cache line holds two nodes. best: key of the earliest contact in the queue; due and since: exit from and entry
# into the compartment, on the clock of the compartment; events: number of entries since the reset; parent: source.
NODE = np.dtype([("best", "i8"), ("due", "f8"), ("since", "f8"), ("events", "i4"), ("parent", "i4")], align=True)
# The latest infectious period within the current interval, absolute times, and the entry on the infectious clock.
WINDOW = np.dtype([("start", "f8"), ("stop", "f8"), ("since", "f8")], align=True)

NOBODY, SEEDED = -2, -1  # parents of nodes that nobody infected
REACHED, ACTIVE = 1, 2  # bits of `State.ever`: by contact, infectious


class Net(NamedTuple):
    """Graph: who is reached from whom, and from whom a node is reached (``back_*``, needed when nodes return).

    ``weights`` and ``strongest`` (the largest weight out of each node) are empty where all weights are 1.
    """

    indptr: Any
    indices: Any
    weights: Any
    strongest: Any
    back_indptr: Any
    back_indices: Any
    back_weights: Any
    tier: Any
    sizes: Any


class Process(NamedTuple):
    """Model: ``following[c]`` is where the nodal step from c leads, -1 if none; one row of law parameters a
    compartment."""

    beta: float
    entry: int
    infectious: int
    returns: bool
    following: Any
    listed: Any
    kind: Any
    p0: Any
    p1: Any
    table: Any
    shed_step: float
    shedding: Any
    contact: int
    theta_low: float
    theta_high: float
    eps: float
    power: float


class Levers(NamedTuple):
    """Controls of all replicas, constant during an interval; see `sim.cascade.process.control.Controls`."""

    incoming: Any
    outgoing: Any
    contact: Any
    speed: Any
    hazard: Any


class Span(NamedTuple):
    """One control interval of one replica: its start and length, and how keys of the queue hold times.

    ``incoming`` and ``shedding`` bound those factors from above; ``thin``: some edge stays below the bound.
    """

    time: float
    dt: float
    scale: float
    bits: int
    mask: Any
    incoming: float
    shedding: float
    thin: bool


class Work(NamedTuple):
    """Scratch memory of one thread: the queue, and neighbours picked for contact.

    Only for nonlinear contact, one entry a node: infectious in-neighbours and their pressure, rate, what is left of its
    exponential number, and since when.
    """

    heap: Any
    picked: Any
    sources: Any
    pressure: Any
    rate: Any
    left: Any
    last: Any


class State(NamedTuple):
    """Everything that changes, first axis replicas. ``ever`` is empty where no node enters a compartment twice: there
    the flows say the same."""

    nodes: Any
    state: Any
    ever: Any
    windows: Any
    xi: Any
    active: Any
    size: Any
    counts: Any
    flows: Any
    clock: Any
    key: Any
    interval: Any


def net_of(graph: Graph, tiers: Tiers, backwards: bool) -> Net:
    """Arrays of a graph; the reverse ones are empty unless ``backwards``."""
    weights = np.empty(0, np.float32) if graph.weights is None else graph.weights
    strongest = np.empty(0, np.float32)
    if len(weights):
        strongest = np.zeros(graph.n, np.float32)
        np.maximum.at(strongest, graph.sources, weights)
    back = graph.reverse() if backwards else None
    return Net(
        graph.indptr,
        graph.indices,
        weights,
        strongest,
        back.indptr if back else np.zeros(1, np.int64),
        back.indices if back else np.empty(0, np.int32),
        back.weights if back and back.weights is not None else np.empty(0, np.float32),
        np.ascontiguousarray(tiers.index, np.int8),
        np.asarray(tiers.sizes, np.int64),
    )


def process_of(model: Model) -> Process:
    """Arrays of a model."""
    following = np.full(model.size, -1, np.int64)
    laws = [deterministic(1.0)] * model.size  # never drawn where no step leads on
    for step in model.steps:
        following[step.source], laws[step.source] = step.target, step.law
    listed = following >= 0
    listed[model.infectious] = True
    kind, p0, p1, table = pack(laws)
    shed = model.shedding
    return Process(
        float(model.beta),
        model.entry,
        model.infectious,
        model.returns(),
        following,
        listed,
        kind,
        p0,
        p1,
        table,
        shed.step if shed else 1.0,
        np.array(shed.values if shed else (), np.float64),
        CONTACTS.index(model.contact),
        float(model.theta[0]),
        float(model.theta[1]),
        float(model.eps),
        float(model.power),
    )


def recurs(model: Model, started: bool = True) -> bool:
    """Whether a node may enter a compartment twice.

    Args:
        started: whether clocks that stand still at first may be set going.
    """
    following = {step.source: step.target for step in model.steps if started or step.speed > 0}
    following[model.susceptible] = model.entry
    for first in following:
        c = first
        for _ in following:
            c = following.get(c, -1)
            if c == first:
                return True
    return False


def state_of(replicas: int, n: int, tiers: int, model: Model) -> State:
    """Memory for so many replicas."""
    compartments = model.size
    windows = model.returns() and model.contact == "linear"
    return State(
        nodes=np.zeros((replicas, n), NODE),
        state=np.zeros((replicas, n), np.int8),
        ever=np.zeros((replicas, n if recurs(model) else 0), np.uint8),
        windows=np.zeros((replicas, n if windows else 0), WINDOW),
        xi=np.zeros((replicas, 0)),
        active=np.empty((replicas, n), np.int32),
        size=np.zeros(replicas, np.int64),
        counts=np.zeros((replicas, tiers, compartments), np.int64),
        flows=np.zeros((replicas, tiers, compartments, compartments), np.int64),
        clock=np.zeros((replicas, tiers, compartments)),
        key=np.zeros((replicas, 2), np.uint32),
        interval=np.zeros(replicas, np.int64),
    )


def work_of(graph: Graph, threads: int, nonlinear: bool) -> Work:
    """Scratch memory for so many threads."""
    each = (threads, graph.n if nonlinear else 0)
    return Work(
        np.empty((threads, max(2 * graph.n, 16)), np.int64),
        np.empty((threads, int(graph.degree.max()) + 1), np.int32),
        np.empty(each, np.int32),
        *(np.empty(each) for _ in range(4)),
    )
