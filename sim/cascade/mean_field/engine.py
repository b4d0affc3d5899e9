"""Mean-field equation of degree tiers: expected numbers of nodes, without any noise.

The nodes of a tier are alike: each has the tier's mean number of in-neighbours in every tier, of whom the tier's share
is infectious. Residence times pass through stages (`phases`). Ages are carried along: y sums the ages in a stage.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import gammaincc, gammaln

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.compile import kernel
from sim.cascade.mean_field.phases import Phases
from sim.cascade.process.contact import POWER, THRESHOLD
from sim.cascade.process.control import Controls
from sim.cascade.process.models import CONTACTS, Model
from twinloom.errors import TwinloomError

STABLE = 0.5  # largest rate times step
MOST_STEPS = 10**7  # of one advance


@kernel
def _softplus(x):
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@kernel
def _contact_rate(j, degree, kind, beta, low, high, eps, power):
    """`contact.rate`, averaged over thresholds uniform from ``low`` to ``high``."""
    if kind == POWER:
        return beta * j**power
    if kind == THRESHOLD:
        x = j / degree
        if high - low < 1e-9:
            return beta * j / (1.0 + math.exp((low - x) / eps))
        return beta * j * eps / (high - low) * (_softplus((x - low) / eps) - _softplus((x - high) / eps))
    return beta * j


@kernel
def _slope(x, y, dx, dy, dflow, factors, home, onward, start, rate, following, first, mixing, degree, contagion):
    """Time derivatives of nodes x [K, P], ages y [K, P] and flows [K, M, M] of one replica."""
    incoming, outgoing, price, speed, hazard = factors
    entry, infectious, kind, beta, low, high, eps, power = contagion
    dx[:], dy[:], dflow[:] = 0.0, 0.0, 0.0
    tiers, phases = x.shape
    for k in range(tiers):
        j = 0.0  # infectious in-neighbours of a susceptible node, weighted
        for source in range(tiers):
            for p in range(first[infectious], first[infectious + 1]):
                j += mixing[k, source] * outgoing[source] * x[source, p]
        force = _contact_rate(j, degree[k], kind, beta, low, high, eps, power) * incoming[k] * price
        for p in range(phases):
            c = home[p]
            dy[k, p] += speed[k, c] * x[k, p]
            leaving = force if c == 0 else rate[p] * speed[k, c] * hazard[k, c]
            moved, aged = leaving * x[k, p], leaving * y[k, p]
            dx[k, p] -= moved
            dy[k, p] -= aged
            if onward[p] >= 0:
                dx[k, onward[p]] += moved
                dy[k, onward[p]] += aged
            elif leaving > 0.0:
                target = entry if c == 0 else following[c]
                dflow[k, c, target] += moved
                for q in range(first[target], first[target + 1]):
                    dx[k, q] += start[q] * moved


@kernel
def _advance(dt, steps, x, y, flow, incoming, outgoing, price, speed, hazard, plan):
    """Classical Runge-Kutta steps of all replicas."""
    h = dt / steps
    for r in range(len(x)):
        factors = (incoming[r], outgoing[r], price[r], speed[r], hazard[r])
        dx, dy, df = np.empty_like(x[r]), np.empty_like(y[r]), np.empty_like(flow[r])
        sx, sy, sf = np.empty_like(dx), np.empty_like(dy), np.empty_like(df)
        for _ in range(steps):
            sx[:], sy[:], sf[:] = 0.0, 0.0, 0.0
            ahead = 0.0
            for stage in range(4):
                tx, ty = x[r] + ahead * dx, y[r] + ahead * dy
                if stage == 0:
                    tx, ty = x[r].copy(), y[r].copy()
                _slope(tx, ty, dx, dy, df, factors, *plan)
                weight = h / 6 if stage in (0, 3) else h / 3
                sx += weight * dx
                sy += weight * dy
                sf += weight * df
                ahead = h if stage == 2 else h / 2
            x[r] += sx
            y[r] += sy
            flow[r] += sf


class TierField:
    """State of R replicas; see `sim.cascade.simulator.CascadeSim` for the meaning of each call."""

    def __init__(self, graph: Graph, model: Model, tiers: Tiers, replicas: int, controls: Controls, **_: Any) -> None:
        if model.shedding is not None:
            raise TwinloomError("the ode world has no infectivity by age of the source")
        self.model, self.tiers, self.controls = model, tiers, controls
        steps = [model.step_from(c) for c in range(model.size)]
        parts = [Phases.of(step.law if step else None) for step in steps]
        sizes = [len(part.rate) for part in parts]
        self._first = np.cumsum([0, *sizes])
        self._start = np.concatenate([part.start for part in parts])
        self._rate = np.concatenate([part.rate for part in parts])
        home = np.repeat(np.arange(model.size), sizes)
        onward = np.arange(1, len(home) + 1)
        serial = np.repeat([part.serial for part in parts], sizes)
        onward[~serial | np.isin(onward, self._first)] = -1
        following = np.array([step.target if step else -1 for step in steps])
        # number of a stage within its chain: the shape of the law of ages in it
        self._shape = np.where(serial, np.arange(len(home)) - self._first[home] + 1, 1)
        self._medians = np.array([step.law.median if step else np.inf for step in steps])
        weights = np.ones(len(graph.indices)) if graph.weights is None else graph.weights
        pairs = tiers.index[graph.indices].astype(np.int64) * tiers.k + tiers.index[graph.sources]
        total = np.bincount(pairs, weights, tiers.k**2).reshape(tiers.k, tiers.k)
        size = np.maximum(tiers.sizes, 1)
        others = np.maximum(size[None, :] - np.eye(tiers.k), 1)  # a node is not its own neighbour
        self._mixing = total / size[:, None] / others
        in_degree = np.bincount(tiers.index[graph.indices], minlength=tiers.k) / size
        contagion = (
            model.entry,
            model.infectious,
            CONTACTS.index(model.contact),
            float(model.beta),
            float(model.theta[0]),
            float(model.theta[1]),
            float(model.eps),
            float(model.power),
        )
        self._plan = (
            home,
            onward,
            self._start,
            self._rate,
            following,
            self._first,
            self._mixing,
            np.maximum(in_degree, 1e-12),
            contagion,
        )
        self._nodes = np.zeros((replicas, tiers.k, len(home)))
        self._ages = np.zeros_like(self._nodes)
        self._flows = np.zeros((replicas, tiers.k, model.size, model.size))
        reach = total.sum(axis=1) / size
        self._fastest = model.beta * (reach**model.power if model.contact == "power" else reach)

    def _stages(self, compartment: int) -> slice:
        return slice(self._first[compartment], self._first[compartment + 1])

    def _by_compartment(self, values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, self._first[:-1], axis=2)

    def reset(self, rows: np.ndarray, keys: np.ndarray, seeds: list[Any], into: int) -> None:
        """Start again. ``seeds`` are nodes, or a number that is spread evenly over all nodes."""
        self._nodes[rows], self._ages[rows], self._flows[rows] = 0.0, 0.0, 0.0
        for r, given in zip(rows, seeds, strict=True):
            if isinstance(given, int):
                placed = given * self.tiers.sizes / self.tiers.sizes.sum()
            else:
                placed = np.bincount(self.tiers.index[given], minlength=self.tiers.k).astype(float)
            self._nodes[r, :, 0] = self.tiers.sizes - placed
            self._nodes[r, :, self._stages(into)] += placed[:, None] * self._start[self._stages(into)]

    def move(self, source: int, target: int, numbers: np.ndarray) -> np.ndarray:
        """Move nodes of each tier now; float64 [R, K]."""
        here, there = self._stages(source), self._stages(target)
        available = self._nodes[:, :, here].sum(axis=2)
        moved = np.minimum(numbers, np.maximum(available, 0.0))
        kept = 1 - np.divide(moved, available, out=np.zeros_like(moved), where=available > 0)
        self._nodes[:, :, here] *= kept[..., None]
        self._ages[:, :, here] *= kept[..., None]
        self._nodes[:, :, there] += moved[..., None] * self._start[there]
        self._flows[:, :, source, target] += moved
        return moved

    def load(self, counts: np.ndarray, ages: np.ndarray) -> None:
        """Take numbers of nodes and their mean ages, float64 [R, K, M]; see `TierODE.load`."""
        self._flows[:] = 0.0
        for c in range(self.model.size):
            stages, age = self._stages(c), np.maximum(ages[:, :, c, None], 1e-9)
            passed, rate = self._shape[stages] - 1, self._rate[stages]
            # of nodes that old and still there: Poisson many stages behind them, or the slower of parallel ones
            serial = passed * np.log(np.maximum(rate, 1e-300) * age) - gammaln(passed + 1.0)
            parallel = np.log(np.maximum(self._start[stages], 1e-300)) - rate * age
            logs = serial if len(passed) == 1 or passed[-1] > 0 else parallel
            share = np.exp(logs - logs.max(axis=2, keepdims=True))
            share /= share.sum(axis=2, keepdims=True)
            self._nodes[:, :, stages] = counts[:, :, c, None] * share
            self._ages[:, :, stages] = self._nodes[:, :, stages] * ages[:, :, c, None]

    def advance(self, dt: float) -> None:
        """Advance all replicas by ``dt``."""
        c = self.controls
        nodal = (c.speed * c.hazard).max(axis=(0, 1)) * np.maximum.reduceat(self._rate, self._first[:-1])
        contact = float((self._fastest * c.incoming * c.contact[:, None]).max() * max(c.outgoing.max(), 1e-300))
        needed = dt * max(float(nodal.max()), contact) / STABLE
        if not needed < MOST_STEPS:
            raise TwinloomError(f"advancing by {dt:g} takes {needed:.2g} steps of this process; advance by less")
        steps = max(4, math.ceil(needed))
        factors = (c.incoming, c.outgoing, c.contact, c.speed, c.hazard)
        _advance(dt, steps, self._nodes, self._ages, self._flows, *factors, self._plan)

    @property
    def counts(self) -> np.ndarray:
        """float64 [R, K, M]."""
        return self._by_compartment(self._nodes)

    @property
    def flows(self) -> np.ndarray:
        """float64 [R, K, M, M]."""
        return self._flows.copy()

    @property
    def state(self) -> np.ndarray:
        """There is none. Raises TwinloomError."""
        raise TwinloomError("the ode world has tiers, not nodes: no state, age or tree")

    age = tree = state

    def pressure(self) -> np.ndarray:
        """float64 [R, K]."""
        infectious = self._nodes[:, :, self._stages(self.model.infectious)].sum(axis=2)
        return infectious @ self._mixing.T

    def ever(self) -> tuple[np.ndarray, np.ndarray]:
        """NaN [R, K] each: nodes are not told apart."""
        unknown = np.full(self._nodes.shape[:2], np.nan)
        return unknown, unknown.copy()

    def age_stats(self) -> tuple[np.ndarray, np.ndarray]:
        """float64 [R, K, M] each. Ages in stage j are taken for gamma distributed of shape j."""
        x, y = self._nodes, self._ages
        home = self._plan[0]
        age = np.divide(y, x, out=np.zeros_like(y), where=x > 1e-12)
        with np.errstate(divide="ignore"):
            older = np.where(age > 0, gammaincc(self._shape, self._shape * self._medians[home] / age), 0.0)
        counts = self.counts
        some = np.where(counts > 1e-12, counts, np.inf)
        return self._by_compartment(y) / some, self._by_compartment(older * x) / some
