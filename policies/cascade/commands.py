"""Options of ``policies train cascade/…``, ``policies eval`` and ``policies experiment``; heavy modules load inside."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import tyro

from twinloom.errors import TwinloomError, UnknownNameError

NAME, FILE, POLICIES = (tyro.conf.arg(metavar=text) for text in ("NAME", "FILE", "POLICY ..."))
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
    num_envs: int = 16,
    top_quantiles_to_drop_per_net: int = 2,
    risk: float = 1.0,
    horizon_ends: Annotated[bool, tyro.conf.FlagCreatePairsOff] = True,
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
        graph: range for random graphs and process parameters, or one graph by name or file.
        r0: reproduction number without control; the problem's if not given.
        steps: environment steps, all environments together.
        seed: of everything random.
        num_envs: episodes side by side.
        top_quantiles_to_drop_per_net: highest atoms of each TQC critic that targets leave out.
        risk: what a TQC actor maximises: 1 mean, 0.1 mean of the lowest tenth of the atoms, -0.1 of the highest.
        horizon_ends: whether values end with the horizon, as the score does, instead of going on behind it.
        out: run folder; runs/PROBLEM-ALGO-WORLD-SEED if not given.
    """
    from sim.cascade.problems import PROBLEMS

    problem = problem.removeprefix("cascade/")
    PROBLEMS[problem]
    from twinloom.errors import require

    require("stable_baselines3", "rl")
    require("sb3_contrib", "rl")
    from policies.cascade.config import WorldConfig, job
    from policies.rl.config import LearnerConfig
    from policies.rl.train import steps_done
    from policies.rl.train import train as run

    learner = LearnerConfig(
        algo=algo,
        steps=steps,
        seed=seed,
        num_envs=num_envs,
        steps_per_update=min(8, num_envs),
        top_quantiles_to_drop_per_net=top_quantiles_to_drop_per_net,
        risk=risk,
        horizon_ends=horizon_ends,
    )
    setting = WorldConfig(problem, world, matching, observer, features, tiers, graph, r0)
    folder = out or Path("runs") / f"{problem}-{algo}-{world}-{seed}"
    last = run(job(setting, learner), folder, command=f"policies {shlex.join(sys.argv[1:])}")
    print(f"{last}: {steps_done(last):,} steps. Next: policies eval {folder}")
    return 0


def evaluate(
    policy: Annotated[tuple[str, ...], tyro.conf.Positional, POLICIES],
    problem: Annotated[str | None, NAME] = None,
    on: Annotated[str | None, NAME] = None,
    world: Annotated[str, NAME] = "exact",
    r0: float | None = None,
    episodes: int = 200,
    seed: int = 0,
    json: Annotated[Path | None, FILE] = None,
) -> int:
    """Mean profit of policies with its interval, tail and outbreaks, in episodes that are the same for all of them.

    Args:
        policy: run or checkpoint folders, and baselines: null, random, constant, degree_targeted, bang_bang, mpc.
            Folders joined by + act together, by the action that all their critics value most.
        problem: of baselines without a checkpoint beside them, which brings its own; adopt_profit if not given.
        on: graph by name or file; the problem's own if not given (sim list tasks cascade).
        world: where it is evaluated; exact is the deployment world.
        r0: reproduction number without control; the problem's if not given.
        episodes: how many.
        seed: of the episodes.
        json: write all numbers, and the profit of every episode, to this file.
    """
    if episodes < 1 or not 0 <= seed < 1_000_000:
        raise TwinloomError(f"--episodes {episodes} must be at least 1 and --seed {seed} from 0 to 999999")
    from policies.cascade import table
    from policies.cascade.config import OWN, evaluation_graph
    from policies.cascade.evaluate import SEED
    from policies.cascade.evaluate import evaluate as run
    from policies.cascade.resolve import problem_of, resolve
    from twinloom.atomic import write_json

    problem = problem_of(policy, problem)
    options = {"graph": evaluation_graph(on or OWN), "world": world, "r0": r0}
    chosen = {name: resolve(name, problem, options) for name in policy}
    found = {
        name: run(one.policy, one.problem, one.options, episodes, SEED + 1_000_000 * seed)
        for name, one in chosen.items()
    }
    where = on or table.own_graph(problem)
    print(f"cascade/{problem} on {where}, world {world}, {episodes} episodes, per node:")
    print("\n".join(table.lines(problem, {name: outcomes.metrics() for name, outcomes in found.items()})))
    if json:
        write_json(
            json,
            {
                "problem": problem,
                "graph": where,
                "world": world,
                "policies": [
                    {"policy": name, **table.finite(outcomes.metrics()), "episodes": outcomes.to_json()}
                    for name, outcomes in found.items()
                ],
            },
        )
    return 0


def experiment(name: Annotated[str, tyro.conf.Positional, NAME], *options: str) -> int:
    """Repeat an experiment of docs/results/cascade; finished parts are kept, so it can be interrupted.

    Args:
        name: jensen, hubs, valley or transfer.
        options: of that experiment, for example: policies experiment transfer --jobs 2; all of them:
            policies experiment transfer --help.
    """
    if name not in EXPERIMENTS:
        raise UnknownNameError("experiment", name, EXPERIMENTS, ", ".join(EXPERIMENTS))
    import importlib

    return importlib.import_module(f"policies.cascade.experiments.{name}").main(list(options))
