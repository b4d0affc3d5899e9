"""Which graph and which process an episode runs on: one graph, or ranges that training draws from.

A *scenario* is graph, tiers and model before any world simplifies it. Episodes draw scenarios in blocks; block b of
seed s is always the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assets.networks.graph import Graph, check_graph
from assets.networks.tiers import Tiers, cut
from sim.cascade.checks import Kind, is_number, optional, whole, wrong
from sim.cascade.problems import Problem
from sim.cascade.process import laws
from sim.cascade.process.models import Model
from sim.cascade.process.reproduction import branching_factor, contact_rate, reproduction_number
from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.seeding import episode_seed, stream

EVERY = 20  # episodes on one random graph
RULES = ("stub", "top", "pop")
_GRAPH_SEED = 0  # of the graph of a problem whose user names none


@dataclass(frozen=True)
class GraphRange:
    """Training ranges: Barabasi-Albert graphs and the parameters of the process on them.

    Attributes:
        n, m: least and greatest number of nodes, and of edges that a new node brings.
        every: episodes on one draw, counted over all replicas of a vector environment.
        beta: the contact rate is log-uniform within a factor 1 +- beta of the one that gives R0.
        means: every mean residence time is uniform within 1 +- means of its nominal value.
        cv: least and greatest coefficient of variation of every residence time; None keeps the laws.

    Raises:
        InvalidSettingsError: a range is empty or cannot be.
    """

    n: tuple[int, int] = (500, 3000)
    m: tuple[int, int] = (2, 6)
    every: int = EVERY
    beta: float = 0.3
    means: float = 0.2
    cv: tuple[float, float] | None = (0.4, 1.2)

    def __post_init__(self) -> None:
        share = Kind(lambda value: is_number(value) and 0 <= value < 1, "a number from 0, below 1")
        cv = Kind(lambda value: _range(value, is_number, 1e-9), "two positive numbers, the first not above the second")
        nodes = Kind(
            lambda value: _range(value, whole(1).holds), "two whole numbers from 1, the first not above the second"
        )
        kinds = {"n": nodes, "m": nodes, "every": whole(1), "beta": share, "means": share, "cv": optional(cv)}
        problems = wrong(vars(self), kinds)
        if not problems and self.n[0] <= self.m[1]:
            problems = [f"n {self.n} must lie above m {self.m}"]
        if problems:
            raise InvalidSettingsError("GraphRange", problems)

    def graph(self, rng: np.random.Generator) -> Graph:
        """A graph of the range."""
        from assets.networks.generate import barabasi_albert

        n, m = (int(rng.integers(low, high, endpoint=True)) for low, high in (self.n, self.m))
        return barabasi_albert(n, m, rng)

    def model(self, model: Model, rng: np.random.Generator) -> Model:
        """The process with drawn rate and laws. Draws as many numbers whatever the ranges are."""
        spread = math.log(1 - self.beta), math.log(1 + self.beta)
        model = model.with_beta(model.beta * math.exp(rng.uniform(*spread)))
        for step in model.steps:
            mean = step.law.mean * rng.uniform(1 - self.means, 1 + self.means)
            cv = rng.uniform(*(self.cv or (0, 1)))
            law = step.law.with_mean(mean) if self.cv is None else _law(step.law, mean, cv)
            model = model.with_law(model.compartments[step.source], law)
        return model


def _range(pair: Any, kind: Callable[[Any], bool], least: float = 1) -> bool:
    two = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(map(kind, pair))
    return two and least <= pair[0] <= pair[1]


def _law(kind: laws.Law, mean: float, cv: float) -> laws.Law:
    """The law of the same family; gamma for families of fixed shape."""
    if kind.kind == laws.LOGNORMAL:
        return laws.lognormal(mean, cv=cv)
    if kind.kind == laws.WEIBULL:
        return laws.weibull(mean, cv=cv)
    return laws.gamma(mean, cv)


@dataclass(frozen=True, eq=False)
class Scenario:
    """What an episode runs on.

    Attributes:
        graph, tiers: network and control tiers.
        model: the renewal process, beta set.
        branching: branching factor of the graph; R0 is transmissibility times this, unless the graph has weights.
        r0_by: branching factor that R0 refers to.
    """

    graph: Graph
    tiers: Tiers
    model: Model
    branching: float
    r0_by: str = "kappa"

    @property
    def r0(self) -> float:
        """Reproduction number without control; NaN for models that have none."""
        return reproduction_number(self.model, self.graph, self.r0_by, self.branching)


GraphSource = Graph | GraphRange | str | Path | Callable[[np.random.Generator], Graph] | None


class Scenarios:
    """Draws scenarios.

    Args:
        problem: process, R0 and the graph of those who name none.
        graph: a Graph, the name of a catalogued network or file, a GraphRange, a function rng -> Graph that is
            called anew for every 20 episodes, or None for the graph of the problem.
        tiers: a rule ("stub", "top", "pop", with a count as in "stub2"), "global" for a single tier, a function
            Graph -> Tiers, or Tiers if the graph is fixed.
        r0: reproduction number, None for the problem's.
        r0_by: branching factor that R0 refers to.
        beta: contact rate itself, instead of r0.
        model: another process, None for the problem's.

    Raises:
        TwinloomError: an argument is none of these.
    """

    def __init__(
        self,
        problem: Problem,
        graph: GraphSource = None,
        tiers: str | Tiers | Callable[[Graph], Tiers] = "stub",
        r0: float | None = None,
        r0_by: str = "kappa",
        beta: float | None = None,
        model: Model | None = None,
    ) -> None:
        if r0 is not None and beta is not None:
            raise TwinloomError(f"r0 {r0:g} and beta {beta:g} say the same thing twice; give one of them")
        self.problem, self.r0, self.r0_by, self.beta = problem, problem.r0 if r0 is None else r0, r0_by, beta
        self.base = problem.model() if model is None else model
        self.source, self.tiers = graph, tiers
        self.range = graph if isinstance(graph, GraphRange) else None
        self.every: int | None = None
        self._fixed: Scenario | None = None
        if isinstance(graph, GraphRange):
            self._draw, self.every = graph.graph, graph.every
        elif callable(graph):
            self._draw, self.every = graph, EVERY
        else:
            self._fixed = self._scenario(_resolve(problem, graph), None)
        if self.every is not None and isinstance(tiers, Tiers):
            raise TwinloomError('Tiers belong to one graph; with random graphs give a rule such as tiers="stub"')

    @property
    def fixed(self) -> bool:
        """Whether all episodes share one scenario."""
        return self._fixed is not None

    def draw(self, seed: int, block: int) -> Scenario:
        """The scenario of a block of episodes, a function of its arguments."""
        if self._fixed is not None:
            return self._fixed
        words = episode_seed(seed, "cascade", block)
        graph = self._draw(stream(words, "graph"))
        check_graph(graph, subject="the graph function returned")
        return self._scenario(graph, stream(words, "process"))

    def _scenario(self, graph: Graph, rng: np.random.Generator | None) -> Scenario:
        branching = branching_factor(graph, self.r0_by)
        rate = self.beta
        if rate is None:
            rate = contact_rate(self.base, graph, self.r0, self.r0_by, branching)
        model = self.base.with_beta(rate)
        if self.range is not None and rng is not None:
            model = self.range.model(model, rng)
        return Scenario(graph, _tiers(graph, self.tiers), model, branching, self.r0_by)


def _resolve(problem: Problem, graph: Any) -> Graph:
    if graph is None:
        return problem.graph(np.random.default_rng(_GRAPH_SEED))
    if isinstance(graph, (str, Path)):
        from assets.networks.catalogue import load

        return load(graph)
    check_graph(graph, "a Graph, a name or file, a GraphRange, or a function rng -> Graph")
    return graph


def _tiers(graph: Graph, tiers: Any) -> Tiers:
    if callable(tiers):
        tiers = tiers(graph)
    if isinstance(tiers, str):
        rule = tiers.rstrip("0123456789")
        count = tiers[len(rule) :]
        if tiers == "global":
            return cut(graph, "pop", k=1)
        if rule in RULES and (not count or int(count) >= 1):
            return cut(graph, rule, k=int(count) if count else None)  # type: ignore[arg-type]
        raise TwinloomError(
            f'unknown tiers "{tiers}"; allowed: {", ".join(RULES)}, with a count as in stub2, or global'
        )
    if not isinstance(tiers, Tiers):
        raise TwinloomError(f"tiers is {type(tiers).__name__}; allowed: a rule such as stub, Tiers, or Graph -> Tiers")
    if len(tiers.index) != graph.n:
        raise TwinloomError(f"these tiers are of {len(tiers.index)} nodes, the graph has {graph.n}")
    return tiers
