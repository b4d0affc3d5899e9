"""Residence-time laws: how long a node stays in a compartment.

One uniform number gives one residence time (inverse distribution function), so both simulators, and every device, draw
the same times from the same random words. Here they are for people; `draws` has them for compiled loops.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy import special

from sim.cascade.process import hazards
from twinloom.errors import TwinloomError

EXPONENTIAL, GAMMA, WEIBULL, LOGNORMAL, DETERMINISTIC, EMPIRICAL = range(6)
NAMES = ("exponential", "gamma", "weibull", "lognormal", "deterministic", "empirical")

LEVELS = 1025  # equally spaced levels of the quantile function of an empirical law


@dataclass(frozen=True)
class Law:
    """A law of positive times. Build one with the functions below rather than from raw parameters.

    Attributes:
        kind: EXPONENTIAL (p0 mean), GAMMA (p0 shape, p1 scale), WEIBULL (p0 shape, p1 scale), LOGNORMAL (p0, p1
            mean and standard deviation of the logarithm), DETERMINISTIC (p0 value) or EMPIRICAL (table).
        p0, p1: parameters.
        table: quantiles at LEVELS equally spaced levels from 0 to 1, only of an empirical law.
    """

    kind: int
    p0: float = 0.0
    p1: float = 0.0
    table: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """Name of the kind."""
        return NAMES[self.kind]

    @property
    def mean(self) -> float:
        """Mean residence time."""
        return self._moments()[0]

    @property
    def cv(self) -> float:
        """Coefficient of variation: standard deviation divided by mean."""
        return self._moments()[1]

    @property
    def median(self) -> float:
        """Time that half of the nodes exceed."""
        return float(self.quantile(0.5))

    def _moments(self) -> tuple[float, float]:
        if self.kind == EXPONENTIAL:
            return self.p0, 1.0
        if self.kind == GAMMA:
            return self.p0 * self.p1, self.p0**-0.5
        if self.kind == WEIBULL:
            log_first, log_second = math.lgamma(1 + 1 / self.p0), math.lgamma(1 + 2 / self.p0)
            return self.p1 * math.exp(log_first), math.sqrt(math.expm1(log_second - 2 * log_first))
        if self.kind == LOGNORMAL:
            return math.exp(self.p0 + self.p1**2 / 2), math.sqrt(math.expm1(self.p1**2))
        if self.kind == DETERMINISTIC:
            return self.p0, 0.0
        q = np.array(self.table)
        mean = (q[:-1] + q[1:]).mean() / 2
        second = (q[:-1] ** 2 + q[:-1] * q[1:] + q[1:] ** 2).mean() / 3
        return float(mean), float(math.sqrt(max(0.0, second - mean**2)) / mean)

    def quantile(self, u) -> np.ndarray:
        """Residence time of level ``u`` in [0, 1]: the inverse distribution function."""
        u = np.asarray(u, np.float64)
        if self.kind == GAMMA:
            return self.p1 * special.gammaincinv(self.p0, u)
        if self.kind == LOGNORMAL:
            return np.exp(self.p0 + self.p1 * special.ndtri(u))
        if self.kind == DETERMINISTIC:
            return np.full_like(u, self.p0)
        if self.kind == EMPIRICAL:
            return np.interp(u, np.linspace(0, 1, len(self.table)), self.table)
        with np.errstate(divide="ignore"):
            return self.inverse_cumulative_hazard(-np.log1p(-u))

    def sample(self, rng: np.random.Generator, size=None) -> np.ndarray:
        """Random residence times."""
        return self.quantile(rng.random(size))

    def survival(self, a) -> np.ndarray:
        """Share of nodes that stay longer than ``a`` >= 0."""
        a = np.asarray(a, np.float64)
        if self.kind == EMPIRICAL:
            return hazards.empirical_survival(a, np.array(self.table))
        if self.kind == DETERMINISTIC:
            return np.where(a < self.p0, 1.0, 0.0)
        return np.exp(-self.cumulative_hazard(a))

    def hazard(self, a) -> np.ndarray:
        """Rate of leaving at age ``a`` among those still there; infinite where all of the rest leave at once."""
        a = np.asarray(a, np.float64)
        if self.kind == EXPONENTIAL:
            return np.full_like(a, 1 / self.p0)
        if self.kind == GAMMA:
            return hazards.gamma(a / self.p1, self.p0) / self.p1
        if self.kind == WEIBULL:
            with np.errstate(divide="ignore"):
                return self.p0 / self.p1 * (a / self.p1) ** (self.p0 - 1)
        if self.kind == LOGNORMAL:
            return hazards.lognormal(a, self.p0, self.p1)
        if self.kind == DETERMINISTIC:
            return np.where(a < self.p0, 0.0, np.inf)
        return hazards.empirical(a, np.array(self.table))

    def cumulative_hazard(self, a) -> np.ndarray:
        """Minus the logarithm of the survival, precise also where the survival is too small for a float."""
        a = np.asarray(a, np.float64)
        if self.kind == EXPONENTIAL:
            return a / self.p0
        if self.kind == GAMMA:
            return hazards.gamma_cumulative(a / self.p1, self.p0)
        if self.kind == WEIBULL:
            return (a / self.p1) ** self.p0
        with np.errstate(divide="ignore"):
            if self.kind == LOGNORMAL:
                return -special.log_ndtr(-(np.log(a) - self.p0) / self.p1)
            return -np.log(self.survival(a))

    def inverse_cumulative_hazard(self, h) -> np.ndarray:
        """Age at which the cumulative hazard reaches ``h`` >= 0."""
        h = np.asarray(h, np.float64)
        if self.kind == EXPONENTIAL:
            return self.p0 * h
        if self.kind == GAMMA:
            return self.p1 * hazards.gamma_inverse_cumulative(h, self.p0)
        if self.kind == WEIBULL:
            return self.p1 * h ** (1 / self.p0)
        if self.kind == LOGNORMAL:
            return np.exp(self.p0 - self.p1 * special.ndtri_exp(-h))
        return self.quantile(-np.expm1(-h))

    def with_mean(self, mean: float) -> Law:
        """The same shape (CV unchanged) on another time scale."""
        factor = _positive("mean", mean) / self.mean
        if self.kind in (EXPONENTIAL, DETERMINISTIC):
            return replace(self, p0=self.p0 * factor)
        if self.kind == LOGNORMAL:
            return replace(self, p0=self.p0 + math.log(factor))
        if self.kind == EMPIRICAL:
            return replace(self, table=tuple(q * factor for q in self.table))
        return replace(self, p1=self.p1 * factor)

    def as_exponential(self) -> Law:
        """The memoryless law of the same mean."""
        return exponential(self.mean)

    def transmissibility(self, rate: float) -> float:
        """Probability that a contact of constant ``rate`` happens within one residence time: 1 - E[exp(-rate D)]."""
        if self.kind == EXPONENTIAL:
            return rate * self.p0 / (1 + rate * self.p0)
        if self.kind == GAMMA:
            return -math.expm1(-self.p0 * math.log1p(rate * self.p1))
        if self.kind == DETERMINISTIC:
            return -math.expm1(-rate * self.p0)
        times, weights = self.quadrature()
        return float(weights @ -np.expm1(-rate * times))

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and weights such that ``weights @ f(times)`` is the mean of a smooth f over residence times."""
        if self.kind == DETERMINISTIC:
            return np.array([self.p0]), np.ones(1)
        if self.kind == EMPIRICAL:  # midpoints, four to each piece of its quantile function
            levels = (np.arange(4 * (LEVELS - 1)) + 0.5) / (4 * (LEVELS - 1))
            return self.quantile(levels), np.full(len(levels), 1 / len(levels))
        h, weights = _nodes()
        return self.inverse_cumulative_hazard(h), weights

    def __str__(self) -> str:
        return f"{self.name} (mean {self.mean:.4g}, median {self.median:.4g}, CV {self.cv:.3g})"


