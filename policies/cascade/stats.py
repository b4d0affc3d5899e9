"""Statistics of episodes: bootstrap intervals, tails and bimodality."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from twinloom.errors import TwinloomError

RESAMPLES, CONFIDENCE = 4_000, 0.95


def _resamples(n: int, seed: int, count: int = RESAMPLES) -> np.ndarray:
    return np.random.default_rng(np.random.SeedSequence([seed, n])).integers(0, n, (count, n))


def mean_interval(values: ArrayLike, seed: int = 0) -> tuple[float, float]:
    """Percentile bootstrap interval (95 %) of the mean; NaNs are left out, (nan, nan) if nothing is left."""
    x = np.asarray(values, np.float64)
    x = x[np.isfinite(x)]
    if not len(x):
        return float("nan"), float("nan")
    return _percentiles(x[_resamples(len(x), seed)].mean(1))


def _percentiles(values: np.ndarray) -> tuple[float, float]:
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(values, [tail, 100 - tail])
    return float(low), float(high)


def cvar(values: ArrayLike, alpha: float) -> np.ndarray:
    """Mean of the lowest share ``alpha`` of outcomes or atoms, along the last axis; at least one counts.

    Raises:
        TwinloomError: alpha is not in (0, 1], or there are no values.
    """
    x = np.asarray(values, np.float64)
    if not 0 < alpha <= 1 or not x.size:
        raise TwinloomError(f"CVaR of {x.shape[-1] if x.ndim else 0} values at level {alpha}: the level is in (0, 1]")
    count = max(1, int(np.ceil(alpha * x.shape[-1] - 1e-9)))
    return np.sort(x, axis=-1)[..., :count].mean(-1)


def upper(values: ArrayLike, alpha: float) -> np.ndarray:
    """Mean of the highest share ``alpha``, along the last axis."""
    return -cvar(-np.asarray(values, np.float64), alpha)


def wasserstein(atoms: ArrayLike, samples: ArrayLike) -> float:
    """1-Wasserstein distance of two samples on the line, of any sizes, equal weights within each."""
    from scipy.stats import wasserstein_distance

    return float(wasserstein_distance(np.ravel(atoms), np.ravel(samples)))


def bimodality(values: ArrayLike) -> float:
    """(skewness^2 + 1) / kurtosis; 1 for two points, 5/9 for a uniform law; NaN where nothing varies."""
    x = np.asarray(values, np.float64)
    z = x - x.mean()
    spread = np.sqrt((z**2).mean())
    if spread < 1e-12 * max(1.0, float(np.abs(x).max())):
        return float("nan")
    z = z / spread
    return float(((z**3).mean() ** 2 + 1) / (z**4).mean())


def two_groups(values: ArrayLike) -> tuple[float, float, float]:
    """Best split of the values into a low and a high group by within-group variance.

    Returns:
        Mean of the low group, mean of the high group, share of values in the high group.
    """
    x = np.sort(np.ravel(np.asarray(values, np.float64)))
    if len(x) < 2:
        raise TwinloomError(f"two groups need at least two values, not {len(x)}")
    sums, count = np.cumsum(x), np.arange(1, len(x))
    low, high = sums[:-1] / count, (sums[-1] - sums[:-1]) / (len(x) - count)
    between = count * (len(x) - count) * (high - low) ** 2
    k = int(between.argmax())
    return float(low[k]), float(high[k]), float((len(x) - k - 1) / len(x))
