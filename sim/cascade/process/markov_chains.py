"""Exact distributions of Markovian processes on few nodes, by matrix exponentials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.linalg import expm_multiply

from assets.networks.graph import Graph
from sim.cascade.process.laws import EXPONENTIAL
from sim.cascade.process.models import Model
from twinloom.errors import TwinloomError

LARGEST = 60_000  # states


@dataclass(frozen=True, eq=False)
class CompleteSis:
    """SIS on the complete graph of n nodes: rate b / (n - 1) for each pair, recovery rate g. A birth-death chain.

    Attributes:
        n: nodes.
        b: contact rate of one node with all others together; b / g is R0 in a large population.
        g: recovery rate.
        infected: infected nodes at time 0.
    """

    n: int
    b: float
    g: float
    infected: int

    def distribution(self, times: np.ndarray) -> np.ndarray:
        """Probability of 0 .. n infected at each of the ascending ``times``: float64 [T, n + 1]."""
        i = np.arange(self.n + 1)
        up = self.b / (self.n - 1) * i * (self.n - i)
        down = self.g * i
        # column j holds the rates out of state j
        generator = csr_array(diags_array((down[1:], -(up + down), up[:-1]), offsets=(1, 0, -1)))  # type: ignore[arg-type]
        return _evolve(generator, (i == self.infected).astype(float), times)

    def moments(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean and standard deviation of the prevalence I / n, and probability of extinction: [T] each."""
        p = self.distribution(times)
        x = np.arange(self.n + 1) / self.n
        mean = p @ x
        return mean, np.sqrt(np.maximum(p @ x**2 - mean**2, 0)), p[:, 0]

    def ode(self, times: np.ndarray) -> np.ndarray:
        """Prevalence of the mean-field equation, which drops the variance: [T]."""
        rate = self.b * self.n / (self.n - 1)

        def slope(_: float, x: np.ndarray) -> np.ndarray:
            return rate * x * (1 - x) - self.g * x

        times = np.asarray(times, np.float64)
        found = solve_ivp(slope, (0, times[-1]), [self.infected / self.n], t_eval=times, rtol=1e-10, atol=1e-12)
        return found.y[0]

    def residual(self, time: float, h: float = 1e-3) -> float:
        """Left minus right side of d E[x]/dt = b' (E[x](1 - E[x]) - Var[x]) - g E[x] at ``time``.

        The derivative is a central difference of fourth order with step ``h``; its own error is about h**4.
        """
        mean, sd, _ = self.moments(time + h * np.arange(-2, 3))
        slope = (mean[0] - 8 * mean[1] + 8 * mean[3] - mean[4]) / (12 * h)
        rate = self.b * self.n / (self.n - 1)
        return float(slope - rate * (mean[2] * (1 - mean[2]) - sd[2] ** 2) + self.g * mean[2])


SIS_CASES = ((100, 1, 5.0), (100, 1, 10.0), (100, 1, 20.0), (100, 5, 10.0), (1000, 1, 20.0))


def complete_sis_table(r0: float = 1.5) -> list[dict[str, float]]:
    """How far the mean-field equation of SIS overshoots: rows of (n, infected at 0, t), exact against mean field."""
    rows = []
    for n, infected, t in SIS_CASES:
        chain = CompleteSis(n, r0, 1.0, infected)
        mean, sd, extinct = (float(x[0]) for x in chain.moments(np.array([t])))
        ode = float(chain.ode(np.array([t]))[0])
        row = {"n": n, "infected": infected, "t": t, "mean": mean, "sd": sd, "extinct": extinct}
        rows.append(row | {"ode": ode, "ratio": ode / mean})
    return rows


def master_equation(graph: Graph, model: Model, state: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Expected compartment counts of a Markovian model on a small graph.

    Args:
        graph: few nodes: M**N may be at most 60,000.
        model: linear contact, exponential laws.
        state: int [N] compartment of each node at time 0.
        times: ascending.

    Returns:
        float64 [T, M].

    Raises:
        TwinloomError: too many states, or a model that is not Markovian.
    """
    m, n = model.size, graph.n
    if m**n > LARGEST:
        raise TwinloomError(f"{m} compartments on {n} nodes make {m**n:,} states; at most {LARGEST:,} are solved")
    if model.contact != "linear" or model.shedding or any(s.law.kind != EXPONENTIAL for s in model.steps):
        raise TwinloomError(f"model {model.name} is not Markovian; use model.markov() with linear contact")
    index = np.arange(m**n)
    places = m ** np.arange(n)
    digits = index[:, None] // places % m
    weights = np.zeros((n, n))
    weights[graph.sources, graph.indices] = 1.0 if graph.weights is None else graph.weights
    pressure = (digits == model.infectious) @ weights
    rows, columns, rates = [], [], []
    for source, target, rate in [
        (0, model.entry, model.beta * pressure),
        *((s.source, s.target, np.full(digits.shape, s.speed / s.law.mean)) for s in model.steps),
    ]:
        state_index, node = np.nonzero((digits == source) & (rate > 0))
        rows.append(state_index + (target - source) * places[node])
        columns.append(state_index)
        rates.append(rate[state_index, node])
    row, column, rate = (np.concatenate(part) for part in (rows, columns, rates))
    jumps = coo_array((rate, (row, column)), shape=(m**n, m**n))
    losses = coo_array((-rate, (column, column)), shape=(m**n, m**n))
    start = (index == int(np.asarray(state) @ places)).astype(float)
    counts = np.stack([(digits == c).sum(axis=1) for c in range(m)], axis=1)
    return _evolve(csr_array(jumps + losses), start, times) @ counts


def _evolve(generator: csr_array, start: np.ndarray, times: np.ndarray) -> np.ndarray:
    """exp(generator t) start at each of the ascending times: float64 [T, states]."""
    found, now, p = [], 0.0, start
    for time in np.asarray(times, np.float64):
        if time > now:
            p = expm_multiply(generator * (time - now), p)
            now = time
        found.append(p)
    return np.array(found)
