"""The exact engine: an event queue for each replica, restarted at every decision, with every control live.

Contacts have a constant rate during an interval, so they are memoryless and may be drawn afresh in each; residence
times are drawn once, on entry. The result has the law of the process whatever the intervals are.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.exact import loops
from sim.cascade.exact.hazard import HazardForm
from sim.cascade.exact.state import Levers, net_of, process_of, state_of, work_of
from sim.cascade.process.control import Controls
from sim.cascade.process.models import Model
from twinloom.errors import TwinloomError


class Exact:
    """State of R replicas and the loops over them; see `sim.cascade.simulator.CascadeSim` for the meaning of each call.

    Args:
        threads: worker threads; each handles whole replicas.
    """

    def __init__(
        self,
        graph: Graph,
        model: Model,
        tiers: Tiers,
        replicas: int,
        controls: Controls,
        *,
        threads: int = 1,
        device: str = "cpu",
        substeps: int = 8,
        tree: bool = False,
    ) -> None:
        if device != "cpu":
            raise TwinloomError(
                f'the exact engine runs on the CPU, not on "{device}"; engine="leap" takes other devices'
            )
        del substeps, tree  # of the other engine; the tree costs nothing here
        self.model, self.tiers = model, tiers
        nonlinear = model.contact != "linear"
        if nonlinear and model.shedding is not None:
            raise TwinloomError(
                "infectivity by age needs linear contact; take shedding or threshold/power contact, not both"
            )
        self._net = net_of(graph, tiers, backwards=nonlinear or model.returns())
        self._process = process_of(model)
        self._levers = Levers(controls.incoming, controls.outgoing, controls.contact, controls.speed, controls.hazard)
        self._state = state_of(replicas, graph.n, tiers.k, model)
        self._threads = min(threads, replicas)
        self._work = work_of(graph, self._threads, nonlinear)
        self._loop = loops.nonlinear if nonlinear else loops.linear
        # the loops release the interpreter lock, so plain threads share the replicas out
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._controls, self._hazard = controls, None
        self._moves = np.zeros(replicas, np.int64)
        self._time = np.zeros(replicas)
        self._members = np.argsort(tiers.index, kind="stable").astype(np.int32)
        self._bounds = np.concatenate(([0], np.cumsum(tiers.sizes))).astype(np.int64)
        self._medians = np.full(model.size, np.inf)
        for step in model.steps:
            self._medians[step.source] = step.law.median

    def reset(self, rows: np.ndarray, keys: np.ndarray, seeds: list[np.ndarray], into: int) -> None:
        """Start new episodes in some replicas."""
        self._state.key[rows] = keys
        self._time[rows], self._moves[rows] = 0.0, 0
        bounds = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(nodes) for nodes in seeds], out=bounds[1:])
        nodes = np.concatenate(seeds)
        loops.reset(self._net, self._process, self._levers, self._state, rows, bounds, nodes, into)

    def move(self, source: int, target: int, numbers: np.ndarray) -> np.ndarray:
        """Move random nodes of each tier now."""
        where = (self._net, self._process, self._levers, self._state, self._members, self._bounds)
        return loops.move(*where, source, target, numbers, self._moves)

    def advance(self, dt: float) -> None:
        """Advance all replicas by ``dt``."""
        if self._hazard is None and np.any(self._levers.hazard != 1.0):
            self._hazard = HazardForm(self.model, self.tiers, self._controls, self._state)
            self._state = self._hazard.state
        if self._hazard is not None:
            self._hazard.plan()
        common = (self._net, self._process, self._levers, self._state, self._time, dt, self._work)
        if self._pool is None:
            self._loop(*common, 0, 1)
        else:
            for done in [self._pool.submit(self._loop, *common, t, self._threads) for t in range(self._threads)]:
                done.result()
        if self._hazard is not None:
            self._hazard.use(dt)
        self._time += dt

    @property
    def counts(self) -> np.ndarray:
        """int64 [R, K, M]."""
        return self._state.counts.copy()

    @property
    def flows(self) -> np.ndarray:
        """int64 [R, K, M, M]."""
        return self._state.flows.copy()

    @property
    def state(self) -> np.ndarray:
        """int8 [R, N], read-only."""
        view = self._state.state.view()
        view.flags.writeable = False
        return view

    @property
    def age(self) -> np.ndarray:
        """float32 [R, N]."""
        replica = np.arange(len(self._time))[:, None]
        clock = self._state.clock[replica, self.tiers.index[None, :], self._state.state]
        return (clock - self._state.nodes["since"]).astype(np.float32)

    @property
    def tree(self) -> np.ndarray:
        """int32 [R, N]."""
        return self._state.nodes["parent"].copy()

    def ever(self) -> tuple[np.ndarray, np.ndarray]:
        """float64 [R, K] each."""
        active, reached = np.zeros(self._state.counts.shape[:2]), np.zeros(self._state.counts.shape[:2])
        loops.ever(self._net, self._state, active, reached)
        unknown = np.nan if self._state.ever.shape[1] == 0 else 0.0
        return active + unknown, reached + unknown

    def pressure(self) -> np.ndarray:
        """float64 [R, K]."""
        total = np.zeros(self._state.counts.shape[:2])
        loops.pressure(self._net, self._process, self._levers, self._state, total)
        susceptible = self._state.counts[:, :, 0]
        return np.divide(total, susceptible, out=np.zeros_like(total), where=susceptible > 0)

    def age_stats(self) -> tuple[np.ndarray, np.ndarray]:
        """float64 [R, K, M] each."""
        counts = self._state.counts
        mean, older = np.zeros(counts.shape), np.zeros(counts.shape)
        loops.ages(self._net, self._levers, self._state, self._medians, mean, older)
        some = np.maximum(counts, 1)
        return mean / some, older / some
