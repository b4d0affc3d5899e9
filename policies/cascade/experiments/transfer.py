"""Transfer: policies of three training worlds and all baselines, on graphs they never saw.

``policies experiment transfer [-- --jobs 2]`` (or ``python -m policies.cascade.experiments.transfer --jobs 2``) trains
on synthetic Barabasi-Albert graphs, evaluates in the deployment world (the exact renewal process) in common episodes,
and writes docs/results/cascade/transfer (one row for each graph and policy), transfer_ratio (renewal against Markov)
and transfer_r0 (where the gap is largest).
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from assets.errors import TwinloomError
from assets.results import RESULTS
from policies.cascade.experiments import cells, work
from policies.cascade.experiments.cells import Cell

NAMES = tyro.conf.arg(metavar="NAME ...")
GRAPHS: dict[str, tuple[int, float]] = {
    "barabasi_albert": (200, 0.2),
    "facebook_combined": (200, 0.3),
    "lastfm_asia": (200, 0.3),
    "deezer_europe": (200, 0.4),
    "twitter-like": (100, 1.0),
    "youtube-like": (30, 6.0),
}
"""Graph to episodes, and minutes of one evaluation."""
PLANNED = {"twitter-like": 30, "youtube-like": 12}  # episodes of the planner; a plan costs the same on every graph
TUNED_HERE = ("barabasi_albert", "facebook_combined", "lastfm_asia", "deezer_europe")
TRAINED: dict[str, dict[str, str]] = {
    "renewal": {"world": "exact"},
    "markov, rate": {"world": "markov", "matching": "rate"},
    "markov, T": {"world": "markov", "matching": "transmissibility"},
    "mean field": {"world": "ode"},
    "hub-blind": {"world": "exact", "observer": "global"},
    "SAC": {"world": "exact", "algo": "sac"},
    "PPO": {"world": "exact", "algo": "ppo"},
}
"""Name in tables to what differs from TQC with the tier observer."""
WORLDS = ("renewal", "markov, rate", "markov, T", "mean field")
BASELINES = ("null", "random", "constant", "degree_targeted", "bang_bang", "mpc")
SWEEP_GRAPH, SWEEP_R0, SWEEP_STEPS = "lastfm_asia", (0.8, 1.0, 1.5, 2.0, 3.0), 60_000


@dataclass(frozen=True)
class Options:
    """How much is computed.

    Attributes:
        jobs: processes.
        seeds: trainings of each kind.
        steps: of each training.
        graphs: names, of barabasi_albert, facebook_combined, lastfm_asia, deezer_europe, twitter-like, youtube-like.
        sweep: also train and evaluate the worlds at other R0.
        episodes: on each graph; 0 for 200 on small and fewer on large ones.
        dry: only say what would be done, and how long it may take.
        out: folder of the results.
        work: folder of finished parts.
    """

    jobs: int = 1
    seeds: int = 3
    steps: int = 150_000
    graphs: Annotated[tuple[str, ...], NAMES] = tuple(GRAPHS)
    sweep: bool = True
    episodes: int = 0
    dry: bool = False
    out: Path = RESULTS
    work: Path = cells.FOLDER / "transfer"


@dataclass(frozen=True)
class Plan:
    """All cells.

    Attributes:
        trained: (name, seed) to training.
        tuned: baselines tuned on training graphs.
        here: graph to the constant tuned on it.
        evaluated: (graph, policy, seed) to evaluation; seed 0 for baselines.
        sweep: (R0, policy, seed) to evaluation.
        others: trainings and tunings of the sweep.
    """

    trained: dict[tuple[str, int], Cell]
    tuned: Cell
    here: dict[str, Cell]
    evaluated: dict[tuple[str, str, int], Cell]
    sweep: dict[tuple[float, str, int], Cell]
    others: tuple[Cell, ...]

    def cells(self) -> list[Cell]:
        """In the order in which they are started: what others wait for first."""
        evaluations = [*self.evaluated.values(), *self.sweep.values()]
        every = [self.tuned, *self.trained.values(), *self.here.values(), *self.others, *evaluations]
        return list({cell.stem(): cell for cell in every}.values())


def training(name: str, seed: int, steps: int, r0: float | None = None) -> Cell:
    """The training cell of a policy; `jensen` and `hubs` use the same ones."""
    settings = dict(TRAINED[name])
    algo = settings.pop("algo", "tqc")
    label = name.replace(", ", "-").replace(" ", "_") + ("" if r0 is None else f"-r{r0:g}")
    world: dict[str, Any] = settings if r0 is None else {**settings, "r0": r0}
    return work.training(label, algo=algo, steps=steps, seed=seed, **world)


def plan(options: Options) -> Plan:
    """Cells for these options. Raises TwinloomError for an unknown graph."""
    if unknown := sorted(set(options.graphs) - set(GRAPHS)):
        raise TwinloomError(f"unknown graph {', '.join(unknown)}; there are {', '.join(GRAPHS)}")
    trained = {(name, s): training(name, s, options.steps) for name in TRAINED for s in range(options.seeds)}
    tuned = work.tuning()
    here = {graph: work.tuning(on=graph) for graph in options.graphs if graph in TUNED_HERE}
    evaluated: dict[tuple[str, str, int], Cell] = {}
    for graph in options.graphs:
        most, minutes = GRAPHS[graph]
        episodes = options.episodes or most
        for (name, s), cell in trained.items():
            label = f"{cell.name.removeprefix('train-')}"
            evaluated[graph, name, s] = work.evaluation(label, graph, episodes, minutes, checkpoint=cell)
        for name in BASELINES:
            planned = min(episodes, PLANNED.get(graph, episodes)) if name == "mpc" else episodes
            cost = minutes + (0.02 * planned if name == "mpc" else 0.0)
            evaluated[graph, name, 0] = work.evaluation(name, graph, planned, cost, baseline=(tuned, name))
        if graph in here:
            evaluated[graph, "constant_here", 0] = work.evaluation(
                "constant_here", graph, episodes, minutes, baseline=(here[graph], "constant_here")
            )
    sweep: dict[tuple[float, str, int], Cell] = {}
    others: list[Cell] = []
    for r0 in SWEEP_R0 if options.sweep else ():
        for name in WORLDS:
            cell = training(name, 0, min(SWEEP_STEPS, options.steps), r0)
            others.append(cell)
            label = cell.name.removeprefix("train-")
            episodes = options.episodes or 200
            sweep[r0, name, 0] = work.evaluation(label, SWEEP_GRAPH, episodes, 0.3, checkpoint=cell, r0=r0)
    return Plan(trained, tuned, here, evaluated, sweep, tuple(others))


def main(words: Sequence[str]) -> int:
    """Body of the command."""
    options = tyro.cli(Options, prog="policies experiment transfer --", args=list(words))
    what = plan(options)
    cells.run(what.cells(), options.work, options.jobs, options.dry)
    if options.dry:
        return 0
    from policies.cascade.experiments import transfer_report as report

    command = shlex.join(["policies", "experiment", "transfer", *(["--", *words] if words else [])])
    report.write(what, options, command)
    return 0


if __name__ == "__main__":
    from assets.command import run_command

    run_command(lambda: main(sys.argv[1:]))
