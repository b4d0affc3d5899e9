"""What mathematics says about spreading processes, for tests and documentation: no random number is drawn here.

Branching and final sizes on random graphs of given degrees, the message-passing equation of SIR with any recovery law,
the renewal equation of well-mixed SIR, and a profit landscape with a valley. Markov chains are in `chains`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.cascade.process.laws import Law
from twinloom.errors import TwinloomError

_ITERATIONS = 100_000


@dataclass(frozen=True, eq=False)
class Degrees:
    """A degree distribution.

    Attributes:
        k: int [D] degrees.
        p: float [D] their probabilities.
    """

    k: np.ndarray
    p: np.ndarray

    @staticmethod
    def of(degrees: np.ndarray) -> Degrees:
        """The realised degrees of a graph, int [N]."""
        k, counts = np.unique(np.asarray(degrees), return_counts=True)
        return Degrees(k, counts / counts.sum())

    @staticmethod
    def poisson(mean: float) -> Degrees:
        """The limit of Erdos-Renyi graphs."""
        k = np.arange(math.ceil(mean + 20 * math.sqrt(mean) + 20))
        log_p = k * math.log(mean) - mean - np.array([math.lgamma(i + 1) for i in k])
        return Degrees(k, np.exp(log_p))

    @property
    def mean(self) -> float:
        """Mean degree."""
        return float(self.p @ self.k)

    def g0(self, x) -> np.ndarray:
        """Generating function of the degree of a node, at each ``x``."""
        return np.power(np.asarray(x, np.float64)[..., None], self.k) @ self.p

    def g1(self, x) -> np.ndarray:
        """Generating function of the excess degree of the node at the end of an edge, at each ``x``."""
        some = self.k > 0
        weight = (self.p * self.k)[some] / self.mean
        return np.power(np.asarray(x, np.float64)[..., None], self.k[some] - 1) @ weight


def _fixed_point(function: Callable[[float], float], start: float = 0.0) -> float:
    """The smallest fixed point of an increasing function on [0, 1], from below."""
    value = start
    for _ in range(_ITERATIONS):
        following = float(function(value))
        if abs(following - value) < 1e-14:
            return following
        value = following
    return value  # at the threshold convergence is slower than any power, and the remaining error is tiny


def final_size(degrees: Degrees, transmissibility: float) -> float:
    """Share of the nodes that a large outbreak reaches: 1 - G0(u), where u = 1 - T + T G1(u)."""
    t = transmissibility
    return 1 - float(degrees.g0(_fixed_point(lambda u: 1 - t + t * float(degrees.g1(u)))))


def extinction(degrees: Degrees, law: Law, beta: float) -> tuple[float, float]:
    """Extinction probabilities of SIR with one infectious node.

    The edges of a node share its infectious time, so extinction is likelier than if edges of the same transmissibility
    were independent.

    Returns:
        That of the branch behind a node infected through an edge, and that of what a random node starts.
    """
    times, weights = law.quadrature()
    passed = -np.expm1(-beta * times)
    q = _fixed_point(lambda q: float(weights @ degrees.g1(1 - passed + passed * q)))
    return q, float(weights @ degrees.g0(1 - passed + passed * q))


def message_passing_sir(
    degrees: Degrees, law: Law, beta: float, z: float, end: float, dt: float = 0.02
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """SIR on large graphs of given degrees (Karrer and Newman 2010), exact without short cycles.

    Solves H(t) = 1 - int_0^t f(a) (1 - z G1(H(t - a))) da with f(a) = beta exp(-beta a) S(a) by the trapezoid rule.

    Args:
        law: of the infectious time.
        beta: contact rate of an edge.
        z: share of susceptible nodes at time 0; the others are infectious, of age 0.
        end, dt: last time and step.

    Returns:
        times [T], H(t) [T] (no message has come along a random edge), S(t) [T] (share of susceptible nodes).
    """
    steps = math.ceil(end / dt)
    times = dt * np.arange(steps + 1)
    f = beta * np.exp(-beta * times) * law.survival(times)
    h, g = np.ones(steps + 1), np.empty(steps + 1)
    g[0] = 1 - z * float(degrees.g1(1.0))
    for n in range(1, steps + 1):
        known = f[1:n] @ g[n - 1 : 0 : -1] + 0.5 * f[n] * g[0]
        h[n] = h[n - 1]
        for _ in range(100):
            previous = h[n]
            g[n] = 1 - z * float(degrees.g1(previous))
            h[n] = 1 - dt * (known + 0.5 * f[0] * g[n])
            if abs(h[n] - previous) < 1e-14:
                break
    return times, h, z * degrees.g0(h)


def transmitted_in_the_end(degrees: Degrees, transmissibility: float, z: float) -> tuple[float, float]:
    """Limits of H and S of `message_passing_sir`."""
    t = transmissibility
    h = _fixed_point(lambda h: 1 - t + t * z * float(degrees.g1(h)))
    return h, z * float(degrees.g0(h))


def well_mixed_sir(
    law: Law, beta: float, i0: float, end: float, dt: float = 0.01
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Renewal equation of SIR in a large population: dS/dt = -beta S I, I(t) = i0 S_I(t) + int (-S'(t - a)) S_I(a) da.

    Args:
        law: of the infectious time.
        beta: contact rate per node; on a complete graph of N nodes the rate of an edge is beta / N.
        i0: share infectious at time 0, of age 0.
        end, dt: last time and step.

    Returns:
        times [T], S(t) [T], I(t) [T].
    """
    steps = math.ceil(end / dt)
    times = dt * np.arange(steps + 1)
    alive = np.asarray(law.survival(times))
    s, i, new = np.empty(steps + 1), np.empty(steps + 1), np.empty(steps + 1)  # new: incidence -S'
    s[0], i[0] = 1 - i0, i0
    new[0] = beta * s[0] * i[0]
    for n in range(1, steps + 1):
        known = i0 * alive[n] + dt * (new[1:n] @ alive[n - 1 : 0 : -1] + 0.5 * new[0] * alive[n])
        new[n] = new[n - 1]
        for _ in range(100):
            previous = new[n]
            s[n] = s[n - 1] - 0.5 * dt * (new[n - 1] + previous)
            i[n] = known + 0.5 * dt * previous
            new[n] = beta * s[n] * i[n]
            if abs(new[n] - previous) < 1e-15:
                break
    return times, s, i


