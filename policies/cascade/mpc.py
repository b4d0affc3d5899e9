"""Model predictive control: plan on the mean-field equation of the graph at hand, act, and plan again.

A plan is five actions at equal distances up to the horizon, linear in between. The cross-entropy method improves it:
draw candidates around the plan, let all of them for all episodes run through the mean-field world side by side, move
the plan to the best. The planner knows graph, tiers, process and costs exactly, and takes expectations for the truth.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from policies.cascade.baselines import generators
from policies.cascade.evaluate import View
from sim.cascade.env.arena import Arena
from sim.cascade.env.episodes import Ledger
from sim.cascade.mean_field.simulator import TierODE

CANDIDATES, DOSES = 0, 1  # what is drawn
FLOOR = 0.02  # standard deviation below which candidates no longer differ


@dataclass
class MeanFieldPlanner:
    """Cross-entropy planner.

    Attributes:
        candidates, elites, iterations: of the cross-entropy method.
        knots: actions that make a plan.
        every: decisions between two plannings.
        seed: of the candidates, with that of the episode.
    """

    candidates: int = 32
    elites: int = 6
    iterations: int = 3
    knots: int = 5
    every: int = 5
    seed: int = 0
    _plan: np.ndarray | None = field(default=None, init=False, repr=False)  # [R, horizon, A]
    _field: tuple[int, Arena] | None = field(default=None, init=False, repr=False)

    def reset(self) -> None:
        """Forget the plan."""
        self._plan = None

    def act_batch(self, observations: np.ndarray, sim: Any = None) -> np.ndarray:
        """[R, A]; ``sim`` is the `View` of episodes that are all at the same step."""
        view: View = sim
        step = int(view.ledger.step[view.live].max())
        if self._plan is None or step % self.every == 0:
            self._improve(view, step)
        assert self._plan is not None
        return self._plan[:, step]

    def _improve(self, view: View, step: int) -> None:
        """Plan the decisions from ``step`` on anew for all episodes that go on."""
        replicas, horizon, size = len(view.live), view.arena.problem.horizon, view.arena.actions.size
        at = np.linspace(0, horizon - 1 - step, self.knots)
        if self._plan is None:
            self._plan = np.zeros((replicas, horizon, size))
            mean = np.full((replicas, self.knots, size), 0.5)
            spread = np.full_like(mean, 0.5)
        else:
            mean = self._plan[:, step + np.round(at).astype(int)]
            spread = np.full_like(mean, 0.25)
        rows = np.flatnonzero(view.live)
        mean, spread = mean[rows], spread[rows]
        draws = generators(view.ledger, rows, self.seed, CANDIDATES)
        for _ in range(self.iterations):
            noise = np.stack([rng.standard_normal((self.candidates, *mean.shape[1:])) for rng in draws])
            drawn = mean[:, None] + spread[:, None] * noise
            knots = np.clip(drawn, 0.0, 1.0)
            knots[:, 0] = mean  # the best plan so far competes
            returns = self._returns(view, rows, _unfold(knots, at, horizon - step), step)
            best = np.argsort(-returns, axis=1, kind="stable")[:, : self.elites]
            elite = np.take_along_axis(knots, best[:, :, None, None], axis=1)
            mean, spread = elite.mean(axis=1), np.maximum(elite.std(axis=1), FLOOR)
        self._plan[rows, step:] = _unfold(mean[:, None], at, horizon - step)[:, 0]

    def _returns(self, view: View, rows: np.ndarray, actions: np.ndarray, step: int) -> np.ndarray:
        """Mean-field return of candidates [E, C, steps, A] from where the episodes stand, [E, C]."""
        episodes, candidates, steps, size = actions.shape
        many = episodes * candidates
        arena = self._arena(view.arena, many)
        each = np.repeat(rows, candidates)
        ledger = Ledger(many, size)
        ledger.step[:] = step
        ledger.spend[:], ledger.seeds[:] = view.ledger.spend[each], view.ledger.seeds[each]
        ledger.draws = [rng for rng in generators(view.ledger, rows, self.seed, DOSES) for _ in range(candidates)]
        sim: TierODE = arena.sim  # type: ignore[assignment]
        counts, ages = np.asarray(view.arena.sim.counts, np.float64), view.arena.sim.age_stats()[0]
        sim.load(counts[each], ages[each])
        arena.look()
        total, flat = np.zeros(many), actions.reshape(many, steps, size)
        for ahead in range(steps):
            total += arena.step(flat[:, ahead], None, ledger).reward
        return total.reshape(episodes, candidates)

    def _arena(self, real: Arena, many: int) -> Arena:
        """The mean-field world of the same scenario, with room for all candidates."""
        if self._field is None or self._field[0] != many or self._field[1].scenario is not real.scenario:
            self._field = (many, Arena(real.problem, real.options.mean_field(), real.scenario, many))
        return self._field[1]


def _unfold(knots: np.ndarray, at: np.ndarray, steps: int) -> np.ndarray:
    """Actions [..., steps, A] of knots [..., knots, A] at times ``at``, linear in between."""
    when = np.arange(steps)
    right = np.clip(np.searchsorted(at, when, side="left"), 1, len(at) - 1) if steps > 1 else np.ones(1, int)
    gap = at[right] - at[right - 1]
    weight = np.divide(when - at[right - 1], gap, out=np.zeros(len(when)), where=gap > 0)[:, None]
    return (1 - weight) * knots[..., right - 1, :] + weight * knots[..., right, :]
