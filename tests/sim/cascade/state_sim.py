"""A simulator that stands still in a given state, and counts by brute force: an oracle for observers."""

from __future__ import annotations

import math

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.process.models import Model


class StateSim:
    """One replica.

    Args:
        graph, tiers, model: as everywhere.
        state, age: [N] compartment and age of each node.
    """

    def __init__(self, graph: Graph, tiers: Tiers, model: Model, state: np.ndarray, age: np.ndarray) -> None:
        self.graph, self.tiers, self.model = graph, tiers, model
        self.state, self.age = state[None], age[None]

    def where(self, tier: int, compartment: int) -> np.ndarray:
        return np.flatnonzero((self.tiers.index == tier) & (self.state[0] == compartment))

    @property
    def counts(self) -> np.ndarray:
        tiers, size = range(self.tiers.k), range(self.model.size)
        return np.array([[[len(self.where(k, m)) for m in size] for k in tiers]])

    def age_stats(self) -> tuple[np.ndarray, np.ndarray]:
        means, older = np.zeros((2, 1, self.tiers.k, self.model.size))
        for step in self.model.steps:
            for k in range(self.tiers.k):
                ages = self.age[0][self.where(k, step.source)]
                if len(ages):
                    # exact sums, so that the order of the nodes does not matter
                    means[0, k, step.source] = math.fsum(ages) / len(ages)
                    older[0, k, step.source] = (ages > step.law.median).mean()
        return means, older

    def pressure(self) -> np.ndarray:
        found = np.zeros((1, self.tiers.k))
        for k in range(self.tiers.k):
            nodes = self.where(k, 0)
            if len(nodes):
                infectious = [(self.state[0][self.graph.neighbours(i)] == self.model.infectious).sum() for i in nodes]
                found[0, k] = sum(infectious) / len(nodes)
        return found
