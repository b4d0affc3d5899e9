"""The options that both cascade environments take, checked in one place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from assets.errors import InvalidSettingsError, TwinloomError, UnknownNameError
from sim.cascade import worlds
from sim.cascade.models import Model
from sim.cascade.problems import PROBLEMS, Prices, Problem


@dataclass(frozen=True)
class Options:
    """How a problem is simulated, acted on and seen.

    Attributes:
        graph: a Graph, the name of a catalogued network or a file, a GraphRange to train on, a function rng -> Graph
            called anew for every 20 episodes, or None for the small graph of the problem.
        world: "exact", "renewal" (leap engine), "markov" or "ode"; spaces are the same in all four.
        matching: what the Markov world and the mean-field equation keep, "rate" or "transmissibility".
        tiers: "stub", "top" or "pop", with a count as in "stub2"; "global" for one tier; Tiers; or Graph -> Tiers.
        features: "full", "basic", or names of blocks (`sim.cascade.observer.BLOCKS`).
        observer: "tiers", "global" (hub-blind, same actions), "oracle", "gnn" or "graph"; `sim.cascade.observers`.
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
        worlds.check(self.world, self.matching)
        for name in ("horizon", "seed"):  # NumPy's integers are as good as Python's
            if isinstance(value := getattr(self, name), np.integer):
                object.__setattr__(self, name, int(value))
        checks = {
            f"horizon {self.horizon} must be a whole number of at least 1": self.horizon is None
            or (type(self.horizon) is int and self.horizon >= 1),
            f"delta {self.delta} must be positive": self.delta is None or 0 < self.delta < math.inf,
            f"budget {self.budget} must not be negative": self.budget is None or 0 <= self.budget < math.inf,
            f"beta {self.beta} must not be negative": self.beta is None or 0 <= self.beta < math.inf,
            f"seed {self.seed} must be a whole number from 0 below 2**64": type(self.seed) is int
            and 0 <= self.seed < 2**64,
            f"prices is {type(self.prices).__name__}, not Prices": self.prices is None
            or isinstance(self.prices, Prices),
            f"model is {type(self.model).__name__}, not a Model (sim.cascade.models)": self.model is None
            or isinstance(self.model, Model),
        }
        if problems := [text for text, holds in checks.items() if not holds]:
            raise InvalidSettingsError("cascade environment", problems)

    @property
    def engine(self) -> dict[str, Any]:
        """Arguments of the simulator that were given."""
        given = {name: getattr(self, name) for name in ("backend", "device", "threads", "substeps")}
        return {name: value for name, value in given.items() if value is not None}


def parse(problem: str | Problem, given: dict[str, Any]) -> tuple[Problem, Options]:
    """The problem, with overridden horizon, delta and prices, and the checked options.

    Raises:
        UnknownNameError: no such problem, or no such option; the nearest one is suggested.
        TwinloomError: an option has an impossible value.
    """
    known = [field.name for field in fields(Options)]
    for name in given:
        if name not in known:
            raise UnknownNameError("option", name, known, ", ".join(known))
    options = Options(**given)
    if isinstance(problem, str):
        problem = PROBLEMS[problem.removeprefix("cascade/").removesuffix("-v0")]
    if not isinstance(problem, Problem):
        raise TwinloomError(f"problem is {type(problem).__name__}; give a name (sim list problems) or a Problem")
    changes = {name: getattr(options, name) for name in ("horizon", "delta", "prices")}
    return replace(problem, **{name: value for name, value in changes.items() if value is not None}), options
