"""The valley: spending that pays only beyond a threshold. Who gets across, starting from no spending?

``policies experiment valley [--jobs 2]`` writes docs/results/cascade/valley_profit (the valley by formula and by
simulation), valley_learners (share of seeds that cross) and valley_critic (learned against simulated distributions).
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from policies.cascade.experiments import resumable
from policies.cascade.experiments.resumable import ExperimentCell
from twinloom.results import RESULTS

HERE = "policies.cascade.experiments.valley"
BEGIN = {"start": -0.95, "start_spread": 1.0, "critic_first": 500}
"""0.025 of the largest spend, with a spread of half of it; actors may move when the critics know the surroundings."""
METHODS: dict[str, dict[str, Any]] = {
    "TD3 (mean)": {"algo": "td3", "noise": 0.1},
    "SAC": {"algo": "sac"},
    "TQC, d = 0": {"algo": "tqc", "top_quantiles_to_drop_per_net": 0},
    "TQC, d = 2": {"algo": "tqc", "top_quantiles_to_drop_per_net": 2},
    "TQC, upper tenth": {"algo": "tqc", "top_quantiles_to_drop_per_net": 0, "risk": -0.1},
    "TQC, lower tenth": {"algo": "tqc", "top_quantiles_to_drop_per_net": 0, "risk": 0.1},
}
LEVELS = tuple(round(0.1 * i, 1) for i in range(11))
FIT_SEEDS, FIT_LEVELS = 2, (0.3, 0.4, 0.5, 0.7)


@dataclass(frozen=True)
class ValleyConfig:
    """How much is computed.

    Attributes:
        jobs: processes.
        seeds: runs of each learner.
        steps: decisions that each learner may try.
        fit: decisions that the fitted critic sees.
        episodes: simulated returns at each of its levels.
        dry: only say what would be done, and how long it may take.
        out: folder of the results.
        work: folder of finished parts.
    """

    jobs: int = 1
    seeds: int = 10
    steps: int = 20_000
    fit: int = 60_000
    episodes: int = 10_000
    dry: bool = False
    out: Path = RESULTS
    work: Path = resumable.FOLDER / "valley"


def main(words: list[str]) -> int:
    """Body of the command."""
    options = tyro.cli(ValleyConfig, prog="policies experiment valley", args=words)
    resumable.check_counts(options, "jobs", "seeds", "steps", "fit", "episodes")
    table = ExperimentCell("profit", f"{HERE}:profit", {"episodes": 400}, 1.0)
    runs = {
        (name, seed): ExperimentCell(
            f"{settings['algo']}-{number}-s{seed}",
            f"{HERE}:learn",
            {"learner": settings | {"seed": seed, "steps": options.steps}},
            options.steps * 4e-5,
        )
        for number, (name, settings) in enumerate(METHODS.items())
        for seed in range(options.seeds)
    }
    fit = ExperimentCell(
        "critic", f"{HERE}:fit", {"steps": options.fit, "episodes": options.episodes}, options.fit * 4e-5 + 1.5
    )
    resumable.run([table, fit, *runs.values()], options.work, options.jobs, options.dry)
    if options.dry:
        return 0
    from policies.cascade.experiments import valley_report as report

    command = shlex.join(["policies", "experiment", "valley", *words])
    found = {key: resumable.result(cell, options.work) for key, cell in runs.items()}
    profit_rows = resumable.result(table, options.work)
    report.write(profit_rows, found, resumable.result(fit, options.work), options, command)
    return 0


def problem(seeds: int = 10) -> Any:
    """The escape problem with so many initial adopters."""
    from sim.cascade.problems import PROBLEMS

    return replace(PROBLEMS["escape"], initial=seeds)


def profit(arguments: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """Expected profit at each spend: branching theory, and the exact simulator on a random graph."""
    from policies.cascade.stats import bimodality, mean_interval
    from sim.cascade.process.theory import Valley

    theory, rows = Valley(), []
    for level in LEVELS:
        returns = simulate(problem(), level, arguments["episodes"])
        low, high = mean_interval(returns)
        spread = bimodality(returns)
        rows.append(
            {
                "spend": level,
                "R": theory.reproduction(level),
                "outbreak probability": theory.outbreak(level),
                "theory": theory.profit(level),
                "simulated": float(returns.mean()),
                "simulated low": low,
                "simulated high": high,
                "bimodality": spread if np.isfinite(spread) else None,
            }
        )
    return rows


def simulate(task: Any, level: float, episodes: int, together: int = 200) -> np.ndarray:
    """Returns of episodes at one spend, [E]."""
    from policies.cascade.baselines import Constant
    from policies.cascade.evaluate import evaluate

    size = max(1, min(together, episodes))
    parts = [
        evaluate(Constant(np.array([level])), task, {}, min(size, episodes - first), 3_000_000_000 + first).profit
        for first in range(0, episodes, size)
    ]
    return np.concatenate(parts)


def _train(task: Any, settings: dict[str, Any], folder: Path) -> tuple[Any, list[dict[str, Any]]]:
    """Train on the one-decision problem; returns the policy and the learning curve."""
    import policies
    from policies.cascade.environment import ManualResetVecEnv
    from policies.rl.config import LearnerConfig
    from policies.rl.learning_curve import CURVE, read_curve
    from policies.rl.train import TrainingJob, train

    base = {"num_envs": 16, "learning_starts": 0, "actor": (64, 64), "critic": (128, 128), "huber": 0.25}
    base |= {"learning_rate": 1e-3, "horizon_ends": False}
    job = TrainingJob(
        "cascade/escape",
        LearnerConfig(**(base | settings)),
        lambda replicas: ManualResetVecEnv(task, replicas),
        {"problem": "escape", "initial": task.initial},
        action_names=["boost"],
    )
    train(job, folder, checkpoint_every=1_000_000)
    curve = read_curve(folder / CURVE)
    (folder / "replay.npy").unlink(missing_ok=True)
    return policies.load(folder), curve


def learn(arguments: dict[str, Any], folder: Path) -> dict[str, Any]:
    """One learner from nearly no spending: where it ends, and how it got there."""
    task = problem()
    policy, curve = _train(task, arguments["learner"] | BEGIN, folder)
    final = float(policy.act_batch(_first_observation(task))[0, 0])
    path = [[row["step"], row["action/boost"]] for row in curve if "action/boost" in row]
    return {"final": final, "path": path[:: max(1, len(path) // 60)]}


def fit(arguments: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A critic fed with spends from the whole range, against simulated returns near the threshold."""
    from policies.cascade.stats import bimodality, two_groups, wasserstein

    task = problem(FIT_SEEDS)
    settings = {
        "algo": "tqc",
        "top_quantiles_to_drop_per_net": 0,
        "entropy": "1.0",
        "huber": 0.05,
        "steps": arguments["steps"],
    }
    policy, _ = _train(task, settings, folder)
    rows, shown = [], {}
    for level in FIT_LEVELS:
        returns = simulate(task, level, arguments["episodes"])
        atoms = np.sort(policy.atoms(_first_observation(task), np.array([[level]]))[0])
        low, high, share = two_groups(returns)
        learned_low, learned_high, learned_share = two_groups(atoms)
        rows.append(
            {
                "spend": level,
                "mean": float(returns.mean()),
                "learned mean": float(atoms.mean()),
                "Wasserstein-1": wasserstein(atoms, returns),
                "groups": f"{low:.3f} / {high:.3f}",
                "learned groups": f"{learned_low:.3f} / {learned_high:.3f}",
                "in the upper": share,
                "learned in the upper": learned_share,
                "bimodality": bimodality(returns),
                "learned bimodality": bimodality(atoms),
                "near the mean": float((np.abs(returns - returns.mean()) < 0.05).mean()),
            }
        )
        shown[str(level)] = {"returns": returns[:2000].tolist(), "atoms": atoms.tolist()}
    return {"rows": rows, "shown": shown}


def _first_observation(task: Any) -> np.ndarray:
    from policies.cascade.environment import ManualResetVecEnv

    return ManualResetVecEnv(task, 1).reset(seed=[0])[0]
