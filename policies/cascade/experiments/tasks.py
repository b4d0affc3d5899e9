"""What cells of several experiments do: train a policy, tune the baselines, evaluate a policy on a graph."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from policies.cascade.experiments.resumable import ExperimentCell
from twinloom.atomic import write_json

HERE = "policies.cascade.experiments.tasks"
STAGE = "stage.json"
STAGES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # of all steps, at which the policy is kept
MINUTES_PER_STEP = {"tqc": 5.0e-5, "sac": 3.5e-5, "td3": 3.0e-5, "ppo": 1.2e-5}


def training(
    name: str, *, algo: str = "tqc", steps: int = 150_000, seed: int = 0, learner: dict | None = None, **world: Any
) -> ExperimentCell:
    """A cell that trains a policy; its result holds the checkpoint folder.

    Args:
        learner: further settings of `policies.rl.config.LearnerConfig`.
        world: settings of `policies.cascade.config.WorldConfig`; the problem is adopt_profit if not given.
    """
    from policies.cascade.config import RANGE, WorldConfig
    from policies.rl.config import LearnerConfig

    given: dict[str, Any] = {"algo": algo, "steps": steps, "seed": seed, "horizon_ends": False}  # as published
    given |= learner or {}
    where, settings = WorldConfig(**{"problem": "adopt_profit", **world}), LearnerConfig(**given)
    minutes = steps * MINUTES_PER_STEP[algo] * (1.0 if where.graph == RANGE else 3.0)
    arguments = {"world": where.to_json(), "learner": settings.to_json(), "constants": constants(where.problem)}
    return ExperimentCell(f"train-{name}-s{seed}", f"{HERE}:train", arguments, minutes)


def constants(problem: str) -> dict[str, Any]:
    """Prices, strengths and times of a problem: part of what names a cell, for they decide what it finds."""
    from sim.cascade.problems import PROBLEMS

    facts = asdict(PROBLEMS[problem])
    return {name: value for name, value in facts.items() if name != "summary" and not callable(value)}


def marks(steps: int) -> list[int]:
    """Steps at which policies are kept."""
    return sorted({max(1, round(share * steps)) for share in STAGES})


def train(arguments: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Body of `training`: the last policy, and those on the way with their steps and processor time until then."""
    from policies.cascade.config import WorldConfig, job
    from policies.checkpoint import describe
    from policies.rl.config import LearnerConfig
    from policies.rl.train import train as run

    settings: dict[str, Any] = dict(arguments["learner"])
    stages, spent = [], 0.0
    for mark in marks(settings["steps"]):
        kept = folder / f"at-{mark}"
        if not (kept / STAGE).exists():
            clock = time.process_time()
            last = run(
                job(WorldConfig(**arguments["world"]), LearnerConfig.from_json({**settings, "steps": mark})), folder
            )
            kept.mkdir(exist_ok=True)
            for name in ("policy.json", "model.safetensors"):
                shutil.copyfile(last / name, kept / name)
            taken = int(describe(last)[0].extra["steps"])
            write_json(kept / STAGE, {"steps": taken, "processor_s": round(time.process_time() - clock, 1)})
        stage = json.loads((kept / STAGE).read_text(encoding="utf-8"))
        spent += stage["processor_s"]
        stages.append({"policy": str(kept), "steps": stage["steps"], "processor_s": round(spent, 1)})
    (folder / "replay.npy").unlink(missing_ok=True)  # a hundred megabytes that nobody needs any more
    return {"checkpoint": stages[-1]["policy"], "steps": settings["steps"], "stages": stages}


def tuning(problem: str = "adopt_profit", on: str | None = None, r0: float | None = None) -> ExperimentCell:
    """A cell that tunes the baselines, on random training graphs, or only the constant on the graph ``on``."""
    from policies.cascade.config import WorldConfig

    where = "range" if on is None else on
    suffix = "" if r0 is None else f"-r{r0:g}"
    arguments: dict[str, Any] = {"problem": problem, "on": on, "r0": r0, "constants": constants(problem)}
    if on is None:
        arguments["world"] = WorldConfig(problem, r0=r0).to_json()
    return ExperimentCell(f"tune-{where}{suffix}", f"{HERE}:tune", arguments, 1.0 if on is None else 4.0)


def tune(arguments: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Body of `tuning`."""
    from policies.cascade import resolve
    from policies.cascade.config import BASELINES, evaluation_graph
    from policies.cascade.tune import Ground

    problem, on, r0 = arguments["problem"], arguments["on"], arguments["r0"]
    if on is None:
        ground = resolve.training_ground(problem, r0)
        return {name: resolve.tuned(name, problem, ground) for name in BASELINES}
    ground = Ground(problem, [{"graph": evaluation_graph(on), "r0": r0}], 16)
    return {"constant_here": resolve.tuned("constant", problem, ground)}


def evaluation(
    policy: str,
    graph: str,
    episodes: int,
    minutes: float,
    *,
    checkpoint: ExperimentCell | None = None,
    baseline: tuple[ExperimentCell, str] | None = None,
    r0: float | None = None,
    world: str = "exact",
    matching: str = "rate",
    problem: str = "adopt_profit",
) -> ExperimentCell:
    """A cell that evaluates one policy on one graph; in the deployment world if no other is given.

    Args:
        policy: name in tables.
        checkpoint: the training cell it comes from; or
        baseline: the tuning cell, and which of its baselines.
    """
    source = checkpoint or (baseline[0] if baseline else None)
    assert source is not None
    suffix = ("" if r0 is None else f"-r{r0:g}") + ("" if world == "exact" else f"-in-{world}-{matching}")
    arguments = {
        "problem": problem,
        "world": world,
        "matching": matching,
        "graph": graph,
        "episodes": episodes,
        "r0": r0,
        "source": source.stem(),
        "baseline": baseline[1] if baseline else None,
        "constants": constants(problem),
    }
    return ExperimentCell(f"eval-{policy}-{graph}{suffix}", f"{HERE}:evaluate", arguments, minutes, (source.name,))


def evaluate(arguments: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Body of `evaluation`: every episode, and the metrics."""
    from policies.cascade import resolve
    from policies.cascade.config import evaluation_graph
    from policies.cascade.evaluate import evaluate as run

    source = json.loads((folder.parent / f"{arguments['source']}.json").read_text(encoding="utf-8"))["result"]
    problem, name = arguments["problem"], arguments["baseline"]
    options = {key: arguments[key] for key in ("r0", "world", "matching")}
    options["graph"] = evaluation_graph(arguments["graph"])
    if name is None:
        chosen = resolve.resolve(source["checkpoint"], problem, options)
        policy, options = chosen.policy, chosen.options
    else:
        policy = resolve.from_json(source[name])
    outcomes = run(policy, problem, options, arguments["episodes"])
    metrics = {k: v if v == v else None for k, v in outcomes.metrics().items()}
    return {"metrics": metrics, "episodes": outcomes.to_json()}
