"""The action vector: entries in [0, 1] become rates, clocks, moved nodes and a price, and cost money."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from assets.networks.graph import Graph
from assets.networks.tiers import Tiers
from sim.cascade.env import kernels
from sim.cascade.problems import Problem
from sim.cascade.process.control import CHANNELS, price_factor, project
from sim.cascade.process.models import Model
from twinloom.errors import TwinloomError, UnknownNameError

REST_OF_PRICE = 0.5  # entry of the price channel at which the price is the nominal one


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
        self.problem, self.model = problem, model
        self.channels = check(problem.channels if channels is None else channels, model)
        self.removed = removed_compartment(model)
        self.names: list[str] = []
        self._at: dict[str, slice] = {}
        for channel in self.channels:
            first = len(self.names)
            shared = channel in problem.shared
            self.names += [channel] if shared else [f"{channel}/tier{k}" for k in range(tiers.k)]
            self._at[channel] = slice(first, len(self.names))
        self.size = len(self.names)
        self.rest = np.zeros(self.size)
        if "price" in self._at:
            self.rest[self._at["price"]] = REST_OF_PRICE
        prices, self._sizes = problem.prices, tiers.sizes.astype(np.float64)
        degree = np.bincount(tiers.index, weights=graph.degree, minlength=tiers.k) / self._sizes
        self.seed_price = prices.seed + prices.seed_log * np.log1p(degree)
        self._incentive = (np.maximum(degree, 1e-9) / max(graph.mean_degree, 1e-9)) ** prices.by_degree
        self.seed_limit = math.ceil(problem.seed_limit * graph.n) if "seed" in self._at else 0
        self._seeds = np.maximum(1.0, np.floor(problem.strength("seed") * self._sizes))
        self._doses = min(1.0, problem.strength("vaccinate") * problem.delta)
        self._nominal_price = np.array(prices.price)
        self._tabulate()

    def _tabulate(self) -> None:
        """Tables for the compiled loops, one row for each entry."""
        tiers, removed = len(self._sizes), self.removed
        self._rate, self._most = np.zeros((self.size, tiers)), np.full((self.size, tiers), np.inf)
        self._payer, self._gain = np.zeros(self.size, np.int64), np.zeros((self.size, tiers))
        self._impulsive, self._knob = np.zeros(self.size, bool), np.full(self.size, -1, np.int64)
        payers = {"susceptible": 0, "infectious": self.model.infectious, "churned": removed}
        clocks = {"retain": self.model.infectious, "treat": self.model.infectious, "winback": removed}
        self._knobs: list[str] = []
        for name, at in self._at.items():
            channel, rows = CHANNELS[name], range(at.start, at.stop)
            for position, row in enumerate(rows):
                own = np.ones(tiers) if len(rows) == 1 else np.eye(tiers)[position]
                self._impulsive[row] = channel.acts_on == "move"
                self._payer[row] = payers[channel.role]
                if name == "seed":
                    self._rate[row], self._most[row] = own * self.seed_price, self._seeds
                elif name == "vaccinate":
                    self._rate[row] = own * self.problem.prices.vaccinate * self._doses
                elif name != "price":
                    commits = self.problem.commit
                    self._payer[row] = kernels.ALL_NODES if commits else payers[channel.role]
                    each = self._incentive if name in ("boost", "retain") else 1.0
                    rate = getattr(self.problem.prices, name) * (1.0 if commits else self.problem.delta)
                    self._rate[row] = own * each * rate
                    self._gain[row] = own * (channel.sign * self.problem.strength(name))
                    knob = f"speed:{self.model.compartments[clocks[name]]}" if name in clocks else channel.acts_on
                    if knob not in self._knobs:
                        self._knobs.append(knob)
                    self._knob[row] = self._knobs.index(knob)
        # the clock of winback stands still at rest: its factor is strength * u, not 1 + strength * u
        standing = f"speed:{self.model.compartments[removed]}" if "winback" in self._at else None
        self._offset = {k: 1.0 for k, knob in enumerate(self._knobs) if knob == standing}

    def slice(self, channel: str) -> slice:
        """Where a channel is in the action vector."""
        return self._at[channel]

    def unit_costs(self, counts: np.ndarray, first: np.ndarray) -> np.ndarray:
        """Money that each entry costs at full strength in the coming window, float64 [R, A].

        Args:
            counts: float64 [R, K, M] now.
            first: bool [R] whether this is the first decision; only then does a problem that commits cost anything.
        """
        return kernels.costs(counts, first, self._sizes, self._rate, self._most, self._payer)

    def projected(self, u: np.ndarray, costs: np.ndarray, budget: np.ndarray) -> np.ndarray:
        """The nearest affordable actions: [R, A] with sum(costs * u) <= budget [R]; free entries keep their values."""
        return project(u, costs, budget)

    def seed(
        self, sim: Any, u: np.ndarray, counts: np.ndarray, used: np.ndarray, left: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Move random susceptible nodes into the process now.

        Args:
            sim: the simulator.
            u: [R, A] actions.
            counts: float64 [R, K, M] now.
            used: float64 [R] seeds so far; up to the limit of the problem more are placed, hubs first.
            left: float64 [R] money for them.

        Returns:
            [R, K] seeds placed, [R] money for them.
        """
        wanted = kernels.seeds(
            u[:, self._at["seed"]], counts, self._seeds, used, self.seed_limit, left, self.seed_price
        )
        placed = sim.move(0, self.model.entry, wanted)
        return placed, (placed * self.seed_price).sum(axis=1)

    def applied(self, u: np.ndarray, counts: np.ndarray, placed: np.ndarray) -> np.ndarray:
        """The actions that were carried out, float32 [R, A]: seeds are whole, and may be used up.

        Args:
            u: [R, A] actions; counts: float64 [R, K, M] when they were taken.
            placed: [R, K] seeds placed.
        """
        found = u.astype(np.float32)
        if "seed" in self._at:
            at = self._at["seed"]
            found[:, at] = kernels.seeded(u[:, at], counts, self._seeds, placed)
        return found

    def vaccinate(
        self, sim: Any, u: np.ndarray, counts: np.ndarray, draws: Sequence[np.random.Generator], left: np.ndarray
    ) -> np.ndarray:
        """Vaccinate a binomial number of random susceptible nodes of each tier now; returns the money for it, [R].

        Args:
            draws: generator of each replica.
            left: float64 [R] money for them, infinite if nothing limits it; hubs come first.
        """
        share = self._doses * np.broadcast_to(u[:, self._at["vaccinate"]], counts.shape[:2])
        doses = np.zeros(share.shape, np.int64)
        for row in np.flatnonzero(share.any(axis=1)).tolist():
            doses[row] = draws[row].binomial(counts[row, :, 0].astype(np.int64), share[row])
        price = self.problem.prices.vaccinate
        if np.isfinite(left).all() and price > 0:
            most = np.maximum(0.0, np.floor(left / price + 1e-9)).astype(np.int64)
            doses = np.diff(np.minimum(np.cumsum(doses, axis=1), most[:, None]), axis=1, prepend=0)
        return sim.move(0, self.removed, doses).sum(axis=1) * price

    def act(self, sim: Any, u: np.ndarray, costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Set rates and clocks of the simulator for the coming window.

        Returns:
            float64 [R] money that they cost, and the price asked, [R] or [].
        """
        money, factors = kernels.effects(u, costs, self._impulsive, self._knob, self._gain, len(self._knobs))
        for k, knob in enumerate(self._knobs):
            sim.set_control(knob, factors[k] - self._offset[k] if k in self._offset else factors[k])
        if "price" not in self._at:
            return money, self._nominal_price
        prices = self.problem.prices
        points = (0.0, REST_OF_PRICE, 1.0), (prices.price_range[0], 1.0, prices.price_range[1])
        asked = prices.price * np.interp(u[:, self._at["price"].start], *points)
        sim.set_control("hazard", price_factor(asked, prices.price, prices.elasticity)[:, None])
        return money, asked


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
