"""Evaluate policies in the same episodes: what each earned, and how it is distributed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol

import numpy as np

from policies.base import PolicySpec
from policies.cascade import stats
from policies.cascade.environment import ManualResetVecEnv
from sim.cascade.env.arena import Arena
from sim.cascade.env.episodes import Ledger
from sim.cascade.env.single import CascadeEnv
from twinloom.arguments import is_whole
from twinloom.errors import TwinloomError
from twinloom.features import STATE

CELLS = 20_000_000  # nodes times replicas that are simulated together: about a gigabyte
OUTBREAK = 0.05  # share of all nodes, reached by contact, from which on a cascade counts as an outbreak
GAMMA = 0.99
SEEDS = 2**64
SEED = 1_000_000_000  # evaluation episodes; training seeds lie elsewhere


@dataclass(frozen=True)
class View:
    """What policies that plan may look at besides the observation.

    Attributes:
        arena: graph, tiers, process, simulator (for its counts, not its future) and costs.
        ledger: step, spend and seeds of each episode.
        live: [R] whether the episode goes on.
    """

    arena: Arena
    ledger: Ledger
    live: np.ndarray


class BatchPolicy(Protocol):
    """A policy for R episodes side by side."""

    def reset(self) -> None:
        """New episodes begin."""
        ...

    def act_batch(self, observations: np.ndarray, sim: Any = None) -> np.ndarray:
        """Actions [R, A] for observations [R, D]; ``sim`` is a `View`."""
        ...


@dataclass(frozen=True)
class Outcomes:
    """E episodes; arrays [E], money and spend per node.

    Attributes:
        profit: sum of the rewards.
        discounted: the same, discounted with 0.99 a decision.
        spend: money spent on control.
        reached: share of the nodes that were reached by contact, however often; NaN if the world does not know.
        hub_retention: active hubs at the end / hubs ever active; NaN where none was.
        value: discounted return that the policy's critics expected at the start; NaN without critics.
        nodes: of the graph of each episode.
    """

    profit: np.ndarray
    discounted: np.ndarray
    spend: np.ndarray
    reached: np.ndarray
    hub_retention: np.ndarray
    value: np.ndarray
    nodes: np.ndarray

    def to_json(self) -> dict[str, list[float | None]]:
        """Lists, NaN as None; the inverse of from_json."""
        return {k: [None if np.isnan(x) else float(x) for x in v] for k, v in vars(self).items()}

    @classmethod
    def from_json(cls, value: dict[str, list[float | None]]) -> Outcomes:
        """Raises KeyError or TypeError where something is missing."""
        return cls(**{k: np.array([np.nan if x is None else x for x in v], float) for k, v in value.items()})

    def metrics(self) -> dict[str, float]:
        """The numbers of one row of a table; NaN where they have no meaning."""
        low, high = stats.mean_interval(self.profit)
        told = bool(np.isfinite(self.reached).all())
        broke = self.reached > OUTBREAK
        known = np.isfinite(self.hub_retention)
        values = self.value[np.isfinite(self.value)]
        return {
            "profit": float(self.profit.mean()),
            "profit_low": low,
            "profit_high": high,
            "median": float(np.median(self.profit)),
            "cvar10": float(stats.cvar(self.profit, 0.1)),
            "loss_share": float((self.profit < 0).mean()),
            "outbreak_share": float(broke.mean()) if told else float("nan"),
            "attack_rate": float(self.reached[broke].mean()) if told and broke.any() else float("nan"),
            "hub_retention": float(self.hub_retention[known].mean()) if known.any() else float("nan"),
            "spend": float(self.spend.mean()),
            "optimism": float(values.mean() - self.discounted.mean()) if len(values) else float("nan"),
        }


def evaluate(
    policy: BatchPolicy, problem: Any, options: dict[str, Any], episodes: int = 200, seed: int = SEED
) -> Outcomes:
    """Run a policy in episodes seed, seed + 1, ...: episode j is the same for every policy, batch size and observer.

    Args:
        policy: see `BatchPolicy`; with ``atoms(observations)`` its expectation is recorded.
        problem: name or Problem.
        options: of `CascadeVecEnv`; the graph must be fixed, or belong to ``scenario_seed`` of a GraphRange.
        episodes: how many.
        seed: of the first.

    Raises:
        TwinloomError: less than one episode, a seed that cannot be, or the policy sees or commands other numbers.
    """
    if not is_whole(episodes, 1):
        raise TwinloomError(f"episodes {episodes} must be a whole number of at least 1")
    if not is_whole(seed, 0) or seed + episodes > SEEDS:
        raise TwinloomError(
            f"{episodes} episodes from seed {seed} on need whole seeds from 0 below 2**64; take a smaller"
        )
    options = dict(options)
    scenario = options.pop("scenario_seed", None)
    size, env, parts = episodes, None, []
    done = 0
    while done < episodes:
        count = min(size, episodes - done)
        if env is None or count != env.num_envs:
            env = ManualResetVecEnv(problem, count, **options)
            most = max(1, CELLS // env.episodes.arena().nodes)
            if count > most:
                size = most
                continue
            check_fit(policy, env)
        seeds = [seed + done + j for j in range(count)]
        reset = {} if scenario is None else {"scenario_seed": scenario}
        parts.append(_run(policy, env, seeds, reset))
        done += count
    return Outcomes(**{k: np.concatenate([getattr(part, k) for part in parts]) for k in vars(parts[0])})


def check_fit(policy: Any, env: ManualResetVecEnv | CascadeEnv) -> None:
    """Refuse a policy that was trained to see or to command other numbers, or the same ones in another order.

    Raises:
        TwinloomError: they differ; baselines have no names and are not asked.
    """
    spec = getattr(policy, "spec", None)
    if not isinstance(spec, PolicySpec):
        return
    seen = spec.observation.get(STATE)
    pairs = {
        "observations": (() if seen is None else seen.names, env.episodes.observer.names()),
        "actions": (spec.action.names, env.action_names),
    }
    for what, (there, here) in pairs.items():
        if len(there) == len(here) and [*there] in ([*here], [str(n) for n in range(len(there))]):
            continue  # numbers are the names of what was trained without names
        differ = [f"{a} there, {b} here" for a, b in zip_longest(there, here, fillvalue="nothing") if a != b]
        more = f" and {len(differ) - 1} more" if len(differ) > 1 else ""
        raise TwinloomError(
            f"this policy was trained with {len(there)} {what}, this environment has {len(here)}: {differ[0]}{more}; "
            "give it the observer, features, tiers and channels that it was trained with"
        )


def _run(policy: BatchPolicy, env: ManualResetVecEnv, seeds: Sequence[int], reset: dict[str, Any]) -> Outcomes:
    """One batch of R episodes from start to end."""
    observation, info = env.reset(seed=list(seeds), options=reset or None)
    policy.reset()
    episodes, live = env.episodes, np.ones(env.num_envs, bool)
    nodes = episodes.arena().nodes
    per_node = 1.0 if env.options.normalise else 1.0 / nodes
    profit, discounted = np.zeros(env.num_envs), np.zeros(env.num_envs)
    value = np.full(env.num_envs, np.nan)
    if hasattr(policy, "atoms"):
        value = policy.atoms(observation).mean(1)  # type: ignore[attr-defined]
    retention, factor = np.full(env.num_envs, np.nan), 1.0
    while live.any():
        actions = policy.act_batch(observation, View(episodes.arena(), episodes.ledger, live))
        outcome = episodes.step(actions, live)
        reward = np.where(live, outcome.reward * per_node, 0.0)
        profit += reward
        discounted += factor * reward
        factor *= GAMMA
        info = outcome.info
        retention = np.where(live, info["hub_retention"], retention)
        live = live & ~(outcome.terminated | outcome.truncated)
        observation = episodes.observe()
    reached = episodes.ledger.reached / nodes
    spend = episodes.ledger.spend / nodes
    sizes = np.full(env.num_envs, float(nodes))
    return Outcomes(profit, discounted, spend, reached, retention, value, sizes)


def normalised(profit: np.ndarray, null: np.ndarray, best: np.ndarray) -> float:
    """(J - J_null) / (J_best - J_null) of mean profits; NaN if the best is no better than nothing."""
    span = float(best.mean() - null.mean())
    return float((profit.mean() - null.mean()) / span) if span > 0 else float("nan")
