"""Control problems on cascades: which process, which channels, what things cost, when an episode ends. Data only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal, get_args

from sim.cascade.checks import (
    CALLABLE,
    COST,
    FLAG,
    NAME,
    POSITIVE,
    SHARE,
    Kind,
    instance,
    is_names,
    one_of,
    whole,
    wrong,
)
from sim.families import plugin_tasks
from twinloom.errors import InvalidSettingsError
from twinloom.registry import Registry

if TYPE_CHECKING:  # both load numba, and this list is read by `sim list tasks`
    import numpy as np

    from assets.networks.graph import Graph
    from sim.cascade.process.models import Model


@dataclass(frozen=True)
class Prices:
    """What an episode earns and costs, in money; a rate is per unit of time, all for a channel at full strength.

    Attributes:
        price: earned by each adoption while the price channel rests.
        margin: rate earned by each active node.
        peak, cap: rate paid by each infectious node above the share ``cap`` of all nodes.
        seed, seed_log: a seed in a tier of mean degree k costs ``seed + seed_log * ln(1 + k)``.
        vaccinate: a dose.
        shield: rate of each susceptible node shielded.
        isolate, treat: rates of each infectious node isolated or treated.
        boost, retain: rates of each active node boosted or retained.
        winback: rate of each churned node addressed.
        by_degree: boost and retain cost ``(mean degree of the tier / of the graph) ** by_degree`` times their rate; at
            1 incentives are paid for each acquaintance, at 0 for each node.
        fixed: paid in every decision that spends anything.
        elasticity: adoption slows by ``exp(-elasticity * (p - price))`` at price p.
        price_range: lowest and highest price as factors on ``price``.
    """

    price: float = 1.0
    margin: float = 0.02
    peak: float = 1.0
    cap: float = 0.05
    seed: float = 2.0
    seed_log: float = 0.5
    vaccinate: float = 0.5
    shield: float = 0.02
    isolate: float = 0.2
    treat: float = 0.2
    boost: float = 0.05
    retain: float = 0.03
    winback: float = 0.03
    by_degree: float = 0.0
    fixed: float = 0.0
    elasticity: float = 1.0
    price_range: tuple[float, float] = (0.5, 1.5)

    def __post_init__(self) -> None:
        kinds = {field.name: COST for field in fields(self)} | {"price_range": _PAIR}
        if problems := wrong(vars(self), kinds):
            raise InvalidSettingsError("prices", problems)


_PAIR = Kind(
    lambda value: isinstance(value, (tuple, list)) and len(value) == 2 and all(COST.holds(end) for end in value),
    "two numbers, finite and not negative",
)

STRENGTHS: Mapping[str, float] = {
    "shield": 0.5,
    "isolate": 0.4,
    "boost": 1.0,
    "vaccinate": 0.05,
    "seed": 0.05,
    "retain": 0.5,
    "treat": 0.5,
    "winback": 1.0,
    "price": 1.0,
}
"""What a channel does at full strength: a factor 1 +- strength on its rate or clock; for vaccinate the rate of doses
per susceptible node; for seed the largest share of a tier seeded in one decision; for price nothing (see Prices)."""

Reward = Literal["profit", "mitigation"]


@dataclass(frozen=True)
class Problem:
    """A decision problem, independent of graph, world and tiers.

    Attributes:
        name, summary: for lists.
        reward: a name of `sim.cascade.env.rewards.REWARDS`.
        model: makes the process with its laws; its beta is a placeholder.
        graph: draws the graph of those who name none.
        r0: beta is chosen on each graph so that transmissibility times branching factor is this number.
        channels: names of `sim.cascade.process.control.CHANNELS`, in the order of the action vector.
        shared: channels with one entry for all tiers instead of one a tier.
        prices, strengths: what channels cost and do; strengths override STRENGTHS.
        horizon: decisions of an episode.
        delta: time between two decisions.
        initial: nodes active at the start: a share below 1 of all nodes (at least one), or a number.
        seed_limit: share of all nodes that the seed channel may move in one episode.
        commit: the first action of an episode counts for all of it, and is paid at once for every node.
    """

    name: str
    summary: str
    reward: Reward
    model: Callable[[], Model]
    graph: Callable[[np.random.Generator], Graph]
    r0: float
    channels: tuple[str, ...]
    shared: tuple[str, ...] = ("price",)
    prices: Prices = field(default_factory=Prices)
    strengths: Mapping[str, float] = field(default_factory=dict)
    horizon: int = 50
    delta: float = 1.0
    initial: float = 0.0
    seed_limit: float = 0.05
    commit: bool = False

    def __post_init__(self) -> None:
        problems = wrong(vars(self), KINDS)
        if isinstance(self.strengths, Mapping):
            problems += [f"unknown channel {name} in strengths" for name in self.strengths if name not in STRENGTHS]
            strengths = {f"strength of {name}": value for name, value in self.strengths.items()}
            problems += wrong(strengths, dict.fromkeys(strengths, COST))
        if not problems:
            problems = [
                f"strength of {name} {self.strength(name)} slows by more than all"
                for name in ("shield", "isolate", "retain")
                if self.strength(name) > 1
            ]
        if problems:
            raise InvalidSettingsError(f"problem {self.name}", problems)

    def strength(self, channel: str) -> float:
        """Effect of a channel at full strength."""
        return {**STRENGTHS, **self.strengths}[channel]


_CHANNELS = Kind(
    lambda value: is_names(value) and not isinstance(value, str) and all(name in STRENGTHS for name in value),
    f"names among {', '.join(STRENGTHS)}",
)
KINDS: dict[str, Kind] = {
    "name": NAME,
    "summary": NAME,
    "reward": one_of(get_args(Reward)),
    "model": CALLABLE,
    "graph": CALLABLE,
    "r0": POSITIVE,
    "channels": _CHANNELS,
    "shared": _CHANNELS,
    "prices": instance(Prices, "Prices"),
    "strengths": instance(Mapping, "a dictionary"),
    "horizon": whole(1),
    "delta": POSITIVE,
    "initial": COST,
    "seed_limit": SHARE,
    "commit": FLAG,
}
"""What the fields of a problem may be."""

PROBLEMS: Registry[Problem] = Registry("problem", "sim list tasks cascade", lambda: plugin_tasks("cascade"))


def _adopters() -> Model:
    from sim.cascade.process import laws, models

    return models.adopt(decision=laws.gamma(2.0, cv=0.5), churn=laws.gamma(5.0, cv=3**-0.5))


def _epidemic() -> Model:
    from sim.cascade.process import laws, models

    return models.seir(latent=laws.lognormal(5.0, median=4.0), recovery=laws.lognormal(7.5, median=5.0))


def _fixed_duration() -> Model:
    from sim.cascade.process import laws, models

    return models.sir(recovery=laws.deterministic(1.0))


def _barabasi_albert(rng: np.random.Generator) -> Graph:
    from assets.networks.generate import barabasi_albert

    return barabasi_albert(1000, 4, rng)


def _erdos_renyi(rng: np.random.Generator) -> Graph:
    from assets.networks.generate import erdos_renyi

    return erdos_renyi(5000, 40.0, rng)


def _register(problem: Problem) -> None:
    PROBLEMS.register(problem.name, problem)


_register(
    Problem(
        name="adopt_profit",
        summary="sell by word of mouth: whom to seed, whom to reward for referrals, whom to keep from leaving",
        reward="profit",
        model=_adopters,
        graph=_barabasi_albert,
        r0=1.2,
        channels=("seed", "boost", "retain"),
        # few seeds, strong and dear incentives: what pays at the start of a cascade ruins its end, so no constant is
        # close to feedback
        prices=Prices(boost=0.4, retain=0.2, by_degree=1.0, margin=0.05),
        strengths={"boost": 3.0},
        horizon=40,
        seed_limit=0.002,
    )
)
_register(
    Problem(
        name="epidemic_mitigate",
        summary="keep an epidemic small and below capacity: shield, isolate, vaccinate, treat",
        reward="mitigation",
        model=_epidemic,
        graph=_barabasi_albert,
        r0=4.0,
        channels=("shield", "isolate", "vaccinate", "treat"),
        horizon=60,
        initial=0.01,
    )
)
_register(
    Problem(
        name="escape",
        summary="below threshold: spend enough at once to set off a cascade, or nothing; in between all is lost",
        reward="profit",
        model=_fixed_duration,
        graph=_erdos_renyi,
        r0=0.8,
        channels=("boost",),
        shared=("boost",),
        prices=Prices(price=1.0, margin=0.0, boost=0.6),
        horizon=1,
        delta=500.0,
        initial=10,
        commit=True,
    )
)
