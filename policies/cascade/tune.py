"""Tune baselines by search: every candidate plays the same episodes, all candidates side by side in one simulator."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from policies.cascade.baselines import BangBang, Constant, DegreeTargeted, channel_entries, hub_entries
from policies.cascade.environment import ManualResetVecEnv
from policies.cascade.evaluate import CELLS, BatchPolicy, View
from twinloom.errors import TwinloomError

TUNING_SEED = 2_000_000_000  # tuning must not see the episodes of the evaluation
LEVELS = (0.0, 0.1, 0.3, 0.6, 1.0)
FINE = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
SWEEPS = 2


@dataclass(frozen=True)
class Ground:
    """Where baselines are tuned.

    Attributes:
        problem: name or Problem.
        options: of the environment; one mapping for each graph (a GraphRange with different ``scenario_seed``).
        episodes: common episodes of the candidates on each graph.
    """

    problem: Any
    options: Sequence[dict[str, Any]]
    episodes: int = 16

    def __post_init__(self) -> None:
        """Raises TwinloomError where there is nothing to tune on."""
        if not self.options or self.episodes < 1:
            text = f"{len(self.options)} graphs with {self.episodes} episodes each; both must be at least 1"
            raise TwinloomError(f"baselines are tuned on {text}")


def scores(candidates: Sequence[BatchPolicy], ground: Ground) -> np.ndarray:
    """Mean return of each candidate over all graphs and episodes, [C]."""
    return np.mean([_on_one(candidates, ground.problem, dict(o), ground.episodes) for o in ground.options], axis=0)


def _on_one(candidates: Sequence[BatchPolicy], problem: Any, options: dict[str, Any], episodes: int) -> np.ndarray:
    reset = {"scenario_seed": options.pop("scenario_seed")} if "scenario_seed" in options else None
    probe = ManualResetVecEnv(problem, 1, **options)
    together = max(1, int(CELLS // (probe.episodes.arena().nodes * episodes)))
    found: list[float] = []
    for first in range(0, len(candidates), together):
        part = candidates[first : first + together]
        env = ManualResetVecEnv(problem, len(part) * episodes, **options)
        observation, _ = env.reset(seed=[TUNING_SEED + j for j in range(episodes)] * len(part), options=reset)
        for policy in part:
            policy.reset()
        live, returns = np.ones(env.num_envs, bool), np.zeros(env.num_envs)
        while live.any():
            view = View(env.episodes.arena(), env.episodes.ledger, live)
            actions = np.empty((env.num_envs, len(env.action_names)))
            for number, policy in enumerate(part):
                rows = slice(number * episodes, (number + 1) * episodes)
                actions[rows] = policy.act_batch(observation, view)[rows]
            outcome = env.episodes.step(actions, live)
            returns += np.where(live, outcome.reward, 0.0)
            live = live & ~(outcome.terminated | outcome.truncated)
            observation = env.episodes.observe()
        found += returns.reshape(len(part), episodes).mean(1).tolist()
    return np.array(found)


def layout(ground: Ground) -> tuple[list[str], np.ndarray]:
    """Names of the action entries, and the action that does nothing."""
    options = {k: v for k, v in ground.options[0].items() if k != "scenario_seed"}
    env = ManualResetVecEnv(ground.problem, 1, **options)
    return list(env.action_names), env.rest.astype(np.float64)


def constant(ground: Ground) -> tuple[Constant, float]:
    """Best constant action: a grid over channels, then sweeps over single entries. Returns it with its score."""
    names, rest = layout(ground)
    channels = sorted({name.partition("/")[0] for name in names})
    grid = []
    for levels in itertools.product(LEVELS, repeat=len(channels)):
        action = rest.copy()
        for channel, level in zip(channels, levels, strict=True):
            action[channel_entries(names, channel)] = level
        grid.append(action)
    grid.append(rest)
    best, score = _best(grid, ground)
    for _ in range(SWEEPS):
        before = score
        for entry in range(len(names)):
            trial = [np.where(np.arange(len(names)) == entry, level, best) for level in FINE]
            action, value = _best(trial, ground)
            if value > score:
                best, score = action, value
        if score <= before:
            break
    return Constant(best), score


def degree_targeted(ground: Ground) -> tuple[DegreeTargeted, float]:
    """Best choice of channels at full effort on the hubs, and of when to stop."""
    names, rest = layout(ground)
    channels = sorted({name.partition("/")[0] for name in names})
    candidates = []
    for count in range(1, len(channels) + 1):
        for chosen in itertools.combinations(channels, count):
            action = np.where(hub_entries(names, chosen), 1.0, rest)
            candidates += [DegreeTargeted(action, rest, share) for share in (0.05, 0.1, 0.25, 0.5, 1.0)]
    found = scores(candidates, ground)
    return candidates[int(found.argmax())], float(found.max())


def bang_bang(ground: Ground, below: bool) -> tuple[BangBang, float]:
    """Best threshold, and best choice of channels and tiers to switch."""
    names, rest = layout(ground)
    channels = sorted({name.partition("/")[0] for name in names})
    candidates = []
    for count in range(1, len(channels) + 1):
        for chosen in itertools.combinations(channels, count):
            everywhere = np.any([channel_entries(names, c) for c in chosen], axis=0)
            for entries in (everywhere, hub_entries(names, chosen)):
                for threshold in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3):
                    candidates += [
                        BangBang(np.where(entries, level, rest), rest, threshold, below) for level in (0.3, 1.0)
                    ]
    found = scores(candidates, ground)
    return candidates[int(found.argmax())], float(found.max())


def _best(actions: Sequence[np.ndarray], ground: Ground) -> tuple[np.ndarray, float]:
    found = scores([Constant(action) for action in actions], ground)
    return actions[int(found.argmax())], float(found.max())
