"""Control of a spreading process: live factors on rates and clocks, named channels, and hard budgets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from twinloom.errors import TwinloomError
from twinloom.registry import Registry


@dataclass(frozen=True, eq=False)
class Controls:
    """Factors in force for R replicas, K tiers and M compartments; simulators read them at every advance.

    Attributes:
        incoming: float64 [R, K] factor on the rate at which nodes of a tier are reached.
        outgoing: float64 [R, K] factor on the rate at which they reach others.
        contact: float64 [R] factor on all contact.
        speed: float64 [R, K, M] speed of the clock of each compartment: drawn residence times run off that fast.
        hazard: float64 [R, K, M] factor on the hazard of leaving each compartment (proportional hazards).
    """

    incoming: np.ndarray
    outgoing: np.ndarray
    contact: np.ndarray
    speed: np.ndarray
    hazard: np.ndarray
    rest: np.ndarray = field(repr=False)

    @staticmethod
    def of(replicas: int, tiers: int, speeds: np.ndarray) -> Controls:
        """Nothing in force; ``speeds`` [M] are the clocks' own speeds."""
        shape = (replicas, tiers, len(speeds))
        rest = np.ascontiguousarray(np.broadcast_to(speeds, shape), np.float64)
        ones = np.ones((replicas, tiers))
        return Controls(ones, ones.copy(), np.ones(replicas), rest.copy(), np.ones(shape), rest)

    def release(self, rows: np.ndarray) -> None:
        """Take every control of some replicas back."""
        self.incoming[rows] = self.outgoing[rows] = 1.0
        self.contact[rows] = 1.0
        self.speed[rows] = self.rest[rows]
        self.hazard[rows] = 1.0


@dataclass(frozen=True)
class Channel:
    """One way to act on a tier, at a level u in [0, 1].

    Attributes:
        name, summary: for lists.
        acts_on: "in", "out", "speed", "contact" (a factor; see `factor`), or "move" (random nodes change compartment).
        sign: the factor is ``1 + sign * strength * u``.
        role: whose nodes are paid for: "susceptible", "infectious", or "churned" (the compartment after it).
    """

    name: str
    summary: str
    acts_on: Literal["in", "out", "speed", "contact", "move"]
    sign: int
    role: Literal["susceptible", "infectious", "churned"]

    def factor(self, u: np.ndarray, strength: float) -> np.ndarray:
        """Factor on the rate or the clock speed.

        Args:
            u: level in [0, 1], any shape.
            strength: effect at u = 1, not negative; at most 1 where the channel slows something down.

        Raises:
            TwinloomError: a level or a strength out of range.
        """
        if not np.all((np.asarray(u) >= 0) & (np.asarray(u) <= 1)):
            raise TwinloomError(f"levels of {self.name} must lie between 0 and 1")
        if not 0 <= strength < np.inf or (self.sign < 0 and strength > 1):
            raise TwinloomError(
                f"strength {strength:g} of {self.name}: 0 to {'1' if self.sign < 0 else 'any'} is allowed"
            )
        return 1.0 + self.sign * strength * np.asarray(u, np.float64)


CHANNELS: Registry[Channel] = Registry(
    "channel", 'python -c "from sim.cascade.process.control import CHANNELS; print(CHANNELS)"'
)

for _channel in (
    Channel("shield", "slows contacts that reach susceptible nodes", "in", -1, "susceptible"),
    Channel("isolate", "slows contacts that infectious nodes make", "out", -1, "infectious"),
    Channel("boost", "speeds up contacts that active nodes make (incentives, referrals)", "out", +1, "infectious"),
    Channel("vaccinate", "moves random susceptible nodes to the last compartment", "move", 0, "susceptible"),
    Channel("seed", "moves random susceptible nodes into the process", "move", 0, "susceptible"),
    Channel("retain", "slows the clock of leaving the infectious compartment", "speed", -1, "infectious"),
    Channel("treat", "speeds that clock up", "speed", +1, "infectious"),
    Channel("winback", "starts the clock of those who left", "speed", +1, "churned"),
    Channel("price", "slows all contact, and earns more from each", "contact", 0, "susceptible"),
):
    CHANNELS.register(_channel.name, _channel)


def price_factor(price: np.ndarray, reference: float, elasticity: float) -> np.ndarray:
    """Factor on the adoption hazard at a price: exp(-elasticity (price - reference))."""
    return np.exp(-elasticity * (np.asarray(price, np.float64) - reference))


def project(u: np.ndarray, unit_cost: np.ndarray, budget: np.ndarray | float) -> np.ndarray:
    """The point nearest to ``u`` in {0 <= u <= 1, sum_k unit_cost_k u_k <= budget}, by one sort.

    Args:
        u: [..., K] wanted levels; clipped into [0, 1] first.
        unit_cost: [..., K] cost of level 1 of each entry (price times nodes), not negative.
        budget: [...] or a number, not negative.

    Returns:
        float64 [..., K].

    Raises:
        TwinloomError: a negative budget or cost, or a number that is not finite.
    """
    u, cost = np.broadcast_arrays(np.clip(np.asarray(u, np.float64), 0.0, 1.0), np.asarray(unit_cost, np.float64))
    budget = np.broadcast_to(np.asarray(budget, np.float64), u.shape[:-1])
    if np.any(budget < 0) or np.any(np.isnan(budget)):
        raise TwinloomError(f"budget {np.min(budget):g}: a budget is not negative")
    if not np.all(np.isfinite(u)) or not np.all(np.isfinite(cost) & (cost >= 0)):
        raise TwinloomError("levels must be numbers, and costs finite and not negative")
    # u(level) = max(0, u - level cost): entry k is spent at level u_k / cost_k. With the m most persistent entries
    # left, the budget is met at (sum cost u - budget) / sum cost^2, and the right m is the one where that is largest.
    priced = cost > 0
    with np.errstate(over="ignore"):  # next to nothing a unit: infinitely persistent
        persistence = np.divide(u, cost, out=np.full(u.shape, -np.inf), where=priced)
    order = np.argsort(-persistence, axis=-1, kind="stable")
    sorted_u, sorted_cost = np.take_along_axis(u, order, -1), np.take_along_axis(cost, order, -1)
    excess = np.cumsum(sorted_cost * sorted_u, -1) - budget[..., None]
    square = np.cumsum(sorted_cost**2, -1)
    with np.errstate(over="ignore"):  # costs whose squares are next to nothing: no level is high enough but infinity
        levels = np.divide(excess, square, out=np.full(u.shape, -np.inf), where=square > 0)
    level = np.maximum(levels.max(-1, keepdims=True), 0.0)
    return np.where(priced, np.maximum(u - level * cost, 0.0), u)
