"""The exact engine: an event queue for each replica, restarted at every decision, with every control live.

Contacts have a constant rate during an interval, so they are memoryless and may be drawn afresh in each; residence
times are drawn once, on entry. The result has the law of the process whatever the intervals are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import get_num_threads, set_num_threads
from numba.np.ufunc.parallel import get_thread_id

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.compile import kernel, prange
from sim.cascade.control import Controls
from sim.cascade.exact_linear import advance_linear
from sim.cascade.exact_moves import ages_of, clear, move_in_tier, pressure_of, seed_nodes
from sim.cascade.exact_state import Levers, State, Work, net_of, process_of, state_of
from sim.cascade.models import Model


@kernel
def _row(state, levers, r):
    """State and controls of one replica."""
    return (
        State(
            state.nodes[r],
            state.state[r],
            state.windows[r],
            state.xi[r],
            state.active[r],
            state.size[r],
            state.counts[r],
            state.flows[r],
            state.clock[r],
            state.key[r],
            state.interval[r],
        ),
        Levers(levers.incoming[r], levers.outgoing[r], levers.contact[r], levers.speed[r], levers.hazard[r]),
    )


@kernel
def _advance_row(net, process, levers, state, time, dt, work, thread, r):
    row, lever = _row(state, levers, r)
    mine = Work(work.heap[thread], work.picked[thread])
    state.size[r] = advance_linear(net, process, lever, row, row.active, row.size, time[r], dt, mine)
    state.interval[r] += 1


@kernel
def _advance(net, process, levers, state, time, dt, work):
    for r in range(len(time)):
        _advance_row(net, process, levers, state, time, dt, work, 0, r)


@kernel(parallel=True)
def _advance_threads(net, process, levers, state, time, dt, work):
    for r in prange(len(time)):
        _advance_row(net, process, levers, state, time, dt, work, get_thread_id(), r)


@kernel
def _reset(net, process, levers, state, rows, bounds, seeds, into):
    for i in range(len(rows)):
        r = rows[i]
        row, lever = _row(state, levers, r)
        clear(net, row)
        state.interval[r] = 0
        chosen = seeds[bounds[i] : bounds[i + 1]]
        state.size[r] = seed_nodes(chosen, into, net, process, lever, row, state.active[r])


@kernel
def _move(net, process, levers, state, members, bounds, source, target, numbers, moves):
    done = np.zeros_like(numbers)
    for r in range(numbers.shape[0]):
        row, lever = _row(state, levers, r)
        for k in range(numbers.shape[1]):
            eligible = state.counts[r, k, source]
            if numbers[r, k] > 0 and eligible > 0:
                tier = members[bounds[k] : bounds[k + 1]]
                done[r, k], state.size[r] = move_in_tier(
                    source,
                    target,
                    numbers[r, k],
                    moves[r],
                    tier,
                    eligible,
                    net,
                    process,
                    lever,
                    row,
                    state.active[r],
                    state.size[r],
                )
        moves[r] += 1
    return done


@kernel
def _pressure(net, process, levers, state, total):
    for r in range(total.shape[0]):
        row, lever = _row(state, levers, r)
        pressure_of(net, process, lever, row, state.active[r], state.size[r], total[r])


@kernel
def _ages(net, levers, state, medians, mean, older):
    for r in range(mean.shape[0]):
        row, _ = _row(state, levers, r)
        ages_of(net, row, medians, mean[r], older[r])


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
        **_: Any,
    ) -> None:
        self.model, self.tiers = model, tiers
        self._net = net_of(graph, tiers, backwards=model.returns())
        self._process = process_of(model)
        self._levers = Levers(controls.incoming, controls.outgoing, controls.contact, controls.speed, controls.hazard)
        self._state = state_of(replicas, graph.n, tiers.k, model.size, windows=model.returns())
        self._threads = min(threads, replicas)
        self._work = Work(
            np.empty((self._threads, max(2 * graph.n, 16)), np.int64),
            np.empty((self._threads, int(graph.degree.max()) + 1), np.int32),
        )
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
        _reset(self._net, self._process, self._levers, self._state, rows, bounds, nodes, into)

    def move(self, source: int, target: int, numbers: np.ndarray) -> np.ndarray:
        """Move random nodes of each tier now."""
        where = (self._net, self._process, self._levers, self._state, self._members, self._bounds)
        return _move(*where, source, target, numbers, self._moves)

    def advance(self, dt: float) -> None:
        """Advance all replicas by ``dt``."""
        arguments = (self._net, self._process, self._levers, self._state, self._time, dt, self._work)
        if self._threads > 1:
            before = get_num_threads()
            set_num_threads(self._threads)
            try:
                _advance_threads(*arguments)
            finally:
                set_num_threads(before)
        else:
            _advance(*arguments)
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

    def pressure(self) -> np.ndarray:
        """float64 [R, K]."""
        total = np.zeros(self._state.counts.shape[:2])
        _pressure(self._net, self._process, self._levers, self._state, total)
        susceptible = self._state.counts[:, :, 0]
        return np.divide(total, susceptible, out=np.zeros_like(total), where=susceptible > 0)

    def age_stats(self) -> tuple[np.ndarray, np.ndarray]:
        """float64 [R, K, M] each."""
        counts = self._state.counts
        mean, older = np.zeros(counts.shape), np.zeros(counts.shape)
        _ages(self._net, self._levers, self._state, self._medians, mean, older)
        some = np.maximum(counts, 1)
        return mean / some, older / some
