"""Statistics over training seeds and common episodes: both are resampled, the episodes for all policies together."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np

from policies.cascade import stats
from policies.cascade.evaluate import Outcomes

RESAMPLES = 4_000
Interval = tuple[float, float]


class Comparison:
    """Policies in the same E episodes of one graph.

    Args:
        runs: for each policy the outcomes of its S training seeds, each of E episodes; S differs between policies.
    """

    def __init__(self, runs: Mapping[str, list[Outcomes]]) -> None:
        self.runs = dict(runs)
        self.profit = {name: np.array([run.profit for run in some]) for name, some in self.runs.items()}
        episodes = next(iter(self.profit.values())).shape[1]
        rng = np.random.default_rng(np.random.SeedSequence([episodes]))
        weights = rng.multinomial(episodes, np.full(episodes, 1 / episodes), RESAMPLES) / episodes
        self._means = {name: _resampled(weights, profit, name) for name, profit in self.profit.items()}

    def mean(self, name: str) -> float:
        """Mean profit over seeds and episodes."""
        return float(self.profit[name].mean())

    def best(self) -> str:
        """The policy with the highest mean profit."""
        return max(self.runs, key=self.mean)

    def interval(self, name: str) -> Interval:
        """95 % bootstrap interval of the mean profit."""
        return _interval(self._means[name])

    def score(self, name: str) -> tuple[float, float, float] | None:
        """(J - J_null) / (J_best - J_null) with the interval of J; None if nothing is better than nothing."""
        null, best = self.mean("null"), self.mean(self.best())
        if not best > null:
            return None
        low, high = self.interval(name)
        score = [float((value - null) / (best - null)) for value in (self.mean(name), low, high)]
        return score[0], score[1], score[2]

    def difference(self, first: str, second: str) -> tuple[float, float, float]:
        """Mean profit of the first less that of the second, and its interval; episodes are paired."""
        return (self.mean(first) - self.mean(second), *_interval(self._means[first] - self._means[second]))

    def ratio(self, first: str, second: str) -> tuple[float | None, float | None, float | None]:
        """Ratio of the mean profits and its interval; bounds None where the second is not clearly away from zero."""
        below = self._means[second]
        mean = self.mean(second)
        ratio = self.mean(first) / mean if mean else None
        if below.min() <= 0 <= below.max():
            return ratio, None, None
        return (ratio, *_interval(self._means[first] / below))

    def reading(self, first: str, second: str) -> str:
        """What keeps the ratio from saying how much better the first is; empty where nothing does."""
        below = self._means[second]
        if below.min() <= 0 <= below.max():
            return "other may be zero"
        if self.mean(second) < 0:
            return "both lose" if self.mean(first) < 0 else "other loses"
        return ""

    def verdict(self, first: str, second: str) -> str:
        """ "yes" where the interval of the first lies above that of the second; else how they lie."""
        (low, high), (other_low, other_high) = self.interval(first), self.interval(second)
        if low > other_high:
            return "yes"
        if high < other_low:
            return "no, worse"
        _, gain, most = self.difference(first, second)
        return f"overlap{', better paired' if gain > 0 else ', worse paired' if most < 0 else ''}"

    def metrics(self, name: str) -> dict[str, float | None]:
        """The other numbers of a policy, over all seeds and episodes together; None where they mean nothing."""
        runs = self.runs[name]
        pooled = Outcomes(**{key: np.concatenate([vars(run)[key] for run in runs]) for key in vars(runs[0])})
        broke, known = pooled.reached > 0.05, np.isfinite(pooled.hub_retention)
        valued = np.isfinite(pooled.value)
        return {
            "median": float(np.median(pooled.profit)),
            "CVaR 0.1": float(stats.cvar(pooled.profit, 0.1)),
            "share negative": float((pooled.profit < 0).mean()),
            "outbreak share": float(broke.mean()),
            "attack rate": float(pooled.reached[broke].mean()) if broke.any() else None,
            "hub retention": float(pooled.hub_retention[known].mean()) if known.any() else None,
            "spend": float(pooled.spend.mean()),
            "optimism": float((pooled.value - pooled.discounted)[valued].mean()) if valued.any() else None,
        }


def _resampled(weights: np.ndarray, profit: np.ndarray, name: str) -> np.ndarray:
    """Mean profits of the resamples, [B]: of episodes by weights [B, E], of seeds anew for every policy."""
    by_seed = weights @ profit.T
    seeds = by_seed.shape[1]
    rng = np.random.default_rng(np.random.SeedSequence([zlib.crc32(name.encode()), seeds]))
    return (by_seed * rng.multinomial(seeds, np.full(seeds, 1 / seeds), len(weights)) / seeds).sum(axis=1)


def _interval(values: np.ndarray) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)
