"""Policies that nobody trained: nothing, chance, constants, rules of thumb. Their parameters are found by search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from policies.cascade.evaluate import View
from sim.cascade.env.ledger import Ledger


@dataclass
class Constant:
    """The same action in every decision.

    Attributes:
        action: [A], entries in [0, 1].
    """

    action: np.ndarray

    def reset(self) -> None:
        """Nothing to forget."""

    def act_batch(self, observations: np.ndarray, sim: Any = None) -> np.ndarray:
        """[R, A]."""
        return np.tile(np.asarray(self.action, np.float64), (len(observations), 1))


@dataclass
class Random:
    """Every entry uniform in [0, 1], anew in every decision.

    Attributes:
        size: A.
        seed: of the draws, with that of the episode.
    """

    size: int
    seed: int = 0

    def reset(self) -> None:
        """Nothing to forget."""

    def act_batch(self, observations: np.ndarray, sim: Any = None) -> np.ndarray:
        """[R, A]; ``sim`` is the `View` of the episodes."""
        view: View = sim
        draws = generators(view.ledger, np.arange(len(view.live)), self.seed)
        return np.array([rng.random(self.size) for rng in draws])


@dataclass
class DegreeTargeted:
    """One action on the hubs while it lasts, then nothing: all of the spend at once, where the edges are.

    Attributes:
        action: [A] at full effort on the hub tier.
        rest: [A] the action that does nothing.
        share: of the seeds that the problem allows, after which it stops; without a seed channel, of the horizon.
    """

    action: np.ndarray
    rest: np.ndarray
    share: float = 1.0

    def reset(self) -> None:
        """Nothing to forget."""

    def act_batch(self, observations: np.ndarray, sim: Any = None) -> np.ndarray:
        """[R, A]; ``sim`` is the `View` of the episodes."""
        view: View = sim
        limit = view.arena.actions.seed_limit
        used = view.ledger.seeds / limit if limit else view.ledger.step / view.arena.problem.horizon
        return np.where((used < self.share)[:, None], self.action, self.rest)


@dataclass
class BangBang:
    """Full effort on one side of a prevalence, none on the other.

    Attributes:
        action: [A] when on.
        rest: [A] when off.
        threshold: share of nodes that carry the process on.
        below: on while the prevalence lies below the threshold (to keep a campaign going), else while above it (to
            keep an epidemic down).
    """

    action: np.ndarray
    rest: np.ndarray
    threshold: float
    below: bool

    def reset(self) -> None:
        """Nothing to forget."""

    def act_batch(self, observations: np.ndarray, sim: Any = None) -> np.ndarray:
        """[R, A]; ``sim`` is the `View` of the episodes."""
        view: View = sim
        counts = np.asarray(view.arena.sim.counts, np.float64)
        carriers = counts[:, :, list(view.arena.model.carriers())].sum(axis=(1, 2)) / view.arena.nodes
        on = carriers < self.threshold if self.below else carriers > self.threshold
        return np.where(on[:, None], self.action, self.rest)


def generators(ledger: Ledger, rows: np.ndarray, *key: int) -> list[np.random.Generator]:
    """One for the next decision of each episode: what is drawn does not depend on the episodes beside it.

    Args:
        ledger: where the episodes stand.
        rows: of the ledger.
        key: seed of the policy, and what tells several uses apart.
    """
    facts = (values[rows].tolist() for values in (ledger.seed, ledger.episode, ledger.step))
    return [np.random.default_rng([*key, *place]) for place in zip(*facts, strict=True)]


def hub_entries(names: Sequence[str], channels: Sequence[str] | None = None) -> np.ndarray:
    """bool [A]: entries of the hub tier, or shared by all tiers; only of these channels if given."""
    picked = []
    for name in names:
        channel, _, tier = name.partition("/")
        picked.append(tier in ("", "tier0") and (channels is None or channel in channels))
    return np.array(picked)


def channel_entries(names: Sequence[str], channel: str) -> np.ndarray:
    """bool [A]: entries of one channel."""
    return np.array([name.partition("/")[0] == channel for name in names])
