"""The action vector: entries in [0, 1] become rates, clocks, moved nodes and a price, and cost money."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assets.errors import TwinloomError, UnknownNameError
from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.control import CHANNELS, price_factor, project
from sim.cascade.models import Model
from sim.cascade.problems import Problem

REST_OF_PRICE = 0.5  # entry of the price channel at which the price is the nominal one
_ROUNDING = 1e-9  # so that 3 seeds of 3 stay 3 after a projection


class Actions:
    """Layout, cost and effect of the actions of R replicas on one scenario.

    Entries come channel by channel, in each from the hubs down; a shared channel has one entry for all tiers.

    Args:
        problem: prices, strengths, delta, and whether the first action commits.
        graph, tiers, model: the scenario.
        channels: names of CHANNELS; the problem's if None.

    Raises:
        TwinloomError: an unknown or repeated channel, or one that this model has no step for.
    """

    def __init__(
        self, problem: Problem, graph: Graph, tiers: Tiers, model: Model, channels: Sequence[str] | None = None
    ) -> None:
        self.problem, self.model, self.k = problem, model, tiers.k
        self.channels = check(problem.channels if channels is None else channels, model)
        self.names: list[str] = []
        self._at: dict[str, slice] = {}
        for channel in self.channels:
            first = len(self.names)
            shared = channel in problem.shared
            self.names += [channel] if shared else [f"{channel}/tier{k}" for k in range(self.k)]
            self._at[channel] = slice(first, len(self.names))
        self.size = len(self.names)
        self.rest = np.zeros(self.size)
        self.removed = removed_compartment(model)
        prices, sizes = problem.prices, tiers.sizes.astype(np.float64)
        degree = np.bincount(tiers.index, weights=graph.degree, minlength=self.k) / sizes
        self.nodes = graph.n
        self._sizes = sizes
        self.seed_price = prices.seed + prices.seed_log * np.log1p(degree)
        self._most_seeds = np.maximum(1.0, np.floor(problem.strength("seed") * sizes))
        self._dose_rate = min(1.0, problem.strength("vaccinate") * problem.delta)
        self.seed_limit = np.ceil(problem.seed_limit * graph.n) if "seed" in self._at else 0.0
        if "price" in self._at:
            self.rest[self._at["price"]] = REST_OF_PRICE
        clock = {c for c in ("retain", "treat") if c in self._at}
        self._speed = "speed:" + model.compartments[model.infectious] if clock else ""

    # ---------------------------------------------------------------- costs

    def unit_costs(self, counts: np.ndarray, first: np.ndarray | None = None) -> np.ndarray:
        """Money that each entry costs at full strength in the coming window.

        Args:
            counts: [R, K, M] now.
            first: [R] whether this is the first decision; matters for a problem that commits.

        Returns:
            float64 [R, A].
        """
        prices, delta = self.problem.prices, self.problem.delta
        costs = np.zeros((len(counts), self.size))
        for channel, at in self._at.items():
            if channel == "price":
                continue
            if channel == "seed":
                each = np.minimum(self._most_seeds, counts[:, :, 0]) * self.seed_price
            elif channel == "vaccinate":
                each = counts[:, :, 0] * (prices.vaccinate * self._dose_rate)
            elif self.problem.commit:
                paid = np.ones(len(counts)) if first is None else first
                each = paid[:, None] * (getattr(prices, channel) * self._sizes)
            else:
                each = counts[:, :, self._payer(channel)] * (getattr(prices, channel) * delta)
            costs[:, at] = each if at.stop - at.start == self.k else each.sum(axis=1, keepdims=True)
        return costs

    def cheapest_seed(self) -> float:
        """Price of the cheapest seed."""
        return float(self.seed_price.min())

    def projected(self, u: np.ndarray, costs: np.ndarray, budget: np.ndarray) -> np.ndarray:
        """The nearest affordable actions: [R, A] with sum(costs * u) <= budget [R]; free entries keep their values."""
        return project(u, costs, np.maximum(budget, 0.0))

    def slice(self, channel: str) -> slice:
        """Where a channel is in the action vector."""
        return self._at[channel]

    def _payer(self, channel: str) -> int:
        return {"susceptible": 0, "infectious": self.model.infectious, "churned": self.removed}[CHANNELS[channel].role]

    # -------------------------------------------------------------- effects

    def seed(self, sim: Any, u: np.ndarray, counts: np.ndarray, left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Move random susceptible nodes into the process now.

        Args:
            sim: the simulator.
            u: [R, A] actions.
            counts: [R, K, M] now.
            left: [R] seeds that the limit of the problem still allows; hubs come first.

        Returns:
            float64 [R, K] seeds placed, [R] money for them.
        """
        seeds = np.zeros((len(u), self.k))
        if "seed" in self._at:
            wanted = np.floor(np.minimum(self._most_seeds, counts[:, :, 0]) * u[:, self._at["seed"]] + _ROUNDING)
            wanted = np.diff(np.minimum(np.cumsum(wanted, axis=1), left[:, None]), axis=1, prepend=0.0)
            seeds += sim.move(0, self.model.entry, wanted.astype(np.int64))
        return seeds, (seeds * self.seed_price).sum(axis=1)

    def vaccinate(
        self, sim: Any, u: np.ndarray, counts: np.ndarray, draws: Sequence[np.random.Generator], most: np.ndarray | None
    ) -> np.ndarray:
        """Vaccinate a binomial number of random susceptible nodes of each tier now; returns the money for it, [R].

        Args:
            draws: generator of each replica.
            most: [R] doses that can be paid, hubs first; None: all.
        """
        if "vaccinate" not in self._at:
            return np.zeros(len(u))
        share = self._dose_rate * np.broadcast_to(u[:, self._at["vaccinate"]], (len(u), self.k))
        doses = np.zeros((len(u), self.k), np.int64)
        for row in np.flatnonzero(share.any(axis=1)).tolist():
            doses[row] = draws[row].binomial(counts[row, :, 0].astype(np.int64), share[row])
        if most is not None:
            doses = np.diff(np.minimum(np.cumsum(doses, axis=1), most[:, None].astype(np.int64)), axis=1, prepend=0)
        return sim.move(0, self.removed, doses).sum(axis=1) * self.problem.prices.vaccinate

    def knobs(self, sim: Any, u: np.ndarray) -> np.ndarray:
        """Set rates and clocks of the simulator for the coming window; returns the price asked, float64 [R]."""
        prices, strength, at = self.problem.prices, self.problem.strength, self._at
        if "shield" in at:
            sim.set_control("in", 1.0 - strength("shield") * u[:, at["shield"]])
        if "isolate" in at or "boost" in at:
            outgoing = 1.0
            if "isolate" in at:
                outgoing = 1.0 - strength("isolate") * u[:, at["isolate"]]
            if "boost" in at:
                outgoing = outgoing * (1.0 + strength("boost") * u[:, at["boost"]])
            sim.set_control("out", outgoing)
        if self._speed:
            speed = 1.0
            if "retain" in at:
                speed = 1.0 - strength("retain") * u[:, at["retain"]]
            if "treat" in at:
                speed = speed * (1.0 + strength("treat") * u[:, at["treat"]])
            sim.set_control(self._speed, speed)
        if "winback" in at:
            sim.set_control("speed:" + self.model.compartments[self.removed], strength("winback") * u[:, at["winback"]])
        if "price" not in at:
            return np.full(len(u), prices.price)
        points = (0.0, REST_OF_PRICE, 1.0), (prices.price_range[0], 1.0, prices.price_range[1])
        asked = prices.price * np.interp(u[:, at["price"].start], *points)
        sim.set_control("hazard", price_factor(asked, prices.price, prices.elasticity)[:, None])
        return asked