@dataclass(frozen=True)
class Valley:
    """Expected profit of raising transmissibility at a cost: R(b) = r0 (1 + gain b), Poisson offspring, n0 seeds.

    Little spend buys nothing, since below R = 1 nothing spreads; the profitable optimum lies beyond that loss.
    """

    r0: float = 0.8
    gain: float = 1.0
    seeds: int = 10
    value: float = 1.0
    cost: float = 0.6

    def __post_init__(self) -> None:
        if not (self.r0 > 0 and self.gain > 0 and self.seeds >= 1):
            raise TwinloomError("a valley needs positive r0 and gain, and at least one seed")

    @property
    def edge(self) -> float:
        """Spend at which a cascade becomes possible."""
        return (1 / self.r0 - 1) / self.gain

    def reproduction(self, b: float) -> float:
        """R at spend ``b``."""
        return self.r0 * (1 + self.gain * b)

    def outbreak(self, b: float) -> float:
        """Probability of a large cascade."""
        r = self.reproduction(b)
        return 1 - _fixed_point(lambda q: math.exp(r * (q - 1))) ** self.seeds if r > 1 else 0.0

    def size(self, b: float) -> float:
        """Share that a large cascade reaches."""
        r = self.reproduction(b)
        return 1 - _fixed_point(lambda x: math.exp(r * (x - 1))) if r > 1 else 0.0

    def profit(self, b: float) -> float:
        """Expected profit."""
        return self.value * self.outbreak(b) * self.size(b) - self.cost * b
