"""Hazards that stay precise where density and survival both underflow."""

from __future__ import annotations

import numpy as np
from scipy import special

SERIES_BELOW = 30.0  # scaled ages from which the continued fraction of the incomplete gamma function is used
FRACTIONS = 60


def lognormal(a: np.ndarray, mu: float, sigma: float) -> np.ndarray:
    """Hazard of a log-normal law: sqrt(2/pi) / (a sigma erfcx(z)), f/S without the common factor exp(-z^2)."""
    a = np.asarray(a, np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = (np.log(a) - mu) / (sigma * np.sqrt(2))
        return np.where(a > 0, np.sqrt(2 / np.pi) / (a * sigma * special.erfcx(z)), 0.0)


def _fraction(x: np.ndarray, shape: float) -> np.ndarray:
    """Gamma(shape, x) exp(x) x**-shape by Legendre's continued fraction, evaluated from its tail; for large x."""
    value = np.zeros_like(x)
    for n in range(FRACTIONS, 0, -1):
        value = n * (n - shape) / (x + 2 * n + 1 - shape - value)
    return 1 / (x + 1 - shape - value)


def _tail(x: np.ndarray, shape: float) -> np.ndarray:
    return x > SERIES_BELOW + 2 * shape


def gamma(x: np.ndarray, shape: float) -> np.ndarray:
    """Hazard of a gamma law of scale 1."""
    x = np.asarray(x, np.float64)
    far = _tail(x, shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.exp(special.xlogy(shape - 1, x) - x - special.gammaln(shape)) / special.gammaincc(shape, x)
        return np.where(
            far, 1 / (np.where(far, x, 1e3 + shape) * _fraction(np.where(far, x, 1e3 + shape), shape)), near
        )


def gamma_cumulative(x: np.ndarray, shape: float) -> np.ndarray:
    """Cumulative hazard of a gamma law of scale 1."""
    x = np.asarray(x, np.float64)
    far = _tail(x, shape)
    safe = np.where(far, x, 1e3 + shape)
    tail = safe - shape * np.log(safe) - np.log(_fraction(safe, shape)) + special.gammaln(shape)
    with np.errstate(divide="ignore"):
        low = -np.log1p(-special.gammainc(shape, x))
        high = -np.log(special.gammaincc(shape, x))
    return np.where(far, tail, np.where(x < shape, low, high))


def gamma_inverse_cumulative(h: np.ndarray, shape: float) -> np.ndarray:
    """Age at which `gamma_cumulative` reaches ``h``."""
    h = np.asarray(h, np.float64)
    low = special.gammaincinv(shape, -np.expm1(-h))
    high = special.gammainccinv(shape, np.exp(-np.minimum(h, 600.0)))
    x = np.where(h < 0.5, low, high)
    if np.any(h > 600):  # Newton: beyond, the hazard is nearly constant and the start is close
        for _ in range(30):
            step = (h - gamma_cumulative(x, shape)) / gamma(np.maximum(x, 1e-300), shape)
            x = np.where(h > 600, x + step, x)
    return x


def empirical_survival(a: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Survival of the law whose quantile function is linear between the entries of ``table``."""
    last = len(table) - 1
    j = np.searchsorted(table, a, side="right")  # table[j-1] <= a < table[j]
    below = np.clip(j - 1, 0, last - 1)
    width = table[below + 1] - table[below]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(width > 0, (a - table[below]) / width, 0.0)
    return np.where(j == 0, 1.0, np.where(j > last, 0.0, 1 - (below + share) / last))


def empirical(a: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Hazard of the same law: its density is constant between entries."""
    last = len(table) - 1
    below = np.clip(np.searchsorted(table, a, side="right") - 1, 0, last - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        density = 1 / (last * (table[below + 1] - table[below]))
        inside = density / empirical_survival(a, table)
    return np.where(a < table[0], 0.0, np.where(a >= table[-1], np.inf, inside))
