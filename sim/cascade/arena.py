"""One scenario with its simulator, and what a decision does there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assets.errors import TwinloomError
from sim.cascade import worlds
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
        self._carriers = list(model.carriers())
        self._steps = [(step.source, step.target) for step in model.steps]
        self._reward = REWARDS[problem.reward]
        self._contacts = self._nodal = np.zeros((replicas, tiers.k))
        self._flows = np.zeros((replicas, tiers.k, model.size, model.size))
        self._initial_hubs = np.zeros(replicas)
        self._hubs = tiers.nodes(0)
        again = model.returns() or "winback" in self.actions.channels
        self._ever = np.zeros((replicas, len(self._hubs)), bool) if again and world != "ode" else None

    def start(self, rows: np.ndarray, ledger: Ledger) -> None:
        """Begin an episode in the places that ``rows`` bool [R] marks."""
        self.sim.reset(self.initial, mask=rows, episode=ledger.episode)
        self._flows = np.array(self.sim.flows, np.float64)
        self._contacts = np.where(rows[:, None], 0.0, self._contacts)
        self._nodal = np.where(rows[:, None], 0.0, self._nodal)
        self._initial_hubs = np.where(rows, self.sim.counts[:, 0, self.model.infectious], self._initial_hubs)
        if self._ever is not None:
            self._ever[rows] = False

    def leave(self, rows: np.ndarray) -> None:
        """Empty places, so that they cost nothing."""
        if rows.any():
            self.sim.reset(0, mask=rows)
            self._flows = np.array(self.sim.flows, np.float64)

    def step(self, u: np.ndarray, rows: np.ndarray, everyone: bool, ledger: Ledger) -> Outcome:
        """One decision with actions [R, A] in the places that ``rows`` marks (``everyone``: in all of them)."""
        from sim.cascade.episodes import Outcome

        actions, sim = self.actions, self.sim
        counts = np.asarray(sim.counts, np.float64)
        if not everyone:
            u = np.where(rows[:, None], u, actions.rest)
        costs = actions.unit_costs(counts, ledger.step == 0)
        left = most = None
        if np.isfinite(self.limit):
            left = self.limit - ledger.spend
            u = actions.projected(u, costs, left)
        running = costs * u
        for channel in ("seed", "vaccinate"):
            if channel in actions.channels:
                running[:, actions.slice(channel)] = 0.0
        spend = running.sum(axis=1)
        seeds, money = actions.seed(sim, u, counts, actions.seed_limit - ledger.seeds)
        spend = spend + money
        if left is not None:
            most = np.maximum(0.0, np.floor((left - spend) / self.problem.prices.vaccinate + 1e-9))
        spend = spend + actions.vaccinate(sim, u, counts, ledger.draws, most)
        price = actions.knobs(sim, u)
        sim.advance(self.problem.delta)
        window = self._window(seeds, price, spend)
        reward = self._reward(self.problem.prices, window)
        if not everyone:
            reward, spend, seeds = reward * rows, spend * rows, seeds * rows[:, None]
        ledger.step += rows
        ledger.spend += spend
        ledger.profit += reward
        ledger.seeds += seeds.sum(axis=1)
        ledger.calm &= window.infectious <= self.problem.prices.cap * self.nodes
        over = self._over(ledger)
        late = ledger.step >= self.problem.horizon
        info = self.info(ledger)
        info["action_applied"] = u.astype(np.float32)
        per_node = reward / self.nodes if self.options.normalise else reward
        return Outcome(per_node, over, late & ~over, info)

    def observe(self, ledger: Ledger) -> Any:
        """float32 [R, D], or a dictionary of arrays from the graph observer."""
        return self.observer.observe(
            self.sim, self._contacts, self._nodal, ledger.step / self.problem.horizon, self._spent(ledger)
        )

    def info(self, ledger: Ledger) -> dict[str, np.ndarray]:
        """Facts of all places; see `sim.cascade.env.CascadeEnv`."""
        counts = np.array(self.sim.counts)
        reached = self._reached()
        active = counts[:, 0, self.model.infectious]
        retention = np.divide(active, reached, out=np.full(len(counts), np.nan), where=reached > 0)
        success = ledger.calm if self.problem.reward == "mitigation" else ledger.profit > 0
        return {
            "counts": counts,
            "spend": ledger.spend.copy(),
            "profit": ledger.profit.copy(),
            "hub_retention": retention,
            "is_success": success.copy(),
        }

    def _window(self, seeds: np.ndarray, price: np.ndarray, spend: np.ndarray) -> Window:
        model = self.model
        flows = np.array(self.sim.flows, np.float64)
        new = flows - self._flows
        self._flows = flows
        self._contacts = new[:, :, 0, model.entry] - seeds
        self._nodal = sum((new[:, :, source, target] for source, target in self._steps), np.zeros_like(self._contacts))
        adopted = new[:, :, :, model.infectious].sum(axis=(1, 2))
        if model.entry == model.infectious:
            adopted = adopted - seeds.sum(axis=1)
        infectious = np.asarray(self.sim.counts, np.float64)[:, :, model.infectious].sum(axis=1)
        return Window(self._contacts, self._nodal, infectious, adopted, self.nodes, self.problem.delta, price, spend)

    def _reached(self) -> np.ndarray:
        """[R] hubs that were ever active: counted where nobody is so twice, else those seen active at a decision."""
        if self._ever is not None:
            self._ever |= self.sim.state[:, self._hubs] == self.model.infectious
            return self._ever.sum(axis=1)
        entered = self._flows[:, 0, :, self.model.infectious].sum(axis=1)
        return entered + self._initial_hubs

    def _spent(self, ledger: Ledger) -> np.ndarray:
        """Share of what limits the episode that is gone: of the seeds, and of the budget if there is one."""
        spent = ledger.seeds / self.actions.seed_limit if self.actions.seed_limit else np.zeros(len(ledger.seeds))
        return np.maximum(spent, ledger.spend / max(self.limit, 1e-300)) if np.isfinite(self.limit) else spent

    def _over(self, ledger: Ledger) -> np.ndarray:
        """Whether nothing can happen any more: nobody carries the cascade on, and no seed may start it again."""
        counts = self.sim.counts
        over = counts[:, :, self._carriers].sum(axis=(1, 2)) < EXTINCT
        if self.actions.seed_limit and over.any():
            blocked = ledger.seeds >= self.actions.seed_limit
            blocked |= counts[:, :, 0].sum(axis=1) < 1
            blocked |= self.limit - ledger.spend < self.actions.cheapest_seed()
            over &= blocked
        return over
