"""Options of ``policies train cascade/…``, ``policies eval`` and ``policies experiment``; heavy modules load inside."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import tyro

from assets.errors import TwinloomError, UnknownNameError

NAME, FILE = tyro.conf.arg(metavar="NAME"), tyro.conf.arg(metavar="FILE")
EXPERIMENTS = {
    "jensen": "optimism of the mean field: exact, simulated and mean-field prevalence; optimism of trained policies",
    "hubs": "what a hub-blind observer cannot see, and what that costs a learner",
    "valley": "spending that pays only beyond a threshold: which learners get across",
    "transfer": "policies of three training worlds and all baselines on real and synthetic graphs",
}


def train(
    problem: Annotated[str, tyro.conf.Positional, NAME],
    algo: Literal["tqc", "sac", "ppo", "td3"] = "tqc",
    world: Annotated[str, NAME] = "exact",
    matching: Literal["rate", "transmissibility"] = "rate",
    observer: Literal["tiers", "global", "oracle", "gnn"] = "tiers",
    features: Literal["full", "basic"] = "full",
    tiers: Annotated[str, NAME] = "stub",
    graph: Annotated[str, NAME] = "range",
    r0: float | None = None,
    steps: int = 150_000,
    seed: int = 0,
    replicas: int = 16,
    drop: int = 2,
    risk: float = 1.0,
    horizon_ends: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
    out: Annotated[Path | None, FILE] = None,
) -> int:
    """Train a policy on a spreading problem. The same line again goes on where it was interrupted.

    Args:
        problem: adopt_profit, epidemic_mitigate or escape (policies list targets).
        algo: learner.
        world: exact or renewal (both age-dependent, the latter in time steps), markov, or ode.
        matching: what the markov world keeps of the renewal process.
        observer: tiers; global sees no hubs; oracle also sees the edges that can transmit; gnn sees the whole graph,
            of at most 5,000 nodes.
        features: full or basic observation.
        tiers: stub, top, pop, with a count as in stub2.
        graph: range for random Barabasi-Albert graphs and process parameters, or one graph by name or file.
        r0: reproduction number without control; the problem's if not given.
        steps: environment steps, all replicas together.
        seed: of everything random.
        replicas: episodes side by side.
        drop: highest atoms of each TQC critic that targets leave out.
        risk: what a TQC actor maximises: 1 mean, 0.1 mean of the lowest tenth of the atoms, -0.1 of the highest.
        horizon_ends: values end with the horizon instead of going on behind it.
        out: run folder; runs/PROBLEM-ALGO-WORLD-SEED if not given.
    """
    from sim.cascade.problems import PROBLEMS

    PROBLEMS[problem]
    from assets.errors import require

    require("stable_baselines3", "rl")
    require("sb3_contrib", "rl")
    from policies.cascade.setting import World, job
    from policies.rl.settings import Learner
    from policies.rl.train import train as run

    learner = Learner(
        algo=algo,
        steps=steps,
        seed=seed,
        replicas=replicas,
        steps_per_update=min(8, replicas),
        drop=drop,
        risk=risk,
        horizon_ends=horizon_ends,
    )
    setting = World(problem, world, matching, observer, features, tiers, graph, r0)
    folder = out or Path("runs") / f"{problem}-{algo}-{world}-{seed}"
    last = run(job(setting, learner), folder, command=f"policies {shlex.join(sys.argv[1:])}")
    print(f"{last}: {learner.steps:,} steps. Next: policies eval {folder}")
    return 0


def evaluate(
    policy: Annotated[str, tyro.conf.Positional, NAME],
    problem: Annotated[str, NAME] = "adopt_profit",
    on: Annotated[str | None, NAME] = None,
    world: Annotated[str, NAME] = "exact",
    r0: float | None = None,
    episodes: int = 200,
    seed: int = 0,
    json: Annotated[Path | None, FILE] = None,
) -> int:
    """Mean profit of a policy with its interval, tail and outbreaks, in episodes that are the same for every policy.

    Args:
        policy: run or checkpoint folder, or a baseline: null, random, constant, degree_targeted, bang_bang, mpc.
        problem: of a baseline; a checkpoint brings its own.
        on: graph by name or file; a synthetic Barabasi-Albert graph of 1,000 nodes if not given.
        world: where it is evaluated; exact is the deployment world.
        r0: reproduction number without control; the problem's if not given.
        episodes: how many.
        seed: of the episodes.
        json: write all numbers, and the profit of every episode, to this file.
    """
    if episodes < 1 or seed < 0:
        raise TwinloomError(f"--episodes {episodes} must be at least 1 and --seed {seed} not negative")
    from assets.atomic import write_json
    from policies.cascade.evaluate import SEED
    from policies.cascade.evaluate import evaluate as run
    from policies.cascade.roster import resolve
    from policies.cascade.setting import OWN, evaluation_graph

    graph = evaluation_graph(on or OWN)
    chosen = resolve(policy, problem, {"graph": graph, "world": world, "r0": r0})
    outcomes = run(chosen.policy, chosen.problem, chosen.options, episodes, SEED + 1_000_000 * seed)
    metrics = outcomes.metrics()
    where = on or OWN
    print(f"{policy} on {where}, world {world}, {episodes} episodes of cascade/{chosen.problem}, per node:")
    for name, value in metrics.items():
        if name not in ("profit_low", "profit_high"):
            interval = f"  ({metrics['profit_low']:.4g} to {metrics['profit_high']:.4g})" if name == "profit" else ""
            print(f"  {name.replace('_', ' '):<16}{value:10.4g}{interval}")
    if json:
        finite = {k: v if v == v else None for k, v in metrics.items()}
        write_json(json, {"policy": policy, "graph": where, "world": world, **finite, "episodes": outcomes.to_json()})
    return 0


def experiment(name: Annotated[str, tyro.conf.Positional, NAME], *options: str) -> int:
    """Repeat an experiment of docs/results/cascade; finished parts are kept, so it can be interrupted.

    Args:
        name: jensen, hubs, valley or transfer.
        options: of that experiment, for example: policies experiment transfer --jobs 2 (all of them: --help)
    """
    if name not in EXPERIMENTS:
        raise UnknownNameError("experiment", name, EXPERIMENTS, ", ".join(EXPERIMENTS))
    import importlib

    return importlib.import_module(f"policies.cascade.experiments.{name}").main(list(options))
