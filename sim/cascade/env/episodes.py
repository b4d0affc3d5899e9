"""R episodes side by side: what the scalar and the vector environment have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assets.networks.graph import kind_of
from sim.cascade.checks import shown
from sim.cascade.env import kernels
from sim.cascade.env.arena import Arena
from sim.cascade.env.ledger import Ledger, Outcome
from sim.cascade.env.options import EnvConfig, parse_reset
from sim.cascade.env.scenarios import Scenarios
from sim.cascade.problems import Problem
from twinloom.arguments import is_whole
from twinloom.errors import TwinloomError
from twinloom.seeding import episode_seed, stream


class Episodes:
    """R episodes of one problem in as few simulator calls as possible: one, while all of them share a scenario.

    Replica r of seeds [s_0, s_1, ...] does exactly what a single episode of seed s_r does.

    Args:
        problem: what is decided.
        options: how it is simulated, acted on and seen.
        replicas: R.

    Raises:
        TwinloomError: a setting that cannot be.
    """

    def __init__(self, problem: Problem, options: EnvConfig, replicas: int) -> None:
        if not is_whole(replicas, 1):
            raise TwinloomError(f"num_envs {replicas} must be a whole number of at least 1")
        self.problem, self.options, self.replicas = problem, options, replicas
        params = {"r0": options.r0, "beta": options.beta}
        self._take(*self._built(options.graph, params, options.seed), params, options.seed)
        self.ledger = Ledger(replicas, self.actions.size)
        self._take_seeds(self._seeds(options.seed))

    def _built(self, graph: Any, params: dict[str, Any], seed: int) -> tuple[Scenarios, Arena]:
        """Scenarios of a graph or of a range of them, and the first of them."""
        options = self.options
        scenarios = Scenarios(self.problem, graph, options.tiers, r0_by=options.r0_by, model=options.model, **params)
        return scenarios, Arena(self.problem, options, scenarios.draw(seed, 0), self.replicas)

    def _take(self, scenarios: Scenarios, first: Arena, params: dict[str, Any], seed: int) -> None:
        """Use them from here on; every episode must be restarted."""
        self.scenarios, self.scenario_seed, self._params, self._first = scenarios, seed, params, first
        every = scenarios.every
        self._every = max(1, every // self.replicas) if every else 0
        self._block = np.full(self.replicas, -1, np.int64)
        self._arenas: dict[int, Arena] = {}
        self.actions, self.observer = first.actions, first.observer

    def _check(self, arena: Arena) -> None:
        """Raise TwinloomError unless actions and observations of an arena are those that the environment promised."""
        if arena.actions.names != self.actions.names:
            names = ", ".join(arena.actions.names)
            raise TwinloomError(f"this graph changes the actions (to {names}); make a new environment for it")
        if arena.observer.names() != self.observer.names():
            raise TwinloomError("this graph changes the shape of observations; make a new environment for it")

    def begin(self, seed: int | Sequence[int] | None, options: dict[str, Any] | None) -> None:
        """What the reset of an environment asks before it restarts every episode; if it is refused, nothing changes."""
        given = parse_reset(options)
        seeds = None if seed is None else self._seeds(seed)
        graph, params = given.get("graph", self.scenarios.source), given["params"]
        if (scenario_seed := given.get("scenario_seed")) is None:
            scenario_seed = self.scenario_seed if seeds is None else seeds[0]
        moved = scenario_seed != self.scenario_seed and not self.scenarios.fixed
        if moved or params or graph is not self.scenarios.source:
            params = dict(params) or self._params
            scenarios, first = self._built(graph, params, int(scenario_seed))
            self._check(first)
            if first.observer.space != self.observer.space:
                raise TwinloomError("this graph changes the shape of observations; make a new environment for it")
            self._take(scenarios, first, params, int(scenario_seed))
        self.scenario_seed = int(scenario_seed)
        if seeds is not None:
            self._take_seeds(seeds)

    def _seeds(self, seed: Any) -> list[int]:
        """Seeds s, s + 1, ... or one for each replica."""
        if is_whole(seed, 0):
            seeds = [int(seed) + r for r in range(self.replicas)]
        else:
            several = isinstance(seed, Sequence) or (isinstance(seed, np.ndarray) and seed.ndim > 0)
            seeds = list(seed) if several else []
        if len(seeds) != self.replicas or not all(is_whole(s, 0) and s < 2**64 for s in seeds):
            many = "" if self.replicas == 1 else f", or {self.replicas} of them"
            raise TwinloomError(f"seed {shown(seed)} must be a whole number from 0 below 2**64{many}")
        return [int(s) for s in seeds]

    def _take_seeds(self, seeds: list[int]) -> None:
        """The next episode of each replica is the first of its seed."""
        self.ledger.seed = np.array(seeds, np.uint64)
        self.ledger.episode[:] = -1
        for arena in {id(a): a for a in (self._first, *self._arenas.values())}.values():
            arena.sim.reseed(self.ledger.seed)

    def restart(self, rows: np.ndarray) -> None:
        """Start the next episode of the replicas that ``rows`` bool [R] marks."""
        ledger = self.ledger
        ledger.restart(rows)
        block = ledger.episode // self._every if self._every else np.zeros(self.replicas, np.int64)
        self._block = np.where(rows, block, self._block)
        for number in np.unique(self._block[rows]):
            self._arena(int(number)).start(rows & (self._block == number), ledger)
        for number in [n for n in self._arenas if n not in self._block]:
            del self._arenas[number]
        for number, arena in self._arenas.items():
            arena.leave(rows & (self._block != number))
        if "vaccinate" in self.actions.channels:
            for row in np.flatnonzero(rows):
                words = episode_seed(int(ledger.seed[row]), "cascade", int(ledger.episode[row]))
                ledger.draws[row] = stream(words, "vaccinate")

    def step(self, actions: np.ndarray, live: np.ndarray | None = None) -> Outcome:
        """One decision of the replicas that ``live`` bool [R] marks, None: of all; the others are left where they are.

        Raises:
            TwinloomError: wrong shape, or an action that is not a number.
        """
        u = self._checked(actions)
        if self.problem.commit:
            u = np.where((self.ledger.step == 0)[:, None], u, self.ledger.committed)
            self.ledger.committed = u
        found: Outcome | None = None
        for number, arena in self._arenas.items():
            rows = live
            if len(self._arenas) > 1:
                rows = self._block == number if live is None else live & (self._block == number)
            if rows is not None and not rows.any():
                continue
            outcome = arena.step(u, rows, self.ledger)
            found = outcome if found is None else _joined(found, outcome, rows)  # type: ignore[arg-type]
        if found is None:
            raise TwinloomError("step: no episode is running; call reset first")
        return found

    def observe(self) -> Any:
        """float32 [R, D] of all replicas, or a dictionary of arrays from the graph observer."""
        arenas = list(self._arenas.items())
        observation = arenas[0][1].observe(self.ledger)
        for number, arena in arenas[1:]:
            rows = self._block == number
            observation[rows] = arena.observe(self.ledger)[rows]
        return observation

    def info(self) -> dict[str, np.ndarray]:
        """What `step` reports, at the start of an episode."""
        arenas = list(self._arenas.items())
        found = arenas[0][1].info(self.ledger)
        for number, arena in arenas[1:]:
            rows = self._block == number
            for key, values in arena.info(self.ledger).items():
                found[key][rows] = values[rows]
        return found

    def arena(self, replica: int = 0) -> Arena:
        """Graph, tiers, model and simulator that a replica runs on."""
        return self._arenas.get(int(self._block[replica]), self._first)

    def _arena(self, block: int) -> Arena:
        if block not in self._arenas:
            first = block == 0 or self.scenarios.fixed
            arena = self._first if first else self._made(block)
            arena.open(self.ledger.seed)
            self._arenas[block] = arena
        return self._arenas[block]

    def _made(self, block: int) -> Arena:
        scenario = self.scenarios.draw(self.scenario_seed, block)
        arena = Arena(self.problem, self.options, scenario, self.replicas)
        self._check(arena)
        return arena

    def _checked(self, actions: Any) -> np.ndarray:
        given = np.asarray(actions)
        if given.dtype.kind not in "fiub":
            raise TwinloomError(f"actions are numbers from 0 to 1, not {kind_of(given)}")
        u = given.astype(np.float64, copy=False)  # float32 of any layout
        if u.shape != (self.replicas, self.actions.size):
            raise TwinloomError(f"actions have shape {u.shape}; {(self.replicas, self.actions.size)} is needed")
        u, finite = kernels.checked(u)
        if not finite:
            raise TwinloomError("an action is not a finite number")
        return u


def _joined(first: Outcome, second: Outcome, rows: np.ndarray) -> Outcome:
    """The rows of ``second`` that ``rows`` marks, the others of ``first``."""
    first.reward[rows] = second.reward[rows]
    first.terminated[rows] = second.terminated[rows]
    first.truncated[rows] = second.truncated[rows]
    for key, values in second.info.items():
        first.info[key][rows] = values[rows]
    return first
