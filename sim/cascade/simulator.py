"""The simulator: R replicas of a spreading process on one graph, advanced in intervals under live control.

One class for both engines. This file checks input and keeps time, episodes and controls; the engines keep the nodes.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np

from assets.networks.graph import Graph, check_graph, kind_of
from assets.networks.tiers import Tiers
from sim.cascade.checks import shown
from sim.cascade.compile import kernel
from sim.cascade.process.control import Controls
from sim.cascade.process.models import Model
from sim.cascade.process.rng import SEED, key_of
from sim.cascade.process.subsets import choose
from twinloom.arguments import is_whole
from twinloom.errors import TwinloomError, UnknownNameError

BACKENDS = {
    ("exact", "numba"): "sim.cascade.exact.engine:Exact",
    ("leap", "numba"): "sim.cascade.leap.numba_engine:LeapNumba",
    ("leap", "torch"): "sim.cascade.leap.torch_engine:LeapTorch",
    ("leap", "warp"): "sim.cascade.leap.warp_engine:LeapWarp",
    ("ode", "numba"): "sim.cascade.mean_field.engine:TierField",  # through sim.cascade.mean_field.simulator.TierODE
}


class Backend(Protocol):
    """What an engine does; the arguments are valid and complete."""

    def reset(self, rows: np.ndarray, keys: np.ndarray, seeds: list[np.ndarray], into: int) -> None: ...
    def move(self, source: int, target: int, numbers: np.ndarray) -> np.ndarray: ...
    def advance(self, dt: float) -> None: ...
    def pressure(self) -> np.ndarray: ...
    def age_stats(self) -> tuple[np.ndarray, np.ndarray]: ...
    def ever(self) -> tuple[np.ndarray, np.ndarray]: ...
    @property
    def counts(self) -> np.ndarray: ...
    @property
    def flows(self) -> np.ndarray: ...
    @property
    def state(self) -> np.ndarray: ...
    @property
    def age(self) -> np.ndarray: ...
    @property
    def tree(self) -> np.ndarray: ...


class CascadeSim:
    """Replicas of a spreading process.

    Replica r of a seed is the same whatever the number of replicas or threads. An interval [t, t + dt) holds the events
    at its start and not those at its end; see docs/cascade/simulator.md.

    Args:
        graph: who reaches whom, along out-edges.
        model: compartments, laws and rates.
        replicas: R >= 1.
        engine: "exact" (event queue) or "leap" (synchronous steps, error of first order in the step).
        backend: "numba"; leap also "torch" or "warp".
        device: for torch and warp.
        seed: of the random numbers; or one for each replica, int [R], each then like the only replica of that seed.
        tiers: strata of control and observation; one for all if None.
        substeps: steps of the leap engine in one advance, at least: none is longer than a quarter of the shortest mean
            residence time.
        threads: worker threads, 1 if None. Replicas are shared out among them.
        tree: whether to keep who infected whom.
        options: of the leap engine ``eps``, see `sim.cascade.leap.engine.Leap`.

    Raises:
        TwinloomError: an argument out of range, or an engine that is not there.
    """

    def __init__(
        self,
        graph: Graph,
        model: Model,
        replicas: int = 1,
        engine: Literal["exact", "leap"] = "exact",
        backend: Literal["numba", "torch", "warp"] = "numba",
        device: str = "cpu",
        seed: int | Sequence[int] | np.ndarray = 0,
        tiers: Tiers | None = None,
        substeps: int = 8,
        threads: int | None = None,
        tree: bool = False,
        **options: Any,
    ) -> None:
        check_graph(graph)
        if graph.n < 1:
            raise TwinloomError("the graph is empty; a process needs at least one node")
        if not isinstance(model, Model):
            raise TwinloomError(f"model is {type(model).__name__}; make one with sim.cascade.models")
        if tiers is not None and not isinstance(tiers, Tiers):
            raise TwinloomError(f"tiers is {shown(tiers)}; make them with assets.networks.tiers.cut(graph)")
        for name, value in (("replicas", replicas), ("threads", threads), ("substeps", substeps)):
            if not (name == "threads" and value is None) and not is_whole(value, 1):
                none = ", or None," if name == "threads" else ""
                raise TwinloomError(f"{name} is {value}; a whole number of at least 1{none} is allowed")
        if tiers is not None and len(tiers.index) != graph.n:
            raise TwinloomError(f"the tiers are of a graph of {len(tiers.index)} nodes, this one has {graph.n}")
        if not all(isinstance(word, str) for word in (engine, backend)) or (engine, backend) not in BACKENDS:
            known = ", ".join(f"{e}/{b}" for e, b in BACKENDS)
            raise TwinloomError(f'there is no engine "{engine}" with backend "{backend}"; there are: {known}')
        self.graph, self.model, self.replicas = graph, model, int(replicas)
        self.engine, self.backend = engine, backend
        self.tiers = tiers or Tiers(np.zeros(graph.n, np.int8), np.array([graph.n], np.int64), "global")
        self._seed, self._lanes = _seeds(seed, self.replicas)
        self._tree = tree
        speeds = np.ones(model.size)
        for step in model.steps:
            speeds[step.source] = step.speed
        self.controls = Controls.of(self.replicas, self.tiers.k, speeds)
        module, name = BACKENDS[engine, backend].split(":")
        _check_options(options, engine)
        self._backend: Backend = getattr(importlib.import_module(module), name)(
            graph,
            model,
            self.tiers,
            self.replicas,
            self.controls,
            threads=threads or 1,
            substeps=substeps,
            device=device,
            tree=tree,
            **options,
        )
        self._time = np.zeros(self.replicas)
        self._episodes = np.full(self.replicas, -1, np.int64)
        self._carriers = list(model.carriers())

    def reset(
        self,
        seeds: int | Sequence[Any] | np.ndarray,
        mask: np.ndarray | None = None,
        episode: int | Sequence[int] | np.ndarray | None = None,
        into: str | None = None,
    ) -> None:
        """Start an episode: everybody susceptible but the seeds; books, clocks and controls as at first.

        Args:
            seeds: nodes, the same in all replicas; or a list of R such arrays; or a number of random nodes.
            mask: bool [R], the replicas to reset; all if None.
            episode: number of the episode, for all or [R]; the next one of each replica if None.
            into: compartment of the seeds; the target of the contact step if None.

        Raises:
            TwinloomError: an unknown node, more seeds than nodes, or a wrong shape.
        """
        chosen = np.ones(self.replicas, bool) if mask is None else np.asarray(mask)
        if chosen.shape != (self.replicas,) or chosen.dtype != bool:
            raise TwinloomError(f"mask must be bool [{self.replicas}], one for each replica")
        rows = np.flatnonzero(chosen)
        target = self.model.entry if into is None else self.model.index(into)
        if episode is None:
            episodes = self._episodes[rows] + 1
        else:
            given = np.asarray(episode)
            if (
                given.dtype.kind not in "iu"
                or given.shape not in ((), (self.replicas,))
                or np.any((given < 0) | (given > 2**62))
            ):
                raise TwinloomError(f"episode {episode}: a whole number from 0, or {self.replicas} of them, is allowed")
            episodes = np.full(self.replicas, given, np.int64)[rows]
        key = _keys(self._seed[rows], episodes, self._lanes[rows])
        nodes = self._nodes(seeds, rows, key)
        self._episodes[rows] = episodes
        self._time[rows] = 0.0
        self.controls.release(rows)
        if len(rows):
            self._backend.reset(rows, key, nodes, target)

    def _nodes(self, seeds: Any, rows: np.ndarray, key: np.ndarray) -> list[np.ndarray]:
        """One array of valid, distinct, ascending nodes for each row."""
        n = self.graph.n
        if isinstance(seeds, (int, np.integer)):
            if not 0 <= seeds <= n:
                raise TwinloomError(f"{seeds} seeds in a graph of {n} nodes: 0 to {n} are allowed")
            return [choose(n, int(seeds), k0, k1, 0, SEED, 0) for k0, k1 in key]
        if isinstance(seeds, (list, tuple)) and len(seeds) and not np.isscalar(seeds[0]):
            if len(seeds) != self.replicas:
                raise TwinloomError(f"{len(seeds)} lists of seeds for {self.replicas} replicas; one for each is needed")
            return [_valid_nodes(seeds[r], n) for r in rows]
        return [_valid_nodes(seeds, n)] * len(rows)

    def reseed(self, seed: int | Sequence[int] | np.ndarray) -> None:
        """Take another seed (see the class) and count episodes from 0 again; reset before the next advance."""
        self._seed, self._lanes = _seeds(seed, self.replicas)
        self._episodes[:] = -1

    def set_control(self, name: str, values: Any) -> None:
        """Set a factor from now on, until the replica's next reset.

        Args:
            name: "in" (rate at which nodes are reached), "out" (rate at which they reach others), "hazard" (all
                contact), "speed:<compartment>" (its clock: drawn residence times run off at this speed) or
                "hazard:<compartment>" (its hazard: proportional-hazard form).
            values: not negative; broadcast to [R, K], or to [R, 1] for "hazard".

        Raises:
            UnknownNameError: another name.
            TwinloomError: a value that is negative or not finite, or a wrong shape.
        """
        knob, shape = self._knob(name)
        given = np.asarray(values)
        if given.dtype.kind not in "fiub":
            raise TwinloomError(f"control {name}: factors are numbers, not {values!r}")
        found = _fitting(f"control {name}: values", given, shape)
        if not np.all(np.isfinite(found) & (found >= 0)):
            wrong = given[~(np.isfinite(given) & (given >= 0))].flat[0]
            raise TwinloomError(f"control {name}: a factor is finite and not negative, not {wrong:g}")
        knob[...] = found

    def _knob(self, name: str) -> tuple[np.ndarray, tuple[int, int]]:
        controls, shape = self.controls, (self.replicas, self.tiers.k)
        if name == "hazard":
            return controls.contact[:, None], (self.replicas, 1)
        if name in ("in", "out"):
            return (controls.incoming if name == "in" else controls.outgoing), shape
        kind, _, compartment = name.partition(":")
        if kind not in ("speed", "hazard"):
            sources = [self.model.compartments[step.source] for step in self.model.steps]
            known = ["in", "out", "hazard", *(f"{k}:{c}" for k in ("speed", "hazard") for c in sources)]
            raise UnknownNameError("control", name, known, ", ".join(known))
        c = self.model.index(compartment)
        if self.model.step_from(c) is None:
            raise TwinloomError(f"control {name}: nodes of {self.model.name} stay in {compartment}, it has no clock")
        return (controls.speed if kind == "speed" else controls.hazard)[:, :, c], shape

    def move(self, source: int | str, target: int | str, numbers: Any) -> np.ndarray:
        """Move random nodes from one compartment to another, now.

        Args:
            source, target: names or indices of compartments.
            numbers: int, broadcast to [R, K]; at most so many of each tier move.

        Returns:
            int64 [R, K], how many did: fewer where the tier has fewer.
        """
        a, b = (self._compartment(c) for c in (source, target))
        wanted = np.asarray(numbers)
        if wanted.dtype.kind not in "iu":
            raise TwinloomError(f"numbers of nodes to move must be integers, not {kind_of(wanted)}")
        if np.any(wanted < 0):
            raise TwinloomError(f"cannot move {wanted.min()} nodes; numbers are not negative")
        wanted = np.minimum(wanted, self.graph.n)  # also what does not fit into 64 bits with a sign
        if a == b:
            raise TwinloomError(f"cannot move nodes from {self.model.compartments[a]} to itself")
        shape = (self.replicas, self.tiers.k)
        wanted = _fitting("numbers of nodes to move", wanted, shape)
        return self._backend.move(a, b, np.ascontiguousarray(wanted, np.int64))

    def _compartment(self, given: int | str) -> int:
        if isinstance(given, str):
            return self.model.index(given)
        if not is_whole(given) or not 0 <= given < self.model.size:
            raise TwinloomError(f"compartment {given}: model {self.model.name} has 0 to {self.model.size - 1}")
        return int(given)

    def advance(self, dt: float) -> None:
        """Advance all replicas by exactly ``dt`` under the controls in force."""
        if not (0 <= dt < np.inf):
            raise TwinloomError(f"cannot advance by {dt}; a finite time that is not negative is allowed")
        if np.any(self._episodes < 0):
            raise TwinloomError("reset every replica before the first advance")
        if dt > 0:
            self._backend.advance(float(dt))
            self._time += dt

    @property
    def time(self) -> np.ndarray:
        """float64 [R] time since the reset."""
        return self._time.copy()

    @property
    def episodes(self) -> np.ndarray:
        """int64 [R] number of each replica's episode, -1 before the first reset."""
        return self._episodes.copy()

    @property
    def counts(self) -> np.ndarray:
        """int64 [R, K, M] nodes of each tier in each compartment."""
        return self._backend.counts

    @property
    def flows(self) -> np.ndarray:
        """int64 [R, K, M, M] steps from one compartment to another since the reset, moves included."""
        return self._backend.flows

    @property
    def state(self) -> np.ndarray:
        """int8 [R, N] compartment of each node."""
        return self._backend.state

    @property
    def age(self) -> np.ndarray:
        """float32 [R, N] time since entry into the compartment, on its clock (at speed 2 nodes age twice as fast)."""
        return self._backend.age

    @property
    def tree(self) -> np.ndarray:
        """int32 [R, N] who infected each node last; -1 for seeds and moved nodes, -2 for nodes never infected.

        Raises:
            TwinloomError: made without ``tree=True``.
        """
        if not self._tree:
            raise TwinloomError("no tree was kept; make the simulator with tree=True")
        return self._backend.tree

    @property
    def alive(self) -> np.ndarray:
        """bool [R] whether any node is infectious, or on its way to be so by itself."""
        return np.asarray(self._backend.counts[:, :, self._carriers].any(axis=(1, 2)))

    def pressure(self) -> np.ndarray:
        """float64 [R, K] mean over the susceptible nodes of a tier of the weight of their infectious in-neighbours."""
        return self._backend.pressure()

    def age_stats(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean age of each compartment, and share of its nodes older than the median of its law; float64 [R, K, M]
        each, 0 where there is no node or no law."""
        return self._backend.age_stats()

    def ever(self) -> tuple[np.ndarray, np.ndarray]:
        """Nodes of each tier that have ever been infectious since the reset, and those ever reached by contact (seeds
        and moves do not count), however often: float64 [R, K] each.

        NaN where an engine keeps no such books: the exact one does in models whose nodes enter a compartment more than
        once (elsewhere flows are these numbers), leap knows the infectious only, the mean-field equation neither.
        """
        return self._backend.ever()


@kernel
def _keys(seeds, episodes, lanes):
    """`sim.cascade.process.rng.keys`, twenty times as fast for a few replicas."""
    found = np.empty((len(seeds), 2), np.uint32)
    for i in range(len(seeds)):
        found[i, 0], found[i, 1] = key_of(seeds[i], episodes[i], lanes[i])
    return found


def _seeds(seed: Any, replicas: int) -> tuple[np.ndarray, np.ndarray]:
    """(seed, lane) of each replica, int64 [R] each."""
    given = np.asarray(seed)
    if given.dtype.kind not in "iu" or np.any(given < 0) or given.shape not in ((), (replicas,)):
        raise TwinloomError(f"seed must be an integer that is not negative, or {replicas} of them, not {seed!r}")
    lanes = np.arange(replicas) if given.ndim == 0 else np.zeros(replicas, np.int64)
    return np.full(replicas, given, np.uint64), lanes


def _fitting(what: str, values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The values broadcast to a shape. Raises TwinloomError if they do not fit."""
    try:
        return np.broadcast_to(values, shape)
    except ValueError as error:
        raise TwinloomError(f"{what} {list(values.shape)} do not fit {list(shape)}, replicas and tiers") from error


def _check_options(given: dict[str, Any], engine: str) -> None:
    """Raise UnknownNameError for an option that the engine does not have."""
    known = ("eps",) if engine == "leap" else ()
    for name in given:
        if name not in known:
            raise UnknownNameError(
                "option", name, known, f"engine {engine} has {', '.join(known) or 'no further ones'}"
            )


def _valid_nodes(nodes: Any, n: int) -> np.ndarray:
    """Distinct nodes as ascending int64. Raises TwinloomError for a node that is not in the graph."""
    found = np.asarray(nodes)
    if found.size == 0:
        return np.empty(0, np.int64)
    if found.dtype.kind not in "iu" or found.ndim != 1:
        hint = "; graph.find(ids) gives the nodes of a file's ids" if found.dtype.kind == "U" else ""
        raise TwinloomError(f"seeds are how many, or node numbers, not {shown(nodes)}{hint}")
    wrong = found[(found < 0) | (found >= n)]
    if wrong.size:
        raise TwinloomError(f"unknown seed node {wrong[0]}; nodes of this graph are 0 to {n - 1}")
    return np.unique(found.astype(np.int64))
