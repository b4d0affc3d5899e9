"""The options that both cascade environments take, checked in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from sim.cascade.checks import COST, FLAG, NAME, NAMES, POSITIVE, Kind, instance, optional, whole, wrong
from sim.cascade.env import worlds
from sim.cascade.problems import PROBLEMS, Prices, Problem
from sim.cascade.process.models import Model
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError

KINDS: dict[str, Kind] = {
    "world": NAME,
    "matching": NAME,
    "features": NAMES,
    "observer": NAME,
    "parameters": FLAG,
    "channels": optional(NAMES),
    "prices": optional(instance(Prices, "Prices (sim.cascade.problems)")),
    "model": optional(instance(Model, "a Model (sim.cascade.models)")),
    "r0": optional(POSITIVE),
    "r0_by": NAME,
    "beta": optional(COST),
    "horizon": optional(whole(1)),
    "delta": optional(POSITIVE),
    "budget": optional(COST),
    "normalise": FLAG,
    "seed": whole(0, 2**64),
    "backend": optional(NAME),
    "device": optional(NAME),
    "threads": optional(whole(1)),
    "substeps": optional(whole(1)),
}
"""What options may be, apart from graph and tiers, which `sim.cascade.env.scenarios` looks at."""

RESET: dict[str, Kind] = {
    "graph": Kind(lambda value: True, "a graph"),  # looked at where graphs are made
    "params": instance(Mapping, 'a dictionary such as {"r0": 2.0}'),
    "scenario_seed": optional(whole(0, 2**64)),
}
"""What a reset may change."""

PARAMETERS = ("r0", "beta")
ENGINE = ("backend", "device", "threads", "substeps")


@dataclass(frozen=True)
class EnvConfig:
    """How a problem is simulated, acted on and seen.

    Attributes:
        graph: a Graph, the name of a catalogued network or a file, a GraphRange to train on, a function rng -> Graph
            called anew for every 20 episodes, or None for the small graph of the problem.
        world: "exact", "renewal" (leap engine), "markov" or "ode"; spaces are the same in all four.
        matching: what the Markov world and the mean-field equation keep, "rate" or "transmissibility".
        tiers: "stub", "top" or "pop", with a count as in "stub2"; "global" for one tier; Tiers; or Graph -> Tiers.
        features: "full", "basic", or names of blocks (`sim.cascade.observe.tiers.BLOCKS`).
        observer: "tiers", "global" (hub-blind, same actions), "oracle", "gnn" or "graph".
        parameters: whether the observation includes the parameters of the process.
        channels: control channels; None for the problem's.
        prices: other prices than the problem's.
        model: another process than the problem's; its beta is replaced.
        r0: reproduction number without control, by choice of beta; None for the problem's.
        r0_by: "kappa" or "spectral", the branching factor that r0 refers to.
        beta: contact rate, instead of r0.
        horizon: decisions of an episode; delta: time between them. None for the problem's.
        budget: money per node and episode that cannot be exceeded: actions are projected onto what is left. None:
            spending costs its price and nothing limits it.
        normalise: whether rewards are per node, so that returns have the same scale on every graph.
        seed: of the first episodes, until reset gives another.
        backend, device, threads, substeps: of the simulator; None for its defaults.
    """

    graph: Any = None
    world: str = "exact"
    matching: str = "rate"
    tiers: Any = "stub"
    features: str | Sequence[str] = "full"
    observer: str = "tiers"
    parameters: bool = False
    channels: str | Sequence[str] | None = None
    prices: Prices | None = None
    model: Any = None
    r0: float | None = None
    r0_by: str = "kappa"
    beta: float | None = None
    horizon: int | None = None
    delta: float | None = None
    budget: float | None = None
    normalise: bool = True
    seed: int = 0
    backend: str | None = None
    device: str | None = None
    threads: int | None = None
    substeps: int | None = None

    def __post_init__(self) -> None:
        for name in ("horizon", "seed"):  # NumPy's integers are as good as Python's
            if isinstance(value := getattr(self, name), np.integer):
                object.__setattr__(self, name, int(value))
        if problems := wrong(vars(self), KINDS):
            raise InvalidSettingsError("cascade environment", problems)
        worlds.check(self.world, self.matching)

    @property
    def engine(self) -> dict[str, Any]:
        """Arguments of the simulator that were given."""
        given = {name: getattr(self, name) for name in ENGINE}
        return {name: value for name, value in given.items() if value is not None}

    def mean_field(self) -> EnvConfig:
        """The same in the mean-field world, seen in tiers, without what only other engines have."""
        return replace(self, world="ode", observer="tiers", **dict.fromkeys(ENGINE))


def parse(problem: str | Problem, given: dict[str, Any]) -> tuple[Problem, EnvConfig]:
    """The problem, with overridden horizon, delta and prices, and the checked options.

    Raises:
        UnknownNameError: no such problem, or no such option; the nearest one is suggested.
        TwinloomError: an option has an impossible value.
    """
    known = [field.name for field in fields(EnvConfig)]
    for name in given:
        if name not in known:
            raise UnknownNameError("option", name, known, ", ".join(known))
    options = EnvConfig(**given)
    if isinstance(problem, str):
        problem = PROBLEMS[problem.removeprefix("cascade/").removesuffix("-v0")]
    if not isinstance(problem, Problem):
        raise TwinloomError(f"problem is {type(problem).__name__}; give a name (sim list tasks cascade) or a Problem")
    changes = {name: getattr(options, name) for name in ("horizon", "delta", "prices")}
    return replace(problem, **{name: value for name, value in changes.items() if value is not None}), options


def parse_reset(given: Any) -> dict[str, Any]:
    """Checked options of a reset: those of RESET that were given, with "params" always there.

    Raises:
        UnknownNameError: no such option or parameter; the nearest one is suggested.
        TwinloomError: a value that cannot be.
    """
    if not isinstance(given, Mapping | None):
        raise TwinloomError(
            f'options of a reset are {type(given).__name__}; give a dictionary such as {{"graph": ...}}'
        )
    found = {"params": {}, **(given or {})}
    problems = wrong(found, RESET)
    params = {} if problems else found["params"]
    for kind, names, known in (("reset option", found, RESET), ("parameter", params, PARAMETERS)):
        for name in names:
            if name not in known:
                raise UnknownNameError(kind, str(name), known, ", ".join(known))
    if problems := problems + wrong(params, KINDS):
        raise InvalidSettingsError("reset", problems)
    return found
