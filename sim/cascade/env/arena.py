"""One scenario with its simulator, and what a decision does there."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.cascade.env import kernels, worlds
from sim.cascade.env.actions import Actions
from sim.cascade.env.ledger import Ledger, Outcome
from sim.cascade.env.options import EnvConfig
from sim.cascade.env.rewards import REWARDS, Window
from sim.cascade.env.scenarios import Scenario
from sim.cascade.exact.state import recurs
from sim.cascade.observe import registry
from sim.cascade.problems import Problem
from twinloom.errors import TwinloomError


class Arena:
    """R places for episodes on one graph with one process.

    Args:
        problem, options: what is decided; how it is simulated, acted on and seen.
        scenario: graph, tiers and renewal process.
        replicas: R.
    """

    def __init__(self, problem: Problem, options: EnvConfig, scenario: Scenario, replicas: int) -> None:
        graph, tiers, world, matching = scenario.graph, scenario.tiers, options.world, options.matching
        self.problem, self.options, self.scenario, self.nodes = problem, options, scenario, graph.n
        self.actions = Actions(problem, graph, tiers, scenario.model, options.channels)
        if problem.initial == 0 and "seed" not in self.actions.channels:
            raise TwinloomError(f"{problem.name} starts with nobody active, so its channels must include seed")
        self.sim = worlds.make(world, graph, scenario.model, tiers, replicas, matching, **options.engine)
        self.model = model = worlds.simulated(scenario.model, world, matching, graph)
        self.observer = registry.make(options.observer, graph, tiers, model, options.features, options.parameters)
        share = problem.initial
        self.initial = round(share) if share >= 1 or share == 0 else max(1, round(share * graph.n))
        if self.initial >= graph.n:
            raise TwinloomError(f"{problem.name} starts with {self.initial} active nodes, the graph has {graph.n}")
        self.limit = np.inf if options.budget is None else options.budget * graph.n
        self._carriers = np.isin(np.arange(model.size), model.carriers())
        if "winback" in self.actions.channels:  # whoever left may be won back
            self._carriers[self.actions.removed] = True
        self._cheapest = self.actions.seed_price.min()
        self._steps = [np.array([getattr(s, end) for s in model.steps], np.int64) for end in ("source", "target")]
        self._reward = REWARDS[problem.reward]
        self._contacts = self._nodal = np.zeros((replicas, tiers.k))
        self._everyone = np.ones(replicas, bool)
        self._no_seeds = np.zeros((replicas, tiers.k), np.int64)
        self._flows = np.zeros((replicas, tiers.k, model.size, model.size))
        self._initial_hubs = np.zeros(replicas)
        self._again = recurs(model, started="winback" in self.actions.channels)

    def open(self, seeds: np.ndarray) -> None:
        """Take the seeds [R] of the replicas; all places are empty."""
        self.sim.reseed(seeds)
        self.sim.reset(0)

    def start(self, rows: np.ndarray, ledger: Ledger) -> None:
        """Begin an episode in the places that ``rows`` bool [R] marks."""
        self.sim.reset(self.initial, mask=rows, episode=ledger.episode)
        self.look()
        self._contacts = np.where(rows[:, None], 0.0, self._contacts)
        self._nodal = np.where(rows[:, None], 0.0, self._nodal)
        self._initial_hubs = np.where(rows, self._counts[:, 0, self.model.infectious], self._initial_hubs)

    def leave(self, rows: np.ndarray) -> None:
        """Empty places, so that they cost nothing."""
        if rows.any():
            self.sim.reset(0, mask=rows)
            self.look()

    def step(self, u: np.ndarray, rows: np.ndarray | None, ledger: Ledger) -> Outcome:
        """One decision with actions [R, A] in the places that ``rows`` bool [R] marks, None: in all of them."""
        actions, sim, counts = self.actions, self.sim, self._counts
        if rows is not None:
            u = np.where(rows[:, None], u, actions.rest)
        costs = actions.unit_costs(counts, ledger.step == 0)
        left = self.limit - ledger.spend  # below 0 for episodes elsewhere, on a larger graph
        if self.limit < np.inf:
            u = actions.projected(u, costs, np.maximum(left, 0.0))
        seeds = self._no_seeds
        spend, price = actions.act(sim, u, costs)
        if actions.seed_limit:
            seeds, money = actions.seed(sim, u, counts, ledger.seeds, left - spend)
            spend += money
        if "vaccinate" in actions.channels:
            spend += actions.vaccinate(sim, u, counts, ledger.draws, left - spend)
        sim.advance(self.problem.delta)
        before = self._flows
        self.look()
        facts = self._facts(before, seeds)
        window = Window(self._contacts, facts[1], facts[0], self.nodes, self.problem.delta, price, spend)
        reward = self._reward(self.problem.prices, window)
        over, late = kernels.settle(
            self._everyone if rows is None else rows,
            reward,
            spend,
            seeds,
            facts,
            ledger.step,
            ledger.spend,
            ledger.profit,
            ledger.seeds,
            ledger.reached,
            ledger.calm,
            self.problem.prices.cap * self.nodes,
            self.problem.horizon,
            actions.seed_limit,
            self.limit,
            self._cheapest,
        )
        if self._again:  # steps count a node as often as it is reached
            reached = self.sim.ever()[1].sum(axis=1)
            ledger.reached = reached if rows is None else np.where(rows, reached, ledger.reached)
        info = self._info(ledger, facts[4])
        info["action_applied"] = actions.applied(u, counts, seeds)
        return Outcome(reward / self.nodes if self.options.normalise else reward, over, late, info)

    def observe(self, ledger: Ledger) -> Any:
        """float32 [R, D], or a dictionary of arrays from the graph observer."""
        return self.observer.observe(
            self.sim, self._counts, self._contacts, self._nodal, ledger.step / self.problem.horizon, self._spent(ledger)
        )

    def info(self, ledger: Ledger) -> dict[str, np.ndarray]:
        """Facts of all places; see `sim.cascade.env.single.CascadeEnv`."""
        contacts, nodal = self._contacts, self._nodal
        retention = self._facts(self._flows, self._no_seeds)[4]
        self._contacts, self._nodal = contacts, nodal  # nothing happened since
        return self._info(ledger, retention)

    def _info(self, ledger: Ledger, retention: np.ndarray) -> dict[str, np.ndarray]:
        return {
            "counts": self._integers,
            "spend": ledger.spend.copy(),
            "profit": ledger.profit.copy(),
            "hub_retention": retention,
            "is_success": ledger.calm.copy() if self.problem.reward == "mitigation" else ledger.profit > 0,
        }

    def look(self) -> None:
        """Read the counters of the simulator, once for each decision."""
        self._integers = np.array(self.sim.counts)
        self._counts = self._integers.astype(np.float64)
        self._flows = np.array(self.sim.flows, np.float64)

    def _facts(self, before: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Numbers of nodes [6, R] as `kernels.window` gives them; keeps the steps since ``before``."""
        self._contacts, self._nodal, facts = kernels.window(
            before,
            self._flows,
            self._counts,
            seeds,
            self._initial_hubs,
            self.model.entry,
            self.model.infectious,
            self._carriers,
            *self._steps,
        )
        if self._again:  # flows would count a hub as often as it becomes active
            ever = self.sim.ever()[0][:, 0]
            hubs = self._counts[:, 0, self.model.infectious]
            facts[4] = np.divide(hubs, ever, out=np.full(len(ever), np.nan), where=ever > 0)
        return facts

    def _spent(self, ledger: Ledger) -> np.ndarray:
        """Share of what limits the episode that is gone: of the seeds, and of the budget if there is one."""
        spent = ledger.seeds / max(self.actions.seed_limit, 1)
        return np.maximum(spent, ledger.spend / max(self.limit, 1e-300)) if self.limit < np.inf else spent