def removed_compartment(model: Model) -> int:
    """Where nodes go that stop being infectious for good; 0 (susceptible again) if there is no such compartment."""
    step = model.step_from(model.infectious)
    return 0 if step is None else step.target


def check(channels: Sequence[str], model: Model) -> tuple[str, ...]:
    """The channels, if the model has something to act on for each. Raises TwinloomError otherwise."""
    if isinstance(channels, str):
        channels = channels.replace(",", " ").split()
    if not channels:
        raise TwinloomError(f"no channels given; allowed: {', '.join(CHANNELS)}")
    leaves = model.step_from(model.infectious) is not None
    removed = removed_compartment(model)
    for channel in channels:
        if channel not in CHANNELS:
            raise UnknownNameError("channel", str(channel), CHANNELS, ", ".join(CHANNELS))
        if channel in ("retain", "treat") and not leaves:
            raise TwinloomError(
                f"channel {channel} acts on the clock of infectious nodes; in model {model.name} none leave"
            )
        if channel == "vaccinate" and removed == 0:
            raise TwinloomError(f"channel vaccinate needs a removed compartment; model {model.name} has none")
        if channel == "winback" and (removed == 0 or model.step_from(removed) is None):
            raise TwinloomError(f"channel winback needs a step out of the churned; model {model.name} has none")
    if len(set(channels)) != len(channels):
        raise TwinloomError(f"channels {', '.join(channels)}: one of them appears twice")
    return tuple(channels)