@lru_cache(maxsize=1)
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Cumulative hazards and weights that integrate over a law: trapezoid rule in log h, where both ends vanish."""
    y = np.linspace(-40, 4.2, 2001)
    h = np.exp(y)
    return h, h * np.exp(-h) * (y[1] - y[0])


def _positive(name: str, value: float) -> float:
    if isinstance(value, (str, bytes)) or not np.isscalar(value):
        raise TwinloomError(f"{name} of a residence time must be a number, not {value!r}")
    value = float(value)  # type: ignore[arg-type]
    if not (math.isfinite(value) and value > 0):
        raise TwinloomError(f"{name} {value:g} of a residence time must be positive and finite")
    return value


def _within(law: str, cv: float) -> float:
    """A coefficient of variation at which quantiles are numbers that differ."""
    if not 0.01 <= _positive("cv", cv) <= 100:
        raise TwinloomError(
            f"the CV of {law} must lie between 0.01 and 100, not {cv:g}; a narrower one is deterministic"
        )
    return cv


def exponential(mean: float) -> Law:
    """Memoryless law. Raises TwinloomError for a mean that is not positive and finite, as do the others."""
    return Law(EXPONENTIAL, _positive("mean", mean))


def gamma(mean: float, cv: float) -> Law:
    """Gamma law of a mean and a coefficient of variation between 0.01 and 100."""
    shape = _within("a gamma law", cv) ** -2
    return Law(GAMMA, shape, _positive("mean", mean) / shape)


def erlang(mean: float, stages: int) -> Law:
    """Sum of ``stages`` equal exponential stages: gamma of integer shape."""
    if not (1 <= stages < math.inf and stages == int(stages)):
        raise TwinloomError(f"an Erlang law has a whole number of stages, at least 1, not {stages}")
    return Law(GAMMA, float(stages), _positive("mean", mean) / stages)


def weibull(mean: float, cv: float) -> Law:
    """Weibull law of a mean and a coefficient of variation between 0.01 and 100."""
    _within("a Weibull law", cv)
    from scipy.optimize import brentq

    def excess(log_shape: float) -> float:
        shape = math.exp(log_shape)
        return math.lgamma(1 + 2 / shape) - 2 * math.lgamma(1 + 1 / shape) - math.log1p(cv**2)

    shape = math.exp(float(brentq(excess, math.log(0.1), math.log(200), xtol=1e-14)))  # type: ignore[arg-type]
    return Law(WEIBULL, shape, _positive("mean", mean) / math.exp(math.lgamma(1 + 1 / shape)))


def lognormal(mean: float, median: float | None = None, *, cv: float | None = None) -> Law:
    """Log-normal law of a mean and either a smaller median or a CV between 0.01 and 100."""
    mean = _positive("mean", mean)
    if (median is None) == (cv is None):
        raise TwinloomError("a log-normal law needs its mean and either median or cv")
    if median is None:
        variance = math.log1p(_within("a log-normal law", cv) ** 2)  # type: ignore[arg-type]
        return Law(LOGNORMAL, math.log(mean) - variance / 2, math.sqrt(variance))
    if _positive("median", median) >= mean:
        raise TwinloomError(f"the median {median:g} of a log-normal law must be below its mean {mean:g}")
    variance = 2 * math.log(mean / median)
    _within("a log-normal law", math.sqrt(math.expm1(min(variance, 100.0))))
    return Law(LOGNORMAL, math.log(median), math.sqrt(variance))


def deterministic(value: float) -> Law:
    """Always the same time."""
    return Law(DETERMINISTIC, _positive("value", value))


def empirical(samples: Iterable[float]) -> Law:
    """The law of observed times: its quantile function runs linearly through the sorted samples.

    Raises:
        TwinloomError: no samples, or one that is negative or not finite, or all zero.
    """
    try:
        values = np.sort(np.asarray(list(samples), np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 1 or not len(values) or not np.all(np.isfinite(values)) or values[0] < 0 or values[-1] == 0:
        raise TwinloomError("an empirical law needs observed times, finite and not negative, not all of them zero")
    levels = np.linspace(0, 1, LEVELS)
    return Law(EMPIRICAL, table=tuple(np.interp(levels, np.linspace(0, 1, len(values)), values).tolist()))
