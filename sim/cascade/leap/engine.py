"""The leap engine: synchronous steps over replicas x nodes.

`Leap` is what its backends share: memory, clocks, step lengths, seeding, moving and statistics. A backend only takes
steps (`_run`). Time advances by exactly what was asked for, in ``substeps`` equal steps or, with ``eps``, in shorter
ones where some node is under strong pressure.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.leap import kernels
from sim.cascade.leap.state import REBASE, Batch, Levers, batch_of, net_of, rules_of
from sim.cascade.process.control import Controls
from sim.cascade.process.models import Model
from twinloom.errors import TwinloomError

STEPS_A_STAY = 4  # steps in the shortest mean residence time, at least
MOST_STEPS = 10**7  # of one advance


class Leap:
    """State of R replicas; see `sim.cascade.simulator.CascadeSim` for the meaning of each call.

    Args:
        graph, model, tiers, replicas: as for CascadeSim.
        controls: factors in force, read at every advance.
        substeps: steps in one advance, at least.
        eps: largest contact rate times step of any node; None: steps of fixed length.
        tree: whether to keep who infected whom.

    Raises:
        TwinloomError: the model or an option is not one of this engine.
    """

    narrow = True  # the backend adds to integers of 8 and 16 bits
    trees = True  # the backend keeps infection trees

    def __init__(
        self,
        graph: Graph,
        model: Model,
        tiers: Tiers,
        replicas: int,
        controls: Controls,
        *,
        substeps: int = 8,
        eps: float | None = None,
        tree: bool = False,
        **_: Any,
    ) -> None:
        if eps is not None and not 0 < eps < np.inf:
            raise TwinloomError(f"eps {eps} must be positive, or None for steps of fixed length")
        if tree and not self.trees:
            raise TwinloomError('this backend keeps no infection trees; use backend="numba" or tree=False')
        self.model, self.tiers, self.controls = model, tiers, controls
        self.substeps, self.eps = int(substeps), eps
        # of the clocks at their own speed, whatever the controls of any replica: replicas never feel one another
        stays = [step.law.mean / max(step.speed, 1.0) for step in model.steps]
        self._longest = min(stays, default=np.inf) / STEPS_A_STAY
        self.net, unit = net_of(graph, tiers, tree)
        self.rules = rules_of(model, unit)
        self.batch = batch_of(replicas, graph, tiers, model, tree, self.narrow)
        self.levers = Levers(controls.incoming, controls.outgoing, controls.contact)
        self._clock = np.zeros((replicas, tiers.k * model.size))  # ticks
        self._steps = np.zeros(replicas, np.int64)
        self._moves = np.zeros(replicas, np.int64)
        self._median = np.full(model.size, 2**62)
        for step in model.steps:
            self._median[step.source] = int(step.law.median * self.rules.ticks)

    # ---- what a backend does

    def _run(self, clocks: np.ndarray, spans: np.ndarray) -> None:
        """Take T steps; arguments as of `leap_kernels.run`."""
        raise NotImplementedError

    def _peaks(self) -> np.ndarray:
        """float64 [R] largest contact rate of any node."""
        raise NotImplementedError

    def _look(self, *names: str) -> Batch:
        """The state in host memory, of which at least the fields ``names`` are up to date."""
        return self.batch

    def _change(self) -> Batch:
        """The whole state in host memory, to be written."""
        return self.batch

    # ---- time

    def advance(self, dt: float) -> None:
        """Advance all replicas by exactly ``dt``."""
        # a node passes the contagion on for at least one step: longer ones would turn every cascade into a large one
        needed = max(self.substeps, np.ceil(dt / self._longest - 1e-9))
        if needed > MOST_STEPS:
            raise TwinloomError(f"advancing by {dt:g} takes {needed:.2g} steps of this process; advance by less")
        steps = int(needed)
        speed = self.controls.speed.reshape(self._clock.shape) * self.rules.ticks
        if speed.max(initial=0.0) * dt / steps > REBASE:
            raise TwinloomError(f"steps of {dt / steps:g} are far longer than residence times; advance by less")
        self._proportional_hazards()
        if self.eps is None:
            size = max(1, int(REBASE // max(1.0, speed.max(initial=0.0) * dt / steps)))
            for first in range(0, steps, size):
                count = min(size, steps - first)
                self._take(speed, np.full((count, len(speed)), dt / steps))
            return
        left = np.full(len(speed), float(dt))
        while np.any(left > 0):
            longest = np.minimum(dt / steps, self.eps / np.maximum(self._peaks(), 1e-300))
            step = left / np.ceil(np.maximum(left / longest, 1.0) - 1e-9)
            self._take(speed, step[None])
            left = np.where(step >= left, 0.0, left - step)

    def _take(self, speed: np.ndarray, spans: np.ndarray) -> None:
        self._rebase()
        elapsed = np.concatenate((np.zeros((1, spans.shape[1])), np.cumsum(spans, axis=0)))
        clocks = np.rint(self._clock + elapsed[:, :, None] * speed).astype(np.int32)
        self._run(clocks, spans)
        self._clock += elapsed[-1][:, None] * speed
        self._steps += len(spans)

    def _rebase(self) -> None:
        """Set clocks back before they leave 32 bits; ages and remaining times stay."""
        late = self._clock.max(axis=1, keepdims=True) > REBASE
        if late.any():
            shift = np.where(late, np.floor(self._clock), 0.0)
            kernels.set_back(shift.astype(np.int64), self._change())
            self._clock -= shift

    def _proportional_hazards(self) -> None:
        if np.any(self.controls.hazard != 1.0):
            raise TwinloomError('the leap engine has no hazard factors; use clock speeds ("speed"), or engine="exact"')

    # ---- interventions

    def reset(self, rows: np.ndarray, keys: np.ndarray, seeds: list[np.ndarray], into: int) -> None:
        """Start new episodes in some replicas."""
        batch = self._change()
        batch.key[rows] = keys
        self._clock[rows], self._steps[rows], self._moves[rows] = 0.0, 0, 0
        bounds = np.cumsum([0, *(len(nodes) for nodes in seeds)])
        kernels.reset(rows, bounds, np.concatenate(seeds), into, batch, self.rules, self.net)

    def move(self, source: int, target: int, numbers: np.ndarray) -> np.ndarray:
        """Move random nodes of each tier now; int64 [R, K] how many it were."""
        batch = self._change()
        moved = kernels.move(source, target, numbers, self._moves, self._now(), batch, self.rules, self.net)
        self._moves += 1
        return moved

    # ---- what is seen

    def _now(self) -> np.ndarray:
        return np.rint(self._clock).astype(np.int32)

    @property
    def counts(self) -> np.ndarray:
        """int64 [R, K, M]."""
        return self._look("counts").counts.copy()

    @property
    def flows(self) -> np.ndarray:
        """int64 [R, K, M, M]."""
        return self._look("flows").flows.copy()

    @property
    def reached(self) -> np.ndarray:
        """int64 [R, K] nodes that have ever been infectious."""
        return self._look("reached").reached.copy()

    def ever(self) -> tuple[np.ndarray, np.ndarray]:
        """float64 [R, K] each; the second is unknown."""
        active = self.reached.astype(np.float64)
        return active, np.full(active.shape, np.nan)

    @property
    def state(self) -> np.ndarray:
        """int8 [R, N]."""
        return (self._look("cell").cell % self.rules.compartments).astype(np.int8)

    @property
    def age(self) -> np.ndarray:
        """float32 [R, N]."""
        batch = self._look("cell", "entered")
        clock = np.take_along_axis(self._now(), batch.cell.astype(np.int64), axis=1)
        return ((clock - batch.entered) / self.rules.ticks).astype(np.float32)

    @property
    def tree(self) -> np.ndarray:
        """int32 [R, N]."""
        return self._look("parent").parent.copy()

    def pressure(self) -> np.ndarray:
        """float64 [R, K]."""
        batch = self._look("cell", "exposure", "counts")
        total = np.zeros(batch.reached.shape, np.int64)
        kernels.exposure_sums(batch, self.rules, self.net, total)
        susceptible = batch.counts[:, :, 0]
        return np.where(susceptible > 0, total * self.rules.unit / np.maximum(susceptible, 1), 0.0)

    def age_stats(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean age, and share older than the median of the law: float64 [R, K, M] each."""
        batch, clock = self._look("cell", "entered", "counts"), self._now()
        total, older = np.zeros(batch.counts.shape, np.int64), np.zeros(batch.counts.shape, np.int64)
        kernels.age_sums(clock, self._median, batch, total, older)
        some = np.maximum(batch.counts, 1)
        return total / self.rules.ticks / some, older / some
