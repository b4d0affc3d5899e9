"""One scenario with its simulator, and what a decision does there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assets.errors import TwinloomError
from sim.cascade import loops, worlds
from sim.cascade.actions import Actions
from sim.cascade.graph_observer import GraphObserver
from sim.cascade.graphs import Scenario
from sim.cascade.observer import Observer
from sim.cascade.options import Options
from sim.cascade.problems import Problem
from sim.cascade.rewards import REWARDS, Window

if TYPE_CHECKING:
    from sim.cascade.episodes import Ledger, Outcome

EXTINCT = 1e-3  # nodes; the mean-field world counts in fractions and never reaches 0


class Arena:
    """R places for episodes on one graph with one process.

    Args:
        problem, options: what is decided; how it is simulated, acted on and seen.
        scenario: graph, tiers and renewal process.
        replicas: R.
    """

    def __init__(self, problem: Problem, options: Options, scenario: Scenario, replicas: int) -> None:
        graph, tiers, world, matching = scenario.graph, scenario.tiers, options.world, options.matching
        self.problem, self.options, self.scenario, self.nodes = problem, options, scenario, graph.n
        self.actions = Actions(problem, graph, tiers, scenario.model, options.channels)
        if problem.initial == 0 and "seed" not in self.actions.channels:
            raise TwinloomError(f"{problem.name} starts with nobody active, so its channels must include seed")
        self.sim = worlds.make(world, graph, scenario.model, tiers, replicas, matching, **options.engine)
        self.model = model = worlds.simulated(scenario.model, world, matching)
        self.observer = (
            GraphObserver(graph, model)
            if options.observer == "graph"
            else Observer(graph, tiers, model, options.features, options.observer, options.parameters)
        )
        share = problem.initial
        self.initial = round(share) if share >= 1 or share == 0 else max(1, round(share * graph.n))
        if self.initial >= graph.n:
            raise TwinloomError(f"{problem.name} starts with {self.initial} active nodes, the graph has {graph.n}")
        self.limit = np.inf if options.budget is None else options.budget * graph.n
        self._carriers = np.isin(np.arange(model.size), model.carriers())
        self._cheapest = self.actions.seed_price.min()
        self._steps = [np.array([getattr(s, end) for s in model.steps], np.int64) for end in ("source", "target")]
        self._reward = REWARDS[problem.reward]
        self._contacts = self._nodal = np.zeros((replicas, tiers.k))
        self._no_seeds = np.zeros((replicas, tiers.k), np.int64)
        self._flows = np.zeros((replicas, tiers.k, model.size, model.size))
        self._initial_hubs = np.zeros(replicas)
        self._hubs = tiers.nodes(0)
        again = model.returns() or "winback" in self.actions.channels
        self._ever = np.zeros((replicas, len(self._hubs)), bool) if again and world != "ode" else None

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
        if self._ever is not None:
            self._ever[rows] = False

    def leave(self, rows: np.ndarray) -> None:
        """Empty places, so that they cost nothing."""
        if rows.any():
            self.sim.reset(0, mask=rows)
            self.look()

    def step(self, u: np.ndarray, rows: np.ndarray | None, ledger: Ledger) -> Outcome:
        """One decision with actions [R, A] in the places that ``rows`` bool [R] marks, None: in all of them."""
        from sim.cascade.episodes import Outcome

        actions, sim, counts, prices = self.actions, self.sim, self._counts, self.problem.prices
        if rows is not None:
            u = np.where(rows[:, None], u, actions.rest)
        costs = actions.unit_costs(counts, ledger.step == 0)
        left = np.maximum(self.limit - ledger.spend, 0.0)  # episodes elsewhere may be on a larger graph
        if self.limit < np.inf:
            u = actions.projected(u, costs, left)
        seeds = self._no_seeds
        spend, price = actions.act(sim, u, costs)
        if actions.seed_limit:
            allowed = np.maximum(actions.seed_limit - ledger.seeds, 0.0)
            seeds, money = actions.seed(sim, u, counts, allowed, np.maximum(left - spend, 0.0))
            spend += money
        if "vaccinate" in actions.channels:
            spend += actions.vaccinate(sim, u, counts, ledger.draws, left - spend)
        sim.advance(self.problem.delta)
        before = self._flows
        self.look()
        self._contacts, self._nodal, adopted = loops.window(
            before, self._flows, seeds, self.model.entry, self.model.infectious, *self._steps
        )
        active, carrying, susceptible, retention = self._totals()
        window = Window(self._contacts, active, adopted, self.nodes, self.problem.delta, price, spend)
        reward = self._reward(prices, window)
        if rows is not None:
            reward, spend, seeds = reward * rows, spend * rows, seeds * rows[:, None]
        ledger.step += 1 if rows is None else rows
        ledger.spend += spend
        ledger.profit += reward
        if actions.seed_limit:
            ledger.seeds += seeds.sum(axis=1)
        ledger.calm &= active <= prices.cap * self.nodes
        over = carrying < EXTINCT
        if actions.seed_limit:  # nobody carries the cascade on; may a seed start it again?
            over &= (
                (ledger.seeds >= actions.seed_limit) | (susceptible < 1) | (self.limit - ledger.spend < self._cheapest)
            )
        if "winback" in actions.channels:
            over &= self._counts[:, :, actions.removed].sum(axis=1) < EXTINCT
        info = self._facts(ledger, retention)
        info["action_applied"] = u.astype(np.float32)
        late = ledger.step >= self.problem.horizon
        return Outcome(reward / self.nodes if self.options.normalise else reward, over, late & ~over, info)

    def observe(self, ledger: Ledger) -> Any:
        """float32 [R, D], or a dictionary of arrays from the graph observer."""
        return self.observer.observe(
            self.sim, self._counts, self._contacts, self._nodal, ledger.step / self.problem.horizon, self._spent(ledger)
        )

    def info(self, ledger: Ledger) -> dict[str, np.ndarray]:
        """Facts of all places; see `sim.cascade.env.CascadeEnv`."""
        return self._facts(ledger, self._totals()[3])

    def _facts(self, ledger: Ledger, retention: np.ndarray) -> dict[str, np.ndarray]:
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

    def _totals(self) -> tuple[np.ndarray, ...]:
        """Infectious, carrying and susceptible nodes, and hub retention, [R] each."""
        active, carrying, susceptible, retention = loops.totals(
            self._counts, self._flows, self._initial_hubs, self.model.infectious, self._carriers
        )
        if self._ever is not None:  # flows would count a hub as often as it becomes active
            hubs = self.sim.state[:, self._hubs] == self.model.infectious
            self._ever |= hubs
            reached = self._ever.sum(axis=1)
            retention = np.divide(hubs.sum(axis=1), reached, out=np.full(len(reached), np.nan), where=reached > 0)
        return active, carrying, susceptible, retention

    def _spent(self, ledger: Ledger) -> np.ndarray:
        """Share of what limits the episode that is gone: of the seeds, and of the budget if there is one."""
        spent = ledger.seeds / max(self.actions.seed_limit, 1)
        return np.maximum(spent, ledger.spend / max(self.limit, 1e-300)) if self.limit < np.inf else spent
